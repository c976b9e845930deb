// Command strata renders Istio's charts, shows where values come from, and guards profiles with golden files.
package main

import (
	"io"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"github.com/stratamesh/strata/internal/cli"
)

func main() {
	if os.Getenv("GOGC") == "" {
		// Renders allocate much and keep little: collecting less often saves a third of their time.
		debug.SetGCPercent(400)
	}
	os.Exit(cli.Main(cli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Terminal: isTerminal, Now: time.Now,
	}, os.Args[1:]))
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
