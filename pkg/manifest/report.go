package manifest

import (
	"bytes"
	"encoding/json"
)

// A ChangeKind says what happened to an object or to a value.
type ChangeKind string

// The kinds of changes. Only objects are renamed.
const (
	Added    ChangeKind = "added"
	Removed  ChangeKind = "removed"
	Modified ChangeKind = "modified"
	Renamed  ChangeKind = "renamed"
)

// A Report is what Diff found. It marshals to JSON.
type Report struct {
	// Equal is true where nothing is left after the rules.
	Equal bool `json:"equal"`
	// Changes are sorted by kind, group, namespace and name.
	Changes []Change `json:"changes"`
	// Unused are the rules that matched nothing, in the order in which they were given.
	Unused []UnusedRule `json:"unused"`
}

// An UnusedRule is a rule that matched nothing, which is often a mistake in writing.
type UnusedRule struct {
	// Option is select, ignore or rename.
	Option string `json:"option"`
	Rule   string `json:"rule"`
}

// A Change is one object that differs.
type Change struct {
	// ID is that of the object in the second set; in the first for an object that was removed.
	ID         ID
	APIVersion string
	Change     ChangeKind
	// From is the identity in the first set of an object that was renamed, nil for others.
	From *ID
	// Paths are the places in which an object that was modified or renamed differs, sorted.
	Paths []PathChange
	// Old and New are the objects themselves, nil where there is none. Secrets are masked.
	Old, New *Object
}

// A PathChange is one place in which two objects differ.
type PathChange struct {
	Path   Path
	Change ChangeKind
	// From and To are the values, which are only read; nil where there is none. For a secret they say how long it is.
	From, To any
	// Text holds the lines that differ, as diff -u writes hunks, where From and To are texts of several lines.
	Text string
}

// identity is how JSON shows an ID.
type identity struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// MarshalJSON writes object, change, from (the old identity) and paths.
func (c Change) MarshalJSON() ([]byte, error) {
	out := struct {
		Object identity     `json:"object"`
		Change ChangeKind   `json:"change"`
		From   *identity    `json:"from,omitempty"`
		Paths  []PathChange `json:"paths"`
	}{identity{c.APIVersion, c.ID.Kind, c.ID.Namespace, c.ID.Name}, c.Change, nil, c.Paths}
	if c.From != nil {
		apiVersion := c.APIVersion
		if c.Old != nil {
			apiVersion = c.Old.APIVersion
		}
		out.From = &identity{apiVersion, c.From.Kind, c.From.Namespace, c.From.Name}
	}
	if out.Paths == nil {
		out.Paths = []PathChange{}
	}
	return marshal(out)
}

// MarshalJSON writes path, change, from and to, of which an added value has no from and a removed one no to, and text.
func (p PathChange) MarshalJSON() ([]byte, error) {
	out := struct {
		Path   string     `json:"path"`
		Change ChangeKind `json:"change"`
		From   *any       `json:"from,omitempty"`
		To     *any       `json:"to,omitempty"`
		Text   string     `json:"text,omitempty"`
	}{Path: p.Path.String(), Change: p.Change, Text: p.Text}
	if p.Change != Added {
		out.From = &p.From
	}
	if p.Change != Removed {
		out.To = &p.To
	}
	return marshal(out)
}

// marshal leaves <, > and & as they are, for an encoder that does.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return b.Bytes(), err
}
