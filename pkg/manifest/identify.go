package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A flattening collects the objects in a document.
type flattening struct {
	objects []*parsed
	// written finds what an object of the document says literally; nil where that cannot be found.
	written *written
}

// typeMeta is what the items of a list of one kind may leave out.
type typeMeta struct{ apiVersion, kind string }

// add adds an object, or the items of a list. at leads to it in the document; text begins with it, or is empty.
func (f *flattening) add(value any, at Path, text string, line int, of typeMeta) {
	m, _ := value.(map[string]any)
	if items, ok := listItems(m); ok {
		var item typeMeta
		if kind, _ := m["kind"].(string); kind != "List" {
			item.apiVersion, _ = m["apiVersion"].(string)
			item.kind = strings.TrimSuffix(kind, "List")
		}
		lines := itemLines(text, len(items))
		for n := range items {
			itemLine := line
			if lines != nil {
				itemLine += lines[n]
			}
			f.add(items[n], append(slices.Clip(at), Key("items"), Index(n)), "", itemLine, item)
		}
		return
	}
	if _, found := m["kind"]; !found && m != nil && of.kind != "" {
		m["apiVersion"], m["kind"] = of.apiVersion, of.kind
	}
	o := &parsed{value: m, line: line}
	o.id, o.apiVersion, o.fault = f.identify(value, at)
	f.objects = append(f.objects, o)
}

// listItems returns the items of a List or of a list of one kind.
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

// identify says which object the value at a path of the document is, or why it is none. Names that YAML does not take for
// text are turned into it.
func (f *flattening) identify(value any, at Path) (id ID, apiVersion, fault string) {
	m, ok := value.(map[string]any)
	if !ok {
		return ID{}, "", fmt.Sprintf("is a %s where a Kubernetes object belongs, a map with apiVersion, kind and metadata.name", kindName(value))
	}
	metadata, ok := m["metadata"].(map[string]any)
	if !ok && m["metadata"] != nil {
		return ID{}, "", fmt.Sprintf("metadata is a %s where a map belongs", kindName(m["metadata"]))
	}
	var faults, absent []string
	text := func(in map[string]any, path ...Step) string {
		key := string(path[len(path)-1].(Key))
		switch value := in[key].(type) {
		case string:
			return value
		case nil:
			return ""
		case map[string]any, []any:
			faults = append(faults, fmt.Sprintf("%s is a %s where text belongs", Path(path), kindName(value)))
			return ""
		}
		literal, ok := f.written.scalar(append(slices.Clip(at), path...))
		if !ok {
			faults = append(faults, fmt.Sprintf("%s is a %s; quote it", Path(path), kindName(in[key])))
			return ""
		}
		in[key] = literal
		return literal
	}
	apiVersion = text(m, Key("apiVersion"))
	id.Group = group(apiVersion)
	id.Kind = text(m, Key("kind"))
	id.Name = text(metadata, Key("metadata"), Key("name"))
	id.Namespace = text(metadata, Key("metadata"), Key("namespace"))
	if id.Name == "" {
		if id.Name = text(metadata, Key("metadata"), Key("generateName")); id.Name != "" {
			id.Name += generated
		}
	}
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

// A written text is read again by a parser that keeps scalars as they stand; that is rarely needed, and slow.
type written struct {
	text string
	root *yaml.Node
}

// scalar returns the scalar at a path.
func (w *written) scalar(at Path) (string, bool) {
	if w == nil {
		return "", false
	}
	if w.root == nil {
		w.root = &yaml.Node{}
		if err := yaml.Unmarshal([]byte(w.text), w.root); err != nil {
			return "", false
		}
	}
	if len(w.root.Content) == 0 {
		return "", false
	}
	node := w.root.Content[0]
	for _, step := range at {
		node = child(node, step)
	}
	if node = child(node, nil); node == nil || node.Kind != yaml.ScalarNode {
		return "", false
	}
	return node.Value, true
}

// child follows one step, after any alias; nil where it leads nowhere.
func child(node *yaml.Node, step Step) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node == nil {
		return nil
	}
	switch step := step.(type) {
	case nil:
		return node
	case Key:
		for n := len(node.Content) - 2; node.Kind == yaml.MappingNode && n >= 0; n -= 2 {
			if node.Content[n].Value == string(step) {
				return node.Content[n+1]
			}
		}
	case Index:
		if node.Kind == yaml.SequenceNode && int(step) < len(node.Content) {
			return node.Content[step]
		}
	}
	return nil
}

// itemLines returns the lines at which the n items of a List begin, counted from its own; nil where they are not known.
func itemLines(text string, n int) []int {
	var lines []int
	if strings.HasPrefix(text, "{") {
		lines = itemLinesOfJSON(text)
	} else {
		lines = itemLinesOfBlock(text)
	}
	if len(lines) != n {
		return nil
	}
	return lines
}

// itemLinesOfBlock takes the lines that begin with a dash right after "items:".
func itemLinesOfBlock(text string) []int {
	var lines []int
	inside, indent, n := false, -1, -1
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
