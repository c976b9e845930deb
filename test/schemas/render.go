package schemas

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/render"
)

// A Render is what a chart renders to for one minor.
type Render struct {
	Chart, Overlay string
	Minor          *Minor
	Files          []render.File
}

// A Fault is a problem of an object in some renders of a chart.
type Fault struct {
	// Minors and Overlays are those of the renders that have it, in the order in which they were checked.
	Minors, Overlays []string
	Chart            string
	// Object is Kind namespace/name.
	Object string
	Problem
}

// String tells the fault in one line, such as
//
//	Kubernetes 1.30, 1.31: chart istiod under default: Deployment istio-system/istiod: spec.replicas: got string, want integer
func (f Fault) String() string {
	at := ""
	if len(f.Path) > 0 {
		at = f.Path.String() + ": "
	}
	return fmt.Sprintf("Kubernetes %s: chart %s under %s: %s: %s%s",
		strings.Join(f.Minors, ", "), f.Chart, strings.Join(f.Overlays, ", "), f.Object, at, f.Text)
}

// A Checker validates renders. Equal files are read once, and validated once for each minor.
type Checker struct {
	objects  map[string][]map[string]any
	verdicts map[verdict][]found
	faults   []*Fault
	byKey    map[string]*Fault
}

type verdict struct{ minor, text string }

// found is a problem of an object.
type found struct {
	object string
	Problem
}

// NewChecker returns a checker that has seen nothing.
func NewChecker() *Checker {
	return &Checker{objects: map[string][]map[string]any{}, verdicts: map[verdict][]found{}, byKey: map[string]*Fault{}}
}

// Check validates all objects of a render. The error is one of the schemas, or of a file that is no YAML.
func (c *Checker) Check(r Render) error {
	for _, file := range r.Files {
		all, err := c.validate(r.Minor, file)
		if err != nil {
			return fmt.Errorf("chart %s under %s for Kubernetes %s: %s: %w", r.Chart, r.Overlay, r.Minor.Name, file.Name, err)
		}
		for _, one := range all {
			c.add(r, one)
		}
	}
	return nil
}

// Faults returns what was found, one fault for all renders that have it, in the order in which they were checked.
func (c *Checker) Faults() []Fault {
	out := make([]Fault, 0, len(c.faults))
	for _, f := range c.faults {
		out = append(out, *f)
	}
	return out
}

func (c *Checker) add(r Render, one found) {
	key := strings.Join([]string{r.Chart, one.object, one.Path.String(), one.Text}, "\n")
	f := c.byKey[key]
	if f == nil {
		f = &Fault{Chart: r.Chart, Object: one.object, Problem: one.Problem}
		c.byKey[key] = f
		c.faults = append(c.faults, f)
	}
	for list, name := range map[*[]string]string{&f.Minors: r.Minor.Name, &f.Overlays: r.Overlay} {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
}

func (c *Checker) validate(m *Minor, file render.File) ([]found, error) {
	key := verdict{m.Name, file.Text}
	if known, ok := c.verdicts[key]; ok {
		return known, nil
	}
	objects, err := c.Objects(file.Text)
	if err != nil {
		return nil, err
	}
	var out []found
	for _, object := range objects {
		all, err := m.Validate(object)
		if err != nil {
			return nil, err
		}
		for _, problem := range all {
			out = append(out, found{describe(object), problem})
		}
	}
	c.verdicts[key] = out
	return out, nil
}

// Objects reads the objects of a file as kubectl does, but refuses a key that stands twice. Numbers are json.Number.
func (c *Checker) Objects(text string) ([]map[string]any, error) {
	if known, ok := c.objects[text]; ok {
		return known, nil
	}
	var out []map[string]any
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		json, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(json))
		if err != nil {
			return nil, err
		}
		switch value := value.(type) {
		case nil:
		case map[string]any:
			out = append(out, value)
		default:
			return nil, fmt.Errorf("a document is no object but %s", show(value))
		}
	}
	c.objects[text] = out
	return out, nil
}

// describe names an object.
func describe(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name := fmt.Sprint(metadata["name"])
	if namespace, ok := metadata["namespace"].(string); ok {
		name = namespace + "/" + name
	}
	return fmt.Sprintf("%v %s", object["kind"], name)
}
