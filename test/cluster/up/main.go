// Command up starts a cluster as the tests have it, prints how to use it, and ends it on Ctrl-C:
//
//	go run ./up
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/stratamesh/strata/test/cluster/harness"
	"github.com/stratamesh/strata/test/cluster/standin"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := up(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func up(ctx context.Context, out io.Writer) (err error) {
	options, err := harness.Options{}.Defaults(ctx, "up")
	if err != nil {
		return err
	}
	if options.Dir == "" {
		if options.Dir, err = os.MkdirTemp("", "strata-cluster-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(options.Dir) }() // the system's own cleaning does the rest
	}
	c, err := harness.Start(ctx, options)
	if err != nil {
		return err
	}
	defer c.Stop()
	play, err := standin.Start(c)
	if err != nil {
		return err
	}
	defer play.Stop()
	fmt.Fprintf(out, "export KUBECONFIG=%s\n# Helm: %s, %s\n# logs: %s\n", c.Kubeconfig, options.Binaries["helm3"], options.Binaries["helm4"], c.Dir())
	<-ctx.Done()
	return nil
}
