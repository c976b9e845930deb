package profiles

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Path leads to a value through the keys of maps. Lists are values as a whole, so no path leads into one.
type Path []string

// String joins the keys with dots; a key that is empty or holds anything but letters, digits, "_" and "-" stands as a
// JSON string in brackets: podAnnotations["prometheus.io/port"].
func (p Path) String() string {
	var b strings.Builder
	for n, key := range p {
		if !plain(key) {
			quoted, err := json.Marshal(key)
			if err != nil {
				quoted = []byte(strconv.Quote(key))
			}
			fmt.Fprintf(&b, "[%s]", quoted)
			continue
		}
		if n > 0 {
			b.WriteByte('.')
		}
		b.WriteString(key)
	}
	return b.String()
}

func plain(key string) bool {
	for _, c := range []byte(key) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return key != ""
}

// ParsePath reads what String writes. Between dots, every character but a bracket stands for itself. An error names the
// offset of the fault.
func ParsePath(s string) (Path, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("path %q: is not UTF-8", s)
	}
	var path Path
	for rest := s; ; {
		at := len(s) - len(rest)
		switch {
		case strings.HasPrefix(rest, "["):
			decoder := json.NewDecoder(strings.NewReader(rest[1:]))
			var key string
			if err := decoder.Decode(&key); err != nil {
				return nil, fmt.Errorf("path %q: offset %d: a key in brackets is a JSON string: %w", s, at+1, err)
			}
			rest = rest[1+decoder.InputOffset():]
			if !strings.HasPrefix(rest, "]") {
				return nil, fmt.Errorf("path %q: offset %d: a bracket is not closed", s, at)
			}
			path, rest = append(path, key), rest[1:]
		default:
			end := strings.IndexAny(rest, ".[]")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 || end < len(rest) && rest[end] == ']' {
				return nil, fmt.Errorf("path %q: offset %d: an empty key", s, at+end)
			}
			path, rest = append(path, rest[:end]), rest[end:]
		}
		switch {
		case rest == "":
			return path, nil
		case rest[0] == '.':
			rest = rest[1:]
		case rest[0] != '[':
			return nil, fmt.Errorf("path %q: offset %d: a dot or a bracket belongs here", s, len(s)-len(rest))
		}
	}
}

// join returns a new path: p, then keys.
func (p Path) join(keys ...string) Path {
	out := make(Path, 0, len(p)+len(keys))
	return append(append(out, p...), keys...)
}
