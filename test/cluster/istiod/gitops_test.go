package istiod_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratamesh/strata/test/cluster/api"
)

// release is a chart as it is rendered and applied.
type release struct {
	name, namespace, chart string
	arguments              []string
}

// gitOps does what Argo CD, Flux and `kubectl apply --server-side` do: it applies what `helm template` writes, again and again, and
// never by force. Nothing that istiod, controllers or an autoscaler do meanwhile may look like a difference.
type gitOps struct {
	*mesh
	profile, manager string
	objects          []*api.Object
}

func TestGitOps(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	g := newGitOps(t, "gitops", "kubectl")
	g.deploy(t,
		release{"istio-base", system, "base", nil},
		release{"istiod", system, "istiod", nil},
		release{"istiod-canary", system, "istiod", []string{"--set", "revision=canary", "--set", "revisionTags={prod}"}},
	)
	g.start(t, "istiod")
	g.start(t, "istiod-canary")
	g.testTrusted(t)
	// It comes last: its pod needs an injector.
	g.deploy(t, release{"gateway", "gateways", "gateway", nil})
	g.deployment(t, "gateways", "gateway")
	started(t, begin)
	part(t, "nothing has drifted", func(t *testing.T) { g.testNoDrift(t) })
	part(t, "a second apply changes nothing", func(t *testing.T) { g.testSecondApply(t) })
	part(t, "an autoscaler makes no drift", func(t *testing.T) {
		g.scale(t, "istiod")
		g.testNoDrift(t)
	})
}

func newGitOps(t *testing.T, profile, manager string) *gitOps {
	t.Helper()
	g := &gitOps{mesh: newMesh(t), profile: profile, manager: manager}
	g.apply(t, `
{apiVersion: v1, kind: Namespace, metadata: {name: istio-system}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: gateways}}
`)
	return g
}

// deploy applies charts for the first time: without force, and without a conflict or a warning.
func (g *gitOps) deploy(t *testing.T, releases ...release) {
	t.Helper()
	objects := g.render(t, g.profile, releases)
	require.NoError(t, api.Poll(soon(t), func(ctx context.Context) error {
		g.client.Warnings()
		_, err := g.client.Apply(ctx, api.ApplyOptions{Manager: g.manager}, objects...)
		return err
	}))
	require.Empty(t, g.client.Warnings())
	g.objects = append(g.objects, objects...)
}

// render returns what `helm template` writes for the charts, with one profile for all of them.
func (m *mesh) render(t *testing.T, profile string, releases []release) []*api.Object {
	t.Helper()
	var all []*api.Object
	for _, r := range releases {
		text := m.helm(t, append([]string{
			"template", r.name, filepath.Join(charts, r.chart), "-n", r.namespace, "--set", "profile=" + profile, "--kube-version", "1.37.2",
		}, r.arguments...)...)
		objects, err := api.Parse(text)
		require.NoError(t, err)
		all = append(all, objects...)
	}
	return all
}

// testTrusted waits until istiod has put its certificate into every webhook.
func (g *gitOps) testTrusted(t *testing.T) {
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		require.NoError(t, api.Poll(soon(t), func(ctx context.Context) error {
			list, err := g.client.List(ctx, api.Ref{APIVersion: "admissionregistration.k8s.io/v1", Kind: kind}, "")
			if err != nil {
				return err
			}
			for _, o := range list {
				for _, w := range o.Object["webhooks"].([]any) {
					if w.(map[string]any)["clientConfig"].(map[string]any)["caBundle"] == nil {
						return fmt.Errorf("%s %s has no certificate", kind, o.GetName())
					}
				}
			}
			return nil
		}))
	}
}

// testNoDrift: all that is rendered is there as it is rendered, and what an apply would make of each object is what there is. The
// first is how Argo CD looks at it without server-side diffs.
func (g *gitOps) testNoDrift(t *testing.T) {
	t.Helper()
	for _, o := range g.objects {
		ref := api.RefOf(o)
		live, err := g.client.Get(t.Context(), ref)
		require.NoError(t, err)
		assert.Empty(t, deviations("", o.Object, live.Object), "%s is not as rendered", ref)
		would, err := g.client.Apply(t.Context(), api.ApplyOptions{Manager: g.manager, DryRun: true}, o)
		require.NoError(t, err)
		assert.Empty(t, compare(live, would[0]), "%s drifts", ref)
	}
}

// testSecondApply: an apply of the same writes nothing.
func (g *gitOps) testSecondApply(t *testing.T) {
	t.Helper()
	for _, o := range g.objects {
		ref := api.RefOf(o)
		before, err := g.client.Get(t.Context(), ref)
		require.NoError(t, err)
		after, err := g.client.Apply(t.Context(), api.ApplyOptions{Manager: g.manager}, o)
		require.NoError(t, err)
		assert.Empty(t, compare(before, after[0]), "%s: a second apply changes it", ref)
	}
}

// deviations tells where an object that is there says something else than a rendered one. What only the former says, a default, is
// none; lists are as long as rendered.
func deviations(path string, rendered, there any) []string {
	switch rendered := rendered.(type) {
	case map[string]any:
		there, _ := there.(map[string]any)
		var found []string
		for _, key := range slices.Sorted(maps.Keys(rendered)) {
			found = append(found, deviations(path+"."+key, rendered[key], there[key])...)
		}
		return found
	case []any:
		there, _ := there.([]any)
		if len(rendered) != len(there) {
			return []string{fmt.Sprintf("%s: %d entries, rendered are %d", path, len(there), len(rendered))}
		}
		var found []string
		for i := range rendered {
			found = append(found, deviations(fmt.Sprintf("%s[%d]", path, i), rendered[i], there[i])...)
		}
		return found
	}
	if !reflect.DeepEqual(plain(rendered), plain(there)) {
		return []string{fmt.Sprintf("%s: %v, rendered is %v", path, there, rendered)}
	}
	return nil
}

// plain makes equal what means the same to all who compare objects of known kinds: numbers of two types, quantities, and an empty
// text that the API server leaves out.
func plain(value any) any {
	switch value := value.(type) {
	case int64:
		return float64(value)
	case string:
		if value == "" {
			return nil
		}
		if quantity, err := resource.ParseQuantity(value); err == nil {
			return quantity.AsApproximateFloat64()
		}
	}
	return value
}

// compare tells how two states of an object differ, without what controllers report and what tells one write from the next.
// The record of who manages which fields counts.
func compare(before, after *api.Object) string {
	return cmp.Diff(stated(before), stated(after))
}

func stated(o *api.Object) map[string]any {
	o = o.DeepCopy()
	o.SetResourceVersion("")
	delete(o.Object, "status")
	// Who writes a status, writes when.
	fields := slices.DeleteFunc(o.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Subresource == "status" })
	o.SetManagedFields(fields)
	return o.Object
}

// scale does what an autoscaler does.
func (m *mesh) scale(t *testing.T, deployment string) {
	t.Helper()
	_, err := m.client.Patch(t.Context(), api.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: system, Name: deployment},
		types.MergePatchType, `{"spec": {"replicas": 2}}`, "scale")
	require.NoError(t, err)
	require.NoError(t, api.Poll(soon(t), func(context.Context) error {
		if ready := m.deployment(t, system, deployment).Status.ReadyReplicas; ready != 2 {
			return fmt.Errorf("%d pods of %s are ready", ready, deployment)
		}
		return nil
	}))
}
