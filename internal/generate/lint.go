package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/lint"
)

const lintDoc = "docs/lint.md"

// lintRules prints the rules of strata lint into docs/lint.md, each with the first case of the tests in which it applies.
func lintRules(root string) (map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, lintDoc))
	if err != nil {
		return nil, err
	}
	cases, err := readCases(filepath.Join(root, "pkg/lint/testdata/cases.yaml"))
	if err != nil {
		return nil, err
	}
	rules, err := ruleList(lint.Rules(), cases)
	if err != nil {
		return nil, err
	}
	doc, err := replaceBetween(string(text), "rules", rules)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", lintDoc, err)
	}
	return map[string][]byte{lintDoc: []byte(doc)}, nil
}

func ruleList(rules []lint.Rule, cases []object) (string, error) {
	var b strings.Builder
	b.WriteString("| rule | severity | |\n|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, r.Severity, cell(r.Summary))
	}
	for _, r := range rules {
		fmt.Fprintf(&b, "\n### %s\n\n%s %s\n", r.ID, r.Summary, r.Help)
		example, err := firstCase(r.ID, cases)
		if err != nil {
			return "", err
		}
		b.WriteString(example)
	}
	return b.String(), nil
}

// firstCase prints the first case about a rule: what is given, and what is found.
func firstCase(rule string, cases []object) (string, error) {
	for _, c := range cases {
		want, _ := c["want"].(string)
		if c["rule"] != rule || !strings.Contains(want, "["+rule+"]") {
			continue
		}
		var b strings.Builder
		files, _ := c["profiles"].(map[string]any)
		if text, ok := c["values"].(string); ok {
			files = object{"values.yaml": text}
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&b, "\n```yaml\n# %s\n%s```\n", name, files[name])
		}
		command, err := lintCommand(c, files)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n```\n$ %s\n%s```\n", command, want)
		return b.String(), nil
	}
	return "", fmt.Errorf("pkg/lint/testdata/cases.yaml: no case shows the rule %s", rule)
}

// lintCommand is the command line of a case.
func lintCommand(c object, files object) (string, error) {
	var options struct {
		Select             struct{ Profile, Platform string }
		Installed, Without []string
		Namespaces         map[string]string
	}
	text, err := yaml.Marshal(c)
	if err != nil {
		return "", err
	}
	if err := yaml.Unmarshal(text, &options); err != nil {
		return "", err
	}
	words := []string{"strata", "lint"}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	if _, ok := c["values"]; ok {
		add("-f", "values.yaml")
	} else {
		words = append(words, slices.Sorted(maps.Keys(files))...)
	}
	add("--profile", options.Select.Profile)
	add("--platform", options.Select.Platform)
	add("--chart", strings.Join(options.Installed, ","))
	for _, chart := range slices.Sorted(maps.Keys(options.Namespaces)) {
		add("--namespace", chart+"="+options.Namespaces[chart])
	}
	add("--disable", strings.Join(options.Without, ","))
	return strings.Join(words, " "), nil
}
