package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// A document is one value in a text.
type document struct {
	value any
	// offset and line are where it begins in the text, counted from 0.
	offset, line int
}

// A readError is what is wrong with a text.
type readError struct {
	line int // from 0
	text string
}

func (e *readError) Error() string { return e.text }

// decode reads a text that is one document of YAML, or any number of JSON values.
func decode(text string) ([]document, error) {
	if c := strings.TrimLeft(text, " \t\r\n"); c[0] == '{' || c[0] == '[' {
		if documents, err := decodeJSON(text); err == nil {
			return documents, nil
		}
		// Flow style YAML begins alike.
	}
	if value, _, ok := readBlock(text); ok {
		return []document{{value: value}}, nil
	}
	value, err := decodeYAML(text, false)
	if err != nil {
		return nil, err
	}
	return []document{{value: value}}, nil
}

// structure reads text inside an object, such as a file in a ConfigMap. ok is true where it is one document with a map or
// list, with no key twice.
func structure(text string) (value any, ok bool) {
	chunks := split(strings.TrimPrefix(text, "\ufeff"))
	if len(chunks) != 1 {
		return nil, false
	}
	text = chunks[0].text
	value, repeated, ok := readBlock(text)
	if ok && repeated {
		return nil, false
	}
	if !ok {
		var err error
		if value, err = decodeYAML(text, true); err != nil {
			documents, err := decodeJSON(text)
			if err != nil || len(documents) != 1 {
				return nil, false
			}
			value = documents[0].value
		}
	}
	switch value.(type) {
	case map[string]any, []any:
		return value, true
	}
	return nil, false
}

func decodeJSON(text string) ([]document, error) {
	var documents []document
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for at, line := 0, 0; ; {
		var value any
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return documents, nil
		} else if err != nil {
			return nil, err
		}
		value, err := normal(value)
		if err != nil {
			return nil, err
		}
		start := len(text) - len(strings.TrimLeft(text[at:], " \t\r\n"))
		line += strings.Count(text[at:start], "\n")
		documents = append(documents, document{value, start, line})
		at = int(d.InputOffset())
		line += strings.Count(text[start:at], "\n")
	}
}

// decodeYAML reads one document with go-yaml v2, the parser behind sigs.k8s.io/yaml.
func decodeYAML(text string, strict bool) (any, error) {
	value, err := goYAML(text, strict)
	if err == nil {
		return value, nil
	}
	return nil, describe(text, err)
}

func goYAML(text string, strict bool) (any, error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	d.SetStrict(strict)
	var value any
	if err := d.Decode(&value); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	value, err := normal(value)
	if err != nil {
		return nil, err
	}
	// go-yaml stops at the end of the first document and says nothing about what follows.
	var more any
	if err := d.Decode(&more); err == nil {
		return nil, errors.New("did not find expected <document start>")
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return value, nil
}

// normal turns what a parser returns into the types of Object.Value, as sigs.k8s.io/yaml does by way of JSON.
func normal(value any) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			item, err := normal(item)
			if err != nil {
				return nil, err
			}
			value[key] = item
		}
		return value, nil
	case map[any]any:
		m := make(map[string]any, len(value))
		for key, item := range value {
			name, err := keyText(key)
			if err != nil {
				return nil, err
			}
			if _, found := m[name]; found {
				return nil, errors.New("a map has two keys that JSON spells alike, such as 1 and \"1\"; remove one")
			}
			item, err := normal(item)
			if err != nil {
				return nil, err
			}
			m[name] = item
		}
		return m, nil
	case []any:
		for n, item := range value {
			item, err := normal(item)
			if err != nil {
				return nil, err
			}
			value[n] = item
		}
		return value, nil
	case string:
		return validText(value), nil
	case int:
		return int64(value), nil
	case uint64:
		return float64(value), nil
	case float64:
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return nil, errors.New("infinity and NaN are no values of Kubernetes")
		}
		return number(value), nil
	case json.Number:
		if i, err := value.Int64(); err == nil {
			return i, nil
		}
		f, err := value.Float64()
		if err != nil {
			return nil, errors.New("a number is too large")
		}
		return number(f), nil
	}
	return value, nil
}

// keyText returns the key of a map as JSON spells it.
func keyText(key any) (string, error) {
	switch key := key.(type) {
	case string:
		return validText(key), nil
	case int:
		return strconv.Itoa(key), nil
	case int64:
		return strconv.FormatInt(key, 10), nil
	case bool:
		return strconv.FormatBool(key), nil
	case float64:
		return strconv.FormatFloat(key, 'g', -1, 32), nil
	}
	return "", errors.New("a key is null, a list or too large a number; quote it")
}

// validText replaces bytes that are no UTF-8, as JSON does: !!binary may hold any.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// leaks are how messages of go-yaml begin that repeat what stands in the text, which may be a secret.
var leaks = []struct{ prefix, instead string }{
	{"invalid map key: ", "a map or list stands where a key belongs; is this a template that was not rendered?"},
	{"unknown anchor ", "a word that begins with * is an alias, and no anchor (&) has its name; quote it where it is text"},
	{"anchor '", "an anchor contains itself"},
	{"cannot decode ", "a value does not fit its tag (!!)"},
	{"unmarshal errors", "a map has a key twice"},
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// describe turns an error of go-yaml into one with a place and without any value.
func describe(text string, err error) error {
	e := &readError{line: -1, text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := yamlLine.FindStringSubmatch(e.text); m != nil {
		e.text = e.text[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			e.line = n - 1
		}
		// Only its scanner counts from 1; these are words of its parser.
		if strings.HasPrefix(e.text, "did not find expected") {
			e.line++
		}
	}
	for _, leak := range leaks {
		if strings.HasPrefix(e.text, leak.prefix) {
			e.text = leak.instead
		}
	}
	if e.line < 0 {
		e.line = firstLine(text, err)
	}
	lines := strings.SplitAfter(strings.TrimRight(text, " \t\r\n"), "\n")
	e.line = min(e.line, len(lines)-1)
	switch {
	case strings.HasPrefix(e.text, "did not find expected key"):
		e.text += "; look at the indentation here and of the lines before"
	case strings.HasPrefix(e.text, "could not find expected ':'"):
		// It was found missing on the line after.
		for e.line--; e.line > 0 && !isContent(lines[e.line]); e.line-- {
		}
		e.line = max(e.line, 0)
	}
	return e
}

// firstLine finds the line of an error that names none: the end of the shortest beginning of the text with the same error.
func firstLine(text string, err error) int {
	lines := strings.SplitAfter(text, "\n")
	low, high := 0, len(lines)-1
	for low < high {
		middle := (low + high) / 2
		if _, e := goYAML(strings.Join(lines[:middle+1], ""), false); e != nil && e.Error() == err.Error() {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// place returns the position of a fault in a chunk.
func (c chunk) place(source string, line int) Position {
	return Position{Source: source, Line: c.line + line}
}

// fault describes why the chunk cannot be read.
func (c chunk) fault(source string, err error) *Error {
	line := 0
	if e := (*readError)(nil); errors.As(err, &e) {
		line = e.line
	}
	return &Error{Reason: ErrRead, Position: c.place(source, line), Text: fmt.Sprintf("cannot be read as YAML: %v", err)}
}
