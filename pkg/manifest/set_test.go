package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/manifest"
)

func TestSet(t *testing.T) {
	objects, err := manifest.Parse("a.yaml", []byte(`
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}
---
{apiVersion: batch/v1, kind: Job, metadata: {generateName: j-}}
---
{apiVersion: batch/v1, kind: Job, metadata: {generateName: j-}}
---
{apiVersion: batch/v1, kind: Job, metadata: {generateName: j-, namespace: x}}
`))
	require.NoError(t, err)
	s, err := manifest.NewSet(objects...)
	require.NoError(t, err)
	assert.Equal(t, 4, s.Len())
	var ids []string
	for _, o := range s.Objects() {
		ids = append(ids, o.ID.String())
	}
	assert.Equal(t, []string{"ConfigMap:x:a", "Job:-:j-#1", "Job:-:j-#2", "Job:x:j-#1"}, ids)
	o, found := s.Get(manifest.ID{Kind: "ConfigMap", Namespace: "x", Name: "a"})
	assert.True(t, found)
	assert.Equal(t, "a.yaml:2", o.Position.String())
	_, found = s.Get(manifest.ID{Kind: "ConfigMap", Name: "a"})
	assert.False(t, found)
	again, err := manifest.NewSet(s.Objects()...)
	require.NoError(t, err)
	assert.Equal(t, s, again)
	assert.Equal(t, "j-#", objects[1].ID.Name, "the given objects stay as they are")
}

func TestEveryDuplicateIsReported(t *testing.T) {
	a, err := manifest.Parse("a.yaml", []byte("{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: b}}\n"))
	require.NoError(t, err)
	b, err := manifest.Parse("b.yaml", []byte("{apiVersion: v1, kind: Pod, metadata: {name: b}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}\n"))
	require.NoError(t, err)
	_, err = manifest.NewSet(append(a, b...)...)
	require.ErrorIs(t, err, manifest.ErrDuplicate)
	require.EqualError(t, err, "b.yaml:1: Pod:-:b stands twice, first at a.yaml:3; remove one of them\nb.yaml:3: Pod:-:a stands twice, first at a.yaml:1; remove one of them")
}
