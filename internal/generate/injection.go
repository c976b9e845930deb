package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	injectionSources = "manifests/injection"
	injectionOutput  = "manifests/charts/istiod/files/injection"
)

var (
	// includeLine is a directive; the indentation before it goes before every line of the included text.
	includeLine = regexp.MustCompile(`^([ \t]*)# include:[ \t]*(.*?)[ \t]*$`)

	// templateComment is a template comment that has its lines to itself.
	templateComment = regexp.MustCompile(`(?ms)^[ \t]*\{\{-?[ \t]*/\*.*?\*/[ \t]*-?\}\}[ \t]*\n`)
)

// injection assembles the templates that Istio's injector and its gateway deployment controller execute from
// manifests/injection/*.yaml and the parts that they include. The result carries no comments: it becomes a
// ConfigMap. A part that does not exist, that includes itself or that nobody includes is an error.
func injection(root string) (map[string][]byte, error) {
	templates, err := injectionTexts(root, "*.yaml")
	if err != nil {
		return nil, err
	}
	if len(templates) == 0 {
		return nil, fmt.Errorf("no templates in %s", injectionSources)
	}
	parts, err := injectionTexts(root, "parts/*.yaml")
	if err != nil {
		return nil, err
	}
	a := assembler{parts: parts, used: map[string]bool{}}
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		text, err := a.assemble(name, templates[name], nil)
		if err != nil {
			return nil, err
		}
		files[path.Join(injectionOutput, name)] = []byte(strings.TrimLeft(text, "\n"))
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if !a.used[name] {
			return nil, fmt.Errorf("%s: no template includes this part", path.Join(injectionSources, name))
		}
	}
	return files, nil
}

// injectionTexts reads the files that match the pattern, by their path below the folder of the sources.
func injectionTexts(root, pattern string) (map[string]string, error) {
	dir := filepath.Join(root, injectionSources)
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, file := range paths {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return nil, err
		}
		texts[filepath.ToSlash(name)] = string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	}
	return texts, nil
}

// An assembler puts parts in the place of include directives, and remembers which it used.
type assembler struct {
	parts map[string]string
	used  map[string]bool
}

// assemble returns the text of one file without comments and with all that it includes. The chain names the files
// that lead to this one.
func (a assembler) assemble(name, text string, chain []string) (string, error) {
	chain = append(chain, name)
	var out strings.Builder
	for line := range strings.Lines(templateComment.ReplaceAllString(text, "")) {
		include := includeLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if include == nil {
			if !strings.HasPrefix(strings.TrimSpace(line), "#") {
				out.WriteString(line)
			}
			continue
		}
		indent, part := include[1], include[2]
		body, ok := a.parts[part]
		if !ok {
			return "", fmt.Errorf("%s: no part %q", path.Join(injectionSources, name), part)
		}
		if slices.Contains(chain, part) {
			return "", fmt.Errorf("%s: a part includes itself: %s", injectionSources, strings.Join(append(chain, part), " > "))
		}
		a.used[part] = true
		body, err := a.assemble(part, body, chain)
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(body) {
			if strings.TrimSpace(line) != "" {
				out.WriteString(indent)
			}
			out.WriteString(line)
		}
	}
	return out.String(), nil
}
