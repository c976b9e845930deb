package lint

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

// A Document is values as somebody wrote them. One without text, such as the values of a flag, has no more than its profiles.Document.
type Document struct {
	profiles.Document
	// File is where the text stands; empty where there is none.
	File string

	root *yaml.Node
	// second is the line of the second document in the file; 0 where there is none.
	second int
}

// Parse reads a file of values. The error is that of load.Parse; it says so where a tab is what is wrong.
func Parse(file string, text []byte) (Document, error) {
	document, err := load.Parse(file, text)
	if fault := (*profiles.Error)(nil); errors.As(err, &fault) && indentedByTab(text, fault.Position.Line) {
		fault.Text = "cannot be read: the line is indented with a tab; YAML wants spaces"
	}
	if err != nil {
		return Document{}, err
	}
	d := Document{Document: document, File: file}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var node yaml.Node
	// A text that is empty, or that this parser does not read, has no places.
	if decoder.Decode(&node) == nil && len(node.Content) > 0 {
		d.root = node.Content[0]
		d.second = secondLine(decoder, text)
	}
	return d, nil
}

// secondLine returns the line of the second document, which follows in a decoder of text; 0 where there is none, or an empty one.
func secondLine(decoder *yaml.Decoder, text []byte) int {
	var node yaml.Node
	err := decoder.Decode(&node)
	switch {
	case errors.Is(err, io.EOF):
		return 0
	case err == nil && (len(node.Content) == 0 || node.Content[0].Tag == "!!null"):
		return 0
	case err == nil:
		return node.Content[0].Line
	}
	// It cannot be read, and nobody does: it begins behind the last three dashes.
	last := 0
	for n, line := range bytes.Split(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("---")) {
			last = n + 1
		}
	}
	return last
}

// indentedByTab says whether there is a tab in front of a line, which counts from 1.
func indentedByTab(text []byte, line int) bool {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return false
	}
	indent := lines[line-1]
	indent = indent[:len(indent)-len(bytes.TrimLeft(indent, " \t"))]
	return bytes.ContainsRune(indent, '\t')
}

// find returns the nodes of the key and the value at a path, whose steps are keys and, in lists, ints; nil where that is not known.
func (d Document) find(path []any) (key, value *yaml.Node) {
	value = d.root
	for _, step := range path {
		value = target(value)
		switch step := step.(type) {
		case string:
			key, value = entry(value, step)
		case int:
			if value == nil || value.Kind != yaml.SequenceNode || step >= len(value.Content) {
				return nil, nil
			}
			value = value.Content[step]
			key = value
		}
		if value == nil {
			return nil, nil
		}
	}
	return key, value
}

// target follows aliases.
func target(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// entry returns the key of a map that counts, and its value: the last of a name, else one that a merge key brings.
func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if k := n.Content[i]; !isMerge(k) && keyText(k) == name {
			return k, n.Content[i+1]
		}
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		for _, source := range merged(n.Content[i+1]) {
			if k, v := entry(target(source), name); k != nil {
				return k, v
			}
		}
	}
	return nil, nil
}

// merged are the maps that a merge key brings.
func merged(value *yaml.Node) []*yaml.Node {
	value = target(value)
	if value != nil && value.Kind == yaml.SequenceNode {
		return value.Content
	}
	return []*yaml.Node{value}
}

func isMerge(key *yaml.Node) bool { return key.Tag == "!!merge" }
