// Package load reads documents of values, and catalogs of profiles, for package profiles.
//
// Values are parsed as Helm parses them (sigs.k8s.io/yaml: YAML 1.1 through JSON), so that a program sees what a chart
// sees. Positions come from a second parser (yaml/v3 nodes), joined by path; where the two disagree about a key, its
// position is that of the map around it.
package load

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/profiles"
)

// Parse reads one YAML or JSON document. source names it in messages and origins. An empty document, or one with only
// comments, has no values. The error is a *profiles.Error with the reason profiles.ErrRead and the line, where it is known.
func Parse(source string, text []byte) (profiles.Document, error) {
	document := profiles.Document{Source: source}
	if err := sigs.Unmarshal(text, &document.Values); err != nil {
		return profiles.Document{}, readError(source, err)
	}
	if document.Values == nil {
		document.Values = map[string]any{}
	}
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err == nil {
		document.Positions = positions(&node, map[*yaml.Node]*profiles.Positions{})
	}
	return document, nil
}

var lineOf = regexp.MustCompile(`line (\d+): `)

// readError turns what the parsers say into one sentence with a place.
func readError(source string, err error) error {
	e := &profiles.Error{Reason: profiles.ErrRead, Position: profiles.Position{Source: source}, Cause: err}
	text := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "error unmarshaling JSON: ", "while decoding JSON: ", "yaml: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	if m := lineOf.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			e.Position.Line = n
		}
		text = strings.Replace(text, m[0], "", 1)
	}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		text = "a values file is a map, this is a " + strings.Replace(wrong.Value, "array", "list", 1)
	}
	e.Text = "cannot be read: " + text
	return e
}

// positions makes the tree of places of one node; aliases share the tree of their anchor.
func positions(node *yaml.Node, seen map[*yaml.Node]*profiles.Positions) *profiles.Positions {
	switch node.Kind {
	case yaml.DocumentNode:
		if len(node.Content) == 0 {
			return nil
		}
		return positions(node.Content[0], seen)
	case yaml.AliasNode:
		return positions(node.Alias, seen)
	}
	if p, ok := seen[node]; ok {
		return p
	}
	p := &profiles.Positions{Line: node.Line, Column: node.Column}
	seen[node] = p
	if node.Kind != yaml.MappingNode {
		return p
	}
	p.Keys = make(map[string]*profiles.Positions, len(node.Content)/2)
	for n := 0; n+1 < len(node.Content); n += 2 {
		if key := node.Content[n]; key.Tag == "!!merge" {
			inherit(p, node.Content[n+1], seen)
		}
	}
	for n := 0; n+1 < len(node.Content); n += 2 {
		key, value := node.Content[n], node.Content[n+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			continue
		}
		place := profiles.Positions{Line: key.Line, Column: key.Column}
		if inner := positions(value, seen); inner != nil {
			place.Keys = inner.Keys
		}
		p.Keys[keyName(key)] = &place
	}
	return p
}

// inherit adds the keys that a merge key (<<) brings, which any key of the map itself replaces.
func inherit(p *profiles.Positions, node *yaml.Node, seen map[*yaml.Node]*profiles.Positions) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch node.Kind {
	case yaml.SequenceNode:
		for n := len(node.Content) - 1; n >= 0; n-- {
			inherit(p, node.Content[n], seen)
		}
	case yaml.MappingNode:
		if from := positions(node, seen); from != nil {
			for name, place := range from.Keys {
				p.Keys[name] = place
			}
		}
	}
}

// keyName returns a key as YAML 1.1 through JSON spells it: an unquoted "on" is the key "true".
func keyName(key *yaml.Node) string {
	if key.Style != 0 {
		return key.Value
	}
	switch strings.ToLower(key.Value) {
	case "y", "yes", "on", "true":
		return "true"
	case "n", "no", "off", "false":
		return "false"
	}
	return key.Value
}
