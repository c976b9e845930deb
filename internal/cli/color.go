package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// A colorMode is the value of --color.
type colorMode string

const (
	colorAuto   colorMode = "auto"
	colorAlways colorMode = "always"
	colorNever  colorMode = "never"
)

const colorFlag = "color"

// registerColor adds --color to the root command, and so to all.
func registerColor(root *cobra.Command) {
	mode := colorAuto
	root.PersistentFlags().Var(&mode, colorFlag, "`WHEN` output has colours: auto (on a terminal, unless NO_COLOR is set), always or never")
}

// color says whether standard output gets colours. An empty NO_COLOR counts as none, as https://no-color.org has it.
func (e Env) color(cmd *cobra.Command) bool {
	switch cmd.Flag(colorFlag).Value.String() {
	case string(colorAlways):
		return true
	case string(colorNever):
		return false
	}
	return e.Terminal != nil && e.Terminal(e.Stdout) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// Set refuses other words than the three.
func (m *colorMode) Set(text string) error {
	switch mode := colorMode(text); mode {
	case colorAuto, colorAlways, colorNever:
		*m = mode
		return nil
	}
	return fmt.Errorf("use %s, %s or %s", colorAuto, colorAlways, colorNever)
}

func (m *colorMode) String() string { return string(*m) }

// Type is shown in messages of pflag.
func (*colorMode) Type() string { return "when" }
