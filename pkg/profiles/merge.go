package profiles

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
)

// Merge merges maps, from the lowest to the highest, into a new one. The rules, upper over lower:
//
//	map                over map                  key by key
//	empty map          over map                  the lower map: an empty map says nothing
//	null               over anything             the key is gone; a higher layer may set it again
//	list or scalar     over anything             the upper value, whole
//	map                over a list or a scalar   an error (ErrType)
//
// false, 0, "" and [] are values like any other. No null is left in the result, inside lists neither. An error names every
// fault; its layers are called "explicit values", since the caller gave no names.
//
// Merge is associative only where no null is involved: a null takes away what is below it, wherever it stands.
func Merge(layers ...map[string]any) (map[string]any, error) {
	var f faults
	into := map[string]any{}
	for _, values := range layers {
		m := merger{faults: &f, layer: Layer{Kind: KindExplicit}}
		m.merge(into, values, nil)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return into, nil
}

// A merger merges the values of one layer over others.
type merger struct {
	faults *faults
	layer  Layer
	// sheets are where the merged values come from; a fault is reported at the place in the topmost that has it.
	sheets []sheet
	// keepNull keeps null as a value, for a layer that has yet to be merged over others.
	keepNull bool
	// replace lets a map replace a list or scalar, as Helm does between values files.
	replace bool
}

// merge merges from over into, of which it owns every map; from is only read.
func (m *merger) merge(into, from map[string]any, at *trail) {
	for key, value := range from {
		if value == nil {
			if m.keepNull {
				into[key] = nil
			} else {
				delete(into, key)
			}
			continue
		}
		upper, isMap := asMap(value)
		if !isMap {
			into[key] = m.copy(value, &trail{at, key})
			continue
		}
		lower, found := into[key]
		if lower, ok := lower.(map[string]any); ok {
			m.merge(lower, upper, &trail{at, key})
			continue
		}
		if found && lower != nil && !m.replace {
			m.fault(&trail{at, key}, fmt.Sprintf("is a map where a %s belongs", kindName(lower)))
			continue
		}
		fresh := make(map[string]any, len(upper))
		m.merge(fresh, upper, &trail{at, key})
		into[key] = fresh
	}
}

// copy returns a value of a normal shape that shares nothing with the given one. Null inside lists is dropped.
func (m *merger) copy(value any, at *trail) any {
	switch value := value.(type) {
	case string, bool, int64:
		return value
	case float64:
		if whole := math.Trunc(value); whole == value && whole >= -1<<63 && whole < 1<<63 {
			return int64(whole)
		}
		return value
	case json.Number:
		if i, err := value.Int64(); err == nil {
			return i
		}
		if f, err := value.Float64(); err == nil {
			return m.copy(f, at)
		}
		return value.String()
	}
	if list, ok := asList(value); ok {
		out := make([]any, 0, len(list))
		for n, item := range list {
			if item == nil {
				continue
			}
			here := &trail{at, fmt.Sprint(n)}
			if item, ok := asMap(item); ok {
				fresh := make(map[string]any, len(item))
				inner := *m
				inner.keepNull = false
				inner.merge(fresh, item, here)
				out = append(out, fresh)
				continue
			}
			out = append(out, m.copy(item, here))
		}
		return out
	}
	switch reflect.TypeOf(value).Kind() {
	case reflect.String:
		return reflect.ValueOf(value).String()
	case reflect.Bool:
		return reflect.ValueOf(value).Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return value
	case reflect.Float32, reflect.Float64:
		return m.copy(reflect.ValueOf(value).Float(), at)
	}
	m.fault(at, fmt.Sprintf("is a Go %T; values are maps with string keys, lists, strings, booleans and numbers", value))
	return nil
}

// normal returns a copy of any value, as the result holds it.
func normal(value any) any {
	m := merger{faults: &faults{}}
	if value, ok := asMap(value); ok {
		fresh := make(map[string]any, len(value))
		m.merge(fresh, value, nil)
		return fresh
	}
	if value == nil {
		return nil
	}
	return m.copy(value, nil)
}

func (m *merger) fault(at *trail, text string) {
	document, path := find(m.sheets, at.path())
	m.faults.add(&Error{Reason: ErrType, Layer: m.layer, Path: path, Position: document.at(path), Text: text})
}

// asMap returns a value of any map type with string keys as a map[string]any; the map itself where it is one.
func asMap(value any) (map[string]any, bool) {
	if value, ok := value.(map[string]any); ok {
		return value, true
	}
	switch value.(type) {
	case nil, string, bool, int64, float64, []any:
		return nil, false
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	out := make(map[string]any, v.Len())
	for i := v.MapRange(); i.Next(); {
		out[i.Key().String()] = i.Value().Interface()
	}
	return out, true
}

// asList returns a value of any slice type as an []any; the list itself where it is one.
func asList(value any) ([]any, bool) {
	if value, ok := value.([]any); ok {
		return value, true
	}
	switch value.(type) {
	case nil, string, bool, int64, float64, map[string]any:
		return nil, false
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice {
		return nil, false
	}
	out := make([]any, v.Len())
	for n := range out {
		out[n] = v.Index(n).Interface()
	}
	return out, true
}

// without returns a shallow copy of values that lacks keys.
func without(values map[string]any, keys ...string) map[string]any {
	out := maps.Clone(values)
	for _, key := range keys {
		delete(out, key)
	}
	return out
}
