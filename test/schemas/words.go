package schemas

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
	"k8s.io/apimachinery/pkg/api/resource"
)

// formats are those of Kubernetes that JSON Schema does not have.
var formats = []*jsonschema.Format{
	{Name: "int32", Validate: func(v any) error { return integer(v, 32) }},
	{Name: "int64", Validate: func(v any) error { return integer(v, 64) }},
	{Name: "int-or-string", Validate: func(v any) error { return integer(v, 32) }},
	{Name: "double", Validate: func(any) error { return nil }},
	{Name: "byte", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		_, err := base64.StdEncoding.DecodeString(text)
		return err
	}},
	{Name: "quantity", Validate: func(v any) error {
		text, ok := v.(string)
		if number, isNumber := v.(json.Number); isNumber {
			text, ok = number.String(), true
		}
		if _, err := resource.ParseQuantity(text); ok && err != nil {
			return errors.New("those are like 100m, 1.5 and 2Gi")
		}
		return nil
	}},
}

// integer says what keeps a number from being an integer of some bits. What is no number is for type to find.
func integer(v any, bits int) error {
	number, ok := v.(json.Number)
	if !ok {
		return nil
	}
	if _, err := strconv.ParseInt(number.String(), 10, bits); err != nil {
		return errors.Unwrap(err)
	}
	return nil
}

// Kubernetes' words, as the schemas here write them.
const (
	wordList       = "x-list"
	wordDeprecated = "x-deprecated"
)

const vocabularyURL = "file:///words"

// vocabulary gives JSON Schema the words.
func vocabulary() (*jsonschema.Vocabulary, error) {
	c := jsonschema.NewCompiler()
	if err := c.AddResource(vocabularyURL, map[string]any{}); err != nil {
		return nil, err
	}
	schema, err := c.Compile(vocabularyURL)
	if err != nil {
		return nil, err
	}
	return &jsonschema.Vocabulary{URL: vocabularyURL, Schema: schema, Compile: func(_ *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
		if _, ok := object[wordDeprecated]; ok {
			return deprecatedField{}, nil
		}
		list, ok := object[wordList].(map[string]any)
		if !ok {
			return nil, nil
		}
		out := distinct{defaults: list["defaults"].(map[string]any)}
		keys, _ := list["keys"].([]any)
		for _, key := range keys {
			out.keys = append(out.keys, key.(string))
		}
		return out, nil
	}}, nil
}

// distinct is a list whose items differ in their keys or, without keys, in their values.
type distinct struct {
	keys     []string
	defaults map[string]any
}

func (d distinct) Validate(ctx *jsonschema.ValidatorContext, v any) {
	list, ok := v.([]any)
	if !ok {
		return
	}
	first := map[string]int{}
	for n, item := range list {
		identity, ok := d.identity(item)
		if !ok {
			continue
		}
		if earlier, ok := first[identity]; ok {
			ctx.AddError(&duplicate{identity, earlier, n})
			continue
		}
		first[identity] = n
	}
}

// identity is what an item must not have in common with another. An item that is no object, or without one of the keys, has
// another fault.
func (d distinct) identity(item any) (string, bool) {
	if len(d.keys) == 0 {
		return show(item), true
	}
	object, ok := item.(map[string]any)
	if !ok {
		return "", false
	}
	var parts []string
	for _, key := range d.keys {
		value, ok := object[key]
		if !ok {
			value = d.defaults[key]
		}
		parts = append(parts, key+" "+show(value))
	}
	return strings.Join(parts, ", "), true
}

// show is a value as JSON writes it.
func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// duplicate is the fault of two items.
type duplicate struct {
	identity      string
	first, second int
}

func (*duplicate) KeywordPath() []string { return []string{wordList} }

func (d *duplicate) LocalizedString(*message.Printer) string {
	return fmt.Sprintf("items %d and %d both have %s", d.first, d.second, d.identity)
}

// deprecatedField is a field that Kubernetes tells not to use any more.
type deprecatedField struct{}

func (deprecatedField) Validate(ctx *jsonschema.ValidatorContext, _ any) { ctx.AddError(&deprecated{}) }

type deprecated struct{}

func (*deprecated) KeywordPath() []string { return []string{wordDeprecated} }

func (*deprecated) LocalizedString(*message.Printer) string { return "deprecated field" }
