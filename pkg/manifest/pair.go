package manifest

import (
	"fmt"
	"strings"
)

// An objectPair is an object of the first set and its partner in the second; either may be nil.
type objectPair struct {
	a, b *Object
	// found is true where no rule says that the two are one: a rename that is itself a change.
	found bool
}

// matches says whether a rule is about either object.
func (p objectPair) matches(r Rule) bool {
	return p.a != nil && r.Matches(p.a.ID) || p.b != nil && r.Matches(p.b.ID)
}

// pair pairs each object of a with the one in b that a rename gives it, else with that of its own identity. A rename to an
// object that b does not have does nothing. used tells for each rename whether it paired any.
func pair(a, b *Set, renames []Rename) (pairs []objectPair, used []bool, err error) {
	var f faults
	used = make([]bool, len(renames))
	partners := make([][]int, len(b.objects)) // for each object of b, those of a
	alone := make([]bool, len(a.objects))
	for n := range a.objects {
		id := a.objects[n].ID
		target, rule := -1, -1
		for r := range renames {
			to, ok := renames[r].Target(id)
			if !ok || to == id {
				continue
			}
			found, ok := b.byID[to]
			if !ok {
				continue
			}
			used[r] = true
			if target >= 0 && target != found {
				f.add(ErrAmbiguous, a.objects[n].Position, fmt.Sprintf("%s is renamed to %s by %q and to %s by %q; narrow one of them",
					id, b.objects[target].ID, renames[rule], to, renames[r]))
				continue
			}
			target, rule = found, r
		}
		if target < 0 {
			var found bool
			if target, found = b.byID[id]; !found {
				alone[n] = true
				continue
			}
		}
		partners[target] = append(partners[target], n)
	}
	pairs = make([]objectPair, 0, len(a.objects))
	for n := range b.objects {
		p := objectPair{b: &b.objects[n]}
		if len(partners[n]) > 0 {
			p.a = &a.objects[partners[n][0]]
		}
		if len(partners[n]) > 1 {
			var names []string
			for _, of := range partners[n] {
				names = append(names, fmt.Sprintf("%s (%s)", a.objects[of].ID, a.objects[of].Position))
			}
			f.add(ErrAmbiguous, p.b.Position, fmt.Sprintf("%s would be the new name of %s; narrow the renames so that it is that of one", p.b.ID, strings.Join(names, " and of ")))
		}
		pairs = append(pairs, p)
	}
	for n := range a.objects {
		if alone[n] {
			pairs = append(pairs, objectPair{a: &a.objects[n]})
		}
	}
	return pairs, used, f.err()
}
