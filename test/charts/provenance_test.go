package charts_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/profiles"
)

// Every leaf of every chart under every overlay, with explicit values in both spellings over some: the place that is named holds
// the key, and without the value there the next one that is listed wins.
func TestProvenanceOfEveryLeaf(t *testing.T) {
	t.Parallel()
	every := 1
	if raceEnabled {
		every = 10
	}
	for _, name := range chartNames {
		in := input(t, name)
		checked := 0
		for n, o := range append([]overlay{{}}, overlays(t, name)...) {
			in.Explicit = nil
			if o.name != "" {
				in.Explicit = []profiles.Document{{Source: "selector", Values: map[string]any{o.selector: o.value}}}
			}
			plain, err := profiles.Compute(in)
			require.NoError(t, err)
			in.Explicit = append(in.Explicit, someExplicit(plain, n, in.Chart.Section)...)
			checked += checkProvenance(t, in, files(t, name), every, name+" "+o.name)
		}
		t.Logf("%s: %d leaves", name, checked)
		require.Greater(t, checked, 200/every, name)
	}
}

// someExplicit sets every fifth leaf at the root, and every seventh under the chart's section.
func someExplicit(r *profiles.Result, offset int, section string) []profiles.Document {
	documents := []profiles.Document{{Source: "root.yaml", Values: map[string]any{}}, {Source: "section.yaml", Values: map[string]any{}}}
	for n, o := range r.Origins() {
		if isSelectorPath(o.Path) {
			continue
		}
		if (n+offset)%5 == 0 {
			values.Set(documents[0].Values, o.Path, "set at the root")
		}
		if (n+offset)%7 == 0 && section != "" {
			values.Set(documents[1].Values, append([]string{section}, o.Path...), []any{"set in the section"})
		}
	}
	return documents
}

func isSelectorPath(p profiles.Path) bool {
	return slices.Contains([]string{"profile", "compatibilityVersion", "platform"}, p[len(p)-1])
}

// checkProvenance returns how many leaves it has checked.
func checkProvenance(t *testing.T, in profiles.Input, texts fstest.MapFS, every int, title string) int {
	t.Helper()
	r, err := profiles.Compute(in)
	require.NoError(t, err, title)
	checked := 0
	for n, o := range r.Origins() {
		if n%every != 0 {
			continue // for the time it takes
		}
		winner := o.Winner()
		checkPosition(t, texts, winner, title)
		if _, isMap := winner.Value().(map[string]any); isMap || isSelectorPath(o.Path) {
			continue // an empty map says nothing, and a selector brings other layers along
		}
		checked++
		again, err := profiles.Compute(without(in, winner))
		require.NoError(t, err, title)
		got, found := values.Get(again.Values, o.Path)
		next := slices.IndexFunc(o.Beaten(), func(s profiles.Source) bool {
			// One spelling of a flattened global is read in two places.
			return s.Position() != winner.Position() || !slices.Equal(s.Path, winner.Path)
		})
		if next < 0 || o.Beaten()[next].Value() == nil {
			if m, ok := got.(map[string]any); !ok || len(m) > 0 {
				assert.False(t, found, "%s: %s is %v without %s", title, o.Path, got, winner.Position())
			}
			continue
		}
		assert.Equal(t, o.Beaten()[next].Value(), got, "%s: %s without %s", title, o.Path, winner.Position())
	}
	return checked
}

// checkPosition demands that the key of a value stands where its position says.
func checkPosition(t *testing.T, texts fstest.MapFS, s profiles.Source, title string) {
	t.Helper()
	if s.Layer().Kind == profiles.KindExplicit {
		return
	}
	position := s.Position()
	_, file, _ := strings.Cut(position.Source, "/")
	lines := bytes.Split(texts[file].Data, []byte("\n"))
	require.True(t, position.Line > 0 && position.Line <= len(lines) && position.Column > 0, "%s: %s: %s", title, s.Path, position)
	rest := string(lines[position.Line-1][position.Column-1:])
	key := s.Path[len(s.Path)-1]
	assert.True(t, strings.HasPrefix(rest, key+":") || strings.HasPrefix(rest, `"`+key+`":`), "%s: %s is not at %s: %s", title, s.Path, position, rest)
}

// without returns the input without the value of one source.
func without(in profiles.Input, s profiles.Source) profiles.Input {
	cut := func(d profiles.Document) profiles.Document {
		d.Values = values.Copy(d.Values)
		values.Delete(d.Values, s.Path)
		return d
	}
	switch layer := s.Layer(); layer.Kind {
	case profiles.KindDefaults:
		in.Defaults = cut(in.Defaults)
	case profiles.KindExplicit:
		in.Explicit = slices.Clone(in.Explicit)
		n := slices.IndexFunc(in.Explicit, func(d profiles.Document) bool { return d.Source == s.Position().Source })
		in.Explicit[n] = cut(in.Explicit[n])
	default:
		in.Catalog = cutCatalog{in.Catalog, layer, cut}
	}
	return in
}

// cutCatalog is a catalog in which one layer is another.
type cutCatalog struct {
	profiles.Catalog
	layer profiles.Layer
	cut   func(profiles.Document) profiles.Document
}

func (c cutCatalog) Document(layer profiles.Layer) (profiles.Document, error) {
	d, err := c.Catalog.Document(layer)
	if err == nil && layer == c.layer {
		d = c.cut(d)
	}
	return d, err
}
