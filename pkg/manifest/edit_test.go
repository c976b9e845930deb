package manifest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/manifest"
)

const deploymentToEdit = `
apiVersion: apps/v1
kind: Deployment
metadata:
  labels: {app: a, helm.sh/chart: a-1, helm.sh/revision: "2"}
  name: a
spec:
  containers:
  - {args: [x, "y"], image: a, name: a}
  - {image: b, name: b}
`

func TestWithout(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{`metadata.labels["helm.sh/chart"]`, "metadata:\n  labels:\n    app: a\n    helm.sh/revision: \"2\"\n  name: a\nspec:\n  containers:\n  - args:\n    - x\n    - \"y\"\n    image: a\n    name: a\n  - image: b\n    name: b\n"},
		{`metadata.labels["*"]`, "metadata:\n  name: a\nspec:\n  containers:\n  - args:\n    - x\n    - \"y\"\n    image: a\n    name: a\n  - image: b\n    name: b\n"},
		{"spec.containers[*].image", "metadata:\n  labels:\n    app: a\n    helm.sh/chart: a-1\n    helm.sh/revision: \"2\"\n  name: a\nspec:\n  containers:\n  - args:\n    - x\n    - \"y\"\n    name: a\n  - name: b\n"},
		{"spec.containers[name=a]", "metadata:\n  labels:\n    app: a\n    helm.sh/chart: a-1\n    helm.sh/revision: \"2\"\n  name: a\nspec:\n  containers:\n  - image: b\n    name: b\n"},
		{"spec.containers[0].args[=x]", "metadata:\n  labels:\n    app: a\n    helm.sh/chart: a-1\n    helm.sh/revision: \"2\"\n  name: a\nspec:\n  containers:\n  - args:\n    - \"y\"\n    image: a\n    name: a\n  - image: b\n    name: b\n"},
		{"spec.containers[*]", "metadata:\n  labels:\n    app: a\n    helm.sh/chart: a-1\n    helm.sh/revision: \"2\"\n  name: a\n"},
		{"spec", "metadata:\n  labels:\n    app: a\n    helm.sh/chart: a-1\n    helm.sh/revision: \"2\"\n  name: a\n"},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			objects, err := manifest.Parse("x", []byte(deploymentToEdit))
			require.NoError(t, err)
			before, err := manifest.Canonical(objects[0])
			require.NoError(t, err)
			pattern, err := manifest.ParsePattern(c.pattern)
			require.NoError(t, err)
			text, err := manifest.Canonical(manifest.Without(objects[0], pattern))
			require.NoError(t, err)
			assert.Equal(t, "apiVersion: apps/v1\nkind: Deployment\n"+c.want, string(text))
			after, err := manifest.Canonical(objects[0])
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after), "the object stays as it is")
		})
	}
}

func TestEdit(t *testing.T) {
	objects, err := manifest.Parse("x", []byte(deploymentToEdit))
	require.NoError(t, err)
	edit := func(pattern string) (paths []string, o manifest.Object) {
		p, err := manifest.ParsePattern(pattern)
		require.NoError(t, err)
		o = manifest.Edit(objects[0], p, func(at manifest.Path, value any) (any, bool) {
			paths = append(paths, at.String())
			return fmt.Sprint("was ", value), true
		})
		return paths, o
	}
	paths, o := edit("spec.containers[*].image")
	assert.Equal(t, []string{"spec.containers[0].image", "spec.containers[1].image"}, paths)
	assert.Equal(t, "was b", o.Value["spec"].(map[string]any)["containers"].([]any)[1].(map[string]any)["image"])
	paths, _ = edit(`spec.containers[name=b].image`)
	assert.Equal(t, []string{"spec.containers[name=b].image"}, paths)
	paths, _ = edit(`spec.containers[name=*].image`)
	assert.Equal(t, []string{"spec.containers[0].image", "spec.containers[1].image"}, paths)
	paths, _ = edit("metadata.labels.*")
	assert.Equal(t, []string{"metadata.labels.app", `metadata.labels["helm.sh/chart"]`, `metadata.labels["helm.sh/revision"]`}, paths)
	paths, o = edit("spec.nothing[0].there")
	assert.Empty(t, paths)
	assert.Equal(t, objects[0], o)
}

func TestCanonicalIsStable(t *testing.T) {
	a, err := manifest.Parse("a", []byte("kind: ConfigMap\napiVersion: v1\nmetadata: {namespace: \"n\", name: c}\ndata: {b: \"yes\", a: \"0777\", c: \"1e3\", d: \"x\\ny\\n\", e: \"2001-01-01\"}\n"))
	require.NoError(t, err)
	text, err := manifest.Canonical(a[0])
	require.NoError(t, err)
	assert.Equal(t, `apiVersion: v1
data:
  a: "0777"
  b: "yes"
  c: "1e3"
  d: |
    x
    y
  e: "2001-01-01"
kind: ConfigMap
metadata:
  name: c
  namespace: "n"
`, string(text))
}
