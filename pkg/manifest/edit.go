package manifest

import (
	"maps"
	"slices"
	"strings"
)

// Edit returns the object with the values that a pattern leads to as f gives them, or without those for which keep is
// false. f gets the path of each, in order; an item is named as in the pattern, or by its place. A map that loses its last
// key goes with it, as does a list that loses its last item. The given object stays as it is; what does not change is
// shared with it.
//
// Edit does not look into text.
func Edit(o Object, p Pattern, f func(at Path, value any) (replacement any, keep bool)) Object {
	if len(p.steps) == 0 {
		return o
	}
	e := edit{pattern: p, f: f}
	value, changed, keep := e.value(0, o.Value)
	if !changed {
		return o
	}
	o.parsed = nil
	o.Value, _ = value.(map[string]any)
	if !keep {
		o.Value = map[string]any{}
	}
	return o
}

// Without returns the object without the values that a pattern leads to.
func Without(o Object, p Pattern) Object {
	return Edit(o, p, func(Path, any) (any, bool) { return nil, false })
}

type edit struct {
	pattern Pattern
	f       func(Path, any) (any, bool)
	at      Path
}

// value edits what step n of the pattern and those after it lead to.
func (e *edit) value(n int, value any) (out any, changed, keep bool) {
	if n == len(e.pattern.steps) {
		out, keep = e.f(slices.Clone(e.at), value)
		return out, true, keep
	}
	switch value := value.(type) {
	case map[string]any:
		return e.mapping(n, value)
	case []any:
		return e.list(n, value)
	}
	return value, false, true
}

func (e *edit) mapping(n int, m map[string]any) (out any, changed, keep bool) {
	pattern, ok := e.pattern.steps[n].(Key)
	if !ok {
		return m, false, true
	}
	keys := []string{string(pattern)}
	if strings.Contains(string(pattern), "*") {
		keys = slices.Sorted(maps.Keys(m))
	}
	edited := m
	for _, key := range keys {
		item, found := m[key]
		if !found || !glob(string(pattern), key) {
			continue
		}
		e.at = append(e.at, Key(key))
		value, itemChanged, keep := e.value(n+1, item)
		e.at = e.at[:len(e.at)-1]
		if !itemChanged {
			continue
		}
		if !changed {
			edited, changed = maps.Clone(m), true
		}
		if keep {
			edited[key] = value
		} else {
			delete(edited, key)
		}
	}
	return edited, changed, !changed || len(edited) > 0
}

func (e *edit) list(n int, list []any) (out any, changed, keep bool) {
	edited := make([]any, 0, len(list))
	for index, item := range list {
		if !e.pattern.fitsItem(n, index, item) {
			edited = append(edited, item)
			continue
		}
		step := e.pattern.steps[n]
		if item, ok := step.(Item); !ok || strings.Contains(Path{item}.String(), "*") {
			step = Index(index)
		}
		e.at = append(e.at, step)
		value, itemChanged, keep := e.value(n+1, item)
		e.at = e.at[:len(e.at)-1]
		changed = changed || itemChanged
		if !itemChanged {
			value = item
		}
		if keep {
			edited = append(edited, value)
		}
	}
	if !changed {
		return list, false, true
	}
	return edited, true, len(edited) > 0
}
