package profiles

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// The reasons for which values are refused; errors.Is finds them in any error of this package.
var (
	// ErrUnknownName: a selector names a layer that the catalog does not have.
	ErrUnknownName = errors.New("unknown name")
	// ErrCycle: a profile builds on itself.
	ErrCycle = errors.New("cycle of profiles")
	// ErrSelector: a selector is no name, such as the number 1.30 without quotes.
	ErrSelector = errors.New("not a name")
	// ErrType: a map stands where the layers below have a list or a scalar, or a section is no map.
	ErrType = errors.New("wrong type")
	// ErrDefaults: explicit values set the chart's defaults.
	ErrDefaults = errors.New("defaults are not for users")
	// ErrRead: a document cannot be read.
	ErrRead = errors.New("cannot be read")
)

// An Error is one fault in the values, and where it is.
type Error struct {
	// Reason is one of the sentinel errors of this package.
	Reason error
	Layer  Layer
	// Path is where the fault is in the layer as written; empty where it is the layer as a whole.
	Path Path
	// Position is the zero value where it is not known.
	Position Position
	// Text says what is wrong and what to do.
	Text string
	// Cause is an error of another package behind this one, or nil.
	Cause error
}

// Error returns "source:line:column: layer: path: text", leaving out what is not known.
func (e *Error) Error() string {
	parts := make([]string, 0, 4)
	if at := e.Position.String(); at != "" {
		parts = append(parts, at)
	}
	if e.Layer.Kind != "" {
		parts = append(parts, e.Layer.String())
	}
	if len(e.Path) > 0 {
		parts = append(parts, e.Path.String())
	}
	return strings.Join(append(parts, e.Text), ": ")
}

// Unwrap gives errors.Is and errors.As the reason and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Cause}
}

// faults collects errors.
type faults []*Error

func (f *faults) add(e *Error) { *f = append(*f, e) }

// err returns all faults as one error, sorted by source, line and text and without repetition; nil where there are none.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(a.Position.Source, b.Position.Source),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Error(), b.Error()),
		)
	})
	all := make([]error, 0, len(f))
	for n, e := range f {
		if n == 0 || e.Error() != f[n-1].Error() {
			all = append(all, e)
		}
	}
	return errors.Join(all...)
}

// kindName names the kind of a value in the words of YAML.
func kindName(value any) string {
	if _, ok := asMap(value); ok {
		return "map"
	}
	if _, ok := asList(value); ok {
		return "list"
	}
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}
