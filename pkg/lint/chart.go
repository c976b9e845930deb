package lint

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	sigs "sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

// A Chart is what lint knows of a chart. It may be used by several goroutines.
type Chart struct {
	Name string
	// Input is what the values of the chart depend on, without the explicit ones.
	Input profiles.Input

	schema *jsonschema.Schema
	// own describes the values that the chart itself has, not those that it accepts for others; nil without a schema.
	own   *jsonschema.Schema
	reads *place
}

// NewChart reads a chart from its files by their path below its root. source is the chart's folder or name, put before file names. A
// chart without values.schema.json is never said not to know a key.
func NewChart(files map[string][]byte, source string) (*Chart, error) {
	input, err := load.Chart(files, source)
	if err != nil {
		return nil, err
	}
	var about struct {
		Name string `json:"name"`
	}
	if err := sigs.Unmarshal(files["Chart.yaml"], &about); err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(source, "Chart.yaml"), err)
	}
	c := &Chart{Name: about.Name, Input: input}
	if text, ok := files[schemaFile]; ok {
		if c.schema, err = compileSchema(text, about.Name == istiod); err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(source, schemaFile), err)
		}
		c.own = c.schema
		if defaults := c.schema.Properties["defaults"]; defaults != nil {
			c.own = defaults
		}
	}
	if c.reads, err = findReads(files, input.Chart.Section); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return c, nil
}

const schemaFile = "values.schema.json"

// compileSchema compiles a schema; withMesh adds the shape of the mesh configuration.
func compileSchema(text []byte, withMesh bool) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if schema, ok := document.(map[string]any); ok && withMesh {
		if err := describeMesh(schema); err != nil {
			return nil, err
		}
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource("file:///"+schemaFile, document); err != nil {
		return nil, err
	}
	return compiler.Compile("file:///" + schemaFile)
}

// noLoader refuses references to other schemas.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %s: a schema must be complete in itself", url)
}

// root returns where a value of a document stands in the values of the chart: without the chart's section.
func (c *Chart) root(written profiles.Path) profiles.Path {
	if section := c.Input.Chart.Section; section != "" && len(written) > 0 && written[0] == section {
		return written[1:]
	}
	return written
}

// isSelector says whether a path of the result selects layers: the overlay engine reads it.
func isSelector(root profiles.Path) bool {
	if len(root) > 1 && root[0] == "global" {
		root = root[1:]
	}
	return len(root) > 0 && slices.Contains([]string{
		string(profiles.KindProfile), string(profiles.KindCompatibility), string(profiles.KindPlatform),
	}, root[0])
}

// flattened returns the root path at which the chart reads a value under global, too.
func (c *Chart) flattened(root profiles.Path) (profiles.Path, bool) {
	if len(root) > 1 && root[0] == "global" && slices.Contains(c.Input.Chart.FlattenGlobals, root[1]) {
		return root[1:], true
	}
	return nil, false
}

// uses says whether a template of the chart reads a value, or a part of it.
func (c *Chart) uses(root profiles.Path) bool {
	if isSelector(root) || c.reads.uses(root) {
		return true
	}
	flat, ok := c.flattened(root)
	return ok && c.reads.uses(flat)
}

// mine says whether a key is the user's own business: one that begins with x-.
func mine(key string) bool { return strings.HasPrefix(key, "x-") }
