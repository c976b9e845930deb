package lint

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scan finds the values and keys that YAML reads otherwise than they are written. v is what the charts know of the place; of what
// is under a key that none knows, only the form is looked at. What an alias stands for is looked at where the alias is.
func (c *checker) scan(n *yaml.Node, path []any, v view) {
	if n = target(n); n == nil || slices.Contains(c.inside, n) {
		return
	}
	c.inside = append(c.inside, n)
	defer func() { c.inside = c.inside[:len(c.inside)-1] }()
	switch n.Kind {
	case yaml.MappingNode:
		c.duplicates(n, path)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if isMerge(key) {
				for _, source := range merged(value) {
					c.scan(source, path, v)
				}
				continue
			}
			name := keyText(key)
			inside := join(path, any(name))
			c.key(key, inside)
			if counts, _ := entry(n, name); counts == key {
				c.scan(value, inside, v.key(name))
			}
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			inside := join(path, any(i))
			if plain(item) && item.Value == "" {
				c.trap(item, Finding{
					Rule: emptyValue, Path: pathText(inside),
					Message: "an item of the list is empty, and is left out", Fix: "write the item, or take the dash away",
				})
				continue
			}
			c.scan(item, inside, v.item())
		}
	case yaml.ScalarNode:
		if plain(n) && v.known() {
			c.plainScalar(n, path, v)
		}
	}
}

// trap remembers a finding at the place of a node.
func (c *checker) trap(n *yaml.Node, f Finding) {
	f.File, f.Line, f.Column = c.document.File, n.Line, n.Column
	f.Severity = severity(f.Severity, c.severities[f.Rule])
	c.traps[spotInFile{n.Line, n.Column}] = f
}

func severity(given, preset Severity) Severity {
	if given != "" {
		return given
	}
	return preset
}

// duplicates finds the keys of a map that stand in it twice.
func (c *checker) duplicates(n *yaml.Node, path []any) {
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if isMerge(key) || key.Kind != yaml.ScalarNode {
			continue
		}
		name := keyText(key)
		if first := seen[name]; first != nil {
			c.add(Finding{
				Rule: duplicateKey, File: c.document.File, Line: key.Line, Column: key.Column, Path: pathText(join(path, any(name))),
				Message: fmt.Sprintf("%s stands in line %d already; Helm takes only the last one, with what is in it", name, first.Line),
				Fix:     "write it once",
			})
		}
		seen[name] = key
	}
}

// key finds a key that is read otherwise than written.
func (c *checker) key(key *yaml.Node, path []any) {
	if !plain(key) {
		return
	}
	is := keyText(key)
	if is == key.Value {
		return
	}
	rule, kind := yamlNumber, "the number "
	if _, ok := read(key.Value).(bool); ok {
		rule, kind = yamlBoolean, "the boolean "
	} else if isOctal(key.Value) {
		rule = yamlOctal
	}
	c.trap(key, Finding{
		Rule: rule, Path: pathText(path),
		Message: fmt.Sprintf("the key %s is read as %s%s", key.Value, kind, is),
		Fix:     fmt.Sprintf("write %q", key.Value),
	})
}

func (c *checker) plainScalar(n *yaml.Node, path []any, v view) {
	quoted := quotedItem(path, n.Value)
	switch value := read(n.Value).(type) {
	case bool:
		is := strconv.FormatBool(value)
		if strings.EqualFold(n.Value, is) || v.only("boolean") {
			return
		}
		fix := "write " + quoted
		if v.takes("boolean") || v.types() == nil {
			fix += ", or " + is + " where that is meant"
		}
		c.trap(n, Finding{
			Rule: yamlBoolean, Path: pathText(path),
			Message: fmt.Sprintf("%s is read as the boolean %s", n.Value, is), Fix: fix,
		})
	case float64:
		c.number(n, value, path, v, quoted)
	}
}

// quotedItem writes a value with its key, as text.
func quotedItem(path []any, value string) string {
	if len(path) > 0 {
		if name, ok := path[len(path)-1].(string); ok {
			return fmt.Sprintf("%s: %q", name, value)
		}
	}
	return fmt.Sprintf("%q", value)
}

func (c *checker) number(n *yaml.Node, value float64, path []any, v view, quoted string) {
	is := number(n.Value, value)
	onlyNumber := v.only("integer", "number")
	name, _ := lastKey(path)
	switch {
	case isOctal(n.Value):
		if onlyNumber && (name == "mode" || name == "defaultMode") {
			return
		}
		fix := "write " + quoted
		if onlyNumber {
			fix = "write the number without the 0 in front, or as " + is
		}
		c.trap(n, Finding{
			Rule: yamlOctal, Path: pathText(path), Message: fmt.Sprintf("%s is read as an octal number: %s", n.Value, is), Fix: fix,
		})
	case isLost(n.Value, value):
		c.trap(n, Finding{
			Rule: bigInteger, Path: pathText(path),
			Message: fmt.Sprintf("%s is too big to be kept exactly and is read as %s", n.Value, seen(value)),
			Fix:     "write " + quoted + " where text will do; else choose a number up to 9007199254740992",
		})
	case is == n.Value || onlyNumber:
	case v.types() == nil:
		if strings.Trim(strings.TrimPrefix(n.Value, is), ".0") == "" && strings.HasPrefix(n.Value, is) && !strings.Contains(is, ".") {
			return // 10.0: the same number, and no version
		}
		c.trap(n, Finding{
			Rule: yamlNumber, Severity: Note, Path: pathText(path),
			Message: fmt.Sprintf("%s is read as the number %s", n.Value, is), Fix: "write " + quoted + " where text is meant",
		})
	default:
		c.trap(n, Finding{
			Rule: yamlNumber, Path: pathText(path),
			Message: fmt.Sprintf("%s is read as the number %s", n.Value, is), Fix: "write " + quoted,
		})
	}
}

// isOctal says whether a number is read as an octal one, and is another one as a decimal number.
func isOctal(text string) bool {
	digits := strings.TrimLeft(strings.ReplaceAll(text, "_", ""), "+-")
	if len(digits) < 2 || digits[0] != '0' || strings.Trim(digits, "01234567") != "" {
		return false
	}
	octal, _ := integer(digits)
	decimal, _ := new(big.Int).SetString(digits, 10)
	return octal.Cmp(decimal) != 0
}

// isLost says whether an integer is read as another one.
func isLost(text string, value float64) bool {
	exact, ok := integer(text)
	if !ok {
		return false
	}
	got, _ := new(big.Float).SetFloat64(value).Int(nil)
	return got.Cmp(exact) != 0
}

// seen is how charts see a number: as an integer where it fits into 64 bits.
func seen(value float64) string {
	if value >= -1<<63 && value < 1<<63 {
		return strconv.FormatInt(int64(value), 10)
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}
