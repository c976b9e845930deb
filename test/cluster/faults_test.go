package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratamesh/strata/test/cluster/api"
)

// versions runs a test with each Helm. What it installs is uninstalled at the end.
func versions(t *testing.T, name string, crds bool, test func(*testing.T, *mesh)) {
	t.Parallel()
	majors := []int{3, 4}
	if testing.Short() {
		majors = inTurn(len(name))
	}
	for _, major := range majors {
		t.Run(fmt.Sprintf("helm%d", major), func(t *testing.T) {
			t.Parallel()
			m := newMesh(t, major, fmt.Sprintf("fault: %s helm%d", name, major), false, crds)
			before, err := m.inventory(t.Context())
			require.NoError(t, err)
			m.phase(t, "whole", func(t *testing.T) { test(t, m) })
			if !crds && !t.Failed() {
				m.clear(t, before)
			}
		})
	}
}

// clear uninstalls every release, and fails where anything stays.
func (m *mesh) clear(t *testing.T, before map[api.Ref]bool) {
	t.Helper()
	var installed []struct{ Name, Namespace string }
	require.NoError(t, json.Unmarshal([]byte(m.helm(t, m.major, "list", "-A", "-o", "json").Stdout), &installed))
	for _, r := range installed {
		m.helm(t, m.major, "uninstall", r.Name, "-n", r.Namespace, "--wait", "--timeout", "90s")
	}
	m.left(t, before, func(api.Ref) bool { return false })
}

// install installs a chart and returns its objects.
func (m *mesh) install(t *testing.T, name, chart, ns string, more ...string) map[api.Ref]*api.Object {
	t.Helper()
	arguments := append([]string{"install", name, chartPath(t, chart), "-n", ns, "--wait", "--timeout", "90s", "-o", "json", checked}, more...)
	return m.settled(t, refs(manifest(t, m.helm(t, m.major, arguments...))))
}

// refuses runs a command of Helm, which has to fail with each of these texts in its message and write nothing, no release either.
func (m *mesh) refuses(t *testing.T, texts []string, arguments ...string) {
	t.Helper()
	before := m.everything(t)
	result := m.tryHelm(t, m.major, arguments...)
	assert.NotZero(t, result.Code, result.Stdout)
	for _, text := range texts {
		assert.Contains(t, result.Stderr, text)
	}
	after := m.everything(t)
	untouched(t, before, after)
	for r := range after {
		assert.NotNil(t, before[r], "%s is new", r)
	}
}

// everything is all objects of the cluster but those that kubelets and controllers write all the time.
func (m *mesh) everything(t *testing.T) map[api.Ref]*api.Object {
	t.Helper()
	all, err := m.client.All(t.Context())
	require.NoError(t, err)
	found := map[api.Ref]*api.Object{}
	for _, o := range all {
		switch o.GetKind() {
		case "Node", "Pod", "ReplicaSet", "EndpointSlice", "Endpoints", "ControllerRevision":
		default:
			found[api.RefOf(&o)] = &o
		}
	}
	return found
}

// A value that is wrong is refused before anything is written, in whatever way it is wrong.
func TestBadValuesChangeNothing(t *testing.T) {
	versions(t, "bad values", false, func(t *testing.T, m *mesh) {
		m.install(t, "istiod", "istiod", "istio-system")
		m.install(t, "istio-ingressgateway", "gateway", "istio-ingress")
		for _, c := range []struct {
			chart, ns string
			texts     []string
			flags     []string
		}{
			{"istiod", "istio-system", []string{"autoscaleEnabeld"}, []string{"--set", "autoscaleEnabeld=true"}},
			{"istiod", "istio-system", []string{"replicaCount"}, []string{"--set", "replicaCount=many"}},
			{"istiod", "istio-system", []string{"ambientt", "ambient"}, []string{"--set", "profile=ambientt"}},
			{"istiod", "istio-system", []string{"compatibilityVersion"}, []string{"--set-json", "compatibilityVersion=1.30"}},
			{"istiod", "istio-system", []string{"hub"}, []string{"--set", "global=null"}},
			{"gateway", "istio-ingress", []string{"service"}, []string{"--set", "service.type=Loadbalancer"}},
		} {
			release := map[string]string{"istiod": "istiod", "gateway": "istio-ingressgateway"}[c.chart]
			m.refuses(t, c.texts, append([]string{"upgrade", release, chartPath(t, c.chart), "-n", c.ns, "--reset-then-reuse-values"}, c.flags...)...)
		}
	})
}

// A later version of a chart with other defaults refuses --reuse-values, which would keep the old ones. With the same defaults it
// takes it. --reset-then-reuse-values keeps what the user set, and takes the new defaults.
func TestReuseValuesAcrossVersions(t *testing.T) {
	versions(t, "reuse values", false, func(t *testing.T, m *mesh) {
		m.install(t, "istiod", "istiod", "istio-system", "--set", "autoscaleMin=2")
		same := later(t, "istiod")
		// The second place is the one that "make generate" writes.
		changed := later(t, "istiod", [3]string{"values.yaml", "autoscaleMax: 5", "autoscaleMax: 7"},
			[3]string{"templates/_overlay.tpl", `"autoscaleMax":5`, `"autoscaleMax":7`})

		m.refuses(t, []string{"--reset-then-reuse-values"}, "upgrade", "istiod", changed, "-n", "istio-system", "--reuse-values")
		hpa := api.Ref{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler", Namespace: "istio-system", Name: "istiod"}
		limits := func() [2]any {
			o, err := m.client.Get(t.Context(), hpa)
			require.NoError(t, err)
			spec := o.Object["spec"].(map[string]any)
			return [2]any{spec["minReplicas"], spec["maxReplicas"]}
		}
		m.helm(t, m.major, "upgrade", "istiod", same, "-n", "istio-system", "--reuse-values", "--wait", "--timeout", "90s")
		assert.Equal(t, [2]any{int64(2), int64(5)}, limits())
		m.helm(t, m.major, "upgrade", "istiod", changed, "-n", "istio-system", "--reset-then-reuse-values", "--wait", "--timeout", "90s")
		assert.Equal(t, [2]any{int64(2), int64(7)}, limits())
	})
}

// later is a copy of a chart with a later version, in which texts are exchanged: file, old text, new text.
func later(t *testing.T, name string, changes ...[3]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.CopyFS(dir, os.DirFS(chartPath(t, name))))
	exchange(t, filepath.Join(dir, "Chart.yaml"), "\nversion: ", "\nversion: 9.9.9 #")
	for _, c := range changes {
		exchange(t, filepath.Join(dir, filepath.FromSlash(c[0])), c[1], c[2])
	}
	return dir
}

func exchange(t *testing.T, path, before, after string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(data), before)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(data), before, after, 1)), 0o600))
}

// A second control plane with a revision of its own, and gateways under other names, live beside the first. A second release of what
// there can be only one of is refused, and writes nothing.
func TestTwoReleasesOfOneChart(t *testing.T) {
	versions(t, "two releases", false, func(t *testing.T, m *mesh) {
		base := m.install(t, "istio-base", "base", "istio-system", m.flags...)
		cni := m.install(t, "istio-cni", "istio-cni", "kube-system")
		first := m.install(t, "istiod", "istiod", "istio-system")
		second := m.install(t, "istiod-canary", "istiod", "istio-system", "--set", "revision=canary", "--set", "revisionTags={prod}")
		gateway := m.install(t, "istio-ingressgateway", "gateway", "istio-ingress")
		other := m.install(t, "istio-egressgateway", "gateway", "istio-ingress", "--set", "service.type=ClusterIP")
		for r := range second {
			assert.Nil(t, first[r], "%s is in both", r)
		}
		for r := range other {
			assert.Nil(t, gateway[r], "%s is in both", r)
		}
		owned := "cannot be imported into the current release"
		for _, c := range []struct{ name, chart, ns, flag string }{
			{"second", "base", "default", "base.enableIstioConfigCRDs=false"},
			{"second", "istio-cni", "istio-system", "tag=x"},
			{"second", "istiod", "istio-system", "tag=x"},
			{"second", "istiod", "istio-system", "revision=canary"},
			// Another revision, but the same tag.
			{"second", "istiod", "istio-system", "revision=other,revisionTags={prod}"},
			{"second", "gateway", "istio-ingress", "name=istio-ingressgateway"},
		} {
			m.refuses(t, []string{owned}, "install", c.name, chartPath(t, c.chart), "-n", c.ns, "--set", c.flag)
		}
		// Nothing of the first went with the second.
		m.helm(t, m.major, "uninstall", "istiod-canary", "-n", "istio-system", "--wait", "--timeout", "90s")
		m.helm(t, m.major, "uninstall", "istio-egressgateway", "-n", "istio-ingress", "--wait", "--timeout", "90s")
		for _, state := range []map[api.Ref]*api.Object{base, cni, first, gateway} {
			untouched(t, state, m.live(t, keys(state)))
		}
	})
}

// A chart may go while another needs it. What that means:
//   - base: the CRDs stay, with all configuration; the default validator goes. Installed again, it takes the CRDs over.
//   - istio-cni, ztunnel: nobody else's object changes.
//   - istiod: its webhooks go with it, so pods are made, but without a sidecar: a gateway's with the image "auto".
func TestChartRemovedWhileNeeded(t *testing.T) {
	versions(t, "chart removed", true, func(t *testing.T, m *mesh) {
		profile := []string{"--set", "profile=ambient"}
		base := m.install(t, "istio-base", "base", "istio-system", profile...)
		m.install(t, "istio-cni", "istio-cni", "kube-system", profile...)
		istiod := m.install(t, "istiod", "istiod", "istio-system", profile...)
		ztunnel := m.install(t, "ztunnel", "ztunnel", "istio-system", profile...)
		gateway := m.install(t, "istio-ingressgateway", "gateway", "istio-ingress", profile...)
		route, err := api.Parse("apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: kept, namespace: istio-ingress}\nspec: {hosts: [a.example], http: [{route: [{destination: {host: a}}]}]}\n")
		require.NoError(t, err)
		made, err := m.client.Apply(t.Context(), api.ApplyOptions{}, route...)
		require.NoError(t, err)
		gone := func(name, ns string) {
			t.Helper()
			m.helm(t, m.major, "uninstall", name, "-n", ns, "--wait", "--timeout", "90s")
		}

		gone("istio-base", "istio-system")
		for r := range base {
			_, err := m.client.Get(t.Context(), r)
			assert.Equal(t, r.Kind != "CustomResourceDefinition", api.IsNotFound(err), "%s: %v", r, err)
		}
		kept, err := m.client.Get(t.Context(), api.RefOf(route[0]))
		require.NoError(t, err)
		assert.Equal(t, made[0].GetResourceVersion(), kept.GetResourceVersion())
		untouched(t, istiod, m.settled(t, keys(istiod)))
		sameMeaning(t, base, m.install(t, "istio-base", "base", "istio-system", profile...))

		gone("istio-cni", "kube-system")
		untouched(t, istiod, m.settled(t, keys(istiod)))
		untouched(t, ztunnel, m.settled(t, keys(ztunnel)))
		gone("ztunnel", "istio-system")
		untouched(t, istiod, m.settled(t, keys(istiod)))

		gone("istiod", "istio-system")
		untouched(t, gateway, m.live(t, keys(gateway)))
		pods := api.Ref{APIVersion: "v1", Kind: "Pod", Namespace: "istio-ingress"}
		old, err := m.client.List(t.Context(), pods, "")
		require.NoError(t, err)
		require.NotEmpty(t, old)
		reviews := m.play.Reviews()
		for _, p := range old {
			require.NoError(t, m.client.Delete(t.Context(), api.RefOf(&p)))
		}
		m.podsReady(t, keys(gateway))
		assert.Equal(t, reviews, m.play.Reviews())

		// The validator of base is left with nobody to answer, and Istio's configuration is refused.
		route[0].SetName("refused")
		_, err = m.client.Apply(t.Context(), api.ApplyOptions{}, route...)
		assert.ErrorContains(t, err, `failed calling webhook "validation.istio.io"`)
	})
}

// When the API server dies in the middle of an installation, Helm fails and cannot say so in the release, which stays
// pending-install. The way out is to uninstall it and to install again: the CRDs that were made already are taken over. One of them
// may be stuck at Installing, since the API server looks at it again only when it changes, or after five minutes.
func TestAPIServerDiesDuringInstall(t *testing.T) {
	versions(t, "API server dies", true, func(t *testing.T, m *mesh) {
		crds := api.Ref{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}
		h, err := m.Helm(m.major)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		failed := make(chan string, 1)
		go func() {
			result, err := h.Run(ctx, "install", "istio-base", chartPath(t, "base"), "-n", "istio-system", "--wait", "--timeout", "30s")
			failed <- fmt.Sprint("exit code ", result.Code, ", ", err, "\n", result.Stderr)
		}()
		made := 0
		require.NoError(t, api.Poll(ctx, func(ctx context.Context) error {
			found, err := m.client.List(ctx, crds, "")
			if made = len(found); err == nil && made < 3 {
				err = fmt.Errorf("%d CRDs so far", made)
			}
			return err
		}))
		require.NoError(t, m.Kill("kube-apiserver"))
		message := <-failed
		assert.Contains(t, message, "exit code 1")
		require.NoError(t, m.Restart(ctx, "kube-apiserver"))
		t.Logf("%d CRDs were there; Helm says: %s", made, message)
		found, err := m.client.List(ctx, crds, "")
		require.NoError(t, err)
		for _, crd := range found {
			_, err := m.client.Patch(ctx, api.RefOf(&crd), types.MergePatchType, `{"metadata":{"annotations":{"example.com/look":"again"}}}`)
			require.NoError(t, err)
		}

		assert.Contains(t, m.helm(t, m.major, "status", "istio-base", "-n", "istio-system").Stdout, "pending-install")
		again := m.tryHelm(t, m.major, "upgrade", "--install", "istio-base", chartPath(t, "base"), "-n", "istio-system")
		assert.NotZero(t, again.Code)
		assert.Contains(t, again.Stderr, "another operation")
		m.helm(t, m.major, "uninstall", "istio-base", "-n", "istio-system", "--wait", "--timeout", "90s")
		base := m.install(t, "istio-base", "base", "istio-system")
		assert.Greater(t, len(base), made)
		m.helm(t, m.major, "upgrade", "istio-base", chartPath(t, "base"), "-n", "istio-system", "--wait", "--timeout", "90s")
	})
}
