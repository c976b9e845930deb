package test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/internal/cli"
	"github.com/stratamesh/strata/pkg/golden"
)

var (
	fence    = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	aCommand = regexp.MustCompile(`(?m)(?:^|[\s;&|(:])(?:helm strata|strata|go run \./cmd/strata) (.+?)(?: +#.*| \|\|.*| && .*| \| .*| > .*)?$`)
	// expression is one of GitHub Actions.
	expression = regexp.MustCompile(`\$\{\{[^}]*\}\}`)
	shellWord  = regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s"']+`)
)

// Every command of strata in the documents and in the action is one that the program takes.
func TestCommandsInDocuments(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	pages = append(pages, "../README.md", "../CONTRIBUTING.md")
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range fence.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\\\n", " "), -1) {
			if block[1] == "text" {
				continue
			}
			for _, m := range aCommand.FindAllStringSubmatch(block[2], -1) {
				found++
				assert.NoError(t, accepts(m[1]), "%s: strata %s", page, m[1])
			}
		}
	}
	require.Greater(t, found, 30)
	require.Error(t, accepts("golden check --shards 1/2"), "the test can fail")
	require.Error(t, accepts("rendr"), "the test can fail")
}

// accepts says whether the program has such a command with such flags and as many arguments. Nothing is run.
func accepts(line string) error {
	line = expression.ReplaceAllString(line, "1")
	var words []string
	for _, w := range shellWord.FindAllString(line, -1) {
		words = append(words, strings.Trim(w, `"'`))
	}
	root := cli.Command(cli.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv})
	root.InitDefaultCompletionCmd(words...)
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if cmd.HasSubCommands() && cmd != root {
		return errors.New("a group of commands does nothing")
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// The YAML in the documents can be read, and the configuration among it is one.
func TestYAMLInDocuments(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	configurations := 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
			if block[1] != "yaml" {
				continue
			}
			for _, document := range strings.Split(block[2], "\n---\n") {
				var value any
				require.NoError(t, yaml.Unmarshal([]byte(document), &value), "%s:\n%s", page, document)
				if m, ok := value.(map[string]any); ok && m["golden"] != nil && m["charts"] != nil {
					_, err := golden.ReadConfig(page, []byte(document))
					require.NoError(t, err)
					configurations++
				}
			}
		}
	}
	require.Positive(t, configurations)
}

// The action is a composite one whose default command exists, and no input is pasted into a script.
func TestAction(t *testing.T) {
	text, err := os.ReadFile("../action.yml")
	require.NoError(t, err)
	var action struct {
		Inputs  map[string]struct{ Default, Description string }
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []struct {
				Run, Shell, Uses string
				Env              map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &action))
	assert.Equal(t, "composite", action.Runs.Using)
	run, isStrata := strings.CutPrefix(action.Inputs["run"].Default, "strata ")
	require.True(t, isStrata)
	require.NoError(t, accepts(run))
	for _, step := range action.Runs.Steps {
		assert.NotContains(t, step.Run, "${{", "inputs come through the environment")
		if step.Run != "" {
			assert.Equal(t, "bash", step.Shell)
		}
	}
}
