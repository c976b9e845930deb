package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/internal/nearest"
	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/profiles"
)

func newExplain(env Env) *cobra.Command {
	var s selection
	var output, object, namespace, release string
	cmd := &cobra.Command{
		Use:   "explain CHART [PATH...]",
		Short: "Says which layer set each value, and which values it beat",
		Long: `Lists the values of a chart, each with the layer that set it, the place in that layer's file, and the values of lower layers that
it beat, from the highest to the lowest.

A PATH is written as in helm's --set, with keys that hold more than letters, digits, _ and - in brackets: podAnnotations["a/b"]. It
stands for the value there and all below. * stands for any text within a key, ** for any number of keys. The chart's own section
may stand in front, as in values files (pilot.env for istiod).

--object narrows the list to the values that a rendered object changes with. That is found out by rendering: once without each value,
and once with another one where nothing changed. The selectors profile, compatibilityVersion and platform are left out; their
layers are what is listed.`,
		Example: `  strata explain istiod --profile ambient global.platform 'env.*'
  strata explain istiod -f mine.yaml '**.image' -o json
  strata explain istio-cni --profile openshift --object DaemonSet::istio-cni-node`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains([]string{"text", "json", "yaml"}, output) {
				return fmt.Errorf("-o %s: unknown format; use text, json or yaml", output)
			}
			patterns, err := parseValuePatterns(args[1:])
			if err != nil {
				return err
			}
			rules, err := objectRules(object)
			if err != nil {
				return err
			}
			c, err := s.compute(env, args[0])
			if err != nil {
				return err
			}
			origins, err := c.pick(patterns)
			if err != nil {
				return err
			}
			if len(rules) > 0 {
				if origins, err = c.influences(origins, rules, release, namespace); err != nil {
					return err
				}
			}
			return printOrigins(env.Stdout, origins, output)
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT`: text, json or yaml")
	cmd.Flags().StringVar(&object, "object", "", "only values that this object changes with, as `KIND:NAMESPACE:NAME`; any part may be empty or hold *")
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "", "`NAMESPACE` of the release, for --object")
	cmd.Flags().StringVar(&release, "release", "", "`NAME` of the release, for --object")
	return cmd
}

func parseValuePatterns(texts []string) ([]valuePattern, error) {
	patterns, faults := make([]valuePattern, len(texts)), make([]error, len(texts))
	for n, text := range texts {
		patterns[n], faults[n] = parseValuePattern(text)
	}
	return patterns, errors.Join(faults...)
}

// objectRules reads --object.
func objectRules(text string) ([]manifest.Rule, error) {
	if text == "" {
		return nil, nil
	}
	rules, err := manifest.ParseRules(text)
	if err != nil {
		return nil, err
	}
	for _, rule := range rules {
		if rule.HasPath() {
			return nil, fmt.Errorf("--object %s: names an object, without a path in it", text)
		}
	}
	return rules, nil
}

// pick returns the origins of the leaves that any pattern fits; of all where there is none. A pattern that fits nothing is refused,
// unless it spells the path of a value that a layer took away: then its origin says which did.
func (c *computed) pick(patterns []valuePattern) ([]profiles.Origin, error) {
	all := c.Origins()
	if len(patterns) == 0 {
		return all, nil
	}
	picked := make([]bool, len(all))
	var gone []profiles.Origin
	var faults []error
	for _, p := range patterns {
		found := false
		for _, spelling := range c.spellings(p) {
			for n, o := range all {
				if spelling.matches(o.Path) {
					picked[n], found = true, true
				}
			}
			if path, ok := spelling.literal(); ok && !found {
				if o, ok := c.Origin(path); ok {
					gone, found = append(gone, o), true
				}
			}
			if found {
				break
			}
		}
		if !found {
			faults = append(faults, fmt.Errorf("chart %s has no value at %s%s", c.chart.Name, profiles.Path(p), near(p, all)))
		}
	}
	var out []profiles.Origin
	for n, o := range all {
		if picked[n] {
			out = append(out, o)
		}
	}
	out = append(out, gone...)
	slices.SortFunc(out, func(a, b profiles.Origin) int { return slices.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b profiles.Origin) bool { return slices.Equal(a.Path, b.Path) }), errors.Join(faults...)
}

// spellings are the pattern, and where it begins with the chart's own section what stands after that.
func (c *computed) spellings(p valuePattern) []valuePattern {
	spellings := []valuePattern{p}
	if section := c.input.Chart.Section; section != "" && len(p) > 1 && p[0] == section {
		spellings = append(spellings, p[1:])
	}
	return spellings
}

// near proposes the path that is meant: the closest one of those that hold the same number of keys.
func near(p valuePattern, all []profiles.Origin) string {
	var paths []string
	for _, o := range all {
		if len(o.Path) >= len(p) {
			paths = append(paths, o.Path[:len(p)].String())
		}
	}
	if name, found := nearest.Name(profiles.Path(p).String(), paths); found {
		return "; did you mean " + name + "?"
	}
	return ""
}

// An explained is the JSON form of one value and its origin.
type explained struct {
	Path string `json:"path"`
	given
	Beaten []given `json:"beaten"`
}

// given is what one layer says.
type given struct {
	// Value is null where the layer takes the value away.
	Value  any    `json:"value"`
	Layer  string `json:"layer"`
	Name   string `json:"name,omitempty"`
	Source string `json:"source,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// At is the path in the source.
	At string `json:"at"`
}

func givenBy(s profiles.Source) given {
	position := s.Position()
	return given{s.Value(), string(s.Layer().Kind), s.Layer().Name, position.Source, position.Line, position.Column, s.Path.String()}
}

func printOrigins(w io.Writer, origins []profiles.Origin, format string) error {
	if format == "text" {
		return originTable(w, origins)
	}
	all := make([]explained, 0, len(origins))
	for _, o := range origins {
		e := explained{Path: o.Path.String(), given: givenBy(o.Winner()), Beaten: []given{}}
		for _, s := range o.Beaten() {
			e.Beaten = append(e.Beaten, givenBy(s))
		}
		all = append(all, e)
	}
	if format == "json" {
		return writeJSON(w, all)
	}
	text, err := yaml.Marshal(all)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// originTable prints a line for each value and, below it, one for each value that it beat.
func originTable(w io.Writer, origins []profiles.Origin) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PATH\tVALUE\tLAYER\tWHERE")
	for _, o := range origins {
		path := o.Path.String()
		for _, s := range o.Sources {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", path, shortValue(s.Value()), s.Layer(), s.Position())
			path = "  over"
		}
	}
	return t.Flush()
}

// shortValue prints a value on one short line.
func shortValue(value any) string {
	if value == nil {
		return "(removed)"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const most = 60
	if runes := []rune(string(text)); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(text)
}
