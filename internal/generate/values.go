package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// A value is one key of a values file with what its comment says.
type value struct {
	name        string
	description string
	// types is what @type or @property gives, "" where the default decides.
	types string
	// enum holds the only values allowed; nil where there is no @enum.
	enum []string
	// preset is the default; hasPreset is false for a @property.
	preset    any
	hasPreset bool
	// children are the keys of a closed map.
	children []*value
	indent   int
	line     int
}

// keyLine matches a key of a block map and its indentation.
var keyLine = regexp.MustCompile(`^( *)("?)([A-Za-z0-9_./-]+)("?):(?: |$)`)

// readValues parses the comments of a chart's values.yaml. In the comment block directly above a key, all is description but:
//
//	@type TYPE            the type, where the default does not tell it (see parseType)
//	@enum a, b            the only values allowed; "" is the empty string
//	@property NAME TYPE   on the last line of a block that a blank line follows: a value without a default
//
// Below a key with @type, and below lists, nothing is looked at: there, users choose the keys.
func readValues(file string) (*value, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := valuesParser{file: file, stack: []*value{{indent: -1, preset: document, hasPreset: true}}}
	for n, line := range strings.Split(string(text)+"\n", "\n") {
		if err := p.line(n+1, line); err != nil {
			return nil, err
		}
	}
	root := p.stack[0]
	if len(root.children) != 1 || root.children[0].name != "defaults" {
		return nil, fmt.Errorf("%s: must have the one key defaults", file)
	}
	return root.children[0], nil
}

type valuesParser struct {
	file    string
	stack   []*value
	comment []string
	at      int // indentation of the comment block
	skip    int // lines with more indentation belong to a value that is not looked into; -1: none
	skipped bool
}

func (p *valuesParser) line(n int, line string) error {
	trimmed := strings.TrimLeft(line, " ")
	indent := len(line) - len(trimmed)
	if trimmed == "" {
		defer func() { p.comment = nil }()
		return p.property(n)
	}
	if p.skipped {
		if indent > p.skip || indent == p.skip && strings.HasPrefix(trimmed, "- ") {
			return nil
		}
		p.skipped = false
	}
	if strings.HasPrefix(trimmed, "#") {
		p.comment, p.at = append(p.comment, strings.TrimPrefix(strings.TrimPrefix(trimmed, "#"), " ")), indent
		return nil
	}
	m := keyLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%s:%d: neither a key, a comment nor a blank line: %q", p.file, n, line)
	}
	for p.stack[len(p.stack)-1].indent >= indent {
		p.stack = p.stack[:len(p.stack)-1]
	}
	parent := p.stack[len(p.stack)-1]
	v := &value{name: m[3], indent: indent, line: n, hasPreset: true}
	presets, ok := parent.preset.(map[string]any)
	if !ok {
		return fmt.Errorf("%s:%d: %s stands in no map", p.file, n, v.name)
	}
	v.preset = presets[v.name]
	if err := v.annotate(p.comment); err != nil {
		return fmt.Errorf("%s:%d: %s: %w", p.file, n, v.name, err)
	}
	p.comment = nil
	parent.children = append(parent.children, v)
	inner, isMap := v.preset.(map[string]any)
	if !isMap || v.types != "" {
		p.skip, p.skipped = indent, true
		return nil
	}
	if len(inner) == 0 {
		return fmt.Errorf("%s:%d: %s: an empty map needs @type", p.file, n, v.name)
	}
	p.stack = append(p.stack, v)
	return nil
}

// property adds what a block that ends in @property describes to the map at its indentation.
func (p *valuesParser) property(n int) error {
	if len(p.comment) == 0 {
		return nil
	}
	last := p.comment[len(p.comment)-1]
	rest, ok := strings.CutPrefix(last, "@property ")
	if !ok {
		return nil
	}
	name, types, ok := strings.Cut(rest, " ")
	if !ok {
		return fmt.Errorf("%s:%d: @property wants a name and a type", p.file, n-1)
	}
	v := &value{name: name, line: n - 1}
	if err := v.annotate(append(p.comment[:len(p.comment)-1:len(p.comment)-1], "@type "+types)); err != nil {
		return fmt.Errorf("%s:%d: %s: %w", p.file, n-1, name, err)
	}
	for i := len(p.stack) - 1; i >= 0; i-- {
		if p.stack[i].indent < p.at {
			p.stack[i].children = append(p.stack[i].children, v)
			return nil
		}
	}
	return fmt.Errorf("%s:%d: %s stands in no map", p.file, n-1, name)
}

// annotate reads a comment block.
func (v *value) annotate(comment []string) error {
	var prose []string
	for _, line := range comment {
		switch {
		case strings.HasPrefix(line, "@type "):
			v.types = strings.TrimSpace(strings.TrimPrefix(line, "@type "))
		case strings.HasPrefix(line, "@enum "):
			for _, item := range strings.Split(strings.TrimPrefix(line, "@enum "), ",") {
				v.enum = append(v.enum, strings.Trim(strings.TrimSpace(item), `"`))
			}
		case strings.HasPrefix(line, "@"):
			return fmt.Errorf("unknown annotation %q", line)
		default:
			prose = append(prose, line)
		}
	}
	v.description = strings.TrimSpace(strings.Join(prose, " "))
	if v.description == "" && v.name != "defaults" {
		if _, isMap := v.preset.(map[string]any); !isMap || v.types != "" {
			return fmt.Errorf("no description")
		}
	}
	if v.types == "" && v.hasPreset {
		switch v.preset.(type) {
		case []any:
			return fmt.Errorf("a list needs @type")
		case nil:
			return fmt.Errorf("no default")
		}
	}
	if v.enum != nil && v.hasPreset {
		if preset, ok := v.preset.(string); !ok || !slices.Contains(v.enum, preset) {
			return fmt.Errorf("the default %v is not in @enum", v.preset)
		}
	}
	return nil
}

// typeExpr is the type as an expression of parseType, from the default where no comment gives it.
func (v *value) typeExpr() string {
	if v.types != "" {
		return v.types
	}
	switch preset := v.preset.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if preset == float64(int64(preset)) {
			return "integer"
		}
		return "number"
	}
	return "object"
}
