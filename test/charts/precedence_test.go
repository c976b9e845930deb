package charts_test

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/render"
)

// An overlay is a shipped profile, platform or compatibility version.
type overlay struct {
	name string
	// selector is what chooses it.
	selector, value string
	// values are those of the file.
	values map[string]any
}

// overlays are those that ship with a chart.
var overlays = perChart(func(name string) ([]overlay, error) {
	fsys, err := readFiles(name)
	if err != nil {
		return nil, err
	}
	var out []overlay
	for _, file := range sortedKeys(fsys) {
		base, found := strings.CutPrefix(file, "files/profiles/")
		if !found {
			continue
		}
		o := overlay{name: strings.TrimSuffix(base, ".yaml")}
		if err := yaml.UnmarshalStrict(fsys[file].Data, &o.values); err != nil {
			return nil, err
		}
		o.selector, o.value = "profile", o.name
		for prefix, selector := range map[string]string{"platform-": "platform", "compatibility-version-": "compatibilityVersion"} {
			if rest, found := strings.CutPrefix(o.name, prefix); found {
				o.selector, o.value = selector, rest
			}
		}
		out = append(out, o)
	}
	return out, nil
})

// leavesFor lists what an overlay sets in a chart, as it stands at the root of the chart's values: of its own section, and of the
// rest what the chart knows. Selectors are no values to override: choosing another layer has tests of its own.
func (o overlay) leavesFor(t testing.TB, chartName string) []values.Leaf {
	t.Helper()
	known := schemas(t, chartName)
	root := values.Copy(o.values)
	own, _ := root[section(t, chartName)].(map[string]any)
	for _, name := range strings.Split(chart(t, chartName).Annotations["stratamesh.io/sections"], ",") {
		delete(root, name)
	}
	for _, leaf := range values.Leaves(own) {
		values.Set(root, leaf.Path, leaf.Value)
	}
	for key := range root {
		if !known.knows(key) || slices.Contains([]string{"profile", "platform", "compatibilityVersion"}, key) {
			delete(root, key)
		}
	}
	return values.Leaves(root)
}

// probes are charts of the engine alone, which print the values that templates would read.
var probes = perChart(func(name string) (*render.Chart, error) {
	fsys, err := readFiles(name)
	if err != nil {
		return nil, err
	}
	delete(fsys, "values.schema.json")
	for file := range fsys {
		if folder := path.Dir(file); folder == "templates" && file != "templates/_overlay.tpl" || folder == "files/crds" || folder == "files/injection" {
			delete(fsys, file)
		}
	}
	fsys["templates/probe.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{{ include "%s.overlay" . }}{{ toJson (omit .Values "_overlay") }}`, name)}
	return render.FS(fsys)
})

// probed returns the values that the templates of a probe read.
func probed(t testing.TB, c *render.Chart, engine render.Engine, explicit map[string]any) map[string]any {
	t.Helper()
	out, err := c.Render(engine, render.Options{Values: explicit})
	require.NoError(t, err)
	got := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(out.Files[0].Text), &got))
	return got
}

// another makes a value that the schema takes and that is not the one of the overlay.
func another(t testing.TB, s schema, leaf values.Leaf) any {
	t.Helper()
	if enum := s.enum(leaf.Path); enum != nil {
		for _, value := range enum {
			if value != nil && value != leaf.Value {
				return value
			}
		}
	}
	switch value := leaf.Value.(type) {
	case bool:
		return !value
	case float64:
		return value + 1
	case string:
		return value + "-mine"
	case []any:
		return []any{}
	}
	require.Fail(t, "no other value", "%v: %v", leaf.Path, leaf.Value)
	return nil
}

// What a user sets wins over every value of every profile, platform and compatibility version, at the root and in the
// chart's section, and null removes it. Each value is set in one render and null in another, among others of which it is
// the other way round.
func TestUserWinsOverOverlays(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places := map[string][]string{"root": nil}
			if own := section(t, name); own != "" {
				places["section"] = []string{own}
			}
			c, checked := probes(t, name), 0
			for n, o := range overlays(t, name) {
				leaves := o.leavesFor(t, name)
				checked += len(leaves)
				if raceEnabled && o.selector == "compatibilityVersion" && o.value > "1.25" {
					continue // for the time it takes: the oldest version sets what the others do
				}
				for place, prefix := range places {
					for _, engine := range inTurn(n + len(prefix)) {
						for half := range min(2, 2*len(leaves)) {
							explicit, want := map[string]any{o.selector: o.value}, map[string]any{}
							for n, leaf := range leaves {
								var value any
								if n%2 == half {
									value = another(t, schemas(t, name), leaf)
								}
								values.Set(explicit, append(slices.Clone(prefix), leaf.Path...), value)
								want[strings.Join(leaf.Path, ".")] = value
							}
							got := probed(t, c, engine, explicit)
							for _, leaf := range leaves {
								value, found := values.Get(got, leaf.Path)
								wanted := want[strings.Join(leaf.Path, ".")]
								assert.Equal(t, wanted != nil, found, "%s, %s, %s: %v", o.name, place, engine, leaf.Path)
								assert.Equal(t, wanted, value, "%s, %s, %s: %v", o.name, place, engine, leaf.Path)
							}
						}
					}
				}
			}
			t.Logf("%d values of overlays", checked)
			assert.GreaterOrEqual(t, checked, fewest[name])
		})
	}
}

// The values of an overlay arrive, and stay where the user sets their neighbours.
func TestOverlaysKeepWhatTheUserLeavesAlone(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, o := range overlays(t, name) {
				leaves := o.leavesFor(t, name)
				explicit := map[string]any{o.selector: o.value}
				want := map[string]any{}
				for n, leaf := range leaves {
					if n%2 == 1 {
						values.Set(explicit, leaf.Path, another(t, schemas(t, name), leaf))
					} else {
						want[strings.Join(leaf.Path, ".")] = leaf.Value
					}
				}
				if len(leaves) == 0 {
					continue
				}
				got := probed(t, probes(t, name), engines[n%2], explicit)
				for _, leaf := range leaves {
					if wanted := want[strings.Join(leaf.Path, ".")]; wanted != nil {
						value, _ := values.Get(got, leaf.Path)
						assert.Equal(t, wanted, value, "%s: %v", o.name, leaf.Path)
					}
				}
			}
		})
	}
}

// fewest are how many values the overlays set in each chart at least: a chart that loses them would pass unseen.
var fewest = map[string]int{"base": 6, "istio-cni": 25, "istiod": 45, "ztunnel": 12, "gateway": 5}

// A global that ztunnel reads at its root loses to a user's value in either place, and the root wins over global.
func TestUserWinsOverFlattenedGlobals(t *testing.T) {
	t.Parallel()
	c := probes(t, "ztunnel")
	for n, tc := range []struct{ name, explicit, want string }{
		{"the profile's global counts", `{profile: ambient}`, "distroless"},
		{"global", `{profile: ambient, global: {variant: debug}}`, "debug"},
		{"root", `{profile: ambient, variant: debug}`, "debug"},
		{"section", `{profile: ambient, ztunnel: {variant: debug}}`, "debug"},
		{"root over global", `{profile: ambient, variant: debug, global: {variant: mine}}`, "debug"},
		{"section over global", `{profile: ambient, ztunnel: {variant: debug}, global: {variant: mine}}`, "debug"},
		{"null at the root", `{profile: ambient, variant: null}`, ""},
		{"empty at the root", `{profile: ambient, variant: ""}`, ""},
	} {
		for _, engine := range inTurn(n) {
			t.Run(tc.name+"/"+engine.String(), func(t *testing.T) {
				assert.Equal(t, tc.want, text(probed(t, c, engine, parse(t, tc.explicit)), "variant"))
			})
		}
	}
}

// A platform that the user selects replaces the one that a profile builds on, values and name alike.
func TestUserSelectionReplacesAProfilesPlatform(t *testing.T) {
	t.Parallel()
	c := probes(t, "istio-cni")
	for n, tc := range []struct{ name, explicit, platform, provider, binDir string }{
		{"the profile's own", `{profile: openshift-ambient}`, "openshift", "multus", "/var/lib/cni/bin"},
		{"at the root", `{profile: openshift-ambient, platform: k3d}`, "k3d", "default", "/bin"},
		{"under global", `{profile: openshift-ambient, global: {platform: k3d}}`, "k3d", "default", "/bin"},
		{"in the section", `{profile: openshift-ambient, cni: {platform: k3d}}`, "k3d", "default", "/bin"},
		{"none", `{profile: openshift-ambient, platform: ""}`, "", "default", "/opt/cni/bin"},
		{"none at the root, one under global", `{profile: openshift-ambient, platform: "", global: {platform: k3d}}`, "", "default", "/opt/cni/bin"},
	} {
		for _, engine := range inTurn(n) {
			t.Run(tc.name+"/"+engine.String(), func(t *testing.T) {
				got := probed(t, c, engine, parse(t, tc.explicit))
				assert.Equal(t, tc.platform, text(got, "platform"))
				assert.Equal(t, tc.platform, text(got, "global", "platform"))
				assert.Equal(t, tc.provider, text(got, "provider"))
				assert.Equal(t, tc.binDir, text(got, "cniBinDir"))
				assert.Equal(t, true, at(got, "ambient", "enabled"), "the profile's other layer stays")
			})
		}
	}
}
