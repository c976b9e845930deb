package manifest

import (
	"maps"
	"slices"
	"strings"
)

const (
	// similarEnough is the least part of two objects that must be the same for one to be the other under a new name.
	similarEnough = 0.6
	// common is the number of objects from which on a feature tells nothing about which object is which. It keeps the search
	// linear where thousands of objects are alike.
	common = 32
)

// findRenames pairs removed objects with added ones of the same group and kind that are similar: each is the only one that
// is most similar to the other. Objects with nothing but a name have nothing to be recognised by.
func findRenames(pairs []objectPair) []objectPair {
	type side struct{ removed, added []int }
	groups := map[ID]*side{}
	for n, p := range pairs {
		if p.a != nil && p.b != nil {
			continue
		}
		o := p.a
		if o == nil {
			o = p.b
		}
		kind := ID{Group: o.ID.Group, Kind: o.ID.Kind}
		if groups[kind] == nil {
			groups[kind] = &side{}
		}
		if p.a != nil {
			groups[kind].removed = append(groups[kind].removed, n)
		} else {
			groups[kind].added = append(groups[kind].added, n)
		}
	}
	gone := map[int]bool{}
	for _, g := range groups {
		if len(g.removed) == 0 || len(g.added) == 0 {
			continue
		}
		for from, to := range matches(pairs, g.removed, g.added) {
			pairs[to].a, pairs[to].found = pairs[from].a, true
			gone[from] = true
		}
	}
	if len(gone) == 0 {
		return pairs
	}
	kept := make([]objectPair, 0, len(pairs))
	for n, p := range pairs {
		if !gone[n] {
			kept = append(kept, p)
		}
	}
	return kept
}

// matches returns the partners among removed and added objects.
func matches(pairs []objectPair, removed, added []int) map[int]int {
	features := make([][]uint64, len(pairs))
	all := slices.Concat(removed, added)
	parallel(len(all), func(n int) {
		p := pairs[all[n]]
		if p.a != nil {
			features[all[n]] = featuresOf(p.a)
		} else {
			features[all[n]] = featuresOf(p.b)
		}
	})
	index := func(of []int) map[uint64][]int {
		where := map[uint64][]int{}
		for _, n := range of {
			for _, feature := range slices.Compact(slices.Clone(features[n])) {
				if len(where[feature]) <= common {
					where[feature] = append(where[feature], n)
				}
			}
		}
		return where
	}
	inRemoved, inAdded := index(removed), index(added)
	best := func(n int, own, others map[uint64][]int) int {
		candidates := map[int]bool{}
		for _, feature := range features[n] {
			if len(own[feature]) <= common && len(others[feature]) <= common {
				for _, c := range others[feature] {
					candidates[c] = true
				}
			}
		}
		top, score, ties := -1, 0.0, 0
		for _, c := range slices.Sorted(maps.Keys(candidates)) {
			switch s := similarity(features[n], features[c]); {
			case s > score:
				top, score, ties = c, s, 0
			case s == score:
				ties++
			}
		}
		if score < similarEnough || ties > 0 {
			return -1
		}
		return top
	}
	out := map[int]int{}
	for _, n := range removed {
		if to := best(n, inRemoved, inAdded); to >= 0 && best(to, inAdded, inRemoved) == n {
			out[n] = to
		}
	}
	return out
}

// similarity is the part of all features that two objects share.
func similarity(x, y []uint64) float64 {
	shared, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] < y[j]:
			i++
		case x[i] > y[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return 2 * float64(shared) / float64(len(x)+len(y))
}

// featuresOf returns a sorted list of numbers that stand for what is in an object, other than its identity: each scalar
// with the keys that lead to it, and each line of a text.
func featuresOf(o *Object) []uint64 {
	var features []uint64
	var walk func(at uint64, value any)
	walk = func(at uint64, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, item := range value {
				walk(hash(at, key), item)
			}
		case []any:
			for _, item := range value {
				walk(hash(at, "[]"), item)
			}
		case string:
			for line := range strings.Lines(value) {
				features = append(features, hash(at, strings.TrimSuffix(line, "\n")))
			}
		default:
			if text, ok := scalarText(value); ok {
				features = append(features, hash(at, text))
			}
		}
	}
	for key, value := range o.Value {
		switch metadata, ok := value.(map[string]any); {
		case key == "apiVersion" || key == "kind":
		case key == "metadata" && ok:
			for key, value := range metadata {
				if key != "name" && key != "namespace" && key != "generateName" {
					walk(hash(hash(seed, "metadata"), key), value)
				}
			}
		default:
			walk(hash(seed, key), value)
		}
	}
	slices.Sort(features)
	return features
}

// seed is that of FNV-1a.
const seed = 14695981039346656037

// hash continues an FNV-1a hash with a text and its end. It is the same in every run, as a report must be.
func hash(h uint64, text string) uint64 {
	const prime = 1099511628211
	for n := range len(text) {
		h = (h ^ uint64(text[n])) * prime
	}
	return (h ^ 0xff) * prime
}
