package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	strata "github.com/stratamesh/strata"
	"github.com/stratamesh/strata/pkg/finding"
	"github.com/stratamesh/strata/pkg/lint"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

func newLint(env Env) *cobra.Command {
	var s selection
	var installed, disabled []string
	var namespaces map[string]string
	var output, threshold string
	cmd := &cobra.Command{
		Use:   "lint [PROFILE...]",
		Short: "Finds what is wrong in values files and profiles",
		Long: `Looks for keys that no chart knows or reads, wrong types, values that YAML reads otherwise than they are written, leaves of profiles
that change nothing, and settings of several charts that do not fit together. docs/lint.md lists the rules.

Values come from the same flags as for render. A PROFILE is a file, or the name of one that ships with the charts (ambient,
platform-gke, compatibility-version-1.30); each is looked at as a layer and selected by itself, with the values on top. Without any
profile or values, all layers of the charts are looked at.

Exit code: 0 nothing found, 1 findings of the severity or above it, 2 refused input, 3 an internal error.`,
		Example: `  strata lint -f mine.yaml --profile ambient --platform gke
  strata lint acme.yaml -o sarif > lint.sarif
  strata lint -f mine.yaml --chart base,istiod --namespace istiod=mesh --severity error`,
		RunE: func(_ *cobra.Command, names []string) error {
			if !slices.Contains([]string{"text", "json", "sarif", "github"}, output) {
				return fmt.Errorf("-o %s: unknown format; use text, json, sarif or github", output)
			}
			least := slices.Index(severities, finding.Severity(threshold))
			if least < 0 {
				return fmt.Errorf("--severity %s: unknown; use error, warning or note", threshold)
			}
			in, err := lintInput(env, &s, names)
			if err != nil {
				return err
			}
			in.Disabled, in.Namespaces, in.Installed = disabled, namespaces, installed
			if err := knownCharts(in); err != nil {
				return err
			}
			findings, err := lint.Run(*in)
			if err != nil {
				return err
			}
			if err := printFindings(env.Stdout, findings, output); err != nil {
				return err
			}
			if slices.ContainsFunc(findings, func(f finding.Finding) bool { return slices.Index(severities, f.Severity) <= least }) {
				return errDifferent
			}
			return nil
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().StringSliceVar(&installed, "chart", nil, "`CHART` that is installed (repeatable, or separated by commas); where it is given, what is missing is found, too")
	cmd.Flags().StringToStringVar(&namespaces, "namespace", nil, "where a chart is installed, as `CHART=NAMESPACE` (repeatable; default: the usual one)")
	cmd.Flags().StringSliceVar(&disabled, "disable", nil, "`RULE` to leave out (repeatable, or separated by commas)")
	cmd.Flags().StringVar(&threshold, "severity", string(finding.Warning), "lowest `SEVERITY` for exit code 1: error, warning or note")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT`: text, json, sarif or github")
	return cmd
}

// severities in falling order.
var severities = []finding.Severity{finding.Error, finding.Warning, finding.Note}

// knownCharts refuses names in flags that are no charts.
func knownCharts(in *lint.Input) error {
	known := make([]string, 0, len(in.Charts))
	for _, chart := range in.Charts {
		known = append(known, chart.Name)
	}
	for _, name := range append(slices.Sorted(maps.Keys(in.Namespaces)), in.Installed...) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown chart %q; known: %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// lintInput reads all that is looked at: first what the user gives, then the charts.
func lintInput(env Env, s *selection, names []string) (*lint.Input, error) {
	suite, err := openSuite(s.charts)
	if err != nil {
		return nil, err
	}
	in := &lint.Input{Usual: map[string]lint.Home{}}
	for _, chart := range suite.config.Charts {
		in.Usual[chart.Name()] = lint.Home{Namespace: chart.Namespace, Platforms: chart.Namespaces}
	}
	if in.Explicit, err = lintExplicit(env, s); err != nil {
		return nil, err
	}
	charts, err := suite.names()
	if err != nil {
		return nil, err
	}
	files := make([]map[string][]byte, len(charts))
	for n, name := range charts {
		if _, files[n], err = suite.files(name); err != nil {
			return nil, err
		}
	}
	layers, err := suite.layers(charts[0], files[0])
	if err != nil {
		return nil, err
	}
	in.Catalog = layers.catalog
	if len(names) == 0 && len(in.Explicit) == 0 {
		names = layers.names()
	}
	for _, name := range names {
		profile, err := layers.read(name)
		if err != nil {
			return nil, err
		}
		in.Profiles = append(in.Profiles, profile)
	}
	in.Charts = make([]*lint.Chart, len(charts))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n, name := range charts {
		group.Go(func() (err error) {
			in.Charts[n], err = lint.NewChart(files[n], suite.source(name))
			return err
		})
	}
	return in, group.Wait()
}

// lintExplicit reads the files and the flags with values.
func lintExplicit(env Env, s *selection) ([]lint.Document, error) {
	var all []lint.Document
	for _, file := range s.files {
		name, text, err := readInput(env, file)
		if err != nil {
			return nil, err
		}
		document, err := lint.Parse(name, text)
		if err != nil {
			return nil, err
		}
		all = append(all, document)
	}
	flags := *s
	flags.files = nil
	given, err := flags.explicit(env)
	if err != nil {
		return nil, err
	}
	for _, document := range given.documents {
		all = append(all, lint.Document{Document: document})
	}
	return all, nil
}

// layerFiles are the profiles, platforms and compatibility versions that can be named.
type layerFiles struct {
	folder string
	texts  map[string][]byte
	// catalog replaces that of each chart; nil for the charts' own.
	catalog profiles.Catalog
}

// layers are those in this program, or those of the first chart of others: all charts of a suite ship with the same ones.
func (s *suite) layers(chart string, files map[string][]byte) (*layerFiles, error) {
	if s.dir == "" {
		return shippedLayers()
	}
	l := &layerFiles{folder: path.Join(s.source(chart), load.Folder), texts: map[string][]byte{}}
	for name, text := range files {
		if path.Dir(name) == load.Folder {
			l.texts[path.Base(name)] = text
		}
	}
	return l, nil
}

// shippedLayers are those in this program.
func shippedLayers() (*layerFiles, error) {
	l := &layerFiles{folder: "manifests/profiles", texts: map[string][]byte{}}
	sub, err := fs.Sub(strata.Files, l.folder)
	if err != nil {
		return nil, err
	}
	found, err := fs.Glob(sub, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range found {
		if l.texts[name], err = fs.ReadFile(sub, name); err != nil {
			return nil, err
		}
	}
	l.catalog, err = load.FS(sub, l.folder)
	return l, err
}

// names are those of all layers, sorted.
func (l *layerFiles) names() []string {
	names := make([]string, 0, len(l.texts))
	for file := range l.texts {
		names = append(names, strings.TrimSuffix(file, ".yaml"))
	}
	slices.Sort(names)
	return names
}

// read reads a layer by its name, or from a file.
func (l *layerFiles) read(arg string) (lint.Profile, error) {
	if text, ok := l.texts[arg+".yaml"]; ok {
		document, err := lint.Parse(path.Join(l.folder, arg+".yaml"), text)
		return lint.Profile{Layer: load.LayerOf(arg + ".yaml"), Document: document}, err
	}
	text, err := os.ReadFile(arg)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(arg, `./\`) {
		return lint.Profile{}, fmt.Errorf("%s: neither a file nor a profile; known: %s", arg, strings.Join(l.names(), ", "))
	}
	if err != nil {
		return lint.Profile{}, err
	}
	document, err := lint.Parse(arg, text)
	return lint.Profile{Layer: load.LayerOf(filepath.ToSlash(arg)), Document: document}, err
}

// printFindings writes findings in one of the formats.
func printFindings(w io.Writer, findings []finding.Finding, format string) error {
	switch format {
	case "json":
		return finding.JSON(w, findings)
	case "sarif":
		tool := finding.Tool{Name: "strata", URI: "https://github.com/stratamesh/strata"}
		return finding.SARIF(w, tool, lint.Rules(), findings)
	case "github":
		return finding.GitHub(w, findings)
	}
	for _, f := range findings {
		if f.File != "" {
			if _, err := fmt.Fprintf(w, "%s: ", profiles.Position{Source: f.File, Line: f.Line, Column: f.Column}); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "%s: %s [%s]\n", f.Severity, f.Message, f.Rule); err != nil {
			return err
		}
		if f.Fix != "" {
			if _, err := fmt.Fprintf(w, "  fix: %s\n", f.Fix); err != nil {
				return err
			}
		}
	}
	return nil
}
