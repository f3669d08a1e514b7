package main

import (
	"encoding/json"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// told is a story of one object: what was done to it, and what it was in the end.
type told struct {
	Steps []step `json:"steps"`
	Live  any    `json:"live"`
}

type step struct {
	Operation string         `json:"operation"`
	Manager   string         `json:"manager"`
	Spec      map[string]any `json:"spec"`
	Labels    map[string]any `json:"labels"`
	Error     string         `json:"error,omitempty"`
}

var kind = schema.GroupVersionKind{Group: "g", Version: "v1", Kind: "Thing"}

var converter = func() managedfields.TypeConverter {
	var root spec.Schema
	if err := json.Unmarshal([]byte(thingSchema), &root); err != nil {
		log.Fatal(err)
	}
	made, err := managedfields.NewTypeConverter(map[string]*spec.Schema{"thing": &root}, false)
	if err != nil {
		log.Fatal(err)
	}
	return made
}()

func story(r *random) told {
	manager := managedfieldstest.NewTestFieldManager(converter, kind)
	var made told
	for range 2 + r.IntN(5) {
		done := step{
			Operation: pick(r, []string{"apply", "apply", "apply", "force", "update"}),
			Manager:   pick(r, []string{"one", "two", "three"}),
			Spec:      r.spec(),
		}
		if r.chance(20) {
			done.Labels = r.texts(false)
		}
		object := &unstructured.Unstructured{Object: object(done)}
		var err error
		if done.Operation == "update" {
			err = manager.Update(object, done.Manager)
		} else {
			err = manager.Apply(object, done.Manager, done.Operation == "force")
		}
		if err != nil {
			done.Error = err.Error()
		}
		made.Steps = append(made.Steps, done)
	}
	live, ok := manager.Live().(*unstructured.Unstructured)
	if !ok {
		log.Fatalf("%T", manager.Live())
	}
	forgetTimes(live)
	made.Live = live.Object
	return made
}

func object(done step) map[string]any {
	metadata := map[string]any{"name": "n", "namespace": "ns"}
	if done.Labels != nil {
		metadata["labels"] = done.Labels
	}
	return copyOf(map[string]any{"apiVersion": "g/v1", "kind": "Thing", "metadata": metadata, "spec": done.Spec})
}

func forgetTimes(live *unstructured.Unstructured) {
	fields := live.GetManagedFields()
	for index := range fields {
		fields[index].Time = (*metav1.Time)(nil)
	}
	live.SetManagedFields(fields)
}

func (r *random) spec() map[string]any {
	made := map[string]any{}
	fields := []struct {
		name string
		make func() any
	}{
		{"numeric", func() any { return r.IntN(3) }},
		{"string", func() any { return pick(r, letters) }},
		{"struct", func() any {
			return r.someOf(map[string]any{"a": pick(r, letters), "b": r.IntN(3), "inner": map[string]any{"c": "d"}})
		}},
		{"map", func() any { return r.texts(false) }},
		{"maps", func() any {
			return map[string]any{pick(r, letters): r.someOf(map[string]any{"a": pick(r, letters), "b": r.IntN(3)})}
		}},
		{"list", func() any { return r.keyed() }},
		{"ports", func() any { return r.ports() }},
		{"set", func() any { return r.set() }},
		{"atomicList", func() any { return r.list() }},
		{"atomicMap", func() any { return r.texts(false) }},
		{"free", func() any { return r.someOf(map[string]any{"a": r.list(), "b": map[string]any{"c": r.IntN(2)}}) }},
	}
	for _, field := range fields {
		if r.chance(35) {
			made[field.name] = field.make()
		}
	}
	return made
}

func (r *random) someOf(fields map[string]any) map[string]any {
	made := map[string]any{}
	for _, name := range sortedKeys(fields) {
		if r.chance(60) {
			made[name] = fields[name]
		}
	}
	return made
}

func (r *random) keyed() []any {
	list := []any{}
	order := r.Perm(3)
	for index := range r.IntN(4) {
		made := map[string]any{"name": letters[order[index]]}
		if r.chance(50) {
			made["value"] = r.IntN(3)
		}
		if r.chance(30) {
			made["nested"] = []any{map[string]any{"id": r.IntN(2), "value": pick(r, letters)}}
		}
		if r.chance(30) {
			made["map"] = r.texts(false)
		}
		list = append(list, made)
	}
	if len(list) > 0 && r.chance(4) {
		list = append(list, list[0])
	}
	return list
}

func (r *random) ports() []any {
	list := []any{}
	for index := range r.IntN(3) {
		made := map[string]any{"port": 80 + index}
		if r.chance(50) {
			made["protocol"] = pick(r, []string{"TCP", "UDP"})
		}
		if r.chance(50) {
			made["name"] = pick(r, letters)
		}
		list = append(list, made)
	}
	return list
}

func (r *random) set() []any {
	list := []any{}
	for _, index := range r.Perm(len(letters))[:r.IntN(4)] {
		list = append(list, letters[index])
	}
	return list
}

// thingSchema is a kind with one field of every sort in its spec.
const thingSchema = `{
"type": "object", "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "Thing"}],
"properties": {
  "apiVersion": {"type": "string"}, "kind": {"type": "string"},
  "metadata": {"type": "object", "properties": {
    "name": {"type": "string"}, "namespace": {"type": "string"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "managedFields": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
  }},
  "spec": {"type": "object", "properties": {
    "numeric": {"type": "integer"}, "string": {"type": "string"},
    "struct": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"},
      "inner": {"type": "object", "properties": {"c": {"type": "string"}}}}},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
    "maps": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}},
    "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
      "items": {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "integer"},
        "nested": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
          "items": {"type": "object", "properties": {"id": {"type": "integer"}, "value": {"type": "string"}}}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}}}}},
    "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
      "items": {"type": "object", "properties": {"port": {"type": "integer"},
        "protocol": {"type": "string", "default": "TCP"}, "name": {"type": "string"}}}},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "atomicList": {"type": "array", "items": {"type": "string"}},
    "atomicMap": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}
  }}
}}`
