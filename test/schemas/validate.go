package schemas

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/stratamesh/strata/pkg/manifest"
)

// A Problem is something in an object that a minor of Kubernetes refuses or warns about.
type Problem struct {
	// Path leads to it; it has no steps where the whole object is meant.
	Path manifest.Path
	Text string
}

// Validate says what a minor has against an object, as jsonschema.UnmarshalJSON reads it: sorted by path.
//
//   - The kind is one that can be created in this version of its API, and not deprecated.
//   - An object has no fields that are unknown or deprecated, and all that are required.
//   - Types, formats, ranges and enums fit. There is no null.
//   - Items of a list that Kubernetes takes for a map or a set differ in their keys, with the defaults of keys.
//   - Only an object of a namespaced kind has a namespace.
//
// The error is one of the schemas, never of the object.
func (m *Minor) Validate(object map[string]any) ([]Problem, error) {
	apiVersion, _ := object["apiVersion"].(string)
	name, _ := object["kind"].(string)
	known, ok := m.kinds[typeOf{apiVersion, name}]
	if !ok {
		return []Problem{{Text: m.unknown(apiVersion, name)}}, nil
	}
	var out []Problem
	if known.Deprecated != "" && compareMinors(m.Name, known.Deprecated) >= 0 {
		out = append(out, Problem{Text: fmt.Sprintf("%s %s is deprecated since Kubernetes %s", apiVersion, name, known.Deprecated)})
	}
	if metadata, ok := object["metadata"].(map[string]any); ok && !known.Namespaced && metadata["namespace"] != nil {
		out = append(out, Problem{manifest.Path{manifest.Key("metadata"), manifest.Key("namespace")}, name + " has no namespace"})
	}
	schema, err := m.compile(known.Definition)
	if err != nil {
		return nil, err
	}
	if schema == nil {
		return append(out, Problem{Text: fmt.Sprintf("kubernetes.json has no schema of %s %s: add it to generate/main.go and run make schemas", apiVersion, name)}), nil
	}
	err = schema.Validate(object)
	if invalid := (*jsonschema.ValidationError)(nil); errors.As(err, &invalid) {
		out = append(out, problems(invalid, object)...)
	} else if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Or(a.Path.Compare(b.Path), cmp.Compare(a.Text, b.Text)) })
	return out, nil
}

func (m *Minor) unknown(apiVersion, kind string) string {
	text := fmt.Sprintf("there is no %s %s", apiVersion, kind)
	if versions := m.versions(kind); len(versions) > 0 {
		text += ", only " + strings.Join(versions, ", ")
	}
	return text
}

// compareMinors orders minors of Kubernetes 1.
func compareMinors(a, b string) int {
	number := func(minor string) int {
		_, minor, _ = strings.Cut(minor, ".")
		n, _ := strconv.Atoi(minor)
		return n
	}
	return cmp.Compare(number(a), number(b))
}

var english = message.NewPrinter(language.English)

// problems are the leaves of an error of JSON Schema.
func problems(e *jsonschema.ValidationError, object any) []Problem {
	var out []Problem
	for _, cause := range e.Causes {
		out = append(out, problems(cause, object)...)
	}
	if len(e.Causes) > 0 {
		return out
	}
	at := path(object, e.InstanceLocation)
	field := func(name, text string) Problem {
		return Problem{append(slices.Clone(at), manifest.Key(name)), text}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			out = append(out, field(name, "unknown field"))
		}
	case *kind.Required:
		for _, name := range k.Missing {
			out = append(out, field(name, "required"))
		}
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for n, value := range k.Want {
			want[n] = show(value)
		}
		out = append(out, Problem{at, fmt.Sprintf("%s is none of %s", show(k.Got), strings.Join(want, ", "))})
	case *kind.Format:
		out = append(out, Problem{at, fmt.Sprintf("%s is no %s: %v", show(k.Got), k.Want, k.Err)})
	default:
		out = append(out, Problem{at, e.ErrorKind.LocalizedString(english)})
	}
	return out
}

// path turns the tokens of JSON Schema, in which a place in a list looks like a key, into a path.
func path(value any, tokens []string) manifest.Path {
	var out manifest.Path
	for _, token := range tokens {
		switch container := value.(type) {
		case []any:
			n, _ := strconv.Atoi(token)
			out = append(out, manifest.Index(n))
			value = container[n]
		case map[string]any:
			out = append(out, manifest.Key(token))
			value = container[token]
		}
	}
	return out
}
