package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/stratamesh/strata/test/schemas/internal/data"
)

// published is what one minor publishes.
type published struct {
	kinds []data.Kind
	// definitions are as published.
	definitions map[string]map[string]any
	enums       enums
}

// A document is one of the files that Kubernetes keeps its OpenAPI in, one for each version of an API.
type document struct {
	Paths map[string]struct {
		Post *struct {
			Action      string                  `json:"x-kubernetes-action"`
			Kind        schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
			RequestBody struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
	}
	Components struct {
		Schemas map[string]map[string]any
	}
}

// read reads the API of a module k8s.io/kubernetes.
func read(dir string) (*published, error) {
	files, err := filepath.Glob(filepath.Join(dir, "api/openapi-spec/v3/*_openapi.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no OpenAPI documents in %s: %w", dir, err)
	}
	out := &published{definitions: map[string]map[string]any{}}
	if out.enums, err = readEnums(filepath.Join(dir, "pkg/generated/openapi/zz_generated.openapi.go")); err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var d document
		if err := json.Unmarshal(text, &d); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		for name, definition := range d.Components.Schemas {
			out.definitions[name] = definition
		}
		for path, operations := range d.Paths {
			// What is created under a name is a part of an object, such as a binding of a pod.
			if operations.Post == nil || operations.Post.Action != "post" || strings.Contains(path, "{name}") {
				continue
			}
			kind := operations.Post.Kind
			var definition string
			for _, content := range operations.Post.RequestBody.Content {
				definition = target(content.Schema)
			}
			if definition == "" {
				return nil, fmt.Errorf("%s: %s: no schema for %s", filepath.Base(file), path, kind.Kind)
			}
			out.kinds = append(out.kinds, data.Kind{
				APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Definition: definition,
				Namespaced: strings.Contains(path, "{namespace}"), Deprecated: deprecated(kind),
			})
		}
	}
	return out, nil
}

// deprecated is the first minor that warns about a kind. What knows it is the newest k8s.io/api: it has the older versions too.
func deprecated(kind schema.GroupVersionKind) string {
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		return ""
	}
	if o, ok := object.(interface{ APILifecycleDeprecated() (int, int) }); ok {
		major, minor := o.APILifecycleDeprecated()
		return fmt.Sprintf("%d.%d", major, minor)
	}
	return ""
}

// used returns the definitions of the kinds, and all that these refer to, in the words that data.Definition names.
func (p *published) used(kinds map[string][]string) (map[string]map[string]any, error) {
	out := map[string]map[string]any{}
	var add func(name string) error
	add = func(name string) error {
		if out[name] != nil {
			return nil
		}
		definition, err := p.definition(name)
		if err != nil {
			return err
		}
		out[name] = definition
		for _, reference := range references(definition) {
			if err := add(reference); err != nil {
				return err
			}
		}
		return nil
	}
	for apiVersion, names := range kinds {
		for _, kind := range names {
			at := slices.IndexFunc(p.kinds, func(k data.Kind) bool { return k.APIVersion == apiVersion && k.Kind == kind })
			// A kind that this minor does not have yet, or not any more, is for the test to find.
			if at < 0 {
				continue
			}
			if err := add(p.kinds[at].Definition); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// definition returns one definition in the words of data.Definition.
func (p *published) definition(name string) (map[string]any, error) {
	if own, ok := exact[name]; ok {
		return own, nil
	}
	source, ok := p.definitions[name]
	if !ok {
		return nil, fmt.Errorf("no definition %s", name)
	}
	out, err := normal(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 1 && out["type"] == "object" {
		return nil, fmt.Errorf("%s is an object of which nothing is said: decide what it means for the test", name)
	}
	if err := p.enums.apply(name, out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

const (
	kube       = "io.k8s.apimachinery.pkg."
	extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
)

// exact are definitions that OpenAPI leaves vague: numbers that are text, objects without a word about their fields, and the places
// in a schema where a schema stands beside other forms. (Kubernetes knows more forms; it refuses them in a
// CustomResourceDefinition.)
var exact = map[string]map[string]any{
	kube + "api.resource.Quantity":                 {"type": []any{"string", "number"}, "format": "quantity"},
	kube + "util.intstr.IntOrString":               {"type": []any{"integer", "string"}, "format": "int-or-string"},
	kube + "apis.meta.v1.FieldsV1":                 {"type": "object"},
	extensions + "CustomResourceSubresourceStatus": {"type": "object", "properties": map[string]any{}},
	extensions + "JSONSchemaPropsOrArray":          {"$ref": extensions + "JSONSchemaProps"},
	extensions + "JSONSchemaPropsOrBool":           {"if": map[string]any{"type": "boolean"}, "else": map[string]any{"$ref": extensions + "JSONSchemaProps"}},
	extensions + "JSONSchemaPropsOrStringArray":    {"$ref": extensions + "JSONSchemaProps"},
}

// A field says of itself that it is deprecated in these words. They are not about values, other fields or the API around.
var deprecation = regexp.MustCompile(`\b(Deprecated|DEPRECATED)[:.]|[Tt]his field is deprecated`)

// normal takes away what is for people or for clients, and writes the rest in one way only.
func normal(schema map[string]any) (map[string]any, error) {
	if reference := target(schema); reference != "" {
		out := map[string]any{"$ref": reference}
		if isDeprecated(schema) {
			out["deprecated"] = true
		}
		return out, nil
	}
	out := map[string]any{}
	for key, value := range schema {
		switch key {
		case "type", "format", "required", "x-kubernetes-list-map-keys":
			out[key] = value
		case "x-kubernetes-list-type":
			if value != "atomic" {
				out[key] = value
			}
		case "default":
			switch value {
			case "", 0.0, false:
			default:
				if _, ok := value.(map[string]any); !ok {
					out[key] = value
				}
			}
		case "items", "additionalProperties":
			inner, err := normal(value.(map[string]any))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			out[key] = inner
		case "properties":
			properties := map[string]any{}
			for name, property := range value.(map[string]any) {
				inner, err := normal(property.(map[string]any))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				properties[name] = inner
			}
			out[key] = properties
		case "description":
			if isDeprecated(schema) {
				out["deprecated"] = true
			}
		case "x-kubernetes-group-version-kind", "x-kubernetes-map-type", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy", "x-kubernetes-unions":
		default:
			return nil, fmt.Errorf("unknown word %s: decide what it means for the test", key)
		}
	}
	return out, nil
}

func isDeprecated(schema map[string]any) bool {
	description, _ := schema["description"].(string)
	return deprecation.MatchString(description)
}

// target returns the name of the definition that a schema refers to, by $ref alone or, beside a description, by allOf.
func target(schema map[string]any) string {
	if all, ok := schema["allOf"].([]any); ok && len(all) == 1 {
		schema, _ = all[0].(map[string]any)
	}
	reference, _ := schema["$ref"].(string)
	return strings.TrimPrefix(reference, "#/components/schemas/")
}

// references lists the definitions that a schema refers to.
func references(value any) []string {
	var out []string
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if name, ok := inner.(string); ok && key == "$ref" {
				out = append(out, name)
			}
			out = append(out, references(inner)...)
		}
	case []any:
		for _, inner := range value {
			out = append(out, references(inner)...)
		}
	}
	return out
}
