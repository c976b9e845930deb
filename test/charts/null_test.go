package charts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/internal/values"
)

// nullable lists every key that can be null: those that the schema documents, of the types of Kubernetes the first level,
// and those of the defaults, such as one label.
func nullable(t testing.TB, chartName string) [][]string {
	t.Helper()
	out := schemas(t, chartName).paths(1)
	known := map[string]bool{}
	for _, path := range out {
		known[strings.Join(path, "\x00")] = true
	}
	defaults, _ := chart(t, chartName).Defaults["defaults"].(map[string]any)
	for _, leaf := range values.Leaves(defaults) {
		for n := range leaf.Path {
			if key := strings.Join(leaf.Path[:n+1], "\x00"); !known[key] {
				known[key] = true
				out = append(out, leaf.Path[:n+1])
			}
		}
	}
	return out
}

// most is how many paths of one section may be in a batch.
func most() int {
	if raceEnabled {
		return 12
	}
	return 4
}

// batches deals paths out, many to a render. So that what one null takes away does not hide another null of its batch,
// switches at the root and global are alone, and of one section there are few paths in a batch, none within another.
func batches(s schema, paths [][]string) [][][]string {
	var out [][][]string
	var used []map[string]int // how often each section is in a batch; nil where that is for one path alone
	for _, path := range paths {
		area := path[0]
		if area == "global" {
			area = strings.Join(path[:min(2, len(path))], ".")
		}
		if len(path) == 1 && (area == "global" || s.isSwitch(area)) {
			out, used = append(out, [][]string{path}), append(used, nil)
			continue
		}
		place := -1
		for n, batch := range out {
			if used[n] != nil && used[n][area] < most() && !slices.ContainsFunc(batch, func(other []string) bool { return within(path, other) || within(other, path) }) {
				place = n
				break
			}
		}
		if place < 0 {
			place = len(out)
			out, used = append(out, nil), append(used, map[string]int{})
		}
		out[place] = append(out[place], path)
		used[place][area]++
	}
	return out
}

// within says whether a path leads through another.
func within(path, other []string) bool {
	return len(path) >= len(other) && slices.Equal(path[:len(other)], other)
}

// Any value may be null, at every depth, over the defaults and over values that switch everything on: the chart renders
// without it, objects that Kubernetes takes, or the error names the value.
func TestAnyValueMayBeNull(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		paths := nullable(t, name)
		t.Logf("%s: %d values", name, len(paths))
		for _, base := range bases(t, name) {
			if raceEnabled && base.name == "defaults" {
				continue // for the time it takes
			}
			for n, batch := range batches(schemas(t, name), paths) {
				t.Run(name+"/"+base.name+"/"+strings.Join(batch[0], "."), func(t *testing.T) {
					t.Parallel()
					// The engines take turns: what they do with null themselves has tests of its own.
					nullsRender(t, rendering{chart: name, engine: engines[n%2]}, base.values, batch)
				})
			}
		}
	}
}

func nullsRender(t *testing.T, r rendering, base map[string]any, batch [][]string) {
	t.Helper()
	r.Namespace = matrixNamespace
	for len(batch) > 0 {
		r.Values = values.Copy(base)
		for _, path := range batch {
			values.Set(r.Values, path, nil)
		}
		out, err := r.run(t)
		if err == nil {
			got, err := read(out)
			require.NoError(t, err)
			assert.Empty(t, got.faults(t), "null for %v", batch)
			requireNone(t, got.notes, unclear)
			return
		}
		requireClear(t, err)
		refused := slices.IndexFunc(batch, func(path []string) bool { return strings.Contains(err.Error(), path[len(path)-1]) })
		if refused < 0 { // one of several, as the last port
			refused = slices.IndexFunc(batch, func(path []string) bool {
				return len(path) > 1 && path[0] != "global" && strings.Contains(err.Error(), path[0])
			})
		}
		require.GreaterOrEqual(t, refused, 0, "null for %v: %v", batch, err)
		batch = slices.Delete(slices.Clone(batch), refused, refused+1)
	}
}
