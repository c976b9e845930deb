package lint

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A spot is what the schema of a chart says about one place in the values. The zero spot is a place that it does not know.
type spot struct {
	chart   *Chart
	schemas []*jsonschema.Schema
	// free: anything may stand there.
	free bool
}

func (s spot) known() bool { return s.free || len(s.schemas) > 0 }

// listed says whether the schema describes the place itself, and does not only let anything stand there.
func (s spot) listed() bool { return !s.free && len(s.schemas) > 0 }

// parts are the schemas of the spot and those that they consist of.
func (s spot) parts() []*jsonschema.Schema {
	var all []*jsonschema.Schema
	var add func(schema *jsonschema.Schema)
	add = func(schema *jsonschema.Schema) {
		if schema == nil || slices.Contains(all, schema) {
			return
		}
		all = append(all, schema)
		add(schema.Ref)
		for _, list := range [][]*jsonschema.Schema{schema.AllOf, schema.AnyOf, schema.OneOf} {
			for _, inner := range list {
				add(inner)
			}
		}
	}
	for _, schema := range s.schemas {
		add(schema)
	}
	return all
}

// key is the spot of a key of a map.
func (s spot) key(name string) spot {
	out := spot{chart: s.chart, free: s.free}
	closed := false
	for _, part := range s.parts() {
		if inner := part.Properties[name]; inner != nil {
			out.schemas = append(out.schemas, inner)
			continue
		}
		if open, ok := part.AdditionalProperties.(bool); ok && open {
			out.free = true
		}
		matched := false
		for pattern, inner := range part.PatternProperties {
			if pattern.MatchString(name) {
				out.schemas = append(out.schemas, inner)
				matched = true
			}
		}
		if inner, ok := part.AdditionalProperties.(*jsonschema.Schema); ok && !matched {
			out.schemas = append(out.schemas, inner)
			matched = true
		}
		closed = closed || matched || len(part.Properties) > 0 || part.AdditionalProperties != nil || !takesMaps(part)
	}
	if len(out.schemas) == 0 && !closed && len(s.schemas) > 0 {
		out.free = true
	}
	return out
}

// takesMaps says whether a schema by itself lets a map stand there.
func takesMaps(part *jsonschema.Schema) bool {
	return part.Bool == nil && (part.Types == nil || slices.Contains(part.Types.ToStrings(), "object"))
}

// item is the spot of an item of a list.
func (s spot) item() spot {
	out := spot{chart: s.chart, free: s.free}
	for _, part := range s.parts() {
		if part.Items2020 != nil {
			out.schemas = append(out.schemas, part.Items2020)
		} else if inner, ok := part.Items.(*jsonschema.Schema); ok {
			out.schemas = append(out.schemas, inner)
		}
	}
	if len(out.schemas) == 0 && len(s.schemas) > 0 {
		out.free = true
	}
	return out
}

// types are those that a value may have; nil where that is not said.
func (s spot) types() []string {
	var all []string
	for _, part := range s.parts() {
		if part.Types != nil {
			types := part.Types.ToStrings()
			if part.Pattern != nil && (slices.Contains(types, "number") || slices.Contains(types, "integer")) {
				// Text that is a number as well.
				types = slices.DeleteFunc(types, func(t string) bool { return t == "string" })
			}
			all = append(all, types...)
		} else if part.Ref == nil && part.AnyOf == nil && part.OneOf == nil && part.AllOf == nil {
			return nil
		}
	}
	return all
}

// keys are the names of the keys that the schema lists.
func (s spot) keys() []string {
	var names []string
	for _, part := range s.parts() {
		for name := range part.Properties {
			names = append(names, name)
		}
	}
	return names
}

// description is what the schema says about the value.
func (s spot) description() string {
	for _, part := range s.parts() {
		if part.Description != "" {
			return part.Description
		}
	}
	return ""
}

// A view is one place in a document, as the charts that know it see it.
type view struct {
	spots []spot
	// top: the root of the document, where sections stand beside root keys.
	top bool
}

// ownView is the root of a document with the values that the charts have themselves.
func ownView(charts []*Chart) view {
	return newView(charts, true, func(c *Chart) *jsonschema.Schema { return c.own })
}

// acceptedView is the root of a document with all that the charts accept.
func acceptedView(charts []*Chart) view {
	return newView(charts, false, func(c *Chart) *jsonschema.Schema { return c.schema })
}

func newView(charts []*Chart, top bool, schema func(*Chart) *jsonschema.Schema) view {
	v := view{top: top}
	for _, c := range charts {
		s := spot{chart: c, free: c.schema == nil}
		if c.schema != nil {
			s.schemas = []*jsonschema.Schema{schema(c)}
		}
		v.spots = append(v.spots, s)
	}
	return v
}

// key is the view of a key of a map. Where a chart lists the keys of a map, another one that takes any map there does not know them.
func (v view) key(name string) view {
	var out view
	lists := !v.top && slices.ContainsFunc(v.spots, func(s spot) bool { return len(s.keys()) > 0 })
	for _, s := range v.spots {
		inner := s.key(name)
		if v.top {
			switch section := s.chart.Input.Chart.Section; {
			case section != "" && name == section:
				inner = s
			case slices.Contains(s.chart.Input.Chart.Sections, name) && s.free:
				continue // another component's
			}
		}
		if inner.known() && (!lists || !inner.free || s.chart.schema == nil) {
			out.spots = append(out.spots, inner)
		}
	}
	return out
}

// item is the view of an item of a list.
func (v view) item() view {
	var out view
	for _, s := range v.spots {
		if inner := s.item(); inner.known() {
			out.spots = append(out.spots, inner)
		}
	}
	return out
}

func (v view) known() bool { return len(v.spots) > 0 }

func (v view) listed() bool { return slices.ContainsFunc(v.spots, spot.listed) }

// refuses says whether a chart refuses a key that it does not list.
func (v view) refuses() bool {
	for _, s := range v.spots {
		for _, part := range s.parts() {
			if open, ok := part.AdditionalProperties.(bool); ok && !open {
				return true
			}
		}
	}
	return false
}

// types are those that a value may have in any chart; nil where one takes anything.
func (v view) types() []string {
	var all []string
	for _, s := range v.spots {
		types := s.types()
		if types == nil {
			return nil
		}
		all = append(all, types...)
	}
	return all
}

// only says whether a value can be of the given types alone, or null.
func (v view) only(types ...string) bool {
	all := v.types()
	if len(all) == 0 {
		return false
	}
	for _, t := range all {
		if t != "null" && !slices.Contains(types, t) {
			return false
		}
	}
	return true
}

// takes says whether a value of a type is allowed; it is not where that is not said.
func (v view) takes(t string) bool { return slices.Contains(v.types(), t) }

// keys are the names of all keys that the charts list.
func (v view) keys() []string {
	var names []string
	for _, s := range v.spots {
		names = append(names, s.keys()...)
	}
	return names
}
