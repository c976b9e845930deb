package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestCRDs(t *testing.T) {
	const root = "../.."
	files, err := crds(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range files {
		names = append(names, strings.TrimSuffix(path.Base(name), ".yaml"))
	}
	slices.Sort(names)
	want := []string{
		"authorizationpolicies.security.istio.io",
		"destinationrules.networking.istio.io",
		"envoyfilters.networking.istio.io",
		"gateways.networking.istio.io",
		"peerauthentications.security.istio.io",
		"proxyconfigs.networking.istio.io",
		"requestauthentications.security.istio.io",
		"serviceentries.networking.istio.io",
		"sidecars.networking.istio.io",
		"telemetries.telemetry.istio.io",
		"trafficextensions.extensions.istio.io",
		"virtualservices.networking.istio.io",
		"wasmplugins.extensions.istio.io",
		"workloadentries.networking.istio.io",
		"workloadgroups.networking.istio.io",
	}
	if !slices.Equal(names, want) {
		t.Fatalf("CRDs: got %q, want %q", names, want)
	}

	_, dir, err := module(root, crdModule)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, crdSource))
	if err != nil {
		t.Fatal(err)
	}
	for doc := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var source map[string]any
		if err := yaml.Unmarshal(doc, &source); err != nil {
			t.Fatal(err)
		}
		name, _ := source["metadata"].(map[string]any)["name"].(string)
		t.Run(name, func(t *testing.T) {
			content := files[path.Join(crdDir, name+".yaml")]
			lines := strings.SplitN(string(content), "\n", 3)
			if !strings.HasPrefix(lines[0], "# Code generated ") || lines[1] != "spec:" {
				t.Errorf("begins with %q; the template drops the first line and needs spec: next", lines[:2])
			}
			if strings.Count(string(content), "\n#") > 0 {
				t.Error("holds comments, which would reach the rendered output")
			}
			var got map[string]any
			if err := yaml.UnmarshalStrict(content, &got); err != nil {
				t.Fatal(err)
			}
			if n := removeProse(got); n > 0 {
				t.Errorf("%d descriptions left", n)
			}
			if removeProse(source) == 0 {
				t.Error("no descriptions in the source: is the test looking in the right place?")
			}
			if want := map[string]any{"spec": source["spec"]}; !reflect.DeepEqual(got, want) {
				t.Error("differs from the source in more than descriptions")
			}
		})
	}
}

// removeProse removes every description that is text, at any depth, and counts them. It knows nothing of schemas, unlike
// the code that it checks; a property with the name description is a map and stays.
func removeProse(value any) int {
	n := 0
	switch value := value.(type) {
	case map[string]any:
		if _, ok := value["description"].(string); ok {
			delete(value, "description")
			n++
		}
		for _, v := range value {
			n += removeProse(v)
		}
	case []any:
		for _, v := range value {
			n += removeProse(v)
		}
	}
	return n
}

func TestStripCRD(t *testing.T) {
	const given = `
names:
  description: not a schema
versions:
- name: v1
  additionalPrinterColumns:
  - {name: Age, type: date, description: gone}
  schema:
    openAPIV3Schema:
      description: gone
      type: object
      default: {description: kept}
      enum: [{description: kept}]
      x-kubernetes-validations: [{rule: self.all(x, x > 0), description: kept}]
      x-kubernetes-preserve-unknown-fields: true
      required: [description]
      properties:
        description: {type: string, description: gone}
        properties:
          description: gone
          properties:
            description: {type: integer, maximum: 18446744073709551615, description: gone}
        items: {items: {description: gone, type: string}}
        map: {additionalProperties: {description: gone}}
        open: {additionalProperties: true}
        not: {not: {description: gone}, anyOf: [{description: gone}], allOf: [{description: gone}], oneOf: [{description: gone}]}
`
	const want = `
names:
  description: not a schema
versions:
- name: v1
  additionalPrinterColumns:
  - {name: Age, type: date}
  schema:
    openAPIV3Schema:
      type: object
      default: {description: kept}
      enum: [{description: kept}]
      x-kubernetes-validations: [{rule: self.all(x, x > 0), description: kept}]
      x-kubernetes-preserve-unknown-fields: true
      required: [description]
      properties:
        description: {type: string}
        properties:
          properties:
            description: {type: integer, maximum: 18446744073709551615}
        items: {items: {type: string}}
        map: {additionalProperties: {}}
        open: {additionalProperties: true}
        not: {not: {}, anyOf: [{}], allOf: [{}], oneOf: [{}]}
`
	got, wanted := map[string]any{}, map[string]any{}
	for text, into := range map[string]*map[string]any{given: &got, want: &wanted} {
		if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	stripCRD(got)
	if !reflect.DeepEqual(got, wanted) {
		out, _ := yaml.Marshal(got)
		t.Errorf("got\n%s", out)
	}
}

func TestParseCRDs(t *testing.T) {
	const good = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a.example.com\nspec:\n  size: 18446744073709551615\n"
	for _, test := range []struct{ name, text, want string }{
		{"one", good, ""},
		{"comments and separators", "# prose\n---\n" + good + "---\n", ""},
		{"separator first", "---\n" + good, ""},
		{"empty", "", "no CustomResourceDefinition"},
		{"another kind", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n", `document 0: v1 Secret "a" is not a CustomResourceDefinition`},
		{"no name", strings.Replace(good, "a.example.com", `""`, 1), "is not a CustomResourceDefinition"},
		{"a field that would be lost", good + "status: {}\n", `unknown field "status"`},
		{"not YAML", good + "---\na: b: c\n", "document 1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, err := parseCRDs([]byte(test.text))
			switch {
			case test.want == "":
				if err != nil {
					t.Fatal(err)
				}
				if len(found) != 1 || found[0].Metadata.Name != "a.example.com" {
					t.Fatalf("got %v", found)
				}
				out, err := yaml.Marshal(found[0].Spec)
				if err != nil || string(out) != "size: 18446744073709551615\n" {
					t.Errorf("the spec comes out as %q, %v: a number must stay as it is written", out, err)
				}
			case err == nil || !strings.Contains(err.Error(), test.want):
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}
