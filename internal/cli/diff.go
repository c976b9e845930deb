package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/render"
)

func newDiff(env Env) *cobra.Command {
	var selects, ignores, renames, crds, charts []string
	var output, other string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Tells how two manifests differ in meaning",
		Long: `Compares two manifests object by object and by meaning: lists by the keys that Kubernetes declares, quantities by amount, YAML and
JSON inside ConfigMaps as structure. Values of Secrets are never shown.

A and B are each a file, a folder (all its .yaml, .yml and .json files), - for standard input, or a selection of layers such as
profile=ambient,platform=gke, for which the charts are rendered.

A rule is Kind:namespace:name or Kind:namespace:name:path with * in any part; an empty part is any.
Exit code: 0 the same, 1 differences, 2 refused input, 3 an internal error; computed after the rules.`,
		Example: `  strata diff old.yaml new.yaml
  strata diff profile=default profile=ambient --chart istiod
  strata diff a/ b/ --ignore 'Deployment:*:*:spec.replicas' --rename 'Service::istio-pilot->Service::istiod' -o json`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			o, err := diffOptions(selects, ignores, renames, crds)
			if err != nil {
				return err
			}
			if output != "text" && output != "json" {
				return fmt.Errorf("-o %s: unknown format; use text or json", output)
			}
			if args[0] == "-" && args[1] == "-" {
				return errors.New("only one side can be standard input")
			}
			// Documents that both sides have are read once.
			var parser manifest.Parser
			sides := make([]*manifest.Set, 2)
			var faults []error
			for n, arg := range args {
				var err error
				sides[n], err = readSide(env, &parser, arg, other, charts)
				faults = append(faults, err)
			}
			if err := errors.Join(faults...); err != nil {
				return err
			}
			report, err := manifest.Diff(sides[0], sides[1], o)
			if err != nil {
				return err
			}
			for _, u := range report.Unused {
				fmt.Fprintf(env.Stderr, "strata: --%s %s matched nothing\n", u.Option, u.Rule)
			}
			if err := printReport(env.Stdout, report, output); err != nil {
				return err
			}
			if !report.Equal {
				return errDifferent
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&selects, "select", nil, "only what `RULE` matches (repeatable, or separated by commas)")
	cmd.Flags().StringArrayVar(&ignores, "ignore", nil, "leave out what `RULE` matches (repeatable, or separated by commas)")
	cmd.Flags().StringArrayVar(&renames, "rename", nil, "compare `A->B`, each a rule without a path (repeatable, or separated by commas)")
	cmd.Flags().StringArrayVar(&crds, "crds", nil, "`FILE` with CustomResourceDefinitions that tell how custom resources are compared (repeatable)")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT`: text or json")
	cmd.Flags().StringVar(&other, "charts", "", "`DIR|TGZ` with other charts than those in this program, for selections")
	cmd.Flags().StringSliceVar(&charts, "chart", nil, "`CHART` to render for selections (repeatable; all where there is none)")
	return cmd
}

func diffOptions(selects, ignores, renames, crds []string) (o manifest.Options, err error) {
	var faults [3]error
	o.Select, faults[0] = manifest.ParseRules(selects...)
	o.Ignore, faults[1] = manifest.ParseRules(ignores...)
	o.Renames, faults[2] = manifest.ParseRenames(renames...)
	if err := errors.Join(faults[:]...); err != nil {
		return o, err
	}
	for _, file := range crds {
		text, err := os.ReadFile(file)
		if err != nil {
			return o, err
		}
		objects, err := manifest.Parse(file, text)
		if err != nil {
			return o, err
		}
		o.CRDs = append(o.CRDs, objects...)
	}
	return o, nil
}

// readSide reads one side of a comparison.
func readSide(env Env, parser *manifest.Parser, arg, otherCharts string, charts []string) (*manifest.Set, error) {
	if arg == "-" {
		text, err := io.ReadAll(env.Stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return parseSet(parser, "standard input", text)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return readFolder(parser, arg)
	case err == nil:
		text, err := os.ReadFile(arg)
		if err != nil {
			return nil, err
		}
		return parseSet(parser, arg, text)
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(arg, "="):
		return renderSelection(parser, arg, otherCharts, charts)
	}
	return nil, err
}

func parseSet(parser *manifest.Parser, source string, text []byte) (*manifest.Set, error) {
	objects, err := parser.Parse(source, text)
	if err != nil {
		return nil, err
	}
	return manifest.NewSet(objects...)
}

func readFolder(parser *manifest.Parser, dir string) (*manifest.Set, error) {
	var all []manifest.Object
	var faults []error
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		objects, err := parser.Parse(name, text)
		all, faults = append(all, objects...), append(faults, err)
		return nil
	})
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	return manifest.NewSet(all...)
}

// renderSelection renders charts for a selection such as profile=ambient,platform=gke.
func renderSelection(parser *manifest.Parser, text, otherCharts string, charts []string) (*manifest.Set, error) {
	values := map[string]any{}
	for _, part := range strings.Split(text, ",") {
		key, value, found := strings.Cut(part, "=")
		if !found || !slices.Contains([]string{"profile", "platform", "compatibilityVersion"}, key) {
			return nil, fmt.Errorf("%s: neither a file nor a selection of profile=, platform= and compatibilityVersion=", text)
		}
		values[key] = value
	}
	suite, err := openSuite(otherCharts)
	if err != nil {
		return nil, err
	}
	if len(charts) == 0 {
		if charts, err = suite.names(); err != nil {
			return nil, err
		}
	}
	all, err := renderCharts(suite, charts, render.Helm4, render.Options{Values: values})
	if err != nil {
		return nil, err
	}
	var objects []manifest.Object
	for _, r := range all {
		parsed, err := parser.Parse(text+" "+r.chart, []byte(r.text))
		if err != nil {
			return nil, err
		}
		objects = append(objects, parsed...)
	}
	return manifest.NewSet(objects...)
}

func printReport(w io.Writer, report *manifest.Report, format string) error {
	if format == "json" {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	for _, change := range report.Changes {
		from := ""
		if change.From != nil {
			from = change.From.String() + " -> "
		}
		if _, err := fmt.Fprintf(w, "%s%s %s\n", from, change.ID, change.Change); err != nil {
			return err
		}
		for _, p := range change.Paths {
			line := fmt.Sprintf("  %s: %s -> %s\n", p.Path, valueText(p.From), valueText(p.To))
			if p.Text != "" {
				line = fmt.Sprintf("  %s:\n%s", p.Path, indent(p.Text, "    "))
			}
			if _, err := io.WriteString(w, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// valueText prints a value on one line; nothing is shown as (none).
func valueText(value any) string {
	if value == nil {
		return "(none)"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func indent(text, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(prefix + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
