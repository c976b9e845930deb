package profiles

import "fmt"

// A Document is one set of values as somebody wrote it: a file, or the values of one command line flag.
type Document struct {
	// Source names the document in messages and origins: a file name, or a flag such as "--set".
	Source string
	// Values is only read.
	Values map[string]any
	// Positions says where the keys of Values stand; nil where that is not known.
	Positions *Positions
}

// Positions is a tree beside the values: where a key stands, and for a map where each of its keys does.
type Positions struct {
	// Line and Column count from 1.
	Line, Column int
	Keys         map[string]*Positions
}

// key returns the place of a key, or that of the map around it where the key's is not known.
func (p *Positions) key(name string) *Positions {
	if inner := p.Keys[name]; inner != nil {
		return inner
	}
	return p
}

// at returns the place of the last key of path that is known, the zero Position where none is.
func (d Document) at(path Path) Position {
	position := Position{Source: d.Source}
	if len(path) == 0 || d.Positions == nil {
		return position
	}
	place := d.Positions
	for _, key := range path {
		place = place.key(key)
	}
	position.Line, position.Column = place.Line, place.Column
	return position
}

// A Position is a place in a document. Line and Column count from 1 and are 0 where they are not known.
type Position struct {
	Source       string
	Line, Column int
}

// String returns source:line:column, without what is not known.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.Source
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.Source, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column)
}
