package cli

import (
	"reflect"
	"slices"

	"github.com/stratamesh/strata/pkg/profiles"
)

// A leafChange is one value of a chart that differs between two results. A side without the value has no origin there; where a layer
// took it away, the origin says which.
type leafChange struct {
	path     profiles.Path
	old, new *profiles.Source
}

// leafChanges lists the leaves in which two results differ, by path; the selectors of layers are left out.
func leafChanges(from, to *profiles.Result) []leafChange {
	before, after := from.Origins(), to.Origins()
	var out []leafChange
	add := func(path profiles.Path, old, now *profiles.Source) {
		if isSelector(path) {
			return
		}
		if old != nil && now != nil && reflect.DeepEqual(old.Value(), now.Value()) {
			return
		}
		out = append(out, leafChange{path, old, now})
	}
	for len(before) > 0 || len(after) > 0 {
		// An empty map on one side says nothing where the other has keys in it.
		if len(before) > 0 && len(after) > 0 && isAbove(before[0].Path, after[0].Path) {
			before = before[1:]
			continue
		}
		if len(before) > 0 && len(after) > 0 && isAbove(after[0].Path, before[0].Path) {
			after = after[1:]
			continue
		}
		var order int
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = slices.Compare(before[0].Path, after[0].Path)
		}
		switch {
		case order < 0:
			add(before[0].Path, winner(before[0]), removal(to, before[0].Path))
			before = before[1:]
		case order > 0:
			add(after[0].Path, removal(from, after[0].Path), winner(after[0]))
			after = after[1:]
		default:
			add(before[0].Path, winner(before[0]), winner(after[0]))
			before, after = before[1:], after[1:]
		}
	}
	return out
}

func winner(o profiles.Origin) *profiles.Source { return &o.Sources[0] }

// removal is the null that takes a value away, nil where nothing says anything about it.
func removal(r *profiles.Result, path profiles.Path) *profiles.Source {
	o, found := r.Origin(path)
	if !found || o.Winner().Value() != nil {
		return nil
	}
	return winner(o)
}

// isAbove says whether a path is that of a map around another one.
func isAbove(path, other profiles.Path) bool {
	return len(path) < len(other) && slices.Equal(path, other[:len(path)])
}
