package lint

import (
	"testing"

	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"
)

// FuzzScalar compares how a plain scalar is read with how Helm reads it, as a value and as a key.
func FuzzScalar(f *testing.F) {
	for _, text := range []string{"", "~", "null", "y", "on", "true", "1.30", "0777", "08", "0x1F", "0b1", "1_000", "-0", "+1", ".5", "1e3", ".inf", "1:30", "2026-11-30", "a", "12345678901234567890"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var node yaml.Node
		if err := yaml.Unmarshal([]byte("k: "+text+"\n"+text+": k\n"), &node); err != nil || len(node.Content) != 1 {
			return
		}
		m := node.Content[0]
		if len(m.Content) != 4 || !plain(m.Content[1]) || !plain(m.Content[2]) || m.Content[1].Value != m.Content[2].Value || isMerge(m.Content[2]) {
			return
		}
		text = m.Content[1].Value
		var value map[string]any
		if err := sigs.Unmarshal([]byte("k: "+text+"\n"), &value); err != nil {
			return // refused
		}
		if got := read(text); got != value["k"] {
			t.Errorf("%q is read as %#v, Helm reads %#v", text, got, value["k"])
		}
		var key map[string]any
		if err := sigs.Unmarshal([]byte(text+": k\n"), &key); err != nil {
			return
		}
		if _, ok := key[keyText(m.Content[2])]; !ok {
			t.Errorf("the key %q is read as %q, Helm has %v", text, keyText(m.Content[2]), key)
		}
	})
}
