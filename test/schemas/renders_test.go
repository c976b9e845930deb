package schemas_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/stratamesh/strata/pkg/golden"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
	"github.com/stratamesh/strata/test/schemas"
)

const root = "../.."

var loadMinors = sync.OnceValues(schemas.Minors)

func minors(t testing.TB) []*schemas.Minor {
	t.Helper()
	all, err := loadMinors()
	require.NoError(t, err)
	return all
}

func newest(t testing.TB) *schemas.Minor {
	all := minors(t)
	return all[len(all)-1]
}

// A renderCase is a chart with values.
type renderCase struct {
	chart  golden.Chart
	name   string
	values map[string]any
}

// cases are all charts under each profile, platform and compatibility version, with the values of the other tests that switch on
// everything a chart knows, and with those of testdata/values.
func cases(t testing.TB) []renderCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "strata.yaml"))
	require.NoError(t, err)
	config, err := golden.ReadConfig("strata.yaml", text)
	require.NoError(t, err)
	matrix, err := config.Cases(os.DirFS(root))
	require.NoError(t, err)
	var out []renderCase
	for _, c := range matrix {
		values := map[string]any{}
		for key, value := range map[string]any{"profile": c.Overlay.Profile, "compatibilityVersion": c.Overlay.CompatibilityVersion, "platform": c.Overlay.Platform} {
			if value != nil && value != "" {
				values[key] = value
			}
		}
		out = append(out, renderCase{c.Chart, c.Overlay.Name, values})
	}
	for _, chart := range config.Charts {
		files, err := filepath.Glob(filepath.Join("testdata/values", chart.Name(), "*.yaml"))
		require.NoError(t, err)
		for _, file := range append(files, filepath.Join("../charts/testdata/rich", chart.Name()+".yaml")) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			document, err := load.Parse(file, text)
			require.NoError(t, err)
			out = append(out, renderCase{chart, strings.TrimPrefix(filepath.ToSlash(file), "../"), document.Values})
		}
	}
	return out
}

var charts = sync.OnceValues(func() (map[string]*render.Chart, error) {
	out := map[string]*render.Chart{}
	folders, err := filepath.Glob(filepath.Join(root, "manifests/charts/*"))
	for _, folder := range folders {
		if out[filepath.Base(folder)], err = render.Load(folder); err != nil {
			return nil, err
		}
	}
	return out, err
})

// render renders a case for each minor. A chart that does not ask about the cluster renders to the same for all of them, so this is
// done once, but for the defaults, which show that this is so.
func (c renderCase) render(minors []*schemas.Minor) ([]schemas.Render, error) {
	all, err := charts()
	if err != nil {
		return nil, err
	}
	chart := all[c.chart.Name()]
	same := c.name != "default" && !asksAboutCluster(chart)
	var out []schemas.Render
	for n, m := range minors {
		r := schemas.Render{Chart: chart.Name, Overlay: c.name, Minor: m}
		if n > 0 && same {
			r.Files = out[0].Files
		} else {
			rendered, err := chart.Render(render.Helm3, render.Options{
				Release: c.chart.Release, Namespace: c.chart.Namespace, KubeVersion: m.Version, Values: c.values,
			})
			if err != nil {
				return nil, fmt.Errorf("under %s: %w", c.name, err)
			}
			r.Files = rendered.Files
		}
		out = append(out, r)
	}
	return out, nil
}

// asksAboutCluster says whether templates look at the version of Kubernetes or at its APIs.
func asksAboutCluster(c *render.Chart) bool {
	for name, text := range c.Files() {
		if path.Dir(name) == "templates" && bytes.Contains(text, []byte("Capabilities")) {
			return true
		}
	}
	return false
}

// chosen are faults that are a user's choice.
var chosen = map[string]string{
	"spec.loadBalancerIP": "a value of the user; there is no field yet that all providers take instead",
}

// Everything that the charts render is what each minor of Kubernetes takes.
func TestRendersFitEveryMinor(t *testing.T) {
	minors := minors(t)
	all := cases(t)
	renders := make([][]schemas.Render, len(all))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n, c := range all {
		group.Go(func() (err error) {
			renders[n], err = c.render(minors)
			return err
		})
	}
	require.NoError(t, group.Wait())

	checker := schemas.NewChecker()
	kinds, templates := map[string]bool{}, map[string]bool{}
	for _, r := range slices.Concat(renders...) {
		require.NoError(t, checker.Check(r))
		for _, file := range r.Files {
			templates[file.Name] = true
			objects, err := checker.Objects(file.Text)
			require.NoError(t, err)
			for _, o := range objects {
				kinds[o["apiVersion"].(string)+" "+o["kind"].(string)] = true
			}
		}
	}
	for _, fault := range checker.Faults() {
		if fault.Text == "deprecated field" && chosen[fault.Path.String()] != "" {
			continue
		}
		t.Error(fault)
	}
	for _, m := range minors {
		assert.Equal(t, m.Described(), slices.Sorted(maps.Keys(kinds)), "kinds that are rendered, and those that generate/main.go names")
	}
	files, err := filepath.Glob(filepath.Join(root, "manifests/charts/*/templates/*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		file, err := filepath.Rel(filepath.Join(root, "manifests/charts"), file)
		require.NoError(t, err)
		if name := filepath.ToSlash(file); !strings.HasPrefix(path.Base(name), "_") {
			assert.True(t, templates[name], "no case renders %s: add values to testdata/values", name)
		}
	}
}

// What the rule of renderCase.render takes for granted.
func TestChartsThatDoNotAskRenderTheSameForEveryMinor(t *testing.T) {
	minors := minors(t)
	for _, c := range cases(t) {
		if c.name != "default" {
			continue
		}
		renders, err := c.render(minors)
		require.NoError(t, err)
		for _, r := range renders[1:] {
			assert.Equal(t, renders[0].Files, r.Files, "%s for Kubernetes %s", r.Chart, r.Minor.Name)
		}
	}
}
