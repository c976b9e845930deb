package manifest

import (
	"slices"
)

// Options say how sets are compared. The zero value compares everything.
type Options struct {
	// Select leaves the objects and places that any of its rules matches; all where it is empty.
	Select []Rule
	// Ignore takes away what any of its rules matches, also of what is selected. A rule with a path takes away changes
	// inside of objects, not that an object was added or removed.
	Ignore []Rule
	// Renames pair objects of different names.
	Renames []Rename
	// CRDs are CustomResourceDefinitions that tell how lists of custom resources are compared, before those in the second
	// and in the first set. Other objects are left alone.
	CRDs []Object
}

// Diff compares two sets, from a to b. The package comment says how. The error is one of ambiguous renames (ErrAmbiguous)
// and holds all of them.
func Diff(a, b *Set, o Options) (*Report, error) {
	pairs, usedRenames, err := pair(a, b, o.Renames)
	if err != nil {
		return nil, err
	}
	pairs = slices.DeleteFunc(pairs, func(p objectPair) bool { return !o.takes(p) })
	schema := NewSchema(slices.Concat(o.CRDs, definitions(b), definitions(a))...)
	pairs = findRenames(pairs)

	changes := make([]*Change, len(pairs))
	used := newUse(o, a, b)
	parallel(len(pairs), func(n int) { changes[n] = compare(schema, pairs[n]) })
	report := &Report{Changes: []Change{}, Unused: []UnusedRule{}}
	for n, c := range changes {
		if c != nil && o.leaves(c, pairs[n], used) {
			report.Changes = append(report.Changes, *c)
		}
	}
	slices.SortFunc(report.Changes, func(x, y Change) int { return x.ID.compare(y.ID) })
	report.Equal = len(report.Changes) == 0
	report.Unused = used.unused(usedRenames)
	return report, nil
}

// definitions returns the CustomResourceDefinitions of a set.
func definitions(s *Set) []Object {
	var out []Object
	for _, o := range s.objects {
		if isCRD(o.ID) {
			out = append(out, o)
		}
	}
	return out
}

// compare returns the change of a pair, nil where there is none.
func compare(s *Schema, p objectPair) *Change {
	switch {
	case p.a == nil:
		return &Change{ID: p.b.ID, APIVersion: p.b.APIVersion, Change: Added, New: maskedCopy(p.b)}
	case p.b == nil:
		return &Change{ID: p.a.ID, APIVersion: p.a.APIVersion, Change: Removed, Old: maskedCopy(p.a)}
	}
	paths := compareObjects(s, p.a, p.b)
	if len(paths) == 0 && !p.found {
		return nil
	}
	c := &Change{ID: p.b.ID, APIVersion: p.b.APIVersion, Change: Modified, Paths: paths, Old: maskedCopy(p.a), New: maskedCopy(p.b)}
	if p.a.ID != p.b.ID {
		c.Change, c.From = Renamed, &p.a.ID
	}
	return c
}

func maskedCopy(o *Object) *Object {
	if !isSecret(o.ID) {
		return o
	}
	m := Mask(*o)
	return &m
}

// takes says whether the rules leave anything of a pair.
func (o Options) takes(p objectPair) bool {
	for _, r := range o.Ignore {
		if !r.HasPath() && p.matches(r) {
			return false
		}
	}
	return len(o.Select) == 0 || slices.ContainsFunc(o.Select, p.matches)
}

// leaves takes the paths that the rules leave out from a change. It is false where nothing is left.
func (o Options) leaves(c *Change, p objectPair, u *use) bool {
	if c.Change == Added || c.Change == Removed {
		return true
	}
	c.Paths = slices.DeleteFunc(c.Paths, func(change PathChange) bool {
		return !o.selects(p, change.Path) || o.ignores(p, change.Path, u)
	})
	return len(c.Paths) > 0 || p.found
}

func (o Options) selects(p objectPair, path Path) bool {
	return len(o.Select) == 0 || slices.ContainsFunc(o.Select, func(r Rule) bool {
		return p.matches(r) && (!r.HasPath() || r.Path.Matches(path) || r.Path.matchesAbove(path))
	})
}

func (o Options) ignores(p objectPair, path Path, u *use) bool {
	ignored := false
	for n, r := range o.Ignore {
		if r.HasPath() && r.Path.Matches(path) && p.matches(r) {
			u.ignore[n], ignored = true, true
		}
	}
	return ignored
}
