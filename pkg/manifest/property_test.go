package manifest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/manifest"
)

// checkReport checks what holds for every report: both ways it tells the same, and its paths lead to what it says.
func checkReport(t require.TestingT, a, b *manifest.Set, o manifest.Options, report *manifest.Report) {
	back := o
	back.Renames = nil
	plainBack := true
	for _, r := range o.Renames {
		back.Renames = append(back.Renames, manifest.Rename{From: r.To, To: r.From})
		_, err := manifest.ParseRename(back.Renames[len(back.Renames)-1].String())
		plainBack = plainBack && err == nil
	}
	if plainBack {
		reverse, err := manifest.Diff(b, a, back)
		if !errors.Is(err, manifest.ErrAmbiguous) {
			require.NoError(t, err)
			assert.Equal(t, mirrored(report), plain(reverse))
		}
	}
	for _, s := range []*manifest.Set{a, b} {
		same, err := manifest.Diff(s, s, manifest.Options{})
		require.NoError(t, err)
		assert.True(t, same.Equal)
	}
	for _, c := range report.Changes {
		for n, p := range c.Paths {
			if n > 0 {
				assert.Negative(t, c.Paths[n-1].Path.Compare(p.Path), "%s stands twice or out of order", p.Path)
			}
			again, err := manifest.ParsePath(p.Path.String())
			require.NoError(t, err)
			assert.Equal(t, p.Path, again)
			_, inOld := p.Path.Lookup(c.Old.Value)
			_, inNew := p.Path.Lookup(c.New.Value)
			if p.Change != manifest.Added {
				assert.True(t, inOld, "%s in the old object", p.Path)
			}
			if p.Change != manifest.Removed {
				assert.True(t, inNew, "%s in the new object", p.Path)
			}
		}
	}
}

// A plainChange is a change in a form that can be mirrored.
type plainChange struct {
	From, To string
	Change   manifest.ChangeKind
	Paths    map[string][3]any
}

func plain(r *manifest.Report) map[string]plainChange {
	out := map[string]plainChange{}
	for _, c := range r.Changes {
		p := plainChange{From: c.ID.String(), To: c.ID.String(), Change: c.Change, Paths: map[string][3]any{}}
		if c.From != nil {
			p.From = c.From.String()
		}
		for _, at := range c.Paths {
			p.Paths[at.Path.String()] = [3]any{at.Change, at.From, at.To}
		}
		out[c.ID.Group+"/"+p.To] = p
	}
	return out
}

func mirrored(r *manifest.Report) map[string]plainChange {
	mirror := map[manifest.ChangeKind]manifest.ChangeKind{manifest.Added: manifest.Removed, manifest.Removed: manifest.Added}
	swap := func(k manifest.ChangeKind) manifest.ChangeKind {
		if m, found := mirror[k]; found {
			return m
		}
		return k
	}
	out := map[string]plainChange{}
	for _, c := range r.Changes {
		p := plainChange{From: c.ID.String(), To: c.ID.String(), Change: swap(c.Change), Paths: map[string][3]any{}}
		group := c.ID.Group
		if c.From != nil {
			p.To, group = c.From.String(), c.From.Group
		}
		for _, at := range c.Paths {
			p.Paths[at.Path.String()] = [3]any{swap(at.Change), at.To, at.From}
		}
		out[group+"/"+p.To] = p
	}
	return out
}

func set(t require.TestingT, values ...map[string]any) *manifest.Set {
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": values})
	require.NoError(t, err)
	objects, err := manifest.Parse("generated", text)
	require.NoError(t, err)
	s, err := manifest.NewSet(objects...)
	require.NoError(t, err)
	return s
}

// words are few, so that objects meet; some are no plain text in YAML.
var words = rapid.SampledFrom([]string{"a", "b", "c", "", "true", "1", "1000m", "x\ny\n", "k: v\n", "é", "*", " z"})

// scalars are values of any kind that Kubernetes could never type.
func scalars() *rapid.Generator[any] {
	return rapid.OneOf(
		rapid.Map(words, func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(i int64) any { return i }),
		rapid.Map(rapid.IntRange(0, 2), func(i int) any { return i }),
		rapid.Map(rapid.Float64Range(-10, 10), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
}

// anything draws a value of any shape.
func anything(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return scalars()
	}
	return rapid.OneOf(
		scalars(),
		rapid.Map(rapid.MapOfN(words, anything(depth-1), 0, 3), func(m map[string]any) any { return m }),
		rapid.Map(rapid.SliceOfN(anything(depth-1), 0, 4), func(l []any) any { return l }),
	)
}

// items draws a list of maps that may or may not have a key, and where unique is set, each key once.
func items(key string, unique bool, fields map[string]*rapid.Generator[any]) *rapid.Generator[any] {
	item := rapid.Custom(func(t *rapid.T) any {
		m := map[string]any{}
		if unique || rapid.IntRange(0, 9).Draw(t, "keyed") > 0 {
			m[key] = rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, key)
		}
		for name, g := range fields {
			if rapid.Bool().Draw(t, "has "+name) {
				m[name] = g.Draw(t, name)
			}
		}
		return m
	})
	if unique {
		return rapid.Map(rapid.SliceOfNDistinct(item, 0, 4, func(v any) any { return v.(map[string]any)[key] }), func(l []any) any { return l })
	}
	return rapid.Map(rapid.SliceOfN(item, 0, 4), func(l []any) any { return l })
}

// object draws an object of a kind with keyed, unique and ordered lists, quantities and text, or of one that nobody knows.
func object(unique bool) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		word := rapid.Map(words, func(s string) any { return s })
		metadata := map[string]any{
			"name":   rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"),
			"labels": rapid.MapOfN(words, word, 0, 2).Draw(t, "labels"),
		}
		if unique {
			metadata["finalizers"] = rapid.SliceOfNDistinct(words, 0, 3, rapid.ID).Draw(t, "finalizers")
		} else {
			metadata["finalizers"] = rapid.SliceOfN(scalars(), 0, 3).Draw(t, "finalizers")
		}
		o := map[string]any{"metadata": metadata}
		switch o["kind"] = rapid.SampledFrom([]string{"ConfigMap", "Secret", "Pod", "Thing"}).Draw(t, "kind"); o["kind"] {
		case "ConfigMap", "Secret":
			o["apiVersion"] = "v1"
			o["data"] = rapid.MapOfN(words, rapid.OneOf(word, rapid.Map(anything(2), func(v any) any {
				text, _ := json.Marshal(v)
				return string(text)
			})), 0, 3).Draw(t, "data")
		case "Pod":
			o["apiVersion"] = "v1"
			o["spec"] = map[string]any{
				"containers": items("name", unique, map[string]*rapid.Generator[any]{
					"image": word, "args": rapid.Map(rapid.SliceOfN(words, 0, 5), func(l []string) any { return l }),
					"env":       items("name", unique, map[string]*rapid.Generator[any]{"value": word}),
					"resources": rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"cpu", "memory"}), rapid.SampledFrom([]any{"1", 1, "1000m", "1Gi", "1024Mi"}), 0, 2), func(m map[string]any) any { return map[string]any{"limits": m} }),
				}).Draw(t, "containers"),
				"volumes": items("name", unique, map[string]*rapid.Generator[any]{"emptyDir": rapid.Just[any](map[string]any{})}).Draw(t, "volumes"),
			}
		case "Thing":
			o["apiVersion"] = rapid.SampledFrom([]string{"acme.io/v1", "acme.io/v2"}).Draw(t, "version")
			o["spec"] = anything(3).Draw(t, "spec")
		}
		return o
	})
}

// objects draws objects of different identities.
func objects(unique bool) *rapid.Generator[[]map[string]any] {
	return rapid.SliceOfNDistinct(object(unique), 0, 5, func(o map[string]any) string {
		return o["kind"].(string) + o["metadata"].(map[string]any)["name"].(string)
	})
}

func TestReportsOfAnyObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := set(t, objects(false).Draw(t, "a")...), set(t, objects(false).Draw(t, "b")...)
		report, err := manifest.Diff(a, b, manifest.Options{})
		require.NoError(t, err)
		checkReport(t, a, b, manifest.Options{}, report)
	})
}

// A change of one object is found, whatever it is.
func TestReportsOfSimilarObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := object(false).Draw(t, "a"), object(false).Draw(t, "b")
		if a["kind"] != b["kind"] {
			t.Skip("of two kinds")
		}
		b["metadata"].(map[string]any)["name"] = a["metadata"].(map[string]any)["name"]
		setA, setB := set(t, a), set(t, b)
		report, err := manifest.Diff(setA, setB, manifest.Options{})
		require.NoError(t, err)
		checkReport(t, setA, setB, manifest.Options{}, report)
		if len(report.Changes) > 0 {
			return
		}
		// What is equal is equal to the same things.
		c := set(t, object(false).Draw(t, "c"))
		fromA, err := manifest.Diff(setA, c, manifest.Options{})
		require.NoError(t, err)
		fromB, err := manifest.Diff(setB, c, manifest.Options{})
		require.NoError(t, err)
		assert.Equal(t, fromA.Equal, fromB.Equal)
	})
}

func TestOrderMeansNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := objects(true).Draw(t, "objects")
		b := rapid.Permutation(a).Draw(t, "documents")
		for n := range b {
			b[n] = shuffled(t, b[n]).(map[string]any)
		}
		report, err := manifest.Diff(set(t, a...), set(t, b...), manifest.Options{})
		require.NoError(t, err)
		assert.True(t, report.Equal, "%v", report.Changes)
	})
}

// Diff says that two objects are equal where their plainest forms are.
func TestEqualMeansTheSamePlainestForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := object(true).Draw(t, "a")
		b := rapid.OneOf(object(true), rapid.Just(shuffled(t, a).(map[string]any))).Draw(t, "b")
		if a["kind"] != b["kind"] {
			t.Skip("of two kinds")
		}
		b["metadata"].(map[string]any)["name"] = a["metadata"].(map[string]any)["name"]
		setA, setB := set(t, a), set(t, b)
		report, err := manifest.Diff(setA, setB, manifest.Options{})
		require.NoError(t, err)
		formA, err := json.Marshal(plainest("", setA.Objects()[0].Value))
		require.NoError(t, err)
		formB, err := json.Marshal(plainest("", setB.Objects()[0].Value))
		require.NoError(t, err)
		assert.Equal(t, string(formA) == string(formB), report.Equal, "%s\n%s", formA, formB)
	})
}

// plainest is a second opinion on what means the same, for the objects that are drawn here.
func plainest(key string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range value {
			switch {
			case k == "spec" && value["kind"] == "Thing":
				item = withoutEmpty(item)
			case k == "data" && value["kind"] == "ConfigMap":
				item = withoutEmpty(files(item))
			default:
				item = plainest(k, item)
			}
			if item != nil {
				out[k] = item
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		out := []any{}
		for _, item := range value {
			out = append(out, plainest("", item))
		}
		if key == "containers" || key == "env" || key == "volumes" || key == "finalizers" {
			slices.SortFunc(out, func(x, y any) int {
				textX, _ := json.Marshal(x)
				textY, _ := json.Marshal(y)
				return bytes.Compare(textX, textY)
			})
		}
		return out
	}
	if key == "cpu" || key == "memory" {
		quantity := resource.MustParse(fmt.Sprint(value))
		return quantity.AsDec().String()
	}
	return value
}

// withoutEmpty drops null and maps with nothing in them.
func withoutEmpty(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range value {
			if item = withoutEmpty(item); item != nil {
				out[k] = item
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		out := []any{}
		for _, item := range value {
			out = append(out, withoutEmpty(item))
		}
		return out
	}
	return value
}

// files reads what is in the texts of a ConfigMap.
func files(data any) any {
	m, _ := data.(map[string]any)
	out := map[string]any{}
	for name, text := range m {
		out[name] = text
		var value any
		if err := yaml.UnmarshalStrict([]byte(fmt.Sprint(text)), &value); err != nil {
			continue
		}
		switch value.(type) {
		case map[string]any, []any:
			form, _ := json.Marshal(value)
			out[name] = "holds " + string(form)
		}
	}
	return out
}

// shuffled returns the value with the items of all Keyed and Unique lists in another order.
func shuffled(t *rapid.T, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, item := range value {
			item = shuffled(t, item)
			switch list := item.(type) {
			case []any:
				if (key == "containers" || key == "env" || key == "volumes") && len(list) > 0 {
					item = rapid.Permutation(list).Draw(t, key)
				}
			case []string:
				if key == "finalizers" && len(list) > 0 {
					item = rapid.Permutation(list).Draw(t, key)
				}
			}
			out[key] = item
		}
		if out["kind"] == "Thing" {
			out["spec"] = value["spec"] // whose lists nobody declares
		}
		return out
	case []any:
		out := make([]any, len(value))
		for n, item := range value {
			out[n] = shuffled(t, item)
		}
		return out
	}
	return value
}

func TestObjectsCanBeWrittenAndReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, o := range set(t, objects(false).Draw(t, "objects")...).Objects() {
			text, err := manifest.Canonical(o)
			require.NoError(t, err)
			want, err := yaml.Marshal(o.Value)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(text), "as sigs.k8s.io/yaml writes it")
			assert.Equal(t, o.Value, roundTrip(t, o).Value)
		}
	})
}

// Both of two ways to leave out a value leave the same.
func TestIgnoringIsLeavingOut(t *testing.T) {
	pattern, err := manifest.ParsePattern("spec.containers[*].image")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		a, b := objects(true).Draw(t, "a"), objects(true).Draw(t, "b")
		setA, setB := set(t, a...), set(t, b...)
		ignored, err := manifest.Diff(setA, setB, manifest.Options{Ignore: []manifest.Rule{{Path: pattern}}})
		require.NoError(t, err)
		without := func(s *manifest.Set) *manifest.Set {
			var edited []manifest.Object
			for _, o := range s.Objects() {
				edited = append(edited, manifest.Without(o, pattern))
			}
			s, err := manifest.NewSet(edited...)
			require.NoError(t, err)
			return s
		}
		left, err := manifest.Diff(without(setA), without(setB), manifest.Options{})
		require.NoError(t, err)
		for _, c := range ignored.Changes {
			if c.Change == manifest.Renamed {
				t.Skip("what is similar depends on what is there")
			}
		}
		for _, c := range left.Changes {
			if c.Change == manifest.Renamed {
				t.Skip("what is similar depends on what is there")
			}
		}
		paths := func(r *manifest.Report) (out []string) {
			for _, c := range r.Changes {
				for _, p := range c.Paths {
					out = append(out, c.ID.String()+" "+p.Path.String())
				}
			}
			return out
		}
		assert.Equal(t, paths(left), paths(ignored))
	})
}
