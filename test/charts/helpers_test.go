// Package charts_test renders the charts of the suite with the engines of Helm 3 and Helm 4 and holds the objects and the
// errors against what users were promised: field cases from public bug reports, precedence of layers, strict values, and
// what every render keeps.
package charts_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
)

var (
	engines    = []render.Engine{render.Helm3, render.Helm4}
	chartNames = []string{"base", "istio-cni", "istiod", "ztunnel", "gateway"}
)

// inTurn are the engines for case n: both. The race detector makes templates seven times slower and finds nothing in them
// that one render would not show. So under it the engines take turns, and the largest sets are cut down where raceEnabled
// says so; go test without -race, in a third of the time, leaves nothing out.
func inTurn(n int) []render.Engine {
	if raceEnabled {
		return engines[n%2 : n%2+1]
	}
	return engines
}

// umbrella is a parent chart that depends on the five: on istio-cni under the alias cni, on gateway under a condition.
const umbrella = "umbrella"

const umbrellaChart = `
apiVersion: v2
name: mesh
version: 0.1.0
dependencies:
  - {name: base, version: ">=0.0.0-0"}
  - {name: istio-cni, version: ">=0.0.0-0", alias: cni}
  - {name: istiod, version: ">=0.0.0-0"}
  - {name: ztunnel, version: ">=0.0.0-0"}
  - {name: gateway, version: ">=0.0.0-0", condition: gateway.enabled}
`

// perChart makes a function that loads something of a chart, once for all tests. What it returns is only read.
func perChart[T any](load func(name string) (T, error)) func(t testing.TB, name string) T {
	once := map[string]func() (T, error){}
	for _, name := range append(slices.Clone(chartNames), umbrella) {
		once[name] = sync.OnceValues(func() (T, error) { return load(name) })
	}
	return func(t testing.TB, name string) T {
		t.Helper()
		value, err := once[name]()
		require.NoError(t, err, name)
		return value
	}
}

var (
	files = perChart(readFiles)
	// chart is a chart without the long texts that it only copies: CRDs and injection templates.
	chart = perChart(func(name string) (*render.Chart, error) {
		fsys, err := readFiles(name)
		if err != nil {
			return nil, err
		}
		for file, content := range fsys {
			if folder := path.Dir(file); strings.HasSuffix(folder, "files/crds") || strings.HasSuffix(folder, "files/injection") {
				content.Data = []byte("line\nspec: {}\n")
			}
		}
		return render.FS(fsys)
	})
	// input is what the values of a chart depend on, without explicit ones.
	input = perChart(func(name string) (profiles.Input, error) {
		fsys, err := readFiles(name)
		if err != nil {
			return profiles.Input{}, err
		}
		texts := map[string][]byte{}
		for file, content := range fsys {
			texts[file] = content.Data
		}
		return load.Chart(texts, name)
	})
	wholeChart = perChart(func(name string) (*render.Chart, error) {
		fsys, err := readFiles(name)
		if err != nil {
			return nil, err
		}
		return render.FS(fsys)
	})
)

// readFiles reads the files of a chart, or makes those of the umbrella.
func readFiles(name string) (fstest.MapFS, error) {
	out := fstest.MapFS{}
	if name != umbrella {
		return out, copyFiles(out, "", name)
	}
	out["Chart.yaml"] = &fstest.MapFile{Data: []byte(umbrellaChart)}
	for _, dependency := range chartNames {
		if err := copyFiles(out, "charts/"+dependency, dependency); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func copyFiles(into fstest.MapFS, folder, name string) error {
	from := os.DirFS("../../manifests/charts/" + name)
	return fs.WalkDir(from, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, file)
		into[path.Join(folder, file)] = &fstest.MapFile{Data: data}
		return err
	})
}

// filesIn lists the files of a chart in one folder, in order.
func filesIn(t testing.TB, name, folder string) []string {
	t.Helper()
	return slices.DeleteFunc(sortedKeys(files(t, name)), func(file string) bool { return path.Dir(file) != folder })
}

// section is the key under which a values file for several charts holds those of this one, "" where it has none.
func section(t testing.TB, name string) string {
	t.Helper()
	return chart(t, name).Annotations["stratamesh.io/section"]
}

// parse reads values as Helm reads a values file.
func parse(t testing.TB, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &out), text)
	return out
}

// sortedKeys are the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// at returns the value at a path, nil where there is none.
func at(value any, path ...string) any {
	for _, key := range path {
		m, _ := value.(map[string]any)
		value = m[key]
	}
	return value
}

// text is the text at a path, "" where there is none.
func text(value any, path ...string) string {
	s, _ := at(value, path...).(string)
	return s
}

// A rendering is what decides over a render: the chart, or another in its place, the engine and the options.
type rendering struct {
	chart  string
	loaded *render.Chart
	engine render.Engine
	render.Options
}

// run renders, without looking at the text.
func (r rendering) run(t testing.TB) (*render.Output, error) {
	t.Helper()
	if r.loaded == nil {
		r.loaded = chart(t, r.chart)
	}
	if r.Namespace == "" {
		r.Namespace = "istio-system"
	}
	return r.loaded.Render(r.engine, r.Options)
}

var renders sync.Map // by all that decides over a render: tests share what they render alike

// objects renders a chart of the suite and reads the objects.
func (r rendering) objects(t testing.TB) (result, error) {
	t.Helper()
	key, err := json.Marshal([]any{r.chart, r.engine, r.Options})
	require.NoError(t, err)
	once, _ := renders.LoadOrStore(string(key), sync.OnceValues(func() (result, error) {
		out, err := r.run(t)
		if err != nil {
			return result{}, err
		}
		return read(out)
	}))
	return once.(func() (result, error))()
}

// A document is one YAML document of a render. It is only read.
type document struct {
	template string
	text     string
	object   map[string]any
}

func (d *document) kind() string      { return text(d.object, "kind") }
func (d *document) name() string      { return text(d.object, "metadata", "name") }
func (d *document) namespace() string { return text(d.object, "metadata", "namespace") }

// id says which object it is.
func (d *document) id() string {
	return fmt.Sprintf("%s/%s %s/%s", text(d.object, "apiVersion"), d.kind(), d.namespace(), d.name())
}

// A result is what a chart renders to.
type result struct {
	docs  []*document
	text  string
	notes string
}

var documents sync.Map // by text: most documents of one render stand in the next as well

// read splits a render into its objects. Text that is no object, or has a key twice, is an error.
func read(out *render.Output) (result, error) {
	r := result{notes: out.Notes}
	for _, f := range out.Files {
		r.text += f.Text
		for _, part := range strings.Split("\n"+f.Text, "\n---\n") {
			part = strings.TrimSpace(part)
			if part == "" {
				continue
			}
			once, _ := documents.LoadOrStore(part, sync.OnceValues(func() (map[string]any, error) {
				object := map[string]any{}
				err := yaml.UnmarshalStrict([]byte(part), &object)
				return object, err
			}))
			object, err := once.(func() (map[string]any, error))()
			if err != nil {
				return result{}, fmt.Errorf("%s: %w\n%s", f.Name, err, part)
			}
			d := &document{template: f.Name, text: part, object: object}
			if d.kind() == "" || d.name() == "" {
				return result{}, fmt.Errorf("%s: no kind or name\n%s", f.Name, part)
			}
			r.docs = append(r.docs, d)
		}
	}
	return r, nil
}

// all lists the objects of a kind.
func (r result) all(kind string) []*document {
	return slices.DeleteFunc(slices.Clone(r.docs), func(d *document) bool { return d.kind() != kind })
}

// kinds lists the kinds, each once and in order.
func (r result) kinds() []string {
	var out []string
	for _, d := range r.docs {
		out = append(out, d.kind())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// holders lists the objects in whose text something stands.
func (r result) holders(text string) []string {
	out := []string{}
	for _, d := range r.docs {
		if strings.Contains(d.text, text) {
			out = append(out, d.id())
		}
	}
	slices.Sort(out)
	return out
}

// withoutRecord leaves out istiod's ConfigMap values, the record of what was set, as it was set.
func (r result) withoutRecord() result {
	r.docs = slices.DeleteFunc(slices.Clone(r.docs), func(d *document) bool {
		return d.kind() == "ConfigMap" && (d.name() == "values" || strings.HasPrefix(d.name(), "values-"))
	})
	return r
}

// differences says how one render differs from another: object by object, with the first line that is not the same.
func differences(a, b result) []string {
	out := []string{}
	other := map[string]string{}
	for _, d := range b.docs {
		other[d.id()] = d.text
	}
	for _, d := range a.docs {
		text, found := other[d.id()]
		delete(other, d.id())
		if !found {
			out = append(out, d.id()+": only in the first")
		} else if d.text != text {
			out = append(out, d.id()+": "+firstDifference(d.text, text))
		}
	}
	for id := range other {
		out = append(out, id+": only in the second")
	}
	slices.Sort(out)
	return out
}

func firstDifference(a, b string) string {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for n := range min(len(left), len(right)) {
		if left[n] != right[n] {
			return fmt.Sprintf("line %d: %q and %q", n+1, left[n], right[n])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(left), len(right))
}

// strict converts an object to its Go type, as an API server does that is asked to be strict: a field that the type has
// not, or that is spelt in another case, is an error.
func strict[T any](object map[string]any) (T, error) {
	var into T
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object, &into, true)
	return into, err
}

// get returns the one object of a Go type of Kubernetes, or the one with that name.
func get[T any](t testing.TB, r result, name ...string) T {
	t.Helper()
	found := slices.DeleteFunc(r.all(reflect.TypeFor[T]().Name()), func(d *document) bool { return len(name) > 0 && d.name() != name[0] })
	require.Len(t, found, 1, "%T %v", *new(T), name)
	out, err := strict[T](found[0].object)
	require.NoError(t, err, found[0].id())
	return out
}

// pod returns the pod template of the one Deployment or DaemonSet, or of the one with that name.
func pod(t testing.TB, r result, name ...string) corev1.PodTemplateSpec {
	t.Helper()
	for _, d := range r.docs {
		if len(name) > 0 && d.name() != name[0] {
			continue
		}
		switch d.kind() {
		case "Deployment":
			return get[appsv1.Deployment](t, r, name...).Spec.Template
		case "DaemonSet":
			return get[appsv1.DaemonSet](t, r, name...).Spec.Template
		}
	}
	require.Fail(t, "no Deployment or DaemonSet", "%v", name)
	return corev1.PodTemplateSpec{}
}

// container returns the first container of a pod.
func container(t testing.TB, r result, name ...string) corev1.Container {
	t.Helper()
	return pod(t, r, name...).Spec.Containers[0]
}

// env lists the values under one name in the environment of the first container: one, where all is well.
func env(t testing.TB, r result, variable string, name ...string) []string {
	t.Helper()
	var out []string
	for _, v := range container(t, r, name...).Env {
		if v.Name == variable {
			out = append(out, v.Value)
		}
	}
	return out
}

// mesh returns the mesh configuration in the ConfigMap istio.
func mesh(t testing.TB, r result) map[string]any {
	t.Helper()
	return parse(t, get[corev1.ConfigMap](t, r, "istio").Data["mesh"])
}

// hostPath returns the directory of the node behind a volume.
func hostPath(t testing.TB, r result, volume string) string {
	t.Helper()
	for _, v := range pod(t, r).Spec.Volumes {
		if v.Name == volume && v.HostPath != nil {
			return v.HostPath.Path
		}
	}
	require.Fail(t, "no volume from the node", volume)
	return ""
}

// unclear are texts that no message may hold: they show a fault of the chart, not of its user.
var unclear = []string{"nil pointer", "<nil>", "%!", "<no value>", "map[", "executing"}

// requireClear demands an error that says what is wrong to the user, with all the given texts.
func requireClear(t testing.TB, err error, texts ...string) {
	t.Helper()
	require.Error(t, err)
	for _, text := range texts {
		require.ErrorContains(t, err, text)
	}
	// The schema library prints the null of an enumeration as <nil>.
	requireNone(t, strings.ReplaceAll(err.Error(), "', <nil>\n", "'\n"), unclear)
}

// requireNone demands that nothing of a list stands in a message.
func requireNone(t testing.TB, message string, texts []string) {
	t.Helper()
	for _, text := range texts {
		require.NotContains(t, message, text)
	}
}
