package lint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/stratamesh/strata/internal/nearest"
)

// schema reports values that the schemas of the charts refuse, but for keys that are not known.
func (c *checker) schema() {
	for _, chart := range c.Charts {
		if chart.schema == nil {
			continue
		}
		err := chart.schema.Validate(any(c.document.Values))
		if invalid := (*jsonschema.ValidationError)(nil); errors.As(err, &invalid) {
			c.invalid(invalid)
		}
	}
}

// invalid reports one fault, or those that it consists of.
func (c *checker) invalid(e *jsonschema.ValidationError) {
	path := steps(c.document.Values, e.InstanceLocation)
	if len(path) > 0 && path[0] == "defaults" {
		return
	}
	var want []string
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties, *kind.FalseSchema:
		return // see keys
	case *kind.AnyOf, *kind.OneOf:
		// The alternative that goes deepest into the value is the one that was meant.
		for _, cause := range e.Causes {
			if len(deepest(cause).InstanceLocation) > len(e.InstanceLocation) {
				c.invalid(deepest(cause))
				return
			}
			if t, ok := deepest(cause).ErrorKind.(*kind.Type); ok {
				want = append(want, t.Want...)
			}
		}
	case *kind.Type:
		want = k.Want
	case *kind.Enum:
		c.notOneOf(path, k)
		return
	default:
		for _, cause := range e.Causes {
			c.invalid(cause)
		}
		if len(e.Causes) == 0 {
			c.refuse(Finding{Rule: wrongValue, Message: fmt.Sprintf("%s: %s", pathText(path), e.DetailedOutput().Error)}, path)
		}
		return
	}
	value, _ := valueAt(c.document.Values, path)
	c.refuse(Finding{
		Rule:    wrongType,
		Message: fmt.Sprintf("%s is %s, where %s belongs", pathText(path), described(value), alternatives(want)),
		Fix:     c.typeFix(path, value, want),
	}, path)
}

// refuse reports a value that a chart refuses. Where YAML reads it otherwise than it is written, that is what is wrong.
func (c *checker) refuse(f Finding, path []any) {
	f = c.at(f, path, true)
	at := spotInFile{f.Line, f.Column}
	if trap, ok := c.traps[at]; ok && f.Line > 0 {
		trap.Severity = Error
		c.traps[at] = trap
		return
	}
	c.add(f)
}

func deepest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	best := e
	for _, cause := range e.Causes {
		if d := deepest(cause); len(d.InstanceLocation) > len(best.InstanceLocation) || len(best.Causes) > 0 && len(d.InstanceLocation) == len(best.InstanceLocation) {
			best = d
		}
	}
	return best
}

// notOneOf reports a value that is none of those allowed.
func (c *checker) notOneOf(path []any, k *kind.Enum) {
	var allowed []string
	for _, value := range k.Want {
		if text, ok := value.(string); ok && text != "" {
			allowed = append(allowed, text)
		}
	}
	f := Finding{
		Rule:    wrongValue,
		Message: fmt.Sprintf("%s is %s; allowed are %s", pathText(path), short(k.Got), strings.Join(allowed, ", ")),
		Fix:     "write one of them",
	}
	if got, ok := k.Got.(string); ok {
		if near, found := nearest.Name(got, allowed); found {
			f.Fix = "write " + near
		}
	}
	c.refuse(f, path)
}

// steps turns the location of a fault into a path: an index where the value is a list.
func steps(value any, location []string) []any {
	path := make([]any, 0, len(location))
	for _, step := range location {
		switch inner := value.(type) {
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(inner) {
				return path
			}
			path, value = append(path, n), inner[n]
		case map[string]any:
			path, value = append(path, step), inner[step]
		default:
			return path
		}
	}
	return path
}

// valueAt returns the value at a path.
func valueAt(value any, path []any) (any, bool) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, ok := value.(map[string]any)
			if !ok {
				return nil, false
			}
			if value, ok = m[step]; !ok {
				return nil, false
			}
		case int:
			list, ok := value.([]any)
			if !ok || step >= len(list) {
				return nil, false
			}
			value = list[step]
		}
	}
	return value, true
}

// described names the kind of a value, and a scalar itself.
func described(value any) string {
	switch value := value.(type) {
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return "the text " + short(value)
	case bool:
		return "the boolean " + short(value)
	case nil:
		return "null"
	}
	return "the number " + short(value)
}

// words are the types of JSON Schema in the words of YAML.
var words = map[string]string{
	"object": "a map", "array": "a list", "string": "text", "boolean": "a boolean", "integer": "an integer", "number": "a number",
}

func alternatives(types []string) string {
	var names []string
	for _, t := range types {
		if word := words[t]; word != "" && !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " or ")
}

// typeFix says what to write in place of a value of the wrong type.
func (c *checker) typeFix(path []any, value any, want []string) string {
	name, _ := lastKey(path)
	written := short(value)
	if _, node := c.document.find(path); node != nil && node.Value != "" {
		written = node.Value
	}
	wants := func(t string) bool { return slices.Contains(want, t) }
	switch value := value.(type) {
	case string:
		text := strings.TrimSpace(value)
		if _, err := strconv.ParseFloat(text, 64); err == nil && (wants("integer") || wants("number")) || (text == "true" || text == "false") && wants("boolean") {
			return fmt.Sprintf("write %s: %s, without quotes", name, text)
		}
		if wants("array") {
			return "write a list: each item in a line of its own, after a dash"
		}
	case float64, bool:
		if wants("string") {
			return "write " + quotedItem(path, written)
		}
	}
	return "write " + alternatives(want)
}
