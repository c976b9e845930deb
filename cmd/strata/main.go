// Command strata renders Istio's charts, shows where values come from, and guards profiles with golden files.
package main

import (
	"os"

	"github.com/stratamesh/strata/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}, os.Args[1:]))
}
