package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// A Pattern is a [Path] in which * stands for any text: within a key, a field or a member. [*] stands for every item of a
// list, and an item may name some of its fields only. A pattern fits the values it leads to and all that is below them.
type Pattern struct{ steps Path }

// ParsePattern reads the text form of a path with asterisks. The error is an *Error with the reason ErrSyntax.
func ParsePattern(s string) (Pattern, error) {
	steps, err := parseSteps(s)
	return Pattern{steps}, err
}

// String returns the text form.
func (p Pattern) String() string {
	var b strings.Builder
	for n, step := range p.steps {
		// A key with asterisks and nothing else that is special stands without quotes.
		if key, ok := step.(Key); ok && isPlainKey(strings.ReplaceAll(string(key), "*", "x")) {
			if n > 0 {
				b.WriteByte('.')
			}
			b.WriteString(string(key))
			continue
		}
		b.WriteString(Path{step}.String())
	}
	return b.String()
}

// Matches says whether the pattern fits the path or one above it.
func (p Pattern) Matches(path Path) bool {
	return len(p.steps) <= len(path) && p.agrees(path)
}

// matchesAbove says whether the pattern leads to something below the path.
func (p Pattern) matchesAbove(path Path) bool {
	return len(p.steps) > len(path) && p.agrees(path)
}

func (p Pattern) agrees(path Path) bool {
	for n := range min(len(p.steps), len(path)) {
		if !stepMatches(p.steps[n], path[n]) {
			return false
		}
	}
	return true
}

func stepMatches(pattern, step Step) bool {
	switch pattern := pattern.(type) {
	case anyItem:
		return step.rank() != Key("").rank()
	case Key:
		key, ok := step.(Key)
		return ok && glob(string(pattern), string(key))
	case Index:
		return pattern == step
	case Member:
		member, ok := step.(Member)
		return ok && glob(string(pattern), string(member))
	case Item:
		item, ok := step.(Item)
		return ok && !slices.ContainsFunc(pattern, func(p Field) bool {
			return !slices.ContainsFunc(item, func(f Field) bool { return f.Name == p.Name && glob(p.Value, f.Value) })
		})
	}
	return false
}

// exists says whether the pattern leads to any value.
func (p Pattern) exists(value any) bool { return p.existsFrom(0, value) }

func (p Pattern) existsFrom(n int, value any) bool {
	if n == len(p.steps) {
		return value != nil
	}
	if text, ok := value.(string); ok {
		value, _ = structure(text)
	}
	switch value := value.(type) {
	case map[string]any:
		key, ok := p.steps[n].(Key)
		if !ok {
			return false
		}
		if !strings.Contains(string(key), "*") {
			return p.existsFrom(n+1, value[string(key)])
		}
		for name, item := range value {
			if glob(string(key), name) && p.existsFrom(n+1, item) {
				return true
			}
		}
	case []any:
		for index, item := range value {
			if p.fitsItem(n, index, item) && p.existsFrom(n+1, item) {
				return true
			}
		}
	}
	return false
}

// fitsItem says whether step n of the pattern leads to an item of a list.
func (p Pattern) fitsItem(n, index int, item any) bool {
	switch step := p.steps[n].(type) {
	case anyItem:
		return true
	case Index:
		return int(step) == index
	}
	return p.fits(n, item, glob) > 0
}

// fits counts the fields of step n that an item has; 0 where the item is another one. See [Path.Lookup] for fields that
// an item leaves out.
func (p Pattern) fits(n int, item any, equal func(pattern, s string) bool) int {
	switch step := p.steps[n].(type) {
	case Member:
		text, ok := scalarText(item)
		if ok && equal(string(step), text) {
			return 1
		}
	case Item:
		m, _ := item.(map[string]any)
		fields := 0
		for _, f := range step {
			if m[f.Name] == nil {
				continue
			}
			text, ok := scalarText(m[f.Name])
			if !ok || !equal(f.Value, text) {
				return 0
			}
			fields++
		}
		return fields
	}
	return 0
}

// glob says whether the whole of s matches a pattern in which * stands for any text.
func glob(pattern, s string) bool {
	_, ok := capture(pattern, s)
	return ok
}

// capture is glob; it returns what each * stands for. Each takes as little as it can.
func capture(pattern, s string) (stars []string, ok bool) {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return nil, pattern == s
	}
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return nil, false
	}
	for _, part := range parts[1:last] {
		star, after, found := strings.Cut(rest, part)
		if !found {
			return nil, false
		}
		stars, rest = append(stars, star), after
	}
	star, ok := strings.CutSuffix(rest, parts[last])
	return append(stars, star), ok
}

// fill puts text in the place of each *; nothing where there are more of them.
func fill(pattern string, stars []string) string {
	var b strings.Builder
	for n, part := range strings.Split(pattern, "*") {
		if n > 0 && n <= len(stars) {
			b.WriteString(stars[n-1])
		}
		b.WriteString(part)
	}
	return b.String()
}

// GoString shows a pattern in test failures.
func (p Pattern) GoString() string { return fmt.Sprintf("Pattern(%q)", p.String()) }
