package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stratamesh/strata/internal/report"
	"github.com/stratamesh/strata/pkg/finding"
	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/render"
)

// A diff is the flags of strata diff, as given.
type diff struct {
	selects, ignores, renames, crds []string
	charts, outputs                 []string
	selection                       selection
	options                         render.Options
	watch                           bool
	// rendering are the flags for sides that are rendered, selecting those for selections only.
	rendering, selecting *pflag.FlagSet
}

func newDiff(env Env) *cobra.Command {
	var d diff
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Tells how two manifests differ in meaning",
		Long: `Compares two manifests object by object and by meaning: lists by the keys that Kubernetes declares, quantities by amount, YAML and
JSON inside ConfigMaps as structure. Values of Secrets are never shown.

A and B are each one of
  FILE                  a manifest, - for standard input
  FOLDER                all its .yaml, .yml and .json files
  CHART                 a folder with a Chart.yaml or a packaged chart (.tgz), rendered with the values of the flags
  git:REV:PATH          a file, a folder or a chart at a git revision; PATH counts from the root of the repository, with ./ from here
  profile=ambient,...   a selection of profile=, platform= and compatibilityVersion=, over the values of the flags, for which the charts
                        in this program are rendered, or those of --charts

A rule is Kind:namespace:name or Kind:namespace:name:path with * in any part; an empty part is any.

-o FORMAT prints to standard output, -o FORMAT=FILE writes a file, and several may be given. The files are replaced when all are written.
Exit code: 0 the same, 1 differences, 2 refused input, 3 an internal error; computed after the rules.`,
		Example: `  strata diff old.yaml new.yaml
  strata diff profile=default profile=ambient --chart istiod
  strata diff git:main:deploy/ deploy/ -o markdown=comment.md -o html=report.html
  strata diff istiod-1.31.3.tgz istiod-1.31.4.tgz -f mine.yaml
  strata diff a/ b/ --ignore 'Deployment:*:*:spec.replicas' --rename 'Service::istio-pilot->Service::istiod' -o json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			outputs, err := d.check(args)
			if err != nil {
				return err
			}
			var files []string
			for _, o := range outputs {
				files = append(files, o.file)
			}
			return env.watched(cmd.Context(), d.watch, func() []string { return d.inputs(args) }, files, func() error {
				return d.run(env, cmd, args, outputs)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&d.selects, "select", nil, "only what `RULE` matches (repeatable, or separated by commas)")
	flags.StringArrayVar(&d.ignores, "ignore", nil, "leave out what `RULE` matches (repeatable, or separated by commas)")
	flags.StringArrayVar(&d.renames, "rename", nil, "compare `A->B`, each a rule without a path (repeatable, or separated by commas)")
	flags.StringArrayVar(&d.crds, "crds", nil, "`FILE` with CustomResourceDefinitions that tell how custom resources are compared (repeatable)")
	flags.StringArrayVarP(&d.outputs, "output", "o", nil, "`FORMAT` or FORMAT=FILE (repeatable), of "+report.Formats()+" (default text)")
	registerWatch(flags, &d.watch)
	d.selecting = pflag.NewFlagSet("", pflag.ContinueOnError)
	d.selecting.StringSliceVar(&d.charts, "chart", nil, "`CHART` to render for selections (repeatable; all where there is none)")
	d.rendering = pflag.NewFlagSet("", pflag.ContinueOnError)
	d.selection.register(d.rendering)
	registerOptions(d.rendering, &d.options)
	flags.AddFlagSet(d.selecting)
	flags.AddFlagSet(d.rendering)
	return cmd
}

// check refuses what is wrong whatever the inputs hold.
func (d *diff) check(args []string) ([]output, error) {
	outputs, err := parseOutputs(d.outputs)
	if err != nil {
		return nil, err
	}
	readers := 0
	for _, file := range slices.Concat(args, d.selection.files) {
		if file == "-" {
			readers++
		}
	}
	if readers > 1 {
		return nil, errors.New("only one of the sides and values files can be standard input")
	}
	return outputs, checkOutputs(outputs, d.inputs(args))
}

// inputs are the files and folders that the flags name, and - for standard input.
func (d *diff) inputs(args []string) []string {
	return slices.Concat(args, d.crds, d.selection.inputs())
}

func (d *diff) run(env Env, cmd *cobra.Command, args []string, outputs []output) error {
	o, err := diffOptions(d.selects, d.ignores, d.renames, d.crds)
	if err != nil {
		return err
	}
	given, err := d.selection.explicit(env)
	if err != nil {
		return err
	}
	sides := sides{env: env, otherCharts: d.selection.charts, charts: d.charts, options: d.options, files: map[string]string{}}
	sides.options.Values = given.values
	var sets [2]*manifest.Set
	var faults []error
	for n, arg := range args {
		var err error
		sets[n], err = sides.read(cmd.Context(), arg)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if err := d.unusedFlags(&sides); err != nil {
		return err
	}
	found, err := manifest.Diff(sets[0], sets[1], o)
	if err != nil {
		return err
	}
	for _, u := range found.Unused {
		fmt.Fprintf(env.Stderr, "strata: --%s %s matched nothing\n", u.Option, u.Rule)
	}
	about := report.Options{A: args[0], B: args[1], Color: env.color(cmd), Tool: thisTool(), Now: env.now(), File: sides.file}
	err = writeOutputs(env.Stdout, outputs, func(w io.Writer, format report.Format) error { return report.Write(w, format, found, about) })
	if err == nil && !found.Equal {
		return errDifferent
	}
	return err
}

// unusedFlags refuses flags that say how to render where nothing is rendered.
func (d *diff) unusedFlags(s *sides) error {
	var faults []error
	if !s.rendered {
		d.rendering.VisitAll(func(f *pflag.Flag) {
			if f.Changed {
				faults = append(faults, fmt.Errorf("--%s: neither side is a chart or a selection, so nothing is rendered", f.Name))
			}
		})
	}
	if !s.selected {
		d.selecting.VisitAll(func(f *pflag.Flag) {
			if f.Changed {
				faults = append(faults, fmt.Errorf("--%s: neither side is a selection such as profile=ambient", f.Name))
			}
		})
	}
	return errors.Join(faults...)
}

// thisTool is this program, as reports name it.
func thisTool() finding.Tool {
	return finding.Tool{Name: "strata", Version: strings.Trim(moduleVersion(), "()"), URI: "https://github.com/stratamesh/strata"}
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
