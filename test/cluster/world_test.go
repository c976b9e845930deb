package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/test/cluster/api"
	"github.com/stratamesh/strata/test/cluster/binaries"
	"github.com/stratamesh/strata/test/cluster/harness"
	"github.com/stratamesh/strata/test/cluster/standin"
)

// world is a cluster with a stand-in for istiod and the cloud.
type world struct {
	*harness.Cluster
	client *api.Client
	play   *standin.StandIn
}

func newWorld(ctx context.Context, name, dir string) (*world, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	options, err := harness.Options{}.Defaults(ctx, name)
	if err != nil {
		return nil, err
	}
	if options.Dir == "" {
		options.Dir = dir
	}
	c, err := harness.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	w := &world{Cluster: c}
	if w.client, err = api.New(c.Kubeconfig); err == nil {
		w.play, err = standin.Start(c)
	}
	if err != nil {
		c.Stop()
		return nil, err
	}
	// The namespaces of the documentation.
	for _, ns := range []string{"istio-system", "istio-ingress"} {
		if _, err := w.client.Apply(ctx, api.ApplyOptions{}, namespace(ns)); err != nil {
			w.stop()
			return nil, err
		}
	}
	return w, nil
}

// stop ends all of it. It may be called again.
func (w *world) stop() {
	w.play.Stop()
	w.Stop()
}

// start starts a world for one test.
func start(t *testing.T) *world {
	t.Helper()
	begin := time.Now()
	w, err := newWorld(t.Context(), t.Name(), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.Hint())
		}
		w.stop()
	})
	t.Logf("cluster in %.1fs", time.Since(begin).Seconds())
	return w
}

// worlds lends clusters to tests that leave nothing behind: as many as run at the same time. None of them has ever had the CRDs of
// Istio: an API server that has had them stays slower.
type worlds struct {
	// dir is for their files.
	dir       string
	mu        sync.Mutex
	idle, all []*world
	made      atomic.Int32
}

// pool is opened and closed by TestMain.
var pool worlds

// borrow returns a world that no other test uses, for the rest of a test. One in which a test failed is not lent again.
func (p *worlds) borrow(t *testing.T) *world {
	t.Helper()
	p.mu.Lock()
	var w *world
	if n := len(p.idle); n > 0 {
		w, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if w == nil {
		var err error
		w, err = p.more(t.Context())
		require.NoError(t, err)
	}
	w.play.Resume()
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.Hint())
			w.stop()
			return
		}
		w.play.Pause()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, w)
	})
	return w
}

// more starts another world.
func (p *worlds) more(ctx context.Context) (*world, error) {
	name := fmt.Sprintf("pool-%d", p.made.Add(1))
	w, err := newWorld(ctx, name, filepath.Join(p.dir, name))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, w)
	return w, nil
}

// close stops all worlds and removes their files.
func (p *worlds) close() error {
	for _, w := range p.all {
		w.stop()
	}
	return os.RemoveAll(p.dir)
}

// root is the folder of the repository.
var root = sync.OnceValues(func() (string, error) {
	cache, err := binaries.Open(context.Background())
	if err != nil {
		return "", err
	}
	return filepath.Join(cache.Root, "..", ".."), nil
})

// chartPath returns the folder of a chart of this repository.
func chartPath(t *testing.T, name string) string {
	t.Helper()
	dir, err := root()
	require.NoError(t, err)
	return filepath.Join(dir, "manifests", "charts", name)
}

// helm runs Helm, which has to succeed without a warning.
func (w *world) helm(t *testing.T, major int, arguments ...string) harness.Result {
	t.Helper()
	r := w.tryHelm(t, major, arguments...)
	require.NoError(t, r.Err())
	return r
}

// tryHelm runs Helm, which may fail.
func (w *world) tryHelm(t *testing.T, major int, arguments ...string) harness.Result {
	t.Helper()
	h, err := w.Helm(major)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	r, err := h.Run(ctx, arguments...)
	require.NoError(t, err)
	t.Logf("%5.1fs %s", r.Duration.Seconds(), r.Command)
	return r
}

// manifest is what a run with "-o json" says that it applied.
func manifest(t *testing.T, r harness.Result) []*api.Object {
	t.Helper()
	var release struct{ Manifest string }
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &release), r.Stdout)
	objects, err := api.Parse(release.Manifest)
	require.NoError(t, err)
	return objects
}

func namespace(name string) *api.Object {
	return &api.Object{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
}
