package manifest

import (
	"cmp"
	"errors"
	"slices"

	"github.com/stratamesh/strata/pkg/profiles"
)

// The reasons for which manifests and rules are refused; errors.Is finds them in any error of this package.
var (
	// ErrRead: a text is neither YAML nor JSON.
	ErrRead = errors.New("cannot be read")
	// ErrObject: a document is no Kubernetes object.
	ErrObject = errors.New("not a Kubernetes object")
	// ErrDuplicate: one object stands twice in a set.
	ErrDuplicate = errors.New("duplicate object")
	// ErrSyntax: a path, a rule or a rename is not written as one.
	ErrSyntax = errors.New("syntax")
	// ErrAmbiguous: renames give one object two partners.
	ErrAmbiguous = errors.New("ambiguous rename")
)

// A Position is a place in a source. Line is 0 where it is not known.
type Position = profiles.Position

// An Error is one fault, and where it is. No text of an Error repeats a value of a manifest, which may be a secret.
type Error struct {
	// Reason is one of the sentinel errors of this package.
	Reason error
	// Position is the zero value where the fault is in no source, such as in a rule.
	Position Position
	// Text says what is wrong and what to do.
	Text string
}

// Error returns "source:line: text", leaving out what is not known.
func (e *Error) Error() string {
	if at := e.Position.String(); at != "" {
		return at + ": " + e.Text
	}
	return e.Text
}

// Unwrap gives errors.Is the reason.
func (e *Error) Unwrap() error { return e.Reason }

// faults collects errors.
type faults []*Error

func (f *faults) add(reason error, at Position, text string) {
	*f = append(*f, &Error{Reason: reason, Position: at, Text: text})
}

// err returns all faults as one error, sorted by source and line; nil where there are none.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Position.Source, b.Position.Source), cmp.Compare(a.Position.Line, b.Position.Line))
	})
	all := make([]error, len(f))
	for n, e := range f {
		all[n] = e
	}
	return errors.Join(all...)
}
