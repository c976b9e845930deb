package lint

import (
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"
)

// plain says whether a node is a scalar without quotes and tag, which YAML gives a type by how it looks.
func plain(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 }

// keyText is a key as Helm reads it: `on` is "true", 1.30 is "1.3".
func keyText(n *yaml.Node) string {
	if !plain(n) {
		return n.Value
	}
	switch value := read(n.Value).(type) {
	case bool:
		return strconv.FormatBool(value)
	case float64:
		return number(n.Value, value)
	}
	return n.Value
}

// read returns what Helm reads for a plain scalar: a string, bool, float64 or nil.
func read(text string) any {
	if !typed(text) {
		return text
	}
	var list []any
	if err := sigs.Unmarshal([]byte("- "+text), &list); err != nil || len(list) != 1 {
		return text
	}
	switch value := list[0].(type) {
	case nil, bool, float64:
		return value
	}
	return text
}

// typed says whether a plain scalar may be anything but a string: by its first character, and because it is short.
func typed(text string) bool {
	return text == "" || len(text) < 64 && strings.ContainsRune("0123456789+-.~yYnNtToOfF", rune(text[0])) && !strings.ContainsAny(text, " \t\n:#,[]{}")
}

// number is how Helm writes a number that it has read: as an integer where it is one.
func number(text string, value float64) string {
	if i, ok := integer(text); ok {
		return i.String()
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

// integer is the integer that a plain scalar is read as; false where it is none.
func integer(text string) (*big.Int, bool) {
	digits := strings.ReplaceAll(text, "_", "")
	return new(big.Int).SetString(digits, 0)
}
