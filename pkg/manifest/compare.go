package manifest

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// A comparison finds the places in which two objects differ. The rules are in the package comment.
type comparison struct {
	schema           *Schema
	apiVersion, kind string

	hasText  bool // values in data may be text that holds YAML or JSON
	isSecret bool
	// skip are the paths of what a rename changes.
	skip []Path

	at    Path
	exact bool // inside such text: absent, null and an empty map are three things
	found []PathChange
}

// nothing is the value of a key that is not there.
type nothing struct{}

// compareObjects returns the places in which two objects of one identity, or a renamed one, differ; sorted.
func compareObjects(s *Schema, a, b *Object) []PathChange {
	if a.parsed != nil && a.parsed == b.parsed {
		return nil
	}
	of := b
	if a.APIVersion != b.APIVersion && !s.declares(b.APIVersion, b.ID.Kind) {
		of = a // a version that is gone, or is yet to come
	}
	c := comparison{
		schema: s, apiVersion: of.APIVersion, kind: of.ID.Kind,
		hasText:  isConfigMap(a.ID) && isConfigMap(b.ID),
		isSecret: isSecret(a.ID) || isSecret(b.ID),
	}
	if a.ID != b.ID {
		c.skip = []Path{{Key("kind")}, {Key("metadata"), Key("name")}, {Key("metadata"), Key("generateName")}, {Key("metadata"), Key("namespace")}}
		if a.ID.Group != b.ID.Group {
			c.skip = append(c.skip, Path{Key("apiVersion")})
		}
	}
	c.maps(a.Value, b.Value)
	slices.SortFunc(c.found, func(x, y PathChange) int { return x.Path.Compare(y.Path) })
	return c.found
}

func isConfigMap(id ID) bool { return id.Kind == "ConfigMap" && id.Group == "" }

func (c *comparison) push(step Step) { c.at = append(c.at, step) }
func (c *comparison) pop()           { c.at = c.at[:len(c.at)-1] }

// value compares what stands at one place. Either may be nothing.
func (c *comparison) value(x, y any) {
	if !c.exact {
		if isEmpty(x) {
			x = nothing{}
		}
		if isEmpty(y) {
			y = nothing{}
		}
	}
	if c.isSecret && isSecretPath(c.at) {
		if !identical(x, y) {
			c.report(x, y)
		}
		return
	}
	switch x := x.(type) {
	case map[string]any:
		if y, ok := y.(map[string]any); ok {
			c.maps(x, y)
			return
		}
		if y == (nothing{}) && !c.exact {
			c.maps(x, nil)
			return
		}
	case []any:
		if y, ok := y.([]any); ok {
			c.lists(x, y)
			return
		}
		if y == (nothing{}) && c.listOfItems(x, nil) {
			return
		}
	case nothing:
		switch y := y.(type) {
		case nothing:
			return
		case map[string]any:
			if !c.exact {
				c.maps(nil, y)
				return
			}
		case []any:
			if c.listOfItems(nil, y) {
				return
			}
		}
	case string:
		if y, ok := y.(string); ok && (x == y || c.inText(x, y)) {
			return
		}
	}
	if !c.sameScalar(x, y) {
		c.report(x, y)
	}
}

func (c *comparison) maps(x, y map[string]any) {
	for key, value := range x {
		other, found := y[key]
		if !found {
			other = nothing{}
		}
		c.key(key, value, other)
	}
	for key, value := range y {
		if _, found := x[key]; !found {
			c.key(key, nothing{}, value)
		}
	}
}

func (c *comparison) key(key string, x, y any) {
	c.push(Key(key))
	defer c.pop()
	if len(c.at) <= 2 && slices.ContainsFunc(c.skip, func(p Path) bool { return p.Compare(c.at) == 0 }) {
		return
	}
	c.value(x, y)
}

// inText compares two texts in the data of a ConfigMap by what is in them. It is false where either holds no YAML or JSON,
// or where one holds a map and the other a list.
func (c *comparison) inText(x, y string) bool {
	if !c.hasText || c.exact || len(c.at) != 2 || c.at[0] != Key("data") {
		return false
	}
	inX, ok := structure(x)
	if !ok {
		return false
	}
	inY, ok := structure(y)
	if !ok || kindName(inX) != kindName(inY) {
		return false
	}
	c.exact = true
	c.value(inX, inY)
	c.exact = false
	return true
}

// sameScalar says whether two scalars mean the same: numbers by value, quantities by amount.
func (c *comparison) sameScalar(x, y any) bool {
	switch x := x.(type) {
	case nil, bool, string:
		if x == y {
			return true
		}
	case int64:
		if f, ok := y.(float64); x == y || ok && float64(x) == f {
			return true
		}
	case float64:
		if i, ok := y.(int64); x == y || ok && float64(i) == x {
			return true
		}
	}
	return !c.exact && sameQuantity(x, y) && c.schema.IsQuantity(c.apiVersion, c.kind, c.at)
}

// sameQuantity says whether two scalars, read as quantities, are the same amount.
func sameQuantity(x, y any) bool {
	textX, ok := scalarText(x)
	if !ok {
		return false
	}
	textY, ok := scalarText(y)
	if !ok || textX == "" || textY == "" || !isDigitOrSign(textX[0]) || !isDigitOrSign(textY[0]) {
		return false
	}
	qx, err := resource.ParseQuantity(textX)
	if err != nil {
		return false
	}
	qy, err := resource.ParseQuantity(textY)
	return err == nil && qx.Cmp(qy) == 0
}

func isDigitOrSign(c byte) bool { return c >= '0' && c <= '9' || c == '.' || c == '+' || c == '-' }

// report adds a change at the current place.
func (c *comparison) report(x, y any) {
	p := PathChange{Path: slices.Clone(c.at), Change: Modified, From: x, To: y}
	switch {
	case x == nothing{}:
		p.Change, p.From = Added, nil
	case y == nothing{}:
		p.Change, p.To = Removed, nil
	}
	if c.isSecret {
		mask(&p)
	} else if p.Change == Modified {
		p.Text = textDiff(x, y)
	}
	c.found = append(c.found, p)
}

// isEmpty says whether a value is null, not there, or a map with nothing but such values.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil, nothing:
		return true
	case map[string]any:
		for _, item := range value {
			if !isEmpty(item) {
				return false
			}
		}
		return true
	}
	return false
}

// identical compares values as they are written, except that numbers are compared by value.
func identical(x, y any) bool {
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, value := range x {
			if other, found := y[key]; !found || !identical(value, other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, identical)
	case int64:
		f, ok := y.(float64)
		return x == y || ok && float64(x) == f
	case float64:
		i, ok := y.(int64)
		return x == y || ok && float64(i) == x
	}
	switch y.(type) {
	case map[string]any, []any:
		return false
	}
	return x == y
}

// fingerprint returns a text that is the same for two values that are equal, whatever their lists mean: keys are sorted,
// and unless exact, what is empty is left out.
func fingerprint(value any, exact bool) string {
	var b strings.Builder
	writeFingerprint(&b, value, exact)
	return b.String()
}
