package profiles_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

// catalog makes a catalog of files from values.
func catalog(t require.TestingT, files map[string]map[string]any) profiles.Catalog {
	fsys := fstest.MapFS{}
	for name, content := range files {
		text, err := yaml.Marshal(content)
		require.NoError(t, err)
		fsys[name+".yaml"] = &fstest.MapFile{Data: text}
	}
	c, err := load.FS(fsys, "profiles")
	require.NoError(t, err)
	return c
}

func names(layers []profiles.Layer) []string {
	var out []string
	for _, l := range layers {
		out = append(out, l.String())
	}
	return out
}

func TestLayerCases(t *testing.T) {
	for _, c := range values.LayerCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			require.NotEmpty(t, c.Reason, "every case states its reason")
			got, err := profiles.Compute(profiles.Input{
				Chart:    profiles.Chart{Section: c.Chart.Section, Sections: c.Chart.Sections, FlattenGlobals: c.Chart.FlattenGlobals},
				Defaults: profiles.Document{Source: "values.yaml", Values: c.Defaults},
				Catalog:  catalog(t, c.Catalog),
				Explicit: []profiles.Document{{Source: "mine.yaml", Values: c.Explicit}},
			})
			if c.Error != "" {
				require.Error(t, err)
				for _, line := range strings.Split(c.Error, "\n") {
					require.ErrorContains(t, err, line)
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.Want, got.Values)
			assert.Equal(t, c.Order, names(got.Layers))
			assert.Equal(t, c.Warnings, got.Warnings)
		})
	}
}

func TestErrorsCarryLayerPathPositionAndReason(t *testing.T) {
	c, err := load.FS(fstest.MapFS{
		"broken.yaml": {Data: []byte("a: [\nb: 1\n")},
		"list.yaml":   {Data: []byte("- a\n")},
		"loop.yaml":   {Data: []byte("# for a test\nprofile: loop\n")},
		"typed.yaml":  {Data: []byte("own:\n  m:\n    a: 1\n")},
		"wrong.yaml":  {Data: []byte("platform: nowhere\n")},
	}, "profiles")
	require.NoError(t, err)
	for _, tc := range []struct {
		explicit, want string
		reason         error
	}{
		{"profile: broken", "profiles/broken.yaml:2: cannot be read: did not find expected ',' or ']'", profiles.ErrRead},
		{"profile: list", "profiles/list.yaml: cannot be read: a values file is a map, this is a list", profiles.ErrRead},
		{"profile: loop", "profiles/loop.yaml:2:1: profile loop: profile: a cycle: profile loop -> profile loop", profiles.ErrCycle},
		{"x: 1\nprofile: nope", `mine.yaml:2:1: explicit values: profile: unknown name "nope"; known: broken, list, loop, typed, wrong`, profiles.ErrUnknownName},
		{"global:\n  profile: nope", `mine.yaml:2:3: explicit values: global.profile: unknown name "nope"; known: broken, list, loop, typed, wrong`, profiles.ErrUnknownName},
		{"profile: wrong", `profiles/wrong.yaml:1:1: profile wrong: platform: unknown name "nowhere"; known: `, profiles.ErrUnknownName},
		{"compatibilityVersion: 1.30", `mine.yaml:1:1: explicit values: compatibilityVersion: 1.3 is a number; quote it, as in compatibilityVersion: "1.30"`, profiles.ErrSelector},
		{"defaults:\n  hub: x", "mine.yaml:2:3: explicit values: defaults.hub: the chart's defaults are not for users; set hub instead", profiles.ErrDefaults},
		{"defaults: 5", "mine.yaml:1:1: explicit values: defaults: the chart's defaults are not for users; remove this key", profiles.ErrDefaults},
		{"own:\n  m:\n    d: {x: 1}", "mine.yaml:3:5: explicit values: own.m.d: is a map where a string belongs", profiles.ErrType},
		{"profile: typed\nm:\n  a: {x: 1}", "mine.yaml:3:3: explicit values: m.a: is a map where a number belongs", profiles.ErrType},
	} {
		t.Run(tc.explicit, func(t *testing.T) {
			document, err := load.Parse("mine.yaml", []byte(tc.explicit))
			require.NoError(t, err)
			_, err = profiles.Compute(profiles.Input{
				Chart:    profiles.Chart{Section: "own", Sections: []string{"own"}},
				Defaults: profiles.Document{Values: map[string]any{"m": map[string]any{"d": "text"}}},
				Catalog:  c, Explicit: []profiles.Document{document},
			})
			require.EqualError(t, err, tc.want)
			require.ErrorIs(t, err, tc.reason)
			var e *profiles.Error
			require.ErrorAs(t, err, &e)
			assert.NotEmpty(t, e.Position.Source)
		})
	}
}

// Several explicit documents are one layer, merged first as Helm merges values files.
func TestExplicitDocuments(t *testing.T) {
	parse := func(source, text string) profiles.Document {
		d, err := load.Parse(source, []byte(text))
		require.NoError(t, err)
		return d
	}
	r, err := profiles.Compute(profiles.Input{
		Chart:    profiles.Chart{Section: "own"},
		Defaults: parse("values.yaml", "a: 0\nm: {x: 0, z: 0}\ns: text\ngone: 1\n"),
		Explicit: []profiles.Document{
			parse("first.yaml", "a: 1\nown: {b: 1}\nm: null\ns: null\ngone: null\n"),
			parse("second.yaml", "a: 2\nb: 2\nm:\n  x: 2\n"),
			parse("--set", "s: {k: v}"),
		},
	})
	require.EqualError(t, err, "--set:1:1: explicit values: s: is a map where a string belongs")
	require.Nil(t, r)

	r, err = profiles.Compute(profiles.Input{
		Chart:    profiles.Chart{Section: "own"},
		Defaults: parse("values.yaml", "a: 0\nm: {x: 0, z: 0}\ngone: 1\n"),
		Explicit: []profiles.Document{
			parse("first.yaml", "a: 1\nown: {b: 1}\nm: null\ngone: null\n"),
			parse("second.yaml", "a: 2\nb: 2\nm:\n  x: 2\n"),
		},
	})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": int64(2), "b": int64(1), "m": map[string]any{"x": int64(2), "z": int64(0)}}, r.Values,
		"the section wins over a root key of a later file, a map over the null of an earlier file, as in helm -f first.yaml -f second.yaml")
	assert.Equal(t, []string{
		"a = 2 (explicit values second.yaml:1:1), 1 (explicit values first.yaml:1:1), 0 (defaults values.yaml:1:1)",
		"b = 1 (explicit values first.yaml:2:7), 2 (explicit values second.yaml:2:1)",
		"m.x = 2 (explicit values second.yaml:4:3), 0 (defaults values.yaml:2:5)",
		"m.z = 0 (defaults values.yaml:2:11)",
	}, describe(r.Origins()))
	gone, ok := r.Origin(profiles.Path{"gone"})
	require.True(t, ok)
	assert.Equal(t, []string{"gone = <nil> (explicit values first.yaml:4:1), 1 (defaults values.yaml:3:1)"}, describe([]profiles.Origin{gone}))
	_, ok = r.Origin(profiles.Path{"m"})
	assert.False(t, ok, "a map with keys is no leaf")
	_, ok = r.Origin(profiles.Path{"never"})
	assert.False(t, ok)
}

func describe(origins []profiles.Origin) []string {
	var out []string
	for _, o := range origins {
		var sources []string
		for _, s := range o.Sources {
			sources = append(sources, fmt.Sprintf("%v (%s %s)", s.Value(), s.Layer(), s.Position()))
		}
		out = append(out, fmt.Sprintf("%s = %s", o.Path, strings.Join(sources, ", ")))
	}
	return out
}

func TestOriginsNameSpellings(t *testing.T) {
	p, err := load.Parse("p.yaml", []byte("platform: x\nown:\n  a: 1\nglobal:\n  hub: p\n"))
	require.NoError(t, err)
	x, err := load.Parse("x.yaml", []byte("a: 5\n"))
	require.NoError(t, err)
	mine, err := load.Parse("mine.yaml", []byte("profile: p\nglobal:\n  hub: g\n"))
	require.NoError(t, err)
	r, err := profiles.Compute(profiles.Input{
		Chart:    profiles.Chart{Section: "own", FlattenGlobals: []string{"hub"}},
		Defaults: profiles.Document{Source: "values.yaml", Values: map[string]any{"a": 0.0, "hub": "d"}},
		Catalog:  documents{{Kind: profiles.KindProfile, Name: "p"}: p, {Kind: profiles.KindPlatform, Name: "x"}: x},
		Explicit: []profiles.Document{mine},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"a = 1 (profile p p.yaml:3:3), 5 (platform x x.yaml:1:1), 0 (defaults values.yaml)",
		"global.hub = g (explicit values mine.yaml:3:3), p (profile p p.yaml:5:3)",
		"global.platform = x (profile p p.yaml:1:1)",
		"hub = g (explicit values mine.yaml:3:3), p (profile p p.yaml:5:3), d (defaults values.yaml)",
		"platform = x (profile p p.yaml:1:1), x (profile p p.yaml:1:1)",
		"profile = p (explicit values mine.yaml:1:1)",
	}, describe(r.Origins()))
	hub, _ := r.Origin(profiles.Path{"hub"})
	assert.Equal(t, profiles.Path{"global", "hub"}, hub.Winner().Path)
	a, _ := r.Origin(profiles.Path{"a"})
	assert.Equal(t, profiles.Path{"own", "a"}, a.Winner().Path)
	assert.Len(t, a.Beaten(), 2)
}

// documents is a catalog of parsed documents.
type documents map[profiles.Layer]profiles.Document

func (d documents) Document(l profiles.Layer) (profiles.Document, error) { return d[l], nil }
func (d documents) Names(kind profiles.Kind) []string {
	var out []string
	for l := range d {
		if l.Kind == kind {
			out = append(out, l.Name)
		}
	}
	return out
}

// In generated inputs the name of a key decides whether it is a map, so that most inputs merge without an error.
var (
	inputKeys = []string{"a", "b", "c", "m", "own", "other", "global"}
	inputMaps = []string{"m", "c", "own", "other", "global"}
)

// drawInput generates a whole input: a chart with a section and flattened globals, layers of each kind, explicit documents.
func drawInput(t *rapid.T) (profiles.Input, documents) {
	layer := values.Map(values.Options{Null: true, Keys: inputKeys, Maps: inputMaps})
	catalog := documents{}
	for _, l := range []profiles.Layer{
		{Kind: profiles.KindProfile, Name: "p"},
		{Kind: profiles.KindProfile, Name: "q"},
		{Kind: profiles.KindCompatibility, Name: "1.30"},
		{Kind: profiles.KindPlatform, Name: "x"},
	} {
		catalog[l] = profiles.Document{Source: l.String(), Values: layer.Draw(t, l.String())}
	}
	in := profiles.Input{
		Chart:    profiles.Chart{Section: "own", Sections: []string{"own", "other"}, FlattenGlobals: []string{"a", "b"}},
		Defaults: profiles.Document{Source: "defaults", Values: values.Map(values.Options{Keys: inputKeys, Maps: inputMaps}).Draw(t, "defaults")},
		Catalog:  catalog,
	}
	for n := range rapid.IntRange(1, 3).Draw(t, "documents") {
		in.Explicit = append(in.Explicit, profiles.Document{Source: fmt.Sprint("file", n), Values: layer.Draw(t, "explicit")})
	}
	set := in.Explicit[0].Values
	set["profile"], set["compatibilityVersion"], set["platform"] = "p+q", "1.30", "x"
	return in, catalog
}

func TestComputeProperties(t *testing.T) {
	t.Run("the origin of every leaf is right", rapid.MakeCheck(func(t *rapid.T) {
		in, _ := drawInput(t)
		r, err := profiles.Compute(in)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		origins := r.Origins()
		leaves := values.Leaves(r.Values)
		require.Len(t, origins, len(leaves))
		for n, o := range origins {
			require.Equal(t, profiles.Path(leaves[n].Path), o.Path)
			require.NotEmpty(t, o.Sources, "%v", o.Path)
			if m, ok := leaves[n].Value.(map[string]any); !ok || len(m) > 0 {
				require.Equal(t, leaves[n].Value, o.Winner().Value(), "%v", o.Path)
			}
			alone, ok := r.Origin(o.Path)
			require.True(t, ok)
			require.Equal(t, o, alone)
		}
	}))
	t.Run("without the winner the next source wins", rapid.MakeCheck(func(t *rapid.T) {
		in, catalog := drawInput(t)
		r, err := profiles.Compute(in)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		origins := r.Origins()
		if len(origins) == 0 {
			t.Skip("no leaf")
		}
		o := rapid.SampledFrom(origins).Draw(t, "leaf")
		winner := o.Winner()
		if slices.Contains([]string{"profile", "platform", "compatibilityVersion"}, o.Path[len(o.Path)-1]) {
			t.Skip("a selector selects other layers")
		}
		if _, ok := winner.Value().(map[string]any); ok {
			t.Skip("removing an empty map says nothing")
		}
		removed := removeFrom(in, catalog, winner)
		again, err := profiles.Compute(removed)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		value, found := values.Get(again.Values, o.Path)
		// One spelling of a flattened global is read in two places; it has one next source for each.
		for _, next := range o.Sources[1:] {
			if next.Position() == winner.Position() && next.Path.String() == winner.Path.String() {
				continue
			}
			if m, ok := next.Value().(map[string]any); ok {
				require.True(t, found || len(m) == 0, "%v", o.Path)
				return
			}
			if next.Value() == nil {
				require.False(t, found, "%v: %v", o.Path, value)
				return
			}
			require.Equal(t, next.Value(), value, "%v", o.Path)
			return
		}
		if m, ok := value.(map[string]any); ok && len(m) == 0 {
			return // the map in which the leaf stood
		}
		require.False(t, found, "%v: %v", o.Path, value)
	}))
	t.Run("explicit wins and null removes", rapid.MakeCheck(func(t *rapid.T) {
		in, _ := drawInput(t)
		path := []string{rapid.SampledFrom([]string{"c", "m", "other"}).Draw(t, "key"), "leaf"}
		value := rapid.SampledFrom([]any{"set", false, 0.0, "", []any{}, nil}).Draw(t, "value")
		in.Explicit = append(in.Explicit, profiles.Document{Source: "last", Values: map[string]any{}})
		last := in.Explicit[len(in.Explicit)-1].Values
		spelling := path
		if rapid.Bool().Draw(t, "section") {
			spelling = append([]string{"own"}, path...)
		} else {
			for _, d := range in.Explicit {
				delete(d.Values, "own")
			}
		}
		values.Set(last, spelling, value)
		r, err := profiles.Compute(in)
		if err != nil {
			require.ErrorIs(t, err, profiles.ErrType)
			return
		}
		got, found := values.Get(r.Values, path)
		if value == nil {
			require.False(t, found)
			return
		}
		require.EqualValues(t, value, got)
	}))
	t.Run("inputs stay as they are and share nothing", rapid.MakeCheck(func(t *rapid.T) {
		in, catalog := drawInput(t)
		before := map[string]map[string]any{"defaults": values.Copy(in.Defaults.Values)}
		after := map[string]map[string]any{"defaults": in.Defaults.Values}
		for _, d := range catalog {
			before[d.Source], after[d.Source] = values.Copy(d.Values), d.Values
		}
		for _, d := range in.Explicit {
			before[d.Source], after[d.Source] = values.Copy(d.Values), d.Values
		}
		r, err := profiles.Compute(in)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		for _, o := range r.Origins() {
			for _, s := range o.Sources {
				values.Scribble(s.Value())
			}
		}
		values.Scribble(r.Values)
		require.Equal(t, before, after)
	}))
}

// removeFrom returns the input without the leaf that a source names.
func removeFrom(in profiles.Input, catalog documents, s profiles.Source) profiles.Input {
	drop := func(d profiles.Document) profiles.Document {
		if d.Source == s.Position().Source {
			d.Values = values.Copy(d.Values)
			values.Delete(d.Values, s.Path)
		}
		return d
	}
	copied := documents{}
	for l, d := range catalog {
		copied[l] = drop(d)
	}
	in.Catalog = copied
	in.Defaults = drop(in.Defaults)
	explicit := make([]profiles.Document, len(in.Explicit))
	for n, d := range in.Explicit {
		explicit[n] = drop(d)
	}
	in.Explicit = explicit
	return in
}

func TestComputeIsSafeForConcurrentUse(t *testing.T) {
	c := catalog(t, map[string]map[string]any{"p": {"profile": "q", "a": 1}, "q": {"b": map[string]any{"c": 2}}})
	in := profiles.Input{
		Catalog:  c,
		Defaults: profiles.Document{Values: map[string]any{"b": map[string]any{"c": 1.0}}},
		Explicit: []profiles.Document{{Values: map[string]any{"profile": "p"}}},
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				r, err := profiles.Compute(in)
				if assert.NoError(t, err) {
					assert.Len(t, r.Origins(), 3)
				}
				values.Scribble(r.Values)
			}
		})
	}
	wait.Wait()
}
