package manifest

import "slices"

// A use counts which rules matched anything.
type use struct {
	options Options
	a, b    *Set
	ignore  []bool // rules that took away a change
}

func newUse(o Options, a, b *Set) *use {
	return &use{options: o, a: a, b: b, ignore: make([]bool, len(o.Ignore))}
}

// unused returns the rules that matched nothing: no object or, where the rule has a path, nothing at that path in any
// object of either set. A rename matches where it paired two objects.
func (u *use) unused(renames []bool) []UnusedRule {
	unused := []UnusedRule{}
	for _, r := range u.options.Select {
		if !u.matches(r) {
			unused = append(unused, UnusedRule{"select", r.String()})
		}
	}
	for n, r := range u.options.Ignore {
		if !u.ignore[n] && !u.matches(r) {
			unused = append(unused, UnusedRule{"ignore", r.String()})
		}
	}
	for n, r := range u.options.Renames {
		if !renames[n] {
			unused = append(unused, UnusedRule{"rename", r.String()})
		}
	}
	return unused
}

func (u *use) matches(r Rule) bool {
	match := func(o Object) bool { return r.Matches(o.ID) && (!r.HasPath() || r.Path.exists(o.Value)) }
	return slices.ContainsFunc(u.a.objects, match) || slices.ContainsFunc(u.b.objects, match)
}
