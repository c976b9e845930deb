package cli

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/render"
)

// influences returns those of the given values with which the objects that match a rule change.
func (c *computed) influences(origins []profiles.Origin, rules []manifest.Rule, release, namespace string) ([]profiles.Origin, error) {
	p := &probe{options: render.Options{Release: c.install.Release, Namespace: c.install.NamespaceFor(c.chart, c.given.values), Values: c.given.values}, rules: rules}
	if release != "" {
		p.options.Release = release
	}
	if namespace != "" {
		p.options.Namespace = namespace
	}
	if err := p.open(c.chart); err != nil {
		return nil, err
	}
	section := c.input.Chart.Section
	changes := make([]bool, len(origins))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n, o := range origins {
		if isSelector(o.Path) {
			continue
		}
		group.Go(func() error {
			values := []any{nil}
			if other, ok := another(o.Winner().Value()); ok {
				values = append(values, other)
			}
			changes[n] = slices.ContainsFunc(values, func(value any) bool { return p.changes(section, o.Path, value) })
			return nil
		})
	}
	_ = group.Wait() // nothing above fails
	var out []profiles.Origin
	for n, o := range origins {
		if changes[n] {
			out = append(out, o)
		}
	}
	return out, nil
}

// isSelector says whether a path is that of a selector of layers.
func isSelector(path profiles.Path) bool {
	if len(path) == 2 && path[0] == "global" {
		path = path[1:]
	}
	return len(path) == 1 && slices.Contains([]string{"profile", "compatibilityVersion", "platform"}, path[0])
}

// another returns a value of the same kind that is a different one.
func another(value any) (any, bool) {
	switch value := value.(type) {
	case bool:
		return !value, true
	case int64:
		return value + 1, true
	case string:
		return value + "x", true
	}
	return nil, false
}

// A probe renders the templates of some objects again and again.
type probe struct {
	chart   *render.Chart
	options render.Options
	rules   []manifest.Rule
	before  map[manifest.ID]map[string]any
}

// open renders the chart as it is, and finds the templates that the objects come from.
func (p *probe) open(chart *render.Chart) error {
	output, err := chart.Render(render.Helm4, p.options)
	if err != nil {
		return err
	}
	var templates, names []string
	for _, f := range output.Files {
		objects, err := manifest.Parse(f.Name, []byte(f.Text))
		if err != nil {
			return err
		}
		for _, object := range objects {
			names = append(names, strings.Join([]string{object.ID.Kind, object.ID.Namespace, object.ID.Name}, ":"))
			if p.matches(object.ID) && !slices.Contains(templates, f.Name) {
				templates = append(templates, f.Name)
			}
		}
	}
	if len(templates) == 0 {
		slices.Sort(names)
		return fmt.Errorf("--object: chart %s renders no such object; it renders %s", chart.Name, strings.Join(names, ", "))
	}
	if p.chart, err = chart.Only(templates...); err != nil {
		return err
	}
	p.before, err = p.objects(p.options.Values)
	return err
}

func (p *probe) matches(id manifest.ID) bool {
	return slices.ContainsFunc(p.rules, func(rule manifest.Rule) bool { return rule.Matches(id) })
}

// objects renders the objects with the given explicit values.
func (p *probe) objects(values map[string]any) (map[manifest.ID]map[string]any, error) {
	o := p.options
	o.Values = values
	output, err := p.chart.Render(render.Helm4, o)
	if err != nil {
		return nil, err
	}
	found := map[manifest.ID]map[string]any{}
	for _, f := range output.Files {
		objects, err := manifest.Parse(f.Name, []byte(f.Text))
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			if p.matches(object.ID) {
				found[object.ID] = object.Value
			}
		}
	}
	return found, nil
}

// changes says whether the objects differ when the value at a path is another one; nil is none. A value that the schema refuses
// shows nothing; one with which the templates cannot do is one that they read.
func (p *probe) changes(section string, path profiles.Path, value any) bool {
	if section != "" {
		// Within the explicit values the chart's section wins over the root.
		path = append(profiles.Path{section}, path...)
	}
	after, err := p.objects(with(p.options.Values, path, value))
	if err != nil {
		return !errors.Is(err, render.ErrSchema)
	}
	return !maps.EqualFunc(p.before, after, func(a, b map[string]any) bool { return reflect.DeepEqual(a, b) })
}

// with returns values with another value at a path; what does not change is shared.
func with(values map[string]any, path profiles.Path, value any) map[string]any {
	out := maps.Clone(values)
	if out == nil {
		out = map[string]any{}
	}
	if len(path) == 1 {
		out[path[0]] = value
		return out
	}
	inner, _ := out[path[0]].(map[string]any)
	out[path[0]] = with(inner, path[1:], value)
	return out
}
