package manifest

import (
	"encoding/base64"
	"fmt"
)

// isSecret says whether an object holds secrets. Only their presence and size are ever shown.
func isSecret(id ID) bool { return id.Kind == "Secret" && id.Group == "" }

// lastApplied is the annotation in which kubectl repeats a whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Mask returns the object with what may be shown of it: the values of a Secret are replaced by their size. Other objects
// come back as they are.
func Mask(o Object) Object {
	if !isSecret(o.ID) {
		return o
	}
	o.Value, _ = masked(nil, o.Value).(map[string]any)
	o.parsed = nil
	return o
}

// mask replaces what a change in a Secret tells of its values.
func mask(p *PathChange) {
	p.From, p.To = masked(p.Path, p.From), masked(p.Path, p.To)
	if from, ok := p.From.(hidden); ok && p.Change == Modified {
		p.From = from + ", changed"
	}
	if to, ok := p.To.(hidden); ok && p.Change == Modified {
		p.To = to + ", changed"
	}
	p.From, p.To = shown(p.From), shown(p.To)
}

// hidden is what stands for a value that is not shown, without its brackets.
type hidden string

func shown(value any) any {
	if value, ok := value.(hidden); ok {
		return "(" + string(value) + ")"
	}
	return value
}

// isSecretPath says whether the value at a path of a Secret is one that is not shown.
func isSecretPath(at Path) bool {
	switch len(at) {
	case 2:
		return at[0] == Key("data") || at[0] == Key("stringData")
	case 3:
		return at[0] == Key("metadata") && at[1] == Key("annotations") && at[2] == Key(lastApplied)
	}
	return false
}

// masked returns the value at a path of a Secret with all secrets in it replaced.
func masked(at Path, value any) any {
	m, isMap := value.(map[string]any)
	switch {
	case value == nil:
		return nil
	case isSecretPath(at), !isMap && len(at) == 1 && (at[0] == Key("data") || at[0] == Key("stringData")):
		return hide(value, at[0] == Key("data"))
	case isMap:
		return maskedMap(at, m)
	}
	return value
}

func maskedMap(at Path, m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		out[key] = shown(masked(append(at[:len(at):len(at)], Key(key)), value))
	}
	return out
}

// hide returns what is said of a secret value.
func hide(value any, encoded bool) hidden {
	text, ok := scalarText(value)
	if !ok {
		return "secret"
	}
	size := len(text)
	if encoded {
		if bytes, err := base64.StdEncoding.DecodeString(text); err == nil {
			size = len(bytes)
		}
	}
	return hidden(fmt.Sprintf("secret, %d bytes", size))
}
