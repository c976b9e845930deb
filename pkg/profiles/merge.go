package profiles

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
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
		m.merge(into, values)
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
	// at is the path of the map that is being merged.
	at Path
	// keepNull keeps null as a value, for a layer that has yet to be merged over others.
	keepNull bool
	// replace lets a map replace a list or scalar, as Helm does between values files.
	replace bool
}

// mergeSheet merges the values of a sheet over into.
func (m *merger) mergeSheet(into map[string]any, s *sheet) {
	for key, value := range s.values {
		if !s.skips(key) {
			m.set(into, key, value)
		}
	}
}

// merge merges from over into, of which it owns every map; from is only read.
func (m *merger) merge(into, from map[string]any) {
	for key, value := range from {
		m.set(into, key, value)
	}
}

// set merges one value over what into has under the key.
func (m *merger) set(into map[string]any, key string, value any) {
	if value == nil {
		if m.keepNull {
			into[key] = nil
		} else {
			delete(into, key)
		}
		return
	}
	upper, isMap := asMap(value)
	if !isMap {
		into[key] = m.copy(value, key)
		return
	}
	m.at = append(m.at, key)
	below, found := into[key]
	if lower, ok := below.(map[string]any); ok {
		m.merge(lower, upper)
	} else if found && below != nil && !m.replace {
		m.fault(fmt.Sprintf("is a map where a %s belongs", kindName(below)))
	} else {
		fresh := make(map[string]any, len(upper))
		m.merge(fresh, upper)
		into[key] = fresh
	}
	m.at = m.at[:len(m.at)-1]
}

// copy returns a value that is no map in its normal shape; it shares nothing with the given one. Null inside lists is dropped.
func (m *merger) copy(value any, key string) any {
	switch v := value.(type) {
	case string, bool, int64:
		return value
	case float64:
		if whole := math.Trunc(v); whole == v && whole >= -1<<63 && whole < 1<<63 {
			return int64(whole)
		}
		return value
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil {
			return m.copy(f, key)
		}
		return v.String()
	}
	if list, ok := asList(value); ok {
		return m.copyList(list, key)
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
		return m.copy(reflect.ValueOf(value).Float(), key)
	}
	m.at = append(m.at, key)
	m.fault(fmt.Sprintf("is a Go %T; values are maps with string keys, lists, strings, booleans and numbers", value))
	m.at = m.at[:len(m.at)-1]
	return nil
}

func (m *merger) copyList(list []any, key string) []any {
	m.at = append(m.at, key)
	keepNull := m.keepNull
	m.keepNull = false
	out := make([]any, 0, len(list))
	for n, item := range list {
		if item == nil {
			continue
		}
		if item, ok := asMap(item); ok {
			fresh := make(map[string]any, len(item))
			m.merge(fresh, item)
			out = append(out, fresh)
			continue
		}
		out = append(out, m.copy(item, strconv.Itoa(n)))
	}
	m.keepNull = keepNull
	m.at = m.at[:len(m.at)-1]
	return out
}

// normal returns a copy of any value, as the result holds it.
func normal(value any) any {
	switch value.(type) {
	case nil, string, bool, int64:
		return value
	}
	m := merger{faults: &faults{}}
	if value, ok := asMap(value); ok {
		fresh := make(map[string]any, len(value))
		m.merge(fresh, value)
		return fresh
	}
	return m.copy(value, "")
}

// fault reports the value at the merger's path.
func (m *merger) fault(text string) {
	document, path := find(m.sheets, m.at.join())
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
