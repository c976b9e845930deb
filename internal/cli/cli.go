// Package cli is the command line of strata: it turns flags into calls of the packages under pkg, one file a command.
//
// Exit codes: 0 all is well or the same, 1 differences, 2 refused input or usage, 3 an internal error.
package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Env is what the program takes from its surroundings.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
}

// The exit codes.
const (
	exitSame      = 0
	exitDifferent = 1
	exitRefused   = 2
	exitInternal  = 3
)

// errDifferent ends a command that found differences and has said all about them.
var errDifferent = errors.New("differences")

// Main runs the program and returns its exit code.
func Main(env Env, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(env.Stderr, "strata: internal error: %v\n%s", r, debug.Stack())
			code = exitInternal
		}
	}()
	root := newRoot(env)
	root.SetArgs(args)
	err := root.Execute()
	switch {
	case err == nil:
		return exitSame
	case errors.Is(err, errDifferent):
		return exitDifferent
	}
	fmt.Fprintf(env.Stderr, "strata: %s\n", strings.TrimRight(err.Error(), "\n"))
	return exitRefused
}

func newRoot(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "strata",
		Short:         "Renders Istio's charts and guards their profiles",
		Long:          "strata renders Istio's charts under profiles, platforms and compatibility versions, and guards what they render to.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.AddCommand(newRender(env), newDiff(env), newGolden(env))
	return root
}
