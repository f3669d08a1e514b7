package main

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/strategicpatch"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

func jsonPatchCase(r *random) patchCase {
	document := r.object(3)
	operations := []any{}
	for range 1 + r.IntN(4) {
		operations = append(operations, operation(r, document))
	}
	made := patchCase{Document: document, Patch: operations}
	patch, err := jsonpatch.DecodePatch(marshal(operations))
	if err != nil {
		made.Error = err.Error()
		return made
	}
	patched, err := patch.Apply(marshal(document))
	return made.with(patched, err)
}

func operation(r *random, document any) map[string]any {
	kind := pick(r, []string{"add", "add", "remove", "replace", "move", "copy", "test", "test", "odd"})
	made := map[string]any{"op": kind, "path": r.path(document)}
	switch kind {
	case "add", "replace", "test", "odd":
		made["value"] = r.value(2)
		if kind == "test" && r.chance(50) {
			made["value"] = nil
		}
		if r.chance(5) {
			delete(made, "value")
		}
	case "move", "copy":
		made["from"] = r.path(document)
		if r.chance(5) {
			delete(made, "from")
		}
	}
	return made
}

func mergePatchCase(r *random) patchCase {
	made := patchCase{Document: r.object(3), Patch: r.object(3)}
	patched, err := jsonpatch.MergePatch(marshal(made.Document), marshal(made.Patch))
	return made.with(patched, err)
}

func (c patchCase) with(patched []byte, err error) patchCase {
	if err != nil {
		c.Error = err.Error()
	} else if err := json.Unmarshal(patched, &c.Patched); err != nil {
		c.Error = err.Error()
	}
	return c
}

// thing has a field of every sort that strategic merge patches know.
type thing struct {
	Text       string            `json:"text"`
	Map        map[string]string `json:"map"`
	Merged     []element         `json:"merged" patchStrategy:"merge" patchMergeKey:"name"`
	Replaced   []element         `json:"replaced"`
	Primitives []string          `json:"primitives" patchStrategy:"merge"`
	Plain      []string          `json:"plain"`
	Struct     inner             `json:"struct"`
	Whole      inner             `json:"whole" patchStrategy:"replace"`
	Retained   inner             `json:"retained" patchStrategy:"retainKeys"`
}

type element struct {
	Name   string    `json:"name"`
	Value  string    `json:"value"`
	Nested []element `json:"nested" patchStrategy:"merge" patchMergeKey:"name"`
	Tags   []string  `json:"tags" patchStrategy:"merge"`
}

type inner struct {
	A string    `json:"a"`
	B string    `json:"b"`
	C []element `json:"c" patchStrategy:"merge" patchMergeKey:"name"`
}

// strategicPatchCase looks for a case whose outcome does not depend on the order in which Go walks maps.
func strategicPatchCase(r *random) patchCase {
	for {
		asked := patchCase{Document: r.thing(false), Patch: r.thing(true)}
		made := strategicOutcome(asked)
		steady := true
		for range 300 {
			steady = steady && bytes.Equal(marshal(made), marshal(strategicOutcome(asked)))
		}
		if steady {
			return made
		}
	}
}

func strategicOutcome(made patchCase) patchCase {
	patched, err := strategicpatch.StrategicMergeMapPatch(copyOf(made.Document), copyOf(made.Patch), thing{})
	if err != nil {
		made.Error = err.Error()
		return made
	}
	made.Patched = patched
	return made
}

func copyOf(value any) map[string]any {
	var copied map[string]any
	if err := json.Unmarshal(marshal(value), &copied); err != nil {
		panic(err)
	}
	return copied
}

var letters = []string{"a", "b", "c", "d"}

func (r *random) thing(patch bool) map[string]any {
	made := map[string]any{}
	fields := map[string]func() any{
		"text":       func() any { return pick(r, letters) },
		"map":        func() any { return r.texts(patch) },
		"merged":     func() any { return r.elements(patch, 1) },
		"replaced":   func() any { return r.elements(patch, 1) },
		"primitives": func() any { return r.list() },
		"plain":      func() any { return r.list() },
		"struct":     func() any { return r.inner(patch) },
		"whole":      func() any { return r.inner(patch) },
		"retained":   func() any { return r.inner(patch) },
	}
	for _, name := range []string{"text", "map", "merged", "replaced", "primitives", "plain", "struct", "whole", "retained"} {
		if !r.chance(35) {
			continue
		}
		made[name] = fields[name]()
		if patch && r.chance(8) {
			made[name] = nil
		}
	}
	if patch {
		r.directives(made, []string{"merged"}, []string{"primitives"})
	}
	return made
}

func (r *random) texts(patch bool) map[string]any {
	made := map[string]any{}
	for range r.IntN(3) {
		made[pick(r, letters)] = pick(r, letters)
	}
	if patch && r.chance(20) {
		made[pick(r, letters)] = nil
	}
	if patch && r.chance(5) {
		made["$patch"] = pick(r, []string{"replace", "delete", "merge", "odd"})
	}
	return made
}

func (r *random) list() []any {
	list := []any{}
	for range r.IntN(4) {
		list = append(list, pick(r, letters))
	}
	return list
}

func (r *random) elements(patch bool, depth int) []any {
	list := []any{}
	order := r.Perm(len(letters))
	for index := range r.IntN(4) {
		made := map[string]any{"name": letters[order[index]]}
		if r.chance(60) {
			made["value"] = pick(r, letters)
		}
		if depth > 0 && r.chance(30) {
			made["nested"] = r.elements(patch, depth-1)
		}
		if r.chance(30) {
			made["tags"] = r.list()
		}
		if patch && r.chance(12) {
			made["$patch"] = pick(r, []string{"delete", "delete", "replace", "merge", "odd"})
		}
		if patch && r.chance(4) {
			delete(made, "name")
		}
		if patch && depth > 0 {
			r.directives(made, []string{"nested"}, []string{"tags"})
		}
		list = append(list, made)
	}
	if patch && r.chance(6) {
		list = append(list, map[string]any{"$patch": "replace"})
	}
	return list
}

func (r *random) inner(patch bool) map[string]any {
	made := map[string]any{}
	for _, name := range []string{"a", "b"} {
		if r.chance(60) {
			made[name] = pick(r, letters)
		}
	}
	if r.chance(30) {
		made["c"] = r.elements(patch, 0)
	}
	if !patch {
		return made
	}
	if r.chance(15) {
		made["$retainKeys"] = []any{"a", pick(r, []any{"b", "c", 1})}
	}
	if r.chance(8) {
		made["$patch"] = pick(r, []string{"replace", "delete", "merge"})
	}
	r.directives(made, []string{"c"}, nil)
	return made
}

// directives adds orders and deletions, some of which do not fit the lists.
func (r *random) directives(made map[string]any, keyed, primitive []string) {
	for _, name := range keyed {
		if r.chance(15) {
			order := []any{}
			for _, index := range r.Perm(len(letters))[:1+r.IntN(3)] {
				order = append(order, map[string]any{"name": letters[index]})
			}
			made["$setElementOrder/"+name] = order
		}
	}
	for _, name := range primitive {
		if r.chance(12) {
			made["$setElementOrder/"+name] = r.list()
		}
		if r.chance(15) {
			made["$deleteFromPrimitiveList/"+name] = r.list()
		}
	}
}
