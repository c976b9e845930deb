package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"sigs.k8s.io/yaml"

	_ "istio.io/api/label" // keeps the module, whose CRDs are read as files, in go.mod
)

// crdModule is the Go module that ships Istio's custom resource definitions, all in the one file crdSource.
const (
	crdModule = "istio.io/api"
	crdSource = "kubernetes/customresourcedefinitions.gen.yaml"
	crdDir    = "manifests/charts/base/files/crds"
)

// A crd is one CustomResourceDefinition of the source. Its labels and annotations are named only so that strict
// decoding accepts them: the chart's template writes its own.
type crd struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec map[string]any `json:"spec"`
}

// crds gives the chart base one file for each of Istio's CRDs. A file holds only what follows the metadata, which the
// chart's template writes, and no descriptions: they are 40 % of the text, and a Helm release has to fit into a Secret.
func crds(root string) (map[string][]byte, error) {
	version, dir, err := module(root, crdModule)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, crdSource))
	if err != nil {
		return nil, err
	}
	source := path.Join(crdModule+"@"+version, crdSource)
	definitions, err := parseCRDs(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	files := map[string][]byte{}
	for _, c := range definitions {
		name := path.Join(crdDir, c.Metadata.Name+".yaml")
		if _, ok := files[name]; ok {
			return nil, fmt.Errorf("%s: %s is there twice", source, c.Metadata.Name)
		}
		stripCRD(c.Spec)
		spec, err := yaml.Marshal(map[string]any{"spec": c.Spec})
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", source, c.Metadata.Name, err)
		}
		files[name] = append(fmt.Appendf(nil, "# "+header+"\n", source), spec...)
	}
	return files, nil
}

// module returns the version that root's go.mod selects of a Go module, and the directory of its files.
func module(root, name string) (version, dir string, err error) {
	var out, stderr bytes.Buffer
	// Unlike go list, this also works where nothing has downloaded the module yet.
	cmd := exec.Command("go", "mod", "download", "-json", name)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &stderr
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("%s: %w: %s%s", cmd, err, out.Bytes(), stderr.Bytes())
	}
	var found struct{ Version, Dir string }
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		return "", "", fmt.Errorf("%s: %w", cmd, err)
	}
	return found.Version, found.Dir, nil
}

// parseCRDs reads a stream of CustomResourceDefinitions, with numbers as they are written.
func parseCRDs(text []byte) ([]crd, error) {
	var found []crd
	for n, doc := range bytes.Split(append([]byte("\n"), text...), []byte("\n---\n")) {
		var c *crd
		if err := yaml.UnmarshalStrict(doc, &c, func(d *json.Decoder) *json.Decoder { d.UseNumber(); return d }); err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		switch {
		case c == nil: // nothing but comments
		case c.APIVersion != "apiextensions.k8s.io/v1" || c.Kind != "CustomResourceDefinition" || c.Metadata.Name == "":
			return nil, fmt.Errorf("document %d: %s %s %q is not a CustomResourceDefinition", n, c.APIVersion, c.Kind, c.Metadata.Name)
		default:
			found = append(found, *c)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no CustomResourceDefinition")
	}
	return found, nil
}

// stripCRD removes the descriptions from the spec of a CRD, in place.
func stripCRD(spec map[string]any) {
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		version, _ := v.(map[string]any)
		columns, _ := version["additionalPrinterColumns"].([]any)
		for _, c := range columns {
			if column, ok := c.(map[string]any); ok {
				delete(column, "description")
			}
		}
		if schema, ok := version["schema"].(map[string]any); ok {
			stripSchema(schema["openAPIV3Schema"])
		}
	}
}

// stripSchema removes the descriptions of a schema and of the schemas in it, in place. It goes only where schemas
// stand, so a property with the name description stays, and so does whatever a default, an example or an enum holds.
func stripSchema(s any) {
	schema, ok := s.(map[string]any)
	if !ok {
		return // additionalProperties may be a boolean
	}
	delete(schema, "description")
	for key, value := range schema {
		switch key {
		case "items", "additionalProperties", "additionalItems", "not":
			stripSchema(value)
		case "properties", "patternProperties", "definitions", "dependencies":
			named, _ := value.(map[string]any)
			for _, v := range named {
				stripSchema(v)
			}
		case "allOf", "anyOf", "oneOf":
			list, _ := value.([]any)
			for _, v := range list {
				stripSchema(v)
			}
		}
	}
}
