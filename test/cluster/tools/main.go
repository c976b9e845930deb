// Command tools builds the programs that the tests run, those that the cache does not have, and prints where each is:
//
//	go run ./tools [NAME]…
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/stratamesh/strata/test/cluster/binaries"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := build(ctx, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(ctx context.Context, out, log io.Writer, names []string) error {
	cache, err := binaries.Open(ctx)
	if err != nil {
		return err
	}
	set, err := cache.Build(ctx, log, names...)
	if err != nil {
		return err
	}
	for _, name := range binaries.Names() {
		if path, ok := set[name]; ok {
			fmt.Fprintf(out, "%s\t%s\n", name, path)
		}
	}
	return nil
}
