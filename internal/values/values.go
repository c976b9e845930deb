// Package values makes, reads and changes maps of values for the tests of other packages.
package values

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

// Options say what generated values may hold.
type Options struct {
	// Null allows null at any depth, inside lists too.
	Null bool
	// Keys are the names to choose from; a few letters where it is empty, so that maps meet.
	Keys []string
	// Maps are the keys whose values are maps, and only those; any key may have any kind where it is nil.
	Maps []string
}

// Map generates maps of values as a YAML file gives them to Helm: strings, booleans, float64, lists and maps.
func Map(o Options) *rapid.Generator[map[string]any] {
	if o.Keys == nil {
		o.Keys = []string{"a", "b", "c", "d.e"}
	}
	return rapid.Custom(func(t *rapid.T) map[string]any { return o.draw(t, 3) })
}

func (o Options) draw(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	if depth <= 0 {
		return out
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(o.Keys), 0, min(len(o.Keys), 4), rapid.ID).Draw(t, "keys") {
		kinds := []string{"map", "map", "scalar", "scalar", "list"}
		switch {
		case slices.Contains(o.Maps, key):
			kinds = []string{"map", "map", "map"}
		case o.Maps != nil:
			kinds = []string{"scalar", "scalar", "list"}
		case depth <= 1:
			kinds = []string{"scalar"}
		}
		out[key] = o.value(t, depth-1, kinds)
	}
	return out
}

func (o Options) value(t *rapid.T, depth int, kinds []string) any {
	if o.Null {
		kinds = append(kinds, "null")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "map":
		return o.draw(t, depth)
	case "list":
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for n := range list {
			list[n] = o.value(t, depth-1, []string{"scalar", "scalar", "map"})
		}
		return list
	case "null":
		return nil
	}
	return rapid.OneOf(
		rapid.SampledFrom([]any{true, false, "", "x", "1.30", 0.0, 1.0, -7.0, 2.5, 1e6, 9007199254740992.0, 1e20, -9.3e18}),
		rapid.Map(rapid.StringOfN(rapid.RuneFrom([]rune("a0-:.~ #'\"\\%&<é\n€")), 0, 4, -1), func(s string) any { return s }),
		rapid.Map(rapid.Float64Range(-1e12, 1e12), func(f float64) any { return f }),
	).Draw(t, "scalar")
}

// Copy returns a deep copy that keeps null and the types of scalars.
func Copy(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	return deep(m).(map[string]any)
}

func deep(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, v := range value {
			out[key] = deep(v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for n, v := range value {
			out[n] = deep(v)
		}
		return out
	}
	return value
}

// Scribble overwrites every map and list inside value.
func Scribble(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			Scribble(v)
			value[key] = "scribbled"
		}
		value["scribbled"] = true
	case []any:
		for n, v := range value {
			Scribble(v)
			value[n] = "scribbled"
		}
	}
}

// A Leaf is a value that is no map, or an empty one.
type Leaf struct {
	Path  []string
	Value any
}

// Leaves lists the leaves of a map, sorted by path.
func Leaves(m map[string]any) []Leaf { return leaves(nil, nil, m) }

func leaves(to []Leaf, at []string, m map[string]any) []Leaf {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		path := append(slices.Clone(at), key)
		if inner, ok := m[key].(map[string]any); ok && len(inner) > 0 {
			to = leaves(to, path, inner)
			continue
		}
		to = append(to, Leaf{path, m[key]})
	}
	return to
}

// Get returns the value at a path.
func Get(m map[string]any, path []string) (any, bool) {
	var value any = m
	for _, key := range path {
		inner, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = inner[key]; !ok {
			return nil, false
		}
	}
	return value, true
}

// Set puts a value at a path and makes the maps that lead there.
func Set(m map[string]any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		inner, ok := m[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			m[key] = inner
		}
		m = inner
	}
	m[path[len(path)-1]] = value
}

// Delete removes the value at a path.
func Delete(m map[string]any, path []string) {
	if parent, ok := Get(m, path[:len(path)-1]); ok {
		if parent, ok := parent.(map[string]any); ok {
			delete(parent, path[len(path)-1])
		}
	}
}

// Nulls lists the paths of all nulls, inside lists too.
func Nulls(value any) []string { return nulls("", value) }

func nulls(at string, value any) []string {
	var out []string
	switch value := value.(type) {
	case nil:
		return []string{at}
	case map[string]any:
		for key, v := range value {
			out = append(out, nulls(at+"."+key, v)...)
		}
	case []any:
		for n, v := range value {
			out = append(out, nulls(fmt.Sprintf("%s[%d]", at, n), v)...)
		}
	}
	return out
}

// NotNil returns m, or an empty map.
func NotNil(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
