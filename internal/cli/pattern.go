package cli

import (
	"slices"
	"strings"

	"github.com/stratamesh/strata/pkg/profiles"
)

// A valuePattern is a path into values in which * stands for any text within a key, and a key ** for any number of keys. It fits a
// value, and all that is below it.
type valuePattern profiles.Path

func parseValuePattern(text string) (valuePattern, error) {
	path, err := profiles.ParsePath(text)
	return valuePattern(path), err
}

// literal is the path that the pattern spells, where it holds no *.
func (p valuePattern) literal() (profiles.Path, bool) {
	return profiles.Path(p), !slices.ContainsFunc(p, func(key string) bool { return strings.Contains(key, "*") })
}

func (p valuePattern) matches(path profiles.Path) bool {
	switch {
	case len(p) == 0:
		return true
	case p[0] == "**":
		return p[1:].matches(path) || len(path) > 0 && p.matches(path[1:])
	}
	return len(path) > 0 && globMatches(p[0], path[0]) && p[1:].matches(path[1:])
}

// globMatches says whether a text fits a pattern in which * stands for any text.
func globMatches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	rest := text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return true
}
