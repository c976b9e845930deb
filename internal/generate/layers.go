package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

const layersDoc = "docs/layers.md"

// layers prints the cases of merging and layering, which the tests run, into the tables of docs/layers.md.
func layers(root string) (map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, layersDoc))
	if err != nil {
		return nil, err
	}
	merge, err := readCases(filepath.Join(root, "pkg/profiles/testdata/merge.yaml"))
	if err != nil {
		return nil, err
	}
	layer, err := readCases(filepath.Join(root, "pkg/profiles/testdata/layers.yaml"))
	if err != nil {
		return nil, err
	}
	doc, err := replaceBetween(string(text), "merge cases", mergeTable(merge))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", layersDoc, err)
	}
	if doc, err = replaceBetween(doc, "layer cases", layerTable(layer)); err != nil {
		return nil, fmt.Errorf("%s: %w", layersDoc, err)
	}
	return map[string][]byte{layersDoc: []byte(doc)}, nil
}

func readCases(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []object
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return cases, nil
}

// replaceBetween puts text between the markers of a name.
func replaceBetween(doc, name, text string) (string, error) {
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->\n"
	before, rest, ok := strings.Cut(doc, begin)
	if !ok {
		return "", fmt.Errorf("no marker %q", begin)
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("no marker %q", end)
	}
	return before + begin + text + end + after, nil
}

func mergeTable(cases []object) string {
	var b strings.Builder
	b.WriteString("| case | lower | upper | result | reason |\n|---|---|---|---|---|\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c["name"], code(c["lower"]), code(c["upper"]), outcome(c), cell(fmt.Sprint(c["reason"])))
	}
	return b.String()
}

func layerTable(cases []object) string {
	var b strings.Builder
	b.WriteString("| case | layers | explicit | result | reason |\n|---|---|---|---|---|\n")
	for _, c := range cases {
		given := object{}
		for _, key := range []string{"chart", "defaults", "catalog"} {
			if c[key] != nil {
				given[key] = c[key]
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c["name"], code(given), code(c["explicit"]), outcome(c), cell(fmt.Sprint(c["reason"])))
	}
	return b.String()
}

func outcome(c object) string {
	if text, ok := c["error"].(string); ok {
		return "error: " + cell(strings.ReplaceAll(text, "\n", "; "))
	}
	return code(c["want"])
}

// code prints a value as JSON in a cell.
func code(value any) string {
	text, err := json.Marshal(value)
	if err != nil || value == nil {
		return ""
	}
	return "`" + cell(string(text)) + "`"
}
