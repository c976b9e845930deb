package manifest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Path leads from an object to a value in it. Its text form is
//
//	spec.replicas                     keys of maps, joined by dots
//	data["values.json"].a             a key in quotes, as Go writes text: where it holds anything but letters, digits, - and _
//	spec.ports[port=53,protocol=UDP]  an item of a list, by the fields that tell its items apart
//	metadata.finalizers[=a]           an item of a list that is a set, by its value
//	args[0]                           an item of any other list, by its place, from 0
//
// A value in brackets stands in quotes where it is empty or holds one of , [ ] " = * \ or a space or control character.
type Path []Step

// A Step is one step of a Path: a [Key], an [Index], an [Item] or a [Member].
type Step interface {
	// rank orders steps of different kinds.
	rank() int
}

// A Key is the key of a map.
type Key string

// An Index is the place of an item in a list, from 0.
type Index int

// An Item is an item of a list whose items are told apart by fields.
type Item []Field

// A Field is the name of a field and its value as text. Two fields with the values 53 and "53" have one text.
type Field struct{ Name, Value string }

// A Member is the value, as text, of an item in a list that is a set.
type Member string

// anyItem stands for every item of a list. It is a step of patterns only.
type anyItem struct{}

func (Key) rank() int     { return 0 }
func (Index) rank() int   { return 1 }
func (Item) rank() int    { return 2 }
func (Member) rank() int  { return 3 }
func (anyItem) rank() int { return 4 }

// String returns the text form.
func (p Path) String() string {
	var b strings.Builder
	for n, step := range p {
		switch step := step.(type) {
		case Key:
			if !isPlainKey(string(step)) {
				b.WriteString("[" + strconv.Quote(string(step)) + "]")
				continue
			}
			if n > 0 {
				b.WriteByte('.')
			}
			b.WriteString(string(step))
		case Index:
			fmt.Fprintf(&b, "[%d]", int(step))
		case Item:
			separator := byte('[')
			for _, f := range step {
				b.WriteByte(separator)
				b.WriteString(quoteValue(f.Name) + "=" + quoteValue(f.Value))
				separator = ','
			}
			b.WriteByte(']')
		case Member:
			b.WriteString("[=" + quoteValue(string(step)) + "]")
		case anyItem:
			b.WriteString("[*]")
		}
	}
	return b.String()
}

// isPlainKey says whether a key stands without quotes.
func isPlainKey(key string) bool {
	for _, r := range key {
		if r < 0x80 && !isKeyCharacter(byte(r)) || r == '.' || r == '/' || r == 0xfffd || !strconv.IsPrint(r) {
			return false
		}
	}
	return key != ""
}

func quoteValue(value string) string {
	quote := value == ""
	for _, r := range value {
		quote = quote || strings.ContainsRune(`,[]"=*\ `, r) || r == 0xfffd || !strconv.IsPrint(r)
	}
	if quote {
		return strconv.Quote(value)
	}
	return value
}

// ParsePath reads what String writes. An asterisk means itself, other than in a [Pattern]. The error is an *Error with the
// reason ErrSyntax.
func ParsePath(s string) (Path, error) {
	path, err := parseSteps(s)
	if err != nil {
		return nil, err
	}
	for _, step := range path {
		if _, ok := step.(anyItem); ok {
			return nil, pathError(s, "[*] stands for many items, and a path leads to one")
		}
	}
	return path, nil
}

func pathError(s, text string) error {
	return &Error{Reason: ErrSyntax, Text: fmt.Sprintf("path %q: %s", s, text)}
}

func parseSteps(s string) (Path, error) {
	if s == "" {
		return nil, pathError(s, "is empty")
	}
	var path Path
	for rest := s; rest != ""; {
		if rest[0] == '[' {
			step, after, text := parseBracket(rest)
			if text != "" {
				return nil, pathError(s, text)
			}
			path, rest = append(path, step), after
			continue
		}
		if len(path) > 0 {
			if rest[0] != '.' {
				return nil, pathError(s, fmt.Sprintf("after ] comes a dot or [, not %q", rest))
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		key := rest[:end]
		switch {
		case key == "":
			return nil, pathError(s, `an empty key; write ["…"] for a key that holds a dot`)
		case strings.ContainsAny(key, `]"\,`):
			return nil, pathError(s, fmt.Sprintf(`the key %q holds one of ] " \ ,; write ["…"]`, key))
		}
		path, rest = append(path, Key(key)), rest[end:]
	}
	return path, nil
}

// parseBracket reads one step in brackets at the start of s. text is what is wrong with it.
func parseBracket(s string) (step Step, rest, text string) {
	s = s[1:]
	if strings.HasPrefix(s, `"`) {
		key, rest, ok := parseQuoted(s)
		if ok && strings.HasPrefix(rest, "]") {
			return Key(key), rest[1:], ""
		}
		if !ok {
			return nil, "", `a key in quotes lacks its closing quote, or is not as Go writes text`
		}
	}
	end := strings.IndexByte(s, ']')
	switch {
	case end < 0 && !strings.Contains(s, `"`):
		return nil, "", "a bracket is not closed"
	case strings.HasPrefix(s, "*]"):
		return anyItem{}, s[2:], ""
	case strings.HasPrefix(s, "="):
		value, rest, ok := parseValue(s[1:])
		if !ok || !strings.HasPrefix(rest, "]") {
			return nil, "", "an item of a set is written [=value]"
		}
		return Member(value), rest[1:], ""
	case end > 0 && strings.Trim(s[:end], "0123456789") == "":
		index, err := strconv.Atoi(s[:end])
		if err != nil || len(s[:end]) > 1 && s[0] == '0' {
			return nil, "", fmt.Sprintf("[%s] is no place in a list", s[:end])
		}
		return Index(index), s[end+1:], ""
	}
	var item Item
	for {
		name, after, ok := parseValue(s)
		if !ok || !strings.HasPrefix(after, "=") {
			return nil, "", `in brackets stands an item: [name=value], [=value], [0], [*], or a key: ["…"]`
		}
		value, after, ok := parseValue(after[1:])
		if !ok || after == "" || after[0] != ',' && after[0] != ']' {
			return nil, "", "after a field in brackets comes , or ]"
		}
		item = append(item, Field{name, value})
		if s = after[1:]; after[0] == ']' {
			return item, s, ""
		}
	}
}

// parseValue reads a name or value inside brackets, with or without quotes.
func parseValue(s string) (value, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		return parseQuoted(s)
	}
	end := strings.IndexAny(s, `,]="\`)
	if end <= 0 {
		return "", "", false
	}
	return s[:end], s[end:], true
}

// parseQuoted reads text in quotes at the start of s.
func parseQuoted(s string) (value, rest string, ok bool) {
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", false
	}
	value, err = strconv.Unquote(quoted)
	return value, s[len(quoted):], err == nil
}

// Compare orders paths: key by key, items by place or by their fields, and a path before those below it.
func (p Path) Compare(other Path) int {
	for n := range min(len(p), len(other)) {
		if c := compareSteps(p[n], other[n]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(p), len(other))
}

func compareSteps(a, b Step) int {
	if c := cmp.Compare(a.rank(), b.rank()); c != 0 {
		return c
	}
	switch a := a.(type) {
	case Key:
		return cmp.Compare(a, b.(Key))
	case Index:
		return cmp.Compare(a, b.(Index))
	case Member:
		return cmp.Compare(a, b.(Member))
	case Item:
		b := b.(Item)
		for n := range min(len(a), len(b)) {
			if c := cmp.Or(cmp.Compare(a[n].Name, b[n].Name), cmp.Compare(a[n].Value, b[n].Value)); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(a), len(b))
	}
	return 0
}

// Lookup returns the value at the end of the path. A path may lead into text that holds YAML or JSON. A field that an item
// leaves out counts as equal where another field is, since Kubernetes may have a default for it; an item that has all
// fields comes first.
func (p Path) Lookup(value any) (any, bool) {
	for _, step := range p {
		var found bool
		if value, found = follow(value, step); !found {
			return nil, false
		}
	}
	return value, true
}

// follow takes one step.
func follow(value any, step Step) (any, bool) {
	if text, ok := value.(string); ok {
		value, _ = structure(text)
	}
	if key, ok := step.(Key); ok {
		m, _ := value.(map[string]any)
		value, found := m[string(key)]
		return value, found
	}
	list, _ := value.([]any)
	if index, ok := step.(Index); ok {
		if int(index) >= len(list) {
			return nil, false
		}
		return list[index], true
	}
	pattern := Pattern{Path{step}}
	found, best := any(nil), 0
	for _, item := range list {
		if fields := pattern.fits(0, item, same); fields > best {
			found, best = item, fields
		}
	}
	return found, best > 0
}

func same(pattern, s string) bool { return pattern == s }

// scalarText is how a path writes a scalar.
func scalarText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	case int64:
		return strconv.FormatInt(value, 10), true
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64), true
	}
	return "", false
}
