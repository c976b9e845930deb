// Package manifest reads objects of Kubernetes manifests and tells how two sets of them differ in meaning.
//
//	var p manifest.Parser
//	a, err := p.Parse("a.yaml", textA)     // objects, each with its place
//	setA, err := manifest.NewSet(a...)     // each object once
//	report, err := manifest.Diff(setA, setB, manifest.Options{})
//
// # Which objects are compared
//
// An object is known by the group of its API, its kind, namespace and name ([ID]). Each object of the first set is compared
// with the one that a [Rename] gives it in the second, else with that of its own identity. An object that would get two
// partners is refused. Of the others, a removed and an added one of the same group and kind are taken for one that was
// renamed where each is the only one that is most similar to the other, and at least 60 % of what is in them is the same;
// such a rename is a change, one by rule is not.
//
// # What is a difference
//
// Two values at one place are compared by the first rule that fits:
//
//	absent, null, and a map with nothing but such   the same; a map that is absent is an empty one
//	data and stringData of a Secret                 each value as a whole, never shown
//	map and map                                     key by key
//	list and list whose items have keys             item by item, as the keys tell them apart; their order means nothing
//	list and list that is a set                     item by item, by value; their order means nothing
//	list and other list                             in order
//	two texts in the data of a ConfigMap            by the YAML or JSON in them, where both hold a map, or both a list
//	number and number                               by value: 1 is 1.0
//	quantity and quantity                           by amount: 1000m is 1
//	else                                            as they are; texts of several lines are shown line by line
//
// What the keys of a list are and what is a quantity, the [Schema] says. A key that an item leaves out has the default that
// the schema gives it: a port without protocol is one with TCP. Items without any key, and those with the same keys, are
// compared in order among themselves.
//
// In order means: items that are equal are paired, the first with the first, if that keeps the order. What is left is
// compared where it has the same index on both sides, else it is removed or added. So an item that comes in front is one
// change.
//
// Text in a ConfigMap holds YAML or JSON where it is one document with a map or a list and no key twice. Inside of it no
// schema is known, and absent, null and an empty map are three things, for a program may tell them apart.
//
// # What is reported
//
// A change of a scalar, or of a value that turns into one of another kind, is reported at its path. A map that comes or
// goes is reported key by key, an item of a list as a whole, a list without keys as a whole. What rules of Options take
// away is no difference: a report in which nothing is left is equal.
//
// # Errors
//
// Functions that read collect all faults before they return. Nothing here panics on what users write, and all functions
// may run at the same time on the same objects, which are only read.
package manifest
