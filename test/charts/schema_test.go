package charts_test

import (
	"encoding/json"
	"slices"
	"strings"
)

// A schema is a chart's values.schema.json, for finding out what it documents.
type schema map[string]any

var schemas = perChart(func(name string) (schema, error) {
	fsys, err := readFiles(name)
	if err != nil {
		return nil, err
	}
	var s schema
	return s, json.Unmarshal(fsys["values.schema.json"].Data, &s)
})

// own are the root keys that the chart reads itself; the others are there for other charts.
func (s schema) own() map[string]any {
	m, _ := at(map[string]any(s), "properties", "defaults", "properties").(map[string]any)
	return m
}

func (s schema) knows(key string) bool { return s.own()[key] != nil }

// resolve follows a reference, and says whether there was one.
func (s schema) resolve(node map[string]any) (map[string]any, bool) {
	ref, found := node["$ref"].(string)
	if !found {
		return node, false
	}
	target, _ := at(map[string]any(s), strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(map[string]any)
	return target, true
}

// enum is the closed list of values that a key takes, nil where it is open.
func (s schema) enum(path []string) []any {
	node := map[string]any(s)
	for _, key := range path {
		node, _ = at(node, "properties", key).(map[string]any)
		node, _ = s.resolve(node)
	}
	list, _ := node["enum"].([]any)
	return list
}

// isSwitch says whether a key at the root is true or false.
func (s schema) isSwitch(key string) bool {
	types, _ := at(s.own(), key, "type").([]any)
	return slices.Contains(types, any("boolean"))
}

// paths lists every documented key that the chart reads itself, at every depth, parents first. Of the types of Kubernetes
// it goes into the first levels, as many as foreign says.
func (s schema) paths(foreign int) [][]string {
	var out [][]string
	var walk func(path []string, node map[string]any, foreign int)
	walk = func(path []string, node map[string]any, foreign int) {
		out = append(out, path)
		node, ref := s.resolve(node)
		if ref {
			foreign--
		}
		if foreign < 0 {
			return
		}
		properties, _ := node["properties"].(map[string]any)
		for _, key := range sortedKeys(properties) {
			inner, _ := properties[key].(map[string]any)
			walk(append(slices.Clone(path), key), inner, foreign)
		}
	}
	for _, key := range sortedKeys(s.own()) {
		inner, _ := s.own()[key].(map[string]any)
		walk([]string{key}, inner, foreign)
	}
	return out
}
