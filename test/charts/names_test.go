package charts_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/render"
)

// Every environment variable and every annotation of the pods that a chart sets can be the user's: the entry is there
// once, with the user's text.
func TestUsersEntryReplacesEveryOneOfTheCharts(t *testing.T) {
	t.Parallel()
	for n, name := range []string{"istio-cni", "istiod", "ztunnel", "gateway"} {
		for _, engine := range inTurn(n) {
			t.Run(fmt.Sprintf("%s/%s", name, engine), func(t *testing.T) {
				t.Parallel()
				base := bases(t, name)[1]
				before := pod(t, base.objects(t, name, engine))
				explicit := values.Copy(base.values)
				// These decide over other parts of the objects.
				values.Delete(explicit, []string{"envVarFrom"})
				for _, v := range before.Spec.Containers[0].Env {
					values.Set(explicit, []string{"env", v.Name}, "mine")
				}
				for key := range before.Annotations {
					values.Set(explicit, []string{"podAnnotations", key}, "mine")
				}
				after := pod(t, cell{"mine", explicit}.objects(t, name, engine))
				require.NotEmpty(t, after.Annotations)
				for key, value := range after.Annotations {
					assert.Equal(t, "mine", value, key)
				}
				seen := map[string]bool{}
				for _, v := range after.Spec.Containers[0].Env {
					assert.False(t, seen[v.Name], v.Name)
					seen[v.Name] = true
					assert.Equal(t, "mine", v.Value, v.Name)
				}
				for _, v := range before.Spec.Containers[0].Env {
					assert.True(t, seen[v.Name], v.Name)
				}
			})
		}
	}
}

// Names and labels are legal for whatever Helm takes as the name of a release, for long values, and for the versions of a
// build that is no release.
func TestNamesAndLabelsAreLegal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 52)
	for n, name := range chartNames {
		fsys := fstest.MapFS{}
		for file, content := range files(t, name) {
			fsys[file] = content
		}
		text := string(fsys["Chart.yaml"].Data)
		text = strings.Replace(text, "\nversion: ", "\nversion: 0.0.0-a"+strings.Repeat("-", 60)+"+build.7 #", 1)
		text = strings.Replace(text, "\nappVersion: ", "\nappVersion: 1.31-alpha."+long+"+dirty #", 1)
		fsys["Chart.yaml"] = &fstest.MapFile{Data: []byte(text)}
		build, err := render.FS(fsys)
		require.NoError(t, err)
		for m, tc := range []struct{ name, release, values string }{
			{"long release", long + "z", `{}`},
			{"short release", "r", `{}`},
			{"long values", "release", `{ownerName: ` + long + `----------------tail, revision: ` + long + `zzzz, defaultRevision: ` + long + `zzzz}`},
			{"values with punctuation", "release", `{ownerName: "_a+b/c d-", revision: 1-31-4}`},
		} {
			if raceEnabled && m%2 != n%2 {
				continue // for the time it takes
			}
			for _, engine := range inTurn(n + m/2) {
				t.Run(fmt.Sprintf("%s/%s/%s", name, tc.name, engine), func(t *testing.T) {
					t.Parallel()
					out, err := rendering{loaded: build, engine: engine, Options: render.Options{Release: tc.release, Namespace: matrixNamespace, Values: parse(t, tc.values)}}.run(t)
					require.NoError(t, err)
					r, err := read(out)
					require.NoError(t, err)
					requireSound(t, r)
				})
			}
		}
	}
}

// A gateway is named after its release. Helm takes names for a release that Kubernetes takes for no Service: such a
// gateway needs the value name, and the error says so.
func TestGatewayNeedsANameThatAServiceCanHave(t *testing.T) {
	t.Parallel()
	for n, release := range []string{"shop.edge", "1st"} {
		for _, engine := range inTurn(n) {
			t.Run(fmt.Sprintf("%s/%s", release, engine), func(t *testing.T) {
				t.Parallel()
				r := rendering{chart: "gateway", engine: engine, Options: render.Options{Release: release, Namespace: matrixNamespace}}
				_, err := r.run(t)
				requireClear(t, err, release, "name")
				r.Values = map[string]any{"name": "edge"}
				got, err := r.objects(t)
				require.NoError(t, err)
				requireSound(t, got)
			})
		}
	}
}
