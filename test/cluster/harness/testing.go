package harness

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratamesh/strata/test/cluster/binaries"
)

// Environment variables for whoever looks for the cause of a failure.
const (
	// KeepVariable is a folder for the files of every cluster, which stay there. Without it they are in a temporary folder.
	KeepVariable = "STRATA_CLUSTER_KEEP"
	// EmulateVariable is the minor of Kubernetes that clusters behave as.
	EmulateVariable = "STRATA_CLUSTER_EMULATE"
)

// Defaults fills in what is empty of Binaries (the cache), Dir (a folder of this name in the folder of KeepVariable) and
// EmulatedVersion (EmulateVariable). Dir stays empty where that variable is.
func (o Options) Defaults(ctx context.Context, name string) (Options, error) {
	if o.Binaries == nil {
		cache, err := binaries.Open(ctx)
		if err != nil {
			return o, err
		}
		if o.Binaries, err = cache.Find("etcd", "kwok", "helm3", "helm4", apiServer, "kube-controller-manager", "kube-scheduler"); err != nil {
			return o, err
		}
	}
	if keep := os.Getenv(KeepVariable); o.Dir == "" && keep != "" {
		o.Dir = filepath.Join(keep, strings.ReplaceAll(name, "/", "_"))
		// Data of an earlier run would come to life again.
		if err := os.RemoveAll(o.Dir); err != nil {
			return o, err
		}
	}
	if o.EmulatedVersion == "" {
		o.EmulatedVersion = os.Getenv(EmulateVariable)
	}
	return o, nil
}

// New starts a cluster for a test, with defaults for what is empty, in a temporary folder where no other is said, and stops it at
// the test's end. After a failure the test's output says where the
// logs are.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	o, err := o.Defaults(ctx, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	c, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Stop()
		if t.Failed() {
			t.Log(c.Hint())
		}
	})
	return c
}

// Hint says where the logs are, for whoever looks for the cause of a failure.
func (c *Cluster) Hint() string {
	if os.Getenv(KeepVariable) != "" {
		return "logs are in " + c.Dir()
	}
	return "to keep the logs of the cluster, set " + KeepVariable + " to a folder"
}
