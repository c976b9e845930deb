package profiles_test

import (
	"os"
	"testing"

	"dario.cat/mergo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/profiles"
)

func TestMergeCases(t *testing.T) {
	for _, c := range values.MergeCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			require.NotEmpty(t, c.Reason, "every case states its reason")
			got, err := profiles.Merge(c.Lower, c.Upper)
			if c.Error != "" {
				require.ErrorContains(t, err, c.Error)
				require.ErrorIs(t, err, profiles.ErrType)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.Want, got)
			if c.Mergo == "same" {
				third := values.Copy(c.Lower)
				require.NoError(t, mergo.Merge(&third, values.Copy(c.Upper), mergo.WithOverride))
				want, err := profiles.Merge(third)
				require.NoError(t, err)
				assert.Equal(t, want, got, "mergo")
			}
		})
	}
}

// Where no null stands in the upper map and no map meets a scalar, the rules are those of sprig's mergeOverwrite.
func TestMergeAgreesWithMergo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lower := values.Map(values.Options{}).Draw(t, "lower")
		upper := values.Map(values.Options{}).Draw(t, "upper")
		got, err := profiles.Merge(lower, upper)
		if err != nil {
			require.ErrorIs(t, err, profiles.ErrType)
			return
		}
		third := values.Copy(lower)
		require.NoError(t, mergo.Merge(&third, values.Copy(upper), mergo.WithOverride))
		want, err := profiles.Merge(third)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

func TestMergeProperties(t *testing.T) {
	t.Run("a map over itself changes nothing", rapid.MakeCheck(func(t *rapid.T) {
		m := values.Map(values.Options{Null: true}).Draw(t, "map")
		once, err := profiles.Merge(m)
		require.NoError(t, err)
		twice, err := profiles.Merge(m, m)
		require.NoError(t, err)
		assert.Equal(t, once, twice)
	}))
	t.Run("associative without null", rapid.MakeCheck(func(t *rapid.T) {
		a := values.Map(values.Options{}).Draw(t, "a")
		b := values.Map(values.Options{}).Draw(t, "b")
		c := values.Map(values.Options{}).Draw(t, "c")
		all, err := profiles.Merge(a, b, c)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		bc, err := profiles.Merge(b, c)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		right, err := profiles.Merge(a, bc)
		require.NoError(t, err)
		assert.Equal(t, all, right)
	}))
	t.Run("no null comes out", rapid.MakeCheck(func(t *rapid.T) {
		a := values.Map(values.Options{Null: true}).Draw(t, "a")
		b := values.Map(values.Options{Null: true}).Draw(t, "b")
		got, err := profiles.Merge(a, b)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		assert.Empty(t, values.Nulls(got))
	}))
	t.Run("the upper leaf wins and null removes", rapid.MakeCheck(func(t *rapid.T) {
		lower := values.Map(values.Options{Null: true}).Draw(t, "lower")
		upper := values.Map(values.Options{Null: true}).Draw(t, "upper")
		got, err := profiles.Merge(lower, upper)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		normal, err := profiles.Merge(upper)
		require.NoError(t, err)
		for _, leaf := range values.Leaves(upper) {
			value, found := values.Get(got, leaf.Path)
			if leaf.Value == nil {
				assert.False(t, found, "%v", leaf.Path)
				continue
			}
			if m, ok := leaf.Value.(map[string]any); ok && len(m) == 0 {
				assert.True(t, found, "%v", leaf.Path)
				continue
			}
			want, _ := values.Get(normal, leaf.Path)
			assert.Equal(t, want, value, "%v", leaf.Path)
		}
	}))
	t.Run("inputs stay as they are and share nothing", rapid.MakeCheck(func(t *rapid.T) {
		a := values.Map(values.Options{Null: true}).Draw(t, "a")
		b := values.Map(values.Options{Null: true}).Draw(t, "b")
		a2, b2 := values.Copy(a), values.Copy(b)
		got, err := profiles.Merge(a, b)
		if err != nil {
			t.Skip("a map over a scalar")
		}
		values.Scribble(got)
		assert.Equal(t, a2, a)
		assert.Equal(t, b2, b)
	}))
}

func TestMergeReadsAnyShape(t *testing.T) {
	type named map[string]any
	type level string
	got, err := profiles.Merge(
		map[string]any{"labels": map[string]string{"a": "1"}, "n": int32(7), "u": uint64(1) << 63, "big": 1e20, "l": level("debug")},
		map[string]any{"labels": named{"b": "2"}, "hosts": []string{"x"}, "f": float32(2)},
	)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"labels": map[string]any{"a": "1", "b": "2"}, "n": int32(7), "u": uint64(1) << 63, "big": 1e20, "l": "debug",
		"hosts": []any{"x"}, "f": int64(2),
	}, got)

	_, err = profiles.Merge(map[string]any{"m": map[string]any{"c": make(chan int)}})
	require.ErrorIs(t, err, profiles.ErrType)
	require.ErrorContains(t, err, "m.c: is a Go chan int")
}

func TestMergeReportsEveryFault(t *testing.T) {
	_, err := profiles.Merge(map[string]any{"a": 1, "m": map[string]any{"b": "x"}}, map[string]any{"m": map[string]any{"b": map[string]any{}}, "a": map[string]any{}})
	require.EqualError(t, err, "explicit values: a: is a map where a number belongs\nexplicit values: m.b: is a map where a string belongs")
}

func TestPath(t *testing.T) {
	for text, path := range map[string]profiles.Path{
		"a":            {"a"},
		"a.b-c.d_1":    {"a", "b-c", "d_1"},
		`a["b.c/d"].e`: {"a", "b.c/d", "e"},
		`[""]["\""]`:   {"", `"`},
	} {
		assert.Equal(t, text, path.String())
		got, err := profiles.ParsePath(text)
		require.NoError(t, err)
		assert.Equal(t, path, got)
	}
	for text, want := range map[string]string{
		"":        `path "": offset 0: an empty key`,
		"a..b":    `path "a..b": offset 2: an empty key`,
		"a.":      `path "a.": offset 2: an empty key`,
		"a]":      `path "a]": offset 1: an empty key`,
		`a["b"`:   `path "a[\"b\"": offset 1: a bracket is not closed`,
		`a["b"]c`: `path "a[\"b\"]c": offset 6: a dot or a bracket belongs here`,
		"a[b]":    `path "a[b]": offset 2: a key in brackets is a JSON string: invalid character 'b' looking for beginning of value`,
	} {
		_, err := profiles.ParsePath(text)
		assert.EqualError(t, err, want)
	}
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"a", "a.b", `a["b.c"].d`, `["x"]`, "", ".", "a.", "a[", `a["b"`, "a]", "a..b", `["\u0000"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, err := profiles.ParsePath(s)
		if err != nil {
			return
		}
		again, err := profiles.ParsePath(path.String())
		require.NoError(t, err)
		assert.Equal(t, path, again)
	})
}

// The table of docs/layers.md is printed from the cases; this only guards that the files parse strictly.
func TestCaseFilesAreStrict(t *testing.T) {
	for _, name := range []string{"testdata/merge.yaml", "testdata/layers.yaml"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var cases []map[string]any
		require.NoError(t, yaml.UnmarshalStrict(text, &cases), name)
		assert.NotEmpty(t, cases)
	}
}
