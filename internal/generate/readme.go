package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// readmes makes README.md of each chart: how to install it, and a table of its values in the spelling that users write.
func readmes(root string) (map[string][]byte, error) {
	charts, err := readCharts(root)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "strata.yaml"))
	if err != nil {
		return nil, err
	}
	var config struct {
		Charts []struct{ Path, Release, Namespace string } `json:"charts"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("strata.yaml: %w", err)
	}
	files := map[string][]byte{}
	for _, c := range charts {
		release, namespace := c.name, "default"
		for _, entry := range config.Charts {
			if path.Base(entry.Path) == c.name {
				release, namespace = entry.Release, entry.Namespace
			}
		}
		files[path.Join("manifests/charts", c.name, "README.md")] = []byte(c.readme(release, namespace))
	}
	return files, nil
}

func (c *chartFile) readme(release, namespace string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- "+header+" -->\n", "values.yaml and Chart.yaml")
	fmt.Fprintf(&b, "# %s\n\n%s (Istio %s).\n\n", c.name, c.meta.Description, c.meta.AppVersion)
	fmt.Fprintf(&b, "```sh\nhelm install %s -n %s --create-namespace manifests/charts/%s --set profile=ambient\n```\n\n", release, namespace, c.name)
	b.WriteString("What you set explicitly wins, then the platform, the compatibility version and the profile that you select, then the\n" +
		"defaults below. `null` takes a value away. See [docs/layers.md](../../../docs/layers.md).\n")
	if c.section != "" {
		fmt.Fprintf(&b, "\nIn a values file that serves all charts, the keys may also stand under `%s`; there they win over the root.\n", c.section)
	}
	b.WriteString("\n## Values\n\n| Key | Type | Default | Description |\n|---|---|---|---|\n")
	rows(&b, "", c.values)
	return b.String()
}

func rows(b *strings.Builder, prefix string, v *value) {
	for _, child := range v.children {
		name := prefix + child.name
		if len(child.children) > 0 {
			rows(b, name+".", child)
			continue
		}
		kind := child.typeExpr()
		if child.enum != nil {
			quoted := make([]string, 0, len(child.enum))
			for _, item := range child.enum {
				quoted = append(quoted, fmt.Sprintf("%q", item))
			}
			kind = strings.Join(quoted, ", ")
		}
		preset := ""
		if child.hasPreset {
			text, err := json.Marshal(child.preset)
			if err == nil {
				preset = "`" + string(text) + "`"
			}
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, cell(kind), cell(preset), cell(child.description))
	}
}

// cell escapes what would end a cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
