package schemas

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stratamesh/strata/test/schemas/internal/data"
)

//go:embed kubernetes.json
var published []byte

// A Minor is the API of one minor version of Kubernetes.
type Minor struct {
	// Name is the minor, such as 1.34, and Version the patch of it that was read, such as v1.34.4.
	Name, Version string

	kinds       map[typeOf]data.Kind
	definitions map[string]map[string]any
	compiler    *jsonschema.Compiler
	compiled    map[string]*jsonschema.Schema
}

// typeOf is the type of an object.
type typeOf struct{ apiVersion, kind string }

// Minors returns all minors that the charts support, oldest first. One of them is for one goroutine.
func Minors() ([]*Minor, error) {
	file, err := data.Decode(published)
	if err != nil {
		return nil, err
	}
	names := file.Minors()
	var out []*Minor
	for _, source := range file.Sources {
		m := &Minor{
			Name: source.Minor, Version: source.Version,
			kinds: map[typeOf]data.Kind{}, definitions: map[string]map[string]any{}, compiled: map[string]*jsonschema.Schema{},
		}
		for _, k := range file.Kinds {
			if k.Has(names, m.Name) {
				m.kinds[typeOf{k.APIVersion, k.Kind}] = k
			}
		}
		for _, d := range file.Definitions {
			if d.Has(names, m.Name) {
				m.definitions[d.Name] = d.Schema
			}
		}
		if m.compiler, err = m.newCompiler(); err != nil {
			return nil, fmt.Errorf("minor %s: %w", m.Name, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// versions are the versions of APIs in which a minor has a kind, sorted.
func (m *Minor) versions(kind string) []string {
	var out []string
	for t := range m.kinds {
		if t.kind == kind {
			out = append(out, t.apiVersion)
		}
	}
	slices.Sort(out)
	return out
}

// Described lists the kinds whose schema is known, as APIVERSION KIND, sorted.
func (m *Minor) Described() []string {
	var out []string
	for t, k := range m.kinds {
		if m.definitions[k.Definition] != nil {
			out = append(out, t.apiVersion+" "+t.kind)
		}
	}
	slices.Sort(out)
	return out
}
