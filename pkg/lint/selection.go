package lint

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/stratamesh/strata/internal/nearest"
	"github.com/stratamesh/strata/pkg/profiles"
)

// A selection is the values of all charts for one choice of layers.
type selection struct {
	*linter
	// profile is what is looked at as a profile; nil for the user's own choice, which is complete.
	profile *Profile
	results map[string]*profiles.Result
	inputs  map[string]profiles.Input
}

// selection looks at the values of all charts together.
func (l *linter) selection(profile *Profile) {
	s := &selection{linter: l, profile: profile, results: map[string]*profiles.Result{}, inputs: map[string]profiles.Input{}}
	explicit := make([]profiles.Document, 0, len(l.Explicit)+1)
	for _, d := range l.Explicit {
		explicit = append(explicit, d.Document)
	}
	if profile != nil {
		explicit = append(explicit, profiles.Document{
			Source: profile.Document.Source, Values: map[string]any{string(profile.Layer.Kind): profile.Layer.Name},
		})
	}
	failed := false
	for _, chart := range l.Charts {
		in := chart.Input
		in.Explicit = explicit
		if l.Catalog != nil {
			in.Catalog = l.Catalog
		}
		in.Catalog = l.withProfiles(in.Catalog)
		result, err := profiles.Compute(in)
		if err != nil {
			l.faults(err)
			failed = true
			continue
		}
		s.results[chart.Name], s.inputs[chart.Name] = result, in
	}
	if failed {
		return
	}
	s.nulls()
	if profile != nil {
		s.redundant()
	}
	s.coherence()
}

// A catalog is one with some layers replaced or added.
type catalog struct {
	profiles.Catalog
	own map[profiles.Layer]profiles.Document
}

func (l *linter) withProfiles(lower profiles.Catalog) profiles.Catalog {
	if len(l.Profiles) == 0 {
		return lower
	}
	c := catalog{lower, map[profiles.Layer]profiles.Document{}}
	for _, p := range l.Profiles {
		c.own[p.Layer] = p.Document.Document
	}
	return c
}

// Names implements profiles.Catalog.
func (c catalog) Names(kind profiles.Kind) []string {
	names := slices.Clone(c.Catalog.Names(kind))
	for layer := range c.own {
		if layer.Kind == kind {
			names = append(names, layer.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Document implements profiles.Catalog.
func (c catalog) Document(layer profiles.Layer) (profiles.Document, error) {
	if document, ok := c.own[layer]; ok {
		return document, nil
	}
	return c.Catalog.Document(layer)
}

// ruleOf are the rules for what profiles.Compute refuses.
var ruleOf = map[error]string{
	profiles.ErrUnknownName: unknownName,
	profiles.ErrCycle:       profileCycle,
	profiles.ErrSelector:    wrongSelector,
	profiles.ErrType:        wrongType,
}

// fixes are those that are always the same.
var fixes = map[string]string{
	profileCycle:  "take one of the selectors out",
	wrongSelector: "write a name, quoted where it looks like a number",
	wrongType:     "look at the indentation and the name of the key",
}

// knownName says which name to write in place of one that is not known.
func (l *linter) knownName(d Document, path profiles.Path) string {
	catalog := l.Catalog
	if catalog == nil {
		catalog = l.Charts[0].Input.Catalog
	}
	known := l.withProfiles(catalog).Names(profiles.Kind(path[len(path)-1]))
	value, _ := get(d.Values, path)
	items, isList := value.([]any)
	if !isList {
		items = []any{value}
	}
	for _, item := range items {
		for _, name := range strings.Split(fmt.Sprint(item), "+") {
			if near, found := nearest.Name(name, known); found && !slices.Contains(known, strings.TrimSpace(name)) {
				return "write " + near
			}
		}
	}
	return "write one of the known names, or take it out"
}

// faults reports what profiles.Compute refuses: in a document with text as a finding, elsewhere as an error.
func (l *linter) faults(err error) {
	for _, err := range each(err) {
		fault := (*profiles.Error)(nil)
		if !errors.As(err, &fault) {
			l.refuse(err)
			continue
		}
		if errors.Is(fault, profiles.ErrDefaults) {
			continue // see checker.keys
		}
		at, found := l.documentOf(fault.Position.Source)
		rule, known := ruleOf[fault.Reason]
		if !found || !known {
			l.refuse(err)
			continue
		}
		f := Finding{
			Rule: rule, File: at.File, Line: fault.Position.Line, Column: fault.Position.Column, Path: fault.Path.String(),
			Message: fault.Path.String() + ": " + fault.Text, Fix: fixes[rule],
		}
		if rule == unknownName {
			f.Fix = l.knownName(at, fault.Path)
		}
		if key, value := at.find(anys(fault.Path)); key != nil {
			f.Line, f.Column = key.Line, key.Column
			if n := slices.IndexFunc(l.findings, func(other Finding) bool {
				return other.File == f.File && other.Line == value.Line && other.Column == value.Column
			}); n >= 0 {
				l.findings[n].Severity = Error // said already, as what YAML or the schema makes of it
				continue
			}
		}
		if !slices.Contains(l.findings, f) {
			l.add(f)
		}
	}
}

// refuse adds an error, once.
func (l *linter) refuse(err error) {
	if !slices.ContainsFunc(l.refused, func(other error) bool { return other.Error() == err.Error() }) {
		l.refused = append(l.refused, err)
	}
}

// documentOf returns the document with text of a source.
func (l *linter) documentOf(source string) (Document, bool) {
	for _, d := range l.documents() {
		if d.File != "" && d.Source == source {
			return d, true
		}
	}
	return Document{}, false
}

func (l *linter) documents() []Document {
	all := slices.Clone(l.Explicit)
	for _, p := range l.Profiles {
		all = append(all, p.Document)
	}
	return all
}

// each returns the errors that an error consists of.
func each(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && !isFault(err) {
		return joined.Unwrap()
	}
	return []error{err}
}

func isFault(err error) bool {
	_, ok := err.(*profiles.Error) //nolint:errorlint // asked of this error, not of those in its chain
	return ok
}

func anys(path profiles.Path) []any {
	out := make([]any, len(path))
	for n, key := range path {
		out[n] = key
	}
	return out
}

// nulls looks at the nulls of the documents: what they take away.
func (s *selection) nulls() {
	for n, d := range s.Explicit {
		s.nullsOf(d, func(chart *Chart, path profiles.Path) (any, bool) { return s.below(chart, path, n, nil) })
	}
	if s.profile != nil {
		s.nullsOf(s.profile.Document, func(chart *Chart, path profiles.Path) (any, bool) {
			return s.below(chart, path, 0, &s.profile.Layer)
		})
	}
}

func (s *selection) nullsOf(d Document, below func(*Chart, profiles.Path) (any, bool)) {
	c := checker{linter: s.linter, document: d}
	c.eachNull(d.Values, nil, ownView(s.Charts), func(path []any, v view) {
		var taken any
		for _, spot := range v.spots {
			value, ok := below(spot.chart, spot.chart.root(keysOf(path)))
			if !ok {
				continue
			}
			lower, isMap := value.(map[string]any)
			if all, ok := taken.(map[string]any); ok && isMap {
				value = together(all, lower)
			}
			taken = value
		}
		_, node := d.find(path)
		empty := node != nil && plain(node) && node.Value == ""
		switch {
		case taken == nil:
			s.add(c.at(Finding{
				Rule: uselessNull, Message: "there is no " + pathText(path) + " to take away", Fix: "take it out, or look up its name",
			}, path, false))
		case empty && !isEmpty(taken):
			f := Finding{
				Rule:    emptyValue,
				Message: fmt.Sprintf("nothing is written after %s, which takes away %s", pathText(path), contents(taken)),
				Fix:     "take the key out, or write null where that is meant",
			}
			if _, isMap := taken.(map[string]any); isMap {
				f.Fix = "write {} to leave it as it is, or null where that is meant"
			}
			s.add(c.at(f, path, false))
		}
	})
}

// eachNull calls f for each null that stands where a chart knows a value.
func (c *checker) eachNull(values map[string]any, path []any, v view, f func([]any, view)) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inside := join(path, any(name))
		inner := v.key(name)
		if mine(name) || !inner.known() {
			continue
		}
		switch value := values[name].(type) {
		case nil:
			f(inside, inner)
		case map[string]any:
			c.eachNull(value, inside, inner, f)
		}
	}
}

// together returns the keys of two maps.
func together(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// isEmpty says whether a value is one without which a chart does the same: empty text, list or map.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// contents names what a null takes away.
func contents(value any) string {
	if m, ok := value.(map[string]any); ok {
		names := slices.Sorted(maps.Keys(m))
		if len(names) > 3 {
			names = append(names[:3:3], "…")
		}
		return "all that is in it: " + strings.Join(names, ", ")
	}
	return short(value)
}

// below returns what a chart has at a path of its values below an explicit document, or below a layer. It is false where there is
// nothing.
func (s *selection) below(chart *Chart, path profiles.Path, document int, layer *profiles.Layer) (any, bool) {
	paths := []profiles.Path{path}
	if flat, ok := chart.flattened(path); ok {
		paths = append(paths, flat)
	}
	for _, path := range paths {
		if value, found := s.belowAt(chart, path, document, layer); found {
			if value != nil {
				return value, true
			}
		}
	}
	return nil, false
}

func (s *selection) belowAt(chart *Chart, path profiles.Path, document int, layer *profiles.Layer) (any, bool) {
	section := chart.Input.Chart.Section
	spelled := func(values map[string]any, shipped bool) (any, bool) {
		if section != "" {
			if value, found := get(values, append(profiles.Path{section}, path...)); found {
				return value, true
			}
		}
		if len(path) == 0 || shipped && slices.Contains(chart.Input.Chart.Sections, path[0]) {
			return nil, false
		}
		return get(values, path)
	}
	if layer == nil {
		for _, d := range slices.Backward(s.Explicit[:document]) {
			if value, found := spelled(d.Values, false); found {
				return value, true
			}
		}
	}
	in, below := s.inputs[chart.Name], layer == nil
	for _, l := range slices.Backward(s.results[chart.Name].Layers) {
		if below {
			if d, err := in.Catalog.Document(l); err == nil {
				if value, found := spelled(d.Values, true); found {
					return value, true
				}
			}
		}
		below = below || l == *layer
	}
	return get(in.Defaults.Values, path)
}

// get returns the value at a path through maps.
func get(values map[string]any, path profiles.Path) (any, bool) {
	return valueAt(values, anys(path))
}

// redundant looks for leaves of the profile that are what the layers below it have.
func (s *selection) redundant() {
	c := checker{linter: s.linter, document: s.profile.Document}
	c.leaves(s.profile.Document.Values, nil, ownView(s.Charts), func(path []any, value any, v view) {
		same := false
		for _, spot := range v.spots {
			lower, found := s.lower(spot.chart, keysOf(path), value)
			if !found {
				return
			}
			same = same || lower
		}
		if !same {
			return
		}
		message := fmt.Sprintf("%s is %s already in the layers below", pathText(path), short(value))
		if _, isMap := value.(map[string]any); isMap {
			message = fmt.Sprintf("%s is an empty map, which says nothing", pathText(path))
		}
		s.add(c.at(Finding{Rule: redundantValue, Message: message, Fix: "take it out"}, path, false))
	})
}

// leaves calls f for each list, scalar and empty map that stands where a chart knows a value.
func (c *checker) leaves(values map[string]any, path []any, v view, f func([]any, any, view)) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inside := join(path, any(name))
		inner := v.key(name)
		if mine(name) || !inner.known() {
			continue
		}
		value := values[name]
		if m, ok := value.(map[string]any); ok && len(m) > 0 {
			c.leaves(m, inside, inner, f)
		} else if value != nil {
			f(inside, value, inner)
		}
	}
}

// lower compares a value of the profile with what the chart has below it. found is false where it is another one, or none.
func (s *selection) lower(chart *Chart, written profiles.Path, value any) (same, found bool) {
	root := chart.root(written)
	if isSelector(root) {
		return false, false
	}
	if m, ok := value.(map[string]any); ok && len(m) == 0 {
		// An empty map says nothing where there is a map.
		lower, found := s.below(chart, root, 0, &s.profile.Layer)
		_, isMap := lower.(map[string]any)
		return isMap, found && isMap
	}
	result := s.results[chart.Name]
	paths := []profiles.Path{root}
	if flat, ok := chart.flattened(root); ok {
		paths = append(paths, flat)
	}
	for _, path := range paths {
		origin, ok := result.Origin(path)
		if !ok {
			return false, false
		}
		n := slices.IndexFunc(origin.Sources, func(source profiles.Source) bool {
			return source.Layer() == s.profile.Layer && slices.Equal(source.Path, written)
		})
		if n < 0 {
			return false, false
		}
		if n+1 == len(origin.Sources) {
			if len(paths) > 1 && path[0] == "global" {
				continue // the root key, to which it counts too, is what matters
			}
			return false, false
		}
		below := origin.Sources[n+1]
		if below.Layer() == s.profile.Layer || !reflect.DeepEqual(below.Value(), origin.Sources[n].Value()) {
			return false, false
		}
	}
	return true, true
}
