package manifest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/manifest"
)

func diff(t *testing.T, a, b string, o manifest.Options) *manifest.Report {
	t.Helper()
	var sets []*manifest.Set
	for _, text := range []string{a, b} {
		objects, err := manifest.Parse("x", []byte(text))
		require.NoError(t, err)
		s, err := manifest.NewSet(objects...)
		require.NoError(t, err)
		sets = append(sets, s)
	}
	report, err := manifest.Diff(sets[0], sets[1], o)
	require.NoError(t, err)
	return report
}

func TestReportAsJSON(t *testing.T) {
	rules, err := manifest.ParseRules("Job::")
	require.NoError(t, err)
	report := diff(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {a: "<1>", f: "a: null", t: "1\n2\n"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: old}, data: {a: same}}
---
{apiVersion: v1, kind: Pod, metadata: {name: gone}}`, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {b: "2", f: "a: 1", t: "1\n3\n"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: new}, data: {a: same}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: here}}`, manifest.Options{Ignore: rules})
	text, err := json.Marshal(report)
	require.NoError(t, err)
	assert.JSONEq(t, `{
  "equal": false,
  "changes": [
    {"object": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "", "name": "new"}, "change": "renamed",
     "from": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "", "name": "old"}, "paths": []},
    {"object": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "x", "name": "a"}, "change": "modified", "paths": [
      {"path": "data.a", "change": "removed", "from": "<1>"},
      {"path": "data.b", "change": "added", "to": "2"},
      {"path": "data.f.a", "change": "modified", "from": null, "to": 1},
      {"path": "data.t", "change": "modified", "from": "1\n2\n", "to": "1\n3\n", "text": "@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"}]},
    {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "", "name": "here"}, "change": "added", "paths": []},
    {"object": {"apiVersion": "v1", "kind": "Pod", "namespace": "", "name": "gone"}, "change": "removed", "paths": []}
  ],
  "unused": [{"option": "ignore", "rule": "Job::"}]
}`, string(text))

	text, err = json.Marshal(diff(t, "", "", manifest.Options{}))
	require.NoError(t, err)
	assert.JSONEq(t, `{"equal": true, "changes": [], "unused": []}`, string(text))
}

func TestReportCarriesTheObjects(t *testing.T) {
	report := diff(t,
		"{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: hunter2}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p}}\n",
		"{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: hunter3}}\n---\n{apiVersion: v1, kind: Job, metadata: {name: j}}\n", manifest.Options{})
	require.Len(t, report.Changes, 3)
	job, pod, secret := report.Changes[0], report.Changes[1], report.Changes[2]
	assert.Nil(t, job.Old)
	assert.Equal(t, 3, job.New.Position.Line)
	assert.Nil(t, pod.New)
	assert.Equal(t, "p", pod.Old.ID.Name)
	assert.Equal(t, map[string]any{"a": "(secret, 7 bytes)"}, secret.Old.Value["stringData"])
	assert.Equal(t, map[string]any{"a": "(secret, 7 bytes)"}, secret.New.Value["stringData"])
}

func TestMask(t *testing.T) {
	objects, err := manifest.Parse("x", []byte(`
apiVersion: v1
kind: Secret
metadata:
  name: s
  annotations: {kubectl.kubernetes.io/last-applied-configuration: hunter2, note: shown}
data: {a: aHVudGVyMg==, b: not base64, c: null, d: [x]}
stringData: {e: hunter2}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: shown}}
---
{apiVersion: acme.io/v1, kind: Secret, metadata: {name: c}, data: {a: shown}}
`))
	require.NoError(t, err)
	before := manifest.Mask(objects[0])
	assert.Equal(t, map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": "s", "annotations": map[string]any{"kubectl.kubernetes.io/last-applied-configuration": "(secret, 7 bytes)", "note": "shown"}},
		"data":       map[string]any{"a": "(secret, 7 bytes)", "b": "(secret, 10 bytes)", "c": nil, "d": "(secret)"},
		"stringData": map[string]any{"e": "(secret, 7 bytes)"},
	}, before.Value)
	assert.Equal(t, "hunter2", objects[0].Value["stringData"].(map[string]any)["e"], "the object stays as it is")
	assert.Equal(t, objects[1], manifest.Mask(objects[1]))
	assert.Equal(t, objects[2], manifest.Mask(objects[2]), "a Secret of another group is no secret")
}

func TestDiffChangesNothing(t *testing.T) {
	a, err := manifest.Parse("a", []byte(generate(40, false)))
	require.NoError(t, err)
	b, err := manifest.Parse("b", []byte(generate(40, true)))
	require.NoError(t, err)
	before, err := json.Marshal([][]manifest.Object{a, b})
	require.NoError(t, err)
	setA, err := manifest.NewSet(a...)
	require.NoError(t, err)
	setB, err := manifest.NewSet(b...)
	require.NoError(t, err)
	first, err := manifest.Diff(setA, setB, manifest.Options{})
	require.NoError(t, err)
	second, err := manifest.Diff(setA, setB, manifest.Options{})
	require.NoError(t, err)
	assert.Equal(t, first, second, "two reports of one input are equal")
	after, err := json.Marshal([][]manifest.Object{a, b})
	require.NoError(t, err)
	assert.JSONEq(t, string(before), string(after))
}
