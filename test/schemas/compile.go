package schemas

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const documentURL = "file:///kubernetes"

// newCompiler makes a compiler of JSON Schema that knows all definitions and Kubernetes' words.
func (m *Minor) newCompiler() (*jsonschema.Compiler, error) {
	definitions := map[string]any{}
	for name, definition := range m.definitions {
		definitions[name] = m.schema(definition)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	for _, f := range formats {
		c.RegisterFormat(f)
	}
	words, err := vocabulary()
	if err != nil {
		return nil, err
	}
	c.RegisterVocabulary(words)
	c.AssertVocabs()
	return c, c.AddResource(documentURL, map[string]any{"$defs": definitions})
}

// compile returns the schema of a definition, nil where only its name is known.
func (m *Minor) compile(definition string) (*jsonschema.Schema, error) {
	if m.definitions[definition] == nil {
		return nil, nil
	}
	if m.compiled[definition] == nil {
		schema, err := m.compiler.Compile(documentURL + "#" + pointer(definition))
		if err != nil {
			return nil, fmt.Errorf("minor %s: %s: %w", m.Name, definition, err)
		}
		m.compiled[definition] = schema
	}
	return m.compiled[definition], nil
}

func pointer(definition string) string {
	return "/$defs/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(definition)
}

// schema turns a definition into JSON Schema: an object has the listed fields and no others.
func (m *Minor) schema(definition map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range definition {
		switch key {
		case "$ref":
			out[key] = "#" + pointer(value.(string))
		case "items", "additionalProperties", "else":
			out[key] = m.schema(value.(map[string]any))
		case "properties":
			properties := map[string]any{}
			for name, property := range value.(map[string]any) {
				properties[name] = m.schema(property.(map[string]any))
			}
			out[key] = properties
			if definition["additionalProperties"] == nil {
				out["additionalProperties"] = false
			}
		case "deprecated":
			out[wordDeprecated] = true
		case "x-kubernetes-list-type":
			out[wordList] = map[string]any{"keys": definition["x-kubernetes-list-map-keys"], "defaults": m.defaults(definition)}
		case "default", "x-kubernetes-list-map-keys":
		default:
			out[key] = value
		}
	}
	return out
}

// defaults are the values that the keys of a list have where an item leaves them out.
func (m *Minor) defaults(list map[string]any) map[string]any {
	out := map[string]any{}
	item, _ := list["items"].(map[string]any)
	if name, ok := item["$ref"].(string); ok {
		item = m.definitions[name]
	}
	properties, _ := item["properties"].(map[string]any)
	keys, _ := list["x-kubernetes-list-map-keys"].([]any)
	for _, key := range keys {
		property, _ := properties[key.(string)].(map[string]any)
		if value, ok := property["default"]; ok {
			out[key.(string)] = value
		}
	}
	return out
}
