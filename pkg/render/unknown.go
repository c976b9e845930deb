package render

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A SchemaError says how values do not fit the schemas of a chart and of its dependencies. ErrSchema is in its chain.
type SchemaError struct {
	// Text is what Helm prints: for each chart, its name and a line for each fault.
	Text string
	// Unknown are the keys among the faults that a schema does not have.
	Unknown []UnknownKey
}

// An UnknownKey is a key that a schema refuses.
type UnknownKey struct {
	// Chart is the name of the chart or, in an umbrella chart, of the dependency.
	Chart string
	// Path is where the key is in the values of that chart; the key itself is last.
	Path []string
	// Known are the keys that the schema has there, sorted.
	Known []string
}

func (e *SchemaError) Error() string {
	return ErrSchema.Error() + " in the following chart(s):\n" + e.Text
}

// Unwrap implements the interface of package errors.
func (*SchemaError) Unwrap() error { return ErrSchema }

// unknownKeys finds the keys in an error of a chart's schema.
func unknownKeys(n node, err *jsonschema.ValidationError) []UnknownKey {
	var out []UnknownKey
	if extra, ok := err.ErrorKind.(*kind.AdditionalProperties); ok {
		known := propertiesAt(n.schema, err.SchemaURL)
		for _, key := range extra.Properties {
			out = append(out, UnknownKey{Chart: n.name, Path: append(slices.Clone(err.InstanceLocation), key), Known: known})
		}
	}
	for _, cause := range err.Causes {
		out = append(out, unknownKeys(n, cause)...)
	}
	return out
}

// propertiesAt returns the names of the properties of the schema at a location, such as file:///values.schema.json#/$defs/proxy.
func propertiesAt(schema []byte, location string) []string {
	_, fragment, _ := strings.Cut(location, "#")
	var at any
	if err := json.Unmarshal(schema, &at); err != nil {
		return nil
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, step := range strings.Split(fragment, "/")[1:] {
		step, err := url.PathUnescape(step)
		if err != nil {
			return nil
		}
		object, _ := at.(map[string]any)
		at = object[unescape.Replace(step)]
	}
	object, _ := at.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}
