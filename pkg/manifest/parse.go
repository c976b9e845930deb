package manifest

import (
	"strings"
	"unicode/utf8"
)

// Parse reads the objects of a manifest: a stream of YAML documents, or JSON. source names it in messages and positions.
//
// Values are typed as Helm and kubectl type them: by YAML 1.1, so that yes is true and 0777 is 511, and a key that stands
// twice has its last value. Integers are exact to 64 bits, and a number without a fraction is an integer. Documents with
// nothing but comments are left out. An apiVersion, kind, name or namespace that YAML takes for a boolean or a number, such
// as n, is the text as written. The items of a List, or of a list of one kind such as a ConfigMapList, stand for
// themselves. An object needs apiVersion, kind and metadata.name, or metadata.generateName; see [NewSet].
//
// The error holds every fault that was found, each an *Error; objects come only without one.
func Parse(source string, text []byte) ([]Object, error) {
	return new(Parser).Parse(source, text)
}

// A Parser parses manifests of which parts have the same text, as those that are to be compared: equal documents are read
// once and share their values, also between objects. The zero value is ready; it is not for several goroutines at once.
type Parser struct {
	known map[string]*reading
}

// A reading is what one chunk of text was read to.
type reading struct {
	objects []*parsed
	err     error
}

// A parsed object has no source yet.
type parsed struct {
	id         ID
	apiVersion string
	value      map[string]any
	line       int // within the chunk, from 0
	fault      string
}

// Parse is [Parse].
func (p *Parser) Parse(source string, text []byte) ([]Object, error) {
	stream := strings.TrimPrefix(string(text), "\ufeff")
	if !utf8.ValidString(stream) {
		line := 0
		for text := range strings.Lines(stream) {
			if line++; !utf8.ValidString(text) {
				break
			}
		}
		return nil, &Error{Reason: ErrRead, Position: Position{Source: source, Line: line}, Text: "is not UTF-8 text"}
	}
	if p.known == nil {
		p.known = map[string]*reading{}
	}
	chunks := split(stream)
	readings := p.read(chunks)

	var f faults
	objects := make([]Object, 0, len(chunks))
	for n, c := range chunks {
		if err := readings[n].err; err != nil {
			f = append(f, c.fault(source, err))
		}
		for _, o := range readings[n].objects {
			at := c.place(source, o.line)
			if o.fault != "" {
				f.add(ErrObject, at, o.fault)
				continue
			}
			objects = append(objects, Object{ID: o.id, APIVersion: o.apiVersion, Value: o.value, Position: at, parsed: o})
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return objects, nil
}

// read reads the chunks that are not yet known.
func (p *Parser) read(chunks []chunk) []*reading {
	readings := make([]*reading, len(chunks))
	var fresh []int
	for n, c := range chunks {
		if readings[n] = p.known[c.text]; readings[n] == nil {
			readings[n] = &reading{}
			p.known[c.text] = readings[n]
			fresh = append(fresh, n)
		}
	}
	parallel(len(fresh), func(n int) { readings[fresh[n]].read(chunks[fresh[n]].text) })
	return readings
}

func (r *reading) read(text string) {
	documents, err := decode(text)
	if err != nil {
		r.err = err
		return
	}
	f := flattening{}
	if len(documents) == 1 {
		f.written = &written{text: text}
	}
	for _, d := range documents {
		if d.value != nil {
			f.add(d.value, nil, text[d.offset:], d.line, typeMeta{})
		}
	}
	r.objects = f.objects
}
