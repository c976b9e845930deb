package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"helm.sh/helm/v4/pkg/strvals"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
)

// explicit are the values that a user gives: as documents, one for each file and flag, and merged.
type explicit struct {
	documents []profiles.Document
	values    map[string]any
}

// explicit reads the values as helm does: files, then the flags --set-json, --set, --set-string, --set-file and --set-literal, each
// over what comes before, then the selectors that have a flag of their own.
func (s *selection) explicit(env Env) (*explicit, error) {
	e := &explicit{values: map[string]any{}}
	for _, file := range s.files {
		document, err := readDocument(env, file)
		if err != nil {
			return nil, err
		}
		e.documents = append(e.documents, document)
		e.values = render.MergeValues(e.values, runtime.DeepCopyJSON(document.Values)) // flags are written into it
	}
	for _, group := range []struct {
		flag  string
		items []string
		parse func(string, map[string]any) error
	}{
		{"--set-json", s.setJSON, parseJSON},
		{"--set", s.set, strvals.ParseInto},
		{"--set-string", s.setString, strvals.ParseIntoString},
		{"--set-file", s.setFile, func(item string, into map[string]any) error {
			return strvals.ParseIntoFile(item, into, func(name []rune) (any, error) {
				text, err := os.ReadFile(string(name))
				return string(text), err
			})
		}},
		{"--set-literal", s.setRaw, strvals.ParseLiteralInto},
	} {
		for _, item := range group.items {
			if err := e.set(group.flag+" "+item, item, group.parse); err != nil {
				return nil, err
			}
		}
	}
	for _, selector := range []struct{ flag, key, name string }{
		{"--profile", "profile", s.profile},
		{"--compatibility-version", "compatibilityVersion", s.compatibility},
		{"--platform", "platform", s.platform},
	} {
		if selector.name != "" {
			e.documents = append(e.documents, profiles.Document{
				Source: selector.flag + " " + selector.name, Values: map[string]any{selector.key: selector.name},
			})
			e.values[selector.key] = selector.name
		}
	}
	return e, nil
}

// set applies one flag to the merged values, and adds a document with what they hold afterwards wherever the flag sets something: a
// flag may set one item of a list that an earlier one made.
func (e *explicit) set(source, item string, parse func(string, map[string]any) error) error {
	touched := map[string]any{}
	if err := parse(item, e.values); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if err := parse(item, touched); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	for n := range e.documents {
		// A flag may also put a map in the place of another one, which takes away what the documents before had in it.
		e.documents[n].Values = prune(e.documents[n].Values, e.values)
	}
	e.documents = append(e.documents, profiles.Document{Source: source, Values: runtime.DeepCopyJSON(extract(touched, e.values))})
	return nil
}

// prune returns values without what merged does not have. What is left of values is shared.
func prune(values, merged map[string]any) map[string]any {
	out := make(map[string]any, len(values))
	for key, value := range values {
		below, found := merged[key]
		if !found {
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			if lower, ok := below.(map[string]any); ok {
				value = prune(inner, lower)
			}
		}
		out[key] = value
	}
	return out
}

// extract returns what merged has at the leaves of touched.
func extract(touched, merged map[string]any) map[string]any {
	out := make(map[string]any, len(touched))
	for key, value := range touched {
		out[key] = merged[key]
		inner, isMap := value.(map[string]any)
		if below, ok := merged[key].(map[string]any); ok && isMap && len(inner) > 0 {
			out[key] = extract(inner, below)
		}
	}
	return out
}

// parseJSON reads KEY=JSON, or one JSON map, as helm's --set-json does.
func parseJSON(item string, into map[string]any) error {
	if !strings.HasPrefix(strings.TrimSpace(item), "{") {
		return strvals.ParseJSON(item, into)
	}
	var values map[string]any
	if err := json.Unmarshal([]byte(item), &values); err != nil {
		return err
	}
	for key, value := range render.MergeValues(into, values) {
		into[key] = value
	}
	return nil
}

func readDocument(env Env, file string) (profiles.Document, error) {
	source, text, err := readInput(env, file)
	if err != nil {
		return profiles.Document{}, err
	}
	return load.Parse(source, text)
}

// readInput reads a file, or standard input for -, and returns how messages name it.
func readInput(env Env, file string) (source string, text []byte, err error) {
	if file != "-" {
		text, err = os.ReadFile(file)
		return file, text, err
	}
	const stdin = "standard input"
	if text, err = io.ReadAll(env.Stdin); err != nil {
		return stdin, nil, fmt.Errorf("%s: %w", stdin, err)
	}
	return stdin, text, nil
}
