package profiles

import (
	"fmt"
	"strings"
)

// A Path leads to a value through the keys of maps. Lists are values as a whole, so no path leads into one.
type Path []string

// String joins the keys with dots; a dot or backslash inside a key is escaped with a backslash, as helm --set reads it.
func (p Path) String() string {
	var b strings.Builder
	for n, key := range p {
		if n > 0 {
			b.WriteByte('.')
		}
		for _, c := range []byte(key) {
			if c == '.' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// ParsePath reads what String writes. It refuses an empty key and a backslash at the end.
func ParsePath(s string) (Path, error) {
	var path Path
	var key []byte
	for n := 0; n < len(s); n++ {
		switch s[n] {
		case '\\':
			n++
			if n == len(s) {
				return nil, fmt.Errorf("path %q: ends with a backslash", s)
			}
			key = append(key, s[n])
		case '.':
			if len(key) == 0 {
				return nil, fmt.Errorf("path %q: an empty key at offset %d", s, n)
			}
			path, key = append(path, string(key)), nil
		default:
			key = append(key, s[n])
		}
	}
	if len(key) == 0 {
		return nil, fmt.Errorf("path %q: an empty key at the end", s)
	}
	return append(path, string(key)), nil
}

// join returns a new path: p, then keys.
func (p Path) join(keys ...string) Path {
	out := make(Path, 0, len(p)+len(keys))
	return append(append(out, p...), keys...)
}

// trail is a path that is built while walking down; it becomes a Path only where one is needed.
type trail struct {
	parent *trail
	key    string
}

func (t *trail) path() Path {
	n := 0
	for at := t; at != nil; at = at.parent {
		n++
	}
	path := make(Path, n)
	for at := t; at != nil; at = at.parent {
		n--
		path[n] = at.key
	}
	return path
}
