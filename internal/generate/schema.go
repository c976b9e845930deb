package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// object and list are JSON.
type object = map[string]any

func list(items ...string) []any {
	out := make([]any, len(items))
	for n, item := range items {
		out[n] = item
	}
	return out
}

// types is the schema of scalars of the given types, or null.
func types(names ...string) object { return object{"type": list(append(names, "null")...)} }

// A chartFile is what the generators need of a chart.
type chartFile struct {
	name    string
	section string
	// sections are those of all charts.
	sections []string
	values   *value
	meta     struct {
		Description string            `json:"description"`
		AppVersion  string            `json:"appVersion"`
		Annotations map[string]string `json:"annotations"`
	}
}

func readCharts(root string) ([]*chartFile, error) {
	names, err := chartNames(root)
	if err != nil {
		return nil, err
	}
	var charts []*chartFile
	for _, name := range names {
		c := &chartFile{name: name}
		dir := filepath.Join(root, "manifests/charts", name)
		text, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(text, &c.meta); err != nil {
			return nil, fmt.Errorf("%s: Chart.yaml: %w", name, err)
		}
		c.section = c.meta.Annotations["stratamesh.io/section"]
		c.sections = strings.Split(c.meta.Annotations["stratamesh.io/sections"], ",")
		if c.values, err = readValues(filepath.Join(dir, "values.yaml")); err != nil {
			return nil, err
		}
		charts = append(charts, c)
	}
	return charts, nil
}

// schemas makes values.schema.json of each chart.
func schemas(root string) (map[string][]byte, error) {
	charts, err := readCharts(root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, c := range charts {
		schema, err := c.schema(charts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		text, err := json.MarshalIndent(schema, "", " ")
		if err != nil {
			return nil, err
		}
		files[path.Join("manifests/charts", c.name, "values.schema.json")] = append(text, '\n')
	}
	return files, nil
}

// schema describes the values of a chart: at the root, in its own section, and under defaults.
func (c *chartFile) schema(charts []*chartFile) (object, error) {
	defs := definitions{}
	strict := schemaMaker{defs: defs, closed: true}
	properties, err := strict.properties(c.values)
	if err != nil {
		return nil, err
	}
	own := slices.Sorted(maps.Keys(properties))
	for _, key := range own {
		if key == "global" || slices.Contains(c.sections, key) {
			// Other charts read keys of their own there.
			delete(properties[key].(object), "additionalProperties")
		}
	}
	if c.section != "" {
		inner := object{}
		for _, key := range append(own, "enabled") {
			inner[key] = object{"$ref": "#/properties/" + key}
		}
		properties[c.section] = object{
			"description": "The values of this chart in a file that serves several charts. A value here wins over the same one at the root.",
			"type":        list("object", "null"), "properties": inner, "patternProperties": object{"^x-": true}, "additionalProperties": false,
		}
	}
	c.foreign(properties, charts)
	properties["enabled"] = object{"description": "Not read by the chart: a condition of a parent chart.", "type": list("boolean", "string", "null")}
	properties["_internal_defaults_do_not_set"] = object{"description": "Not for users: the upstream charts keep their defaults here. Refused by the chart, with the flag to use."}

	lenient := schemaMaker{defs: defs}
	defaults, err := lenient.properties(c.values)
	if err != nil {
		return nil, err
	}
	properties["defaults"] = object{
		"description": "Not for users: the chart's own defaults. Set the same keys at the root; the chart refuses them here.",
		"type":        list("object", "null"), "properties": defaults,
	}
	schema := object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$comment":    fmt.Sprintf(header, "values.yaml"),
		"title":       "Values of the Helm chart " + c.name,
		"description": c.meta.Description,
		"type":        "object", "properties": properties, "patternProperties": object{"^x-": true}, "additionalProperties": false,
	}
	if len(defs) > 0 {
		schema["$defs"] = defs
	}
	return schema, nil
}

// foreign accepts what other charts know, so that one values file may serve all: root keys, sections, and the keys of maps
// that several charts have.
func (c *chartFile) foreign(properties object, charts []*chartFile) {
	for _, section := range c.sections {
		if section != "" && section != c.section && properties[section] == nil {
			properties[section] = object{"description": "Not read by this chart: the values of another one.", "type": list("object", "null")}
		}
	}
	for _, other := range charts {
		if other.name != c.name {
			accept(properties, other.values.children, other.name)
		}
	}
}

// accept adds the values of another chart that properties does not describe.
func accept(properties object, values []*value, reader string) {
	for _, v := range values {
		known, _ := properties[v.name].(object)
		if known == nil {
			properties[v.name] = object{"description": foreignText + reader + "."}
			continue
		}
		if text, _ := known["description"].(string); strings.HasPrefix(text, foreignText) {
			known["description"] = strings.TrimSuffix(text, ".") + ", " + reader + "."
		}
		if inner, ok := known["properties"].(object); ok {
			accept(inner, v.children, reader)
		}
	}
}

// foreignText begins the description of a value that only other charts read.
const foreignText = "Not read by this chart, but by "

// A schemaMaker turns values into schemas; closed refuses unknown keys of closed maps.
type schemaMaker struct {
	defs   definitions
	closed bool
}

func (m schemaMaker) properties(v *value) (object, error) {
	properties := object{}
	for _, child := range v.children {
		schema, err := m.value(child)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", child.name, err)
		}
		if properties[child.name] != nil {
			return nil, fmt.Errorf("%s: described twice", child.name)
		}
		properties[child.name] = schema
	}
	return properties, nil
}

func (m schemaMaker) value(v *value) (object, error) {
	if len(v.children) > 0 {
		properties, err := m.properties(v)
		if err != nil {
			return nil, err
		}
		schema := object{"type": list("object", "null"), "properties": properties}
		if m.closed {
			schema["patternProperties"], schema["additionalProperties"] = object{"^x-": true}, false
		}
		if v.description != "" {
			schema["description"] = v.description
		}
		return schema, nil
	}
	schema, err := m.parseType(v.typeExpr(), false)
	if err != nil {
		return nil, err
	}
	if v.enum != nil {
		schema["enum"] = append(list(v.enum...), nil)
	}
	schema["description"] = v.description
	return schema, nil
}

// parseType turns a type expression into a schema:
//
//	string, integer, number, boolean   a scalar
//	any                                anything
//	object                             a map whose keys users choose
//	strings                            such a map with scalar values: labels, annotations, environment variables
//	core/v1.Toleration                 a type of Kubernetes
//	[]TYPE                             a list
//	TYPE|TYPE                          either; a list of either where both are lists
func (m schemaMaker) parseType(expr string, whole bool) (object, error) {
	var scalars []string
	var items, others []any
	for _, alt := range strings.Split(expr, "|") {
		switch alt {
		case "string", "integer", "number", "boolean":
			scalars = append(scalars, alt)
			continue
		case "any":
			return object{}, nil
		case "object":
			others = append(others, object{"type": list("object", "null")})
			continue
		case "strings":
			others = append(others, object{"type": list("object", "null"), "additionalProperties": types("string", "number", "boolean")})
			continue
		}
		if item, ok := strings.CutPrefix(alt, "[]"); ok {
			schema, err := m.parseType(item, true)
			if err != nil {
				return nil, err
			}
			items = append(items, schema)
			continue
		}
		ref, err := m.defs.ref(alt, whole)
		if err != nil {
			return nil, err
		}
		others = append(others, ref)
	}
	switch {
	case len(items) == 1:
		others = append(others, object{"type": list("array", "null"), "items": items[0]})
	case len(items) > 1:
		others = append(others, object{"type": list("array", "null"), "items": object{"anyOf": items}})
	}
	if scalars != nil {
		others = append(others, types(scalars...))
	}
	if len(others) == 1 {
		return clone(others[0].(object)), nil
	}
	return object{"anyOf": others}, nil
}

func clone(o object) object {
	out := make(object, len(o))
	for key, v := range o {
		out[key] = v
	}
	return out
}
