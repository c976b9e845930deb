package injection

import (
	"bytes"
	"encoding/json"

	"github.com/pmezard/go-difflib/difflib"
	"sigs.k8s.io/yaml"
)

// strictJSON decodes as an API server does that is strict: an unknown field is an error, and so is a number where a string
// belongs.
func strictJSON(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// strictYAML is strictJSON for YAML, in which no key may stand twice.
func strictYAML(text []byte, into any) error {
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return err
	}
	return strictJSON(converted, into)
}

// difference compares two objects as YAML; empty where they are the same.
func difference(before, after any) string {
	var a, b bytes.Buffer
	x, errX := json.Marshal(before)
	y, errY := json.Marshal(after)
	if errX == nil && errY == nil && bytes.Equal(x, y) {
		return ""
	}
	for out, object := range map[*bytes.Buffer]any{&a: before, &b: after} {
		if err := write(out, object); err != nil {
			return err.Error()
		}
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(a.String()), B: difflib.SplitLines(b.String()), FromFile: "before", ToFile: "after", Context: 2,
	})
	if err != nil {
		return err.Error()
	}
	return text
}
