package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stratamesh/strata/internal/cli"
)

const cliDoc = "docs/cli.md"

// cliPage writes docs/cli.md: each command with its text, its flags and its examples, from the commands themselves.
func cliPage(string) (map[string][]byte, error) {
	root := cli.Command(cli.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }})
	var b strings.Builder
	fmt.Fprintf(&b, "# The command line\n\n<!-- "+header+" -->\n\n", "internal/cli")
	b.WriteString(`strata is one program with the charts and profiles in it: ` + "`go run github.com/stratamesh/strata/cmd/strata`, or `go build -o bin/strata ./cmd/strata`" + `
in a clone. As a plugin of Helm it is ` + "`helm strata`" + `: ` + "`helm plugin install .`" + ` in a clone.

Exit codes of all commands: 0 all is well or the same, 1 differences or findings, 2 refused input or usage, 3 an internal error. Results go
to standard output, all else to standard error. No command uses the network.

`)
	var list func(cmd *cobra.Command)
	var commands []*cobra.Command
	list = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.Name() != "completion" {
				if c.Runnable() && !c.HasAvailableSubCommands() {
					commands = append(commands, c)
				}
				list(c)
			}
		}
	}
	list(root)
	b.WriteString("| command | what it does |\n|---|---|\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.CommandPath(), anchor(c), c.Short)
	}
	b.WriteString("| `strata completion SHELL` | Writes completion for bash, zsh, fish or powershell; it knows charts, profiles, value paths and objects |\n")
	fmt.Fprintf(&b, "\nFlags of every command:\n\n%s", flagTable(root.PersistentFlags()))
	for _, c := range commands {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), c.Short+".", c.UseLine())
		if c.Long != "" {
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.TrimSpace(c.Long))
		}
		if c.Example != "" {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", outdent(c.Example))
		}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.AddFlagSet(c.NonInheritedFlags())
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
			if root.PersistentFlags().Lookup(f.Name) == nil {
				flags.AddFlag(f)
			}
		})
		if flags.HasAvailableFlags() {
			b.WriteString("\n" + flagTable(flags))
		}
	}
	return map[string][]byte{cliDoc: []byte(b.String())}, nil
}

func anchor(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func flagTable(flags *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString("| flag | what it says |\n|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		text := "--" + f.Name
		if f.Shorthand != "" {
			text = "-" + f.Shorthand + ", " + text
		}
		if name != "" {
			text += " " + name
		}
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && f.DefValue != "0" {
			usage += fmt.Sprintf(" (default `%s`)", f.DefValue)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(text, "|", `\|`), cell(usage))
	})
	return b.String()
}

// outdent takes away the two spaces in front of each line of an example.
func outdent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(line, "  "))
	}
	return b.String()
}
