package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Parse reads the objects of a manifest: a stream of YAML documents, or JSON. source names it in messages and positions.
//
// Values are typed as Helm and kubectl type them: by YAML 1.1, so that yes is true and 0777 is 511, and a key that stands
// twice has its last value. Integers are exact to 64 bits, and a number without a fraction is an integer. Documents with
// nothing but comments are left out. The items of a List, or of a list of one kind such as a ConfigMapList, stand for
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

func (r *reading) read(text string) {
	documents, err := decode(text)
	if err != nil {
		r.err = err
		return
	}
	for _, d := range documents {
		if d.value != nil {
			r.add(d.value, text[d.offset:], d.line, "", "")
		}
	}
}

// add adds an object, or the items of a list. text is that of the value or nothing; apiVersion and kind are those of an
// item of a list of one kind, which may leave them out.
func (r *reading) add(value any, text string, line int, apiVersion, kind string) {
	m, _ := value.(map[string]any)
	if items, ok := listItems(m); ok {
		var itemVersion, itemKind string
		if k, _ := m["kind"].(string); k != "List" {
			itemVersion, _ = m["apiVersion"].(string)
			itemKind = strings.TrimSuffix(k, "List")
		}
		lines := itemLines(text, len(items))
		for n, item := range items {
			at := line
			if lines != nil {
				at += lines[n]
			}
			r.add(item, "", at, itemVersion, itemKind)
		}
		return
	}
	if _, found := m["kind"]; !found && m != nil && kind != "" {
		m["apiVersion"], m["kind"] = apiVersion, kind
	}
	o := &parsed{value: m, line: line}
	o.id, o.apiVersion, o.fault = identify(value)
	r.objects = append(r.objects, o)
}

// listItems returns the items of a List or a list of one kind.
func listItems(m map[string]any) ([]any, bool) {
	kind, _ := m["kind"].(string)
	items, ok := m["items"].([]any)
	if m["items"] == nil && kind == "List" {
		return nil, true
	}
	if !ok || !strings.HasSuffix(kind, "List") {
		return nil, false
	}
	metadata, _ := m["metadata"].(map[string]any)
	_, named := metadata["name"]
	return items, !named
}

// identify says which object a value is, or why it is none.
func identify(value any) (id ID, apiVersion, fault string) {
	m, ok := value.(map[string]any)
	if !ok {
		return ID{}, "", fmt.Sprintf("is a %s where a Kubernetes object belongs, a map with apiVersion, kind and metadata.name", kindName(value))
	}
	var faults, absent []string
	text := func(in map[string]any, key, path string) string {
		switch value := in[key].(type) {
		case string:
			return value
		case nil:
		case map[string]any, []any:
			faults = append(faults, fmt.Sprintf("%s is a %s where text belongs", path, kindName(value)))
		default:
			faults = append(faults, fmt.Sprintf("%s is a %s; quote it", path, kindName(value)))
		}
		return ""
	}
	apiVersion = text(m, "apiVersion", "apiVersion")
	id.Kind = text(m, "kind", "kind")
	metadata, ok := m["metadata"].(map[string]any)
	if !ok && m["metadata"] != nil {
		faults = append(faults, fmt.Sprintf("metadata is a %s where a map belongs", kindName(m["metadata"])))
	}
	id.Name = text(metadata, "name", "metadata.name")
	id.Namespace = text(metadata, "namespace", "metadata.namespace")
	if id.Name == "" {
		if id.Name = text(metadata, "generateName", "metadata.generateName"); id.Name != "" {
			id.Name += generated
		}
	}
	id.Group = group(apiVersion)
	if len(faults) > 0 {
		return ID{}, "", strings.Join(faults, "; ")
	}
	for _, need := range []struct{ path, value string }{{"apiVersion", apiVersion}, {"kind", id.Kind}, {"metadata.name", id.Name}} {
		if need.value == "" {
			absent = append(absent, need.path)
		}
	}
	if len(absent) > 0 {
		return ID{}, "", fmt.Sprintf("has no %s; a Kubernetes object has apiVersion, kind and metadata.name", strings.Join(absent, ", no "))
	}
	return id, apiVersion, ""
}

// kindName names the kind of a value in the words of YAML.
func kindName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "map"
	case []any:
		return "list"
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}

// itemLines returns the lines at which the n items of a List begin, counted from its own; nil where they are not known.
func itemLines(text string, n int) []int {
	lines := itemLinesOfBlock(text)
	if strings.HasPrefix(text, "{") {
		lines = itemLinesOfJSON(text)
	}
	if len(lines) != n {
		return nil
	}
	return lines
}

// itemLinesOfBlock takes the lines that begin with a dash right after "items:".
func itemLinesOfBlock(text string) []int {
	var lines []int
	inside, indent := false, -1
	n := -1
	for line := range strings.Lines(text) {
		n++
		dash := len(line) - len(strings.TrimLeft(line, " "))
		isItem := strings.HasPrefix(line[dash:], "- ") || strings.TrimRight(line[dash:], "\r\n") == "-"
		switch {
		case !isContent(line):
		case !inside:
			inside = strings.HasPrefix(line, "items:")
		case isItem && (indent < 0 || dash == indent):
			indent = dash
			lines = append(lines, n)
		case dash == 0:
			return lines
		}
	}
	return lines
}

func itemLinesOfJSON(text string) []int {
	d := json.NewDecoder(strings.NewReader(text))
	var skipped json.RawMessage
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		if key != "items" {
			if err := d.Decode(&skipped); err != nil {
				return nil
			}
			continue
		}
		if _, err := d.Token(); err != nil {
			return nil
		}
		var lines []int
		for at, line := 0, 0; d.More(); {
			start := int(d.InputOffset())
			start = len(text) - len(strings.TrimLeft(text[start:], ", \t\r\n"))
			line += strings.Count(text[at:start], "\n")
			at = start
			lines = append(lines, line)
			if err := d.Decode(&skipped); err != nil {
				return nil
			}
		}
		return lines
	}
	return nil
}
