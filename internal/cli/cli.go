// Package cli is the command line of strata: it turns flags into calls of the packages under pkg, one file a command.
//
// Exit codes: 0 all is well or the same, 1 differences, 2 refused input or usage, 3 an internal error.
package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratamesh/strata/internal/nearest"
	"github.com/stratamesh/strata/pkg/render"
)

// Env is what the program takes from its surroundings.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Terminal says whether a stream is a terminal; none is where it is nil.
	Terminal func(io.Writer) bool
	// Now is the clock; time.Now where it is nil.
	Now func() time.Time
}

// now is the time.
func (e Env) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
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
	return env.explain(root.Execute())
}

// explain prints how a command ended, unless it has said all, and returns the exit code for it.
func (e Env) explain(err error) int {
	switch {
	case err == nil:
		return exitSame
	case errors.Is(err, errDifferent):
		return exitDifferent
	}
	fmt.Fprintf(e.Stderr, "strata: %s\n", strings.TrimRight(err.Error(), "\n"))
	for _, hint := range hints(err) {
		fmt.Fprintln(e.Stderr, hint)
	}
	return exitRefused
}

// hints name, for each key that a schema does not know, the one that it knows and that was likely meant.
func hints(err error) []string {
	var refused *render.SchemaError
	if !errors.As(err, &refused) {
		return nil
	}
	var out []string
	for _, key := range refused.Unknown {
		if name, found := nearest.Name(key.Path[len(key.Path)-1], key.Known); found {
			out = append(out, fmt.Sprintf("- %s: did you mean %s?", strings.Join(key.Path, "."), name))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
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
	registerColor(root)
	root.AddCommand(newRender(env), newValues(env), newExplain(env), newProfile(env), newDiff(env), newGolden(env), newVersion(env), newLint(env), newMan())
	registerCompletions(env, root)
	return root
}
