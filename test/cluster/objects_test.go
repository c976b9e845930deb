package cluster_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratamesh/strata/test/cluster/api"
)

// patience is how long controllers may take.
const patience = 30 * time.Second

// refs are the names of objects.
func refs(objects []*api.Object) []api.Ref {
	var found []api.Ref
	for _, o := range objects {
		found = append(found, api.RefOf(o))
	}
	return found
}

// accepted are the objects that passed acceptStrictly, in any cluster: an object is tried once, for the CRDs take seconds.
var accepted sync.Map

// acceptStrictly fails where the API server would refuse one of the objects under strict field validation, or warns of one.
func (w *world) acceptStrictly(t *testing.T, objects []*api.Object) {
	t.Helper()
	w.client.Warnings()
	for _, o := range objects {
		data, err := o.MarshalJSON()
		require.NoError(t, err)
		if _, ok := accepted.Load(string(data)); ok {
			continue
		}
		_, err = w.client.Apply(t.Context(), api.ApplyOptions{Manager: "strict", Force: true, DryRun: true}, o)
		if warnings := w.client.Warnings(); assert.NoError(t, err) && assert.Empty(t, warnings, "%s", api.RefOf(o)) {
			accepted.Store(string(data), true)
		}
	}
}

// live returns what the API server holds of each object. One that is missing is a failure.
func (w *world) live(t *testing.T, names []api.Ref) map[api.Ref]*api.Object {
	t.Helper()
	found := map[api.Ref]*api.Object{}
	for _, r := range names {
		o, err := w.client.Get(t.Context(), r)
		require.NoError(t, err)
		found[r] = o
	}
	return found
}

// settled waits until istiod's stand-in has done its part, and returns the objects.
func (w *world) settled(t *testing.T, names []api.Ref) map[api.Ref]*api.Object {
	t.Helper()
	require.NoError(t, w.play.Finish(t.Context()))
	return w.live(t, names)
}

// meaning is an object without what says nothing about what was asked for: status, versions, times and owners of fields.
func meaning(o *api.Object) map[string]any {
	c := o.DeepCopy()
	unstructured.RemoveNestedField(c.Object, "status")
	for _, name := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
		unstructured.RemoveNestedField(c.Object, "metadata", name)
	}
	// Counted by the controllers.
	unstructured.RemoveNestedField(c.Object, "metadata", "annotations", "deployment.kubernetes.io/revision")
	unstructured.RemoveNestedField(c.Object, "metadata", "annotations", "deprecated.daemonset.template.generation")
	if len(c.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(c.Object, "metadata", "annotations")
	}
	return c.Object
}

// sameMeaning fails where two states of a cluster do not have the same objects, or not with the same meaning.
func sameMeaning(t *testing.T, before, after map[api.Ref]*api.Object) {
	t.Helper()
	for r := range after {
		assert.NotNil(t, before[r], "%s was not there before", r)
	}
	for r, o := range before {
		if after[r] == nil {
			assert.Fail(t, "gone", "%s", r)
			continue
		}
		if d := cmp.Diff(meaning(o), meaning(after[r])); d != "" {
			assert.Fail(t, "not the same as before", "%s\n%s", r, d)
		}
	}
}

// sameObjects fails where an object of both states was deleted and made anew in between.
func sameObjects(t *testing.T, before, after map[api.Ref]*api.Object) {
	t.Helper()
	for r, o := range before {
		if now := after[r]; now != nil {
			assert.Equal(t, o.GetUID(), now.GetUID(), "%s was made anew", r)
		}
	}
}

// untouched fails where an object was written in between, other than by a controller that writes its status.
func untouched(t *testing.T, before, after map[api.Ref]*api.Object) {
	t.Helper()
	for r, o := range before {
		now := after[r]
		if !assert.NotNil(t, now, "%s is gone", r) || now.GetResourceVersion() == o.GetResourceVersion() {
			continue
		}
		if d := cmp.Diff(written(o), written(now)); d != "" || o.Object["status"] == nil {
			assert.Fail(t, "written", "%s: resourceVersion %s, now %s\n%s", r, o.GetResourceVersion(), now.GetResourceVersion(), d)
		}
	}
}

// written is an object without its status, with the times at which its fields were written. For a ValidatingAdmissionPolicy without
// the times: the status of that kind is applied, too, and where two managers apply, the API server puts the one that comes later
// last, and takes the new order for a change. Once is enough, then it is in order.
func written(o *api.Object) map[string]any {
	c := meaning(o)
	var fields []any
	for _, f := range o.GetManagedFields() {
		if f.Subresource == "" {
			fields = append(fields, f.Manager, f.Operation, f.FieldsV1.GetRawString())
			if o.GetKind() != "ValidatingAdmissionPolicy" {
				fields = append(fields, f.Time.String())
			}
		}
	}
	c["fields"] = fields
	return c
}

// podsReady waits until every workload among the objects has the pods it wants, all of them ready. It fails where one wants none.
func (w *world) podsReady(t *testing.T, names []api.Ref) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, r := range names {
		if r.Kind != "Deployment" && r.Kind != "DaemonSet" {
			continue
		}
		assert.NoError(t, api.Poll(ctx, func(ctx context.Context) error {
			o, err := w.client.Get(ctx, r)
			if err != nil {
				return err
			}
			labels, _, err := unstructured.NestedStringMap(o.Object, "spec", "selector", "matchLabels")
			if err != nil {
				return err
			}
			wanted, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
			if r.Kind == "DaemonSet" {
				wanted, _, _ = unstructured.NestedInt64(o.Object, "status", "desiredNumberScheduled")
			}
			pods, err := w.client.List(ctx, api.Ref{APIVersion: "v1", Kind: "Pod", Namespace: r.Namespace}, selector(labels))
			if err != nil {
				return err
			}
			if wanted == 0 || int(wanted) != len(pods) {
				return fmt.Errorf("%s wants %d pods and has %d", r, wanted, len(pods))
			}
			for _, p := range pods {
				if !ready(&p) {
					return fmt.Errorf("%s of %s is not ready", api.RefOf(&p), r)
				}
			}
			return nil
		}))
	}
}

func selector(labels map[string]string) string {
	var text string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if text != "" {
			text += ","
		}
		text += k + "=" + labels[k]
	}
	return text
}

func ready(pod *api.Object) bool {
	conditions, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == "Ready" && c["status"] == "True" {
			return true
		}
	}
	return false
}

// inventory is every object of a cluster, without what comes by itself with objects and time.
func (w *world) inventory(ctx context.Context) (map[api.Ref]bool, error) {
	all, err := w.client.All(ctx)
	if err != nil {
		return nil, err
	}
	found := map[api.Ref]bool{}
	for _, o := range all {
		found[api.RefOf(&o)] = true
	}
	return found, nil
}

// left waits until the cluster holds, besides what it held before, only objects that a filter lets pass, and returns those.
func (w *world) left(t *testing.T, before map[api.Ref]bool, keep func(api.Ref) bool) []api.Ref {
	t.Helper()
	var kept []api.Ref
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	assert.NoError(t, api.Poll(ctx, func(ctx context.Context) error {
		now, err := w.inventory(ctx)
		if err != nil {
			return err
		}
		kept = nil
		var extra, lost []api.Ref
		for r := range now {
			switch {
			case before[r]:
			case keep(r):
				kept = append(kept, r)
			default:
				extra = append(extra, r)
			}
		}
		for r := range before {
			if !now[r] {
				lost = append(lost, r)
			}
		}
		if len(extra)+len(lost) > 0 {
			return fmt.Errorf("left behind: %v; lost: %v", extra, lost)
		}
		return nil
	}))
	return kept
}

// keys are the names in a state.
func keys(state map[api.Ref]*api.Object) []api.Ref { return slices.Collect(maps.Keys(state)) }
