package render

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/mitchellh/copystructure"
	"github.com/santhosh-tekuri/jsonschema/v6"
	helm3 "helm.sh/helm/v3/pkg/chart"
	helm4 "helm.sh/helm/v4/pkg/chart/v2"
)

// A schema is the compiled values.schema.json of a chart and of its dependencies. Helm compiles them anew for each
// render; here that is done once. The library and the messages are the same.
type schema struct {
	compiled map[string]*jsonschema.Schema // by the text of the schema: an alias changes a chart's name
}

const schemaURL = "file:///values.schema.json"

func compileSchema(c *helm3.Chart) (*schema, error) {
	s := &schema{compiled: map[string]*jsonschema.Schema{}}
	return s, s.add(c)
}

func (s *schema) add(c *helm3.Chart) error {
	if c.Schema != nil && s.compiled[string(c.Schema)] == nil {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Schema))
		if err != nil {
			return fmt.Errorf("%s: values.schema.json: %w", c.Name(), err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.UseLoader(noLoader{})
		if err := compiler.AddResource(schemaURL, document); err != nil {
			return fmt.Errorf("%s: values.schema.json: %w", c.Name(), err)
		}
		compiled, err := compiler.Compile(schemaURL)
		if err != nil {
			return fmt.Errorf("%s: values.schema.json: %w", c.Name(), err)
		}
		s.compiled[string(c.Schema)] = compiled
	}
	for _, d := range c.Dependencies() {
		if err := s.add(d); err != nil {
			return err
		}
	}
	return nil
}

// noLoader refuses references to other schemas: a render reads nothing but the chart.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %s: a schema must be complete in itself", url)
}

// validate checks the values of a chart and of its dependencies.
func (s *schema) validate(c *helm3.Chart, values map[string]any) error {
	return s.validateNode(node{name: c.Name(), schema: c.Schema, helm3: c}, values)
}

// validate4 is validate for a chart of Helm 4.
func (s *schema) validate4(c *helm4.Chart, values map[string]any) error {
	return s.validateNode(node{name: c.Name(), schema: c.Schema, helm4: c}, values)
}

func (s *schema) validateNode(n node, values map[string]any) error {
	var text strings.Builder
	unknown := s.check(&text, n, values)
	if text.Len() == 0 {
		return nil
	}
	return &SchemaError{text.String(), unknown}
}

// A node is a chart of either engine.
type node struct {
	name   string
	schema []byte
	helm3  *helm3.Chart
	helm4  *helm4.Chart
}

func (n node) dependencies() []node {
	var out []node
	if n.helm3 != nil {
		for _, d := range n.helm3.Dependencies() {
			out = append(out, node{name: d.Name(), schema: d.Schema, helm3: d})
		}
		return out
	}
	for _, d := range n.helm4.Dependencies() {
		out = append(out, node{name: d.Name(), schema: d.Schema, helm4: d})
	}
	return out
}

// check writes the faults of the values of a chart and of its dependencies, and returns the unknown keys among them.
func (s *schema) check(text *strings.Builder, n node, values map[string]any) (unknown []UnknownKey) {
	if compiled := s.compiled[string(n.schema)]; compiled != nil {
		err := compiled.Validate(values)
		if invalid := (*jsonschema.ValidationError)(nil); errors.As(err, &invalid) {
			fmt.Fprintf(text, "%s:\n%s\n", n.name, strings.TrimPrefix(err.Error(), "jsonschema validation failed with '"+schemaURL+"#'\n"))
			unknown = unknownKeys(n, invalid)
		} else if err != nil {
			fmt.Fprintf(text, "%s:\n%v\n", n.name, err)
		}
	}
	for _, d := range n.dependencies() {
		switch inner := values[d.name].(type) {
		case nil:
		case map[string]any:
			unknown = append(unknown, s.check(text, d, inner)...)
		default:
			fmt.Fprintf(text, "%s:\ninvalid type for values: expected object (map), got %T\n", d.name, inner)
		}
	}
	return unknown
}

// copyValues copies the user's values: the engines write into what they are given.
func copyValues(values map[string]any) (map[string]any, error) {
	if values == nil {
		return map[string]any{}, nil
	}
	copied, err := copystructure.Copy(values)
	if err != nil {
		return nil, err
	}
	return copied.(map[string]any), nil
}
