package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratamesh/strata/pkg/golden"
	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/render"
)

func newRender(env Env) *cobra.Command {
	var s selection
	var o render.Options
	var out string
	var helm int
	cmd := &cobra.Command{
		Use:   "render [CHART...]",
		Short: "Renders charts, as helm template does",
		Long: `Renders the named charts, or all of them in the order of installation, and prints their manifests, or writes one file for
each object with -o. A chart that fails leaves the folder as it was.`,
		Example: `  strata render --profile openshift -o out
  strata render istiod -f mine.yaml --set global.hub=registry.example.com/istio
  strata render ztunnel --profile ambient --platform gke | kubectl apply --server-side -f -`,
		RunE: func(_ *cobra.Command, names []string) error {
			suite, err := openSuite(s.charts)
			if err != nil {
				return err
			}
			given, err := s.explicit(env)
			if err != nil {
				return err
			}
			o.Values = given.values
			if len(names) == 0 {
				if names, err = suite.names(); err != nil {
					return err
				}
			}
			rendered, err := renderCharts(suite, names, render.Engine(helm), o)
			if err != nil {
				return err
			}
			if out == "" {
				for _, r := range rendered {
					if _, err := fmt.Fprint(env.Stdout, r.text); err != nil {
						return err
					}
				}
				return nil
			}
			files, err := objectFiles(rendered)
			if err != nil {
				return err
			}
			return writeDir(out, files)
		},
	}
	s.register(cmd.Flags())
	registerOptions(cmd.Flags(), &o)
	cmd.Flags().IntVar(&helm, "helm", int(render.Helm4), "`MAJOR` version of the engine: 3 or 4")
	cmd.Flags().StringVarP(&out, "output-dir", "o", "", "`DIR` to write one file for each object to")
	env.watchable(cmd, s.inputs, func() []string { return []string{out} })
	return cmd
}

// A rendered chart.
type rendered struct {
	chart string
	text  string
}

// renderCharts renders each chart with the usual release and namespace where none is given. All faults are reported together.
func renderCharts(s *suite, names []string, engine render.Engine, o render.Options) ([]rendered, error) {
	var all []rendered
	var faults []error
	for _, name := range names {
		chart, install, err := s.load(name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		text, err := renderChart(chart, install, engine, o)
		faults = append(faults, err)
		all = append(all, rendered{chart.Name, text})
	}
	return all, errors.Join(faults...)
}

// renderChart renders one chart, with the release and namespace in which it is usually installed where none is given.
func renderChart(chart *render.Chart, install golden.Chart, engine render.Engine, o render.Options) (string, error) {
	o.Release = cmp.Or(o.Release, install.Release)
	o.Namespace = cmp.Or(o.Namespace, install.NamespaceFor(chart, o.Values))
	output, err := chart.Render(engine, o)
	if err != nil {
		return "", err
	}
	text, err := output.Manifest()
	if err != nil {
		return "", fmt.Errorf("chart %s: %w", chart.Name, err)
	}
	return text, nil
}

// objectFiles gives each object a file CHART/KIND-NAME.yaml; where two objects would meet, namespace and group are added.
func objectFiles(charts []rendered) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, r := range charts {
		objects, err := manifest.Parse(r.chart, []byte(r.text))
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			text, err := manifest.Canonical(object)
			if err != nil {
				return nil, err
			}
			name := fileName(object.ID.Kind, object.ID.Name)
			if _, taken := files[path.Join(r.chart, name)]; taken {
				name = fileName(object.ID.Kind, object.ID.Group, object.ID.Namespace, object.ID.Name)
			}
			name = path.Join(r.chart, name)
			if _, taken := files[name]; taken {
				return nil, fmt.Errorf("chart %s renders %s twice", r.chart, object.ID)
			}
			files[name] = text
		}
	}
	return files, nil
}

// fileName joins the parts that are not empty, in lower case and without what file systems refuse.
func fileName(parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, strings.Map(func(r rune) rune {
				if strings.ContainsRune(`/\:*?"<>|`, r) {
					return '_'
				}
				return r
			}, strings.ToLower(part)))
		}
	}
	return strings.Join(kept, "-") + ".yaml"
}
