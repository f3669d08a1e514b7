package main

import (
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
)

// random makes values.
type random struct{ *rand.Rand }

func (r *random) chance(percent int) bool { return r.IntN(100) < percent }

func pick[T any](r *random, from []T) T { return from[r.IntN(len(from))] }

var names = []string{"a", "b", "c", "x/y", "m~n", ""}

func (r *random) scalar() any {
	return pick(r, []any{nil, true, false, 0, 1, -3, 1.5, "", "s", "t"})
}

func (r *random) value(depth int) any {
	switch kind := r.IntN(10); {
	case depth == 0 || kind < 4:
		return r.scalar()
	case kind < 7:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, r.value(depth-1))
		}
		return list
	default:
		return r.object(depth)
	}
}

func (r *random) object(depth int) map[string]any {
	object := map[string]any{}
	for range r.IntN(4) {
		object[pick(r, names)] = r.value(depth - 1)
	}
	return object
}

// path leads somewhere into the value most of the time, sometimes one step further, sometimes astray.
func (r *random) path(value any) string {
	var path strings.Builder
	for {
		switch node := value.(type) {
		case map[string]any:
			if len(node) == 0 || r.chance(15) {
				return path.String() + "/" + escape(pick(r, names))
			}
			name := pick(r, sortedKeys(node))
			path.WriteString("/" + escape(name))
			value = node[name]
		case []any:
			if len(node) == 0 || r.chance(30) {
				return path.String() + "/" + pick(r, []string{"-", "0", "1", "-1", "-2", "7", "x", "01", strconv.Itoa(len(node))})
			}
			index := r.IntN(len(node))
			path.WriteString("/" + strconv.Itoa(index))
			value = node[index]
		default:
			if r.chance(5) {
				return path.String() + "/a"
			}
			return path.String()
		}
		if r.chance(35) {
			return path.String()
		}
	}
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func sortedKeys(object map[string]any) []string {
	var keys []string
	for key := range object {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
