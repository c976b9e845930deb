package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/stratamesh/strata/pkg/profiles"
)

// A listed layer is the JSON form of one line of a list.
type listed struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// About is the comment at the top of its file.
	About string `json:"about"`
	// Charts are those in which it changes values, and in how many leaves.
	Charts []chartCount `json:"charts"`
}

type chartCount struct {
	Chart   string `json:"chart"`
	Changes int    `json:"changes"`
}

func (b *book) list(w io.Writer, format string) error {
	all := make([]listed, 0, len(b.layers))
	for _, layer := range b.layers {
		line := listed{layer.Name, string(layer.Kind), b.about(layer), []chartCount{}}
		for _, p := range b.charts {
			found, _, err := p.changes(nil, &choice{explicit: profiles.Document{Values: map[string]any{string(layer.Kind): layer.Name}}})
			if err != nil {
				return err
			}
			if len(found) > 0 {
				line.Charts = append(line.Charts, chartCount{p.name, len(found)})
			}
		}
		all = append(all, line)
	}
	if format == "json" {
		return writeJSON(w, all)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tKIND\tCHANGES\tABOUT")
	for _, line := range all {
		var counts []string
		for _, c := range line.Charts {
			counts = append(counts, fmt.Sprintf("%s %d", c.Chart, c.Changes))
		}
		first, _, _ := strings.Cut(line.About, "\n")
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", line.Name, line.Kind, strings.Join(counts, ", "), first)
	}
	return t.Flush()
}

// changes lists in which values that the chart knows two choices differ; nil is the defaults alone.
func (p page) changes(from, to *choice) (found []leafChange, result *profiles.Result, err error) {
	before, err := p.compute(from)
	if err != nil {
		return nil, nil, err
	}
	after, err := p.compute(to)
	if err != nil {
		return nil, nil, err
	}
	found = slices.DeleteFunc(leafChanges(before, after), func(c leafChange) bool { return !p.known.knows(c.path) })
	return found, after, nil
}

// changedValue is the JSON form of one value that differs.
type changedValue struct {
	Path string `json:"path"`
	// From and To are absent where the side has no value.
	From *given `json:"from,omitempty"`
	To   *given `json:"to,omitempty"`
}

type chartChanges struct {
	Chart   string         `json:"chart"`
	Changes []changedValue `json:"changes"`
}

// compare returns the differences of all charts in both forms, and the layers of the second side.
func (b *book) compare(from, to *choice) (all []chartChanges, tables string, layers []profiles.Layer, err error) {
	var text strings.Builder
	var faults []error
	for _, p := range b.charts {
		found, r, err := p.changes(from, to)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		layers = r.Layers
		if len(found) == 0 {
			continue
		}
		one := chartChanges{Chart: p.name}
		t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "%s\n  PATH\tFROM\tTO\tLAYER\tWHERE\n", p.name)
		for _, c := range found {
			one.Changes = append(one.Changes, changedValue{c.path.String(), givenOrNone(c.old), givenOrNone(c.new)})
			source := c.new
			if source == nil {
				source = c.old
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", c.path, sideText(c.old), sideText(c.new), source.Layer(), source.Position())
		}
		if err := t.Flush(); err != nil {
			return nil, "", nil, err
		}
		all = append(all, one)
	}
	return all, text.String(), layers, errors.Join(faults...)
}

func givenOrNone(s *profiles.Source) *given {
	if s == nil {
		return nil
	}
	g := givenBy(*s)
	return &g
}

func sideText(s *profiles.Source) string {
	if s == nil {
		return "(none)"
	}
	return shortValue(s.Value())
}

func (b *book) show(w io.Writer, c *choice, format string) error {
	all, tables, layers, err := b.compare(nil, c)
	if err != nil {
		return err
	}
	var names []string
	for _, layer := range layers {
		names = append(names, layer.String())
	}
	if format == "json" {
		return writeJSON(w, struct {
			Selection string         `json:"selection"`
			About     string         `json:"about,omitempty"`
			Layers    []string       `json:"layers"`
			Charts    []chartChanges `json:"charts"`
		}{c.text, b.about(c.layer), append([]string{}, names...), append([]chartChanges{}, all...)})
	}
	if about := b.about(c.layer); about != "" {
		tables = about + "\n\n" + layersText(names) + tables
	} else {
		tables = layersText(names) + tables
	}
	_, err = io.WriteString(w, tables)
	return err
}

// layersText is one line and an empty one, nothing where there are no layers.
func layersText(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "Layers, the lowest first: " + strings.Join(names, ", ") + "\n\n"
}

func (b *book) diff(w io.Writer, from, to *choice, format string) (same bool, err error) {
	all, tables, _, err := b.compare(from, to)
	if err != nil {
		return false, err
	}
	if format == "json" {
		return len(all) == 0, writeJSON(w, append([]chartChanges{}, all...))
	}
	_, err = io.WriteString(w, tables)
	return len(all) == 0, err
}
