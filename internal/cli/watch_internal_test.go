package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A watchTest is a watched command that has run once on a folder with the file a.yaml.
type watchTest struct {
	watch
	t      *testing.T
	dir    string
	runs   int
	fault  error
	stderr bytes.Buffer
}

func startWatch(t *testing.T) *watchTest {
	t.Helper()
	w := &watchTest{t: t, dir: t.TempDir()}
	w.write("a.yaml", "a")
	w.watch = watch{
		env:     Env{Stderr: &w.stderr, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }},
		inputs:  func() []string { return []string{w.dir, filepath.Join(w.dir, "missing")} },
		outputs: []string{filepath.Join(w.dir, "report.html")},
		run: func() error {
			w.runs++
			return w.fault
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.loop(ctx, nil)
	require.Equal(t, 1, w.runs, "it runs at once")
	return w
}

func (w *watchTest) write(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600))
}

func (w *watchTest) steps(n int) int {
	for range n {
		w.step()
	}
	return w.runs
}

func TestWatchRunsAgainWhenAnInputChanges(t *testing.T) {
	w := startWatch(t)
	assert.Equal(t, 1, w.steps(3), "nothing changed")
	w.write("a.yaml", "changed")
	assert.Equal(t, 2, w.steps(3), "a file changed")
	w.write("b.yaml", "new")
	assert.Equal(t, 3, w.steps(3), "a file came")
	require.NoError(t, os.Remove(filepath.Join(w.dir, "b.yaml")))
	assert.Equal(t, 4, w.steps(3), "a file went")
	changed := "--- 2026-01-02 03:04:05 " + filepath.Join(w.dir, "a.yaml") + " changed\n--- exit code 0\n"
	assert.Contains(t, w.stderr.String(), "--- 2026-01-02 03:04:05 watching 1 file\n--- exit code 0\n"+changed)
}

func TestWatchWaitsUntilAFileIsWritten(t *testing.T) {
	w := startWatch(t)
	text := "changed"
	for range 5 {
		text += " more"
		w.write("a.yaml", text)
		assert.Equal(t, 1, w.steps(1), "it changes with every step")
	}
	assert.Equal(t, 2, w.steps(1))
}

func TestWatchGoesOnAfterFaultsAndPrintsThem(t *testing.T) {
	w := startWatch(t)
	w.fault = errors.New("broken.yaml:1: no")
	w.write("a.yaml", "changed")
	w.steps(2)
	w.fault = errDifferent
	w.write("a.yaml", "changed again")
	assert.Equal(t, 3, w.steps(2))
	assert.Contains(t, w.stderr.String(), "strata: broken.yaml:1: no\n--- exit code 2\n")
	assert.Contains(t, w.stderr.String(), "changed\n--- exit code 1\n")
}

func TestWatchDoesNotFollowItsOwnOutput(t *testing.T) {
	w := startWatch(t)
	w.write("report.html", "written")
	assert.Equal(t, 1, w.steps(3))
}

func TestWatchStepsAtEachTickUntilItIsInterrupted(t *testing.T) {
	w := startWatch(t)
	w.write("a.yaml", "changed")
	ctx, cancel := context.WithCancel(t.Context())
	ticks, done := make(chan time.Time), make(chan struct{})
	go func() {
		w.loop(ctx, ticks)
		close(done)
	}()
	ticks <- time.Time{}
	w.write("a.yaml", "changed again")
	// Each tick is taken when the step before has ended: after the fourth, three steps saw the change.
	for range 4 {
		ticks <- time.Time{}
	}
	cancel()
	<-done
	assert.Equal(t, 3, w.runs)
}

func TestWatchRefusesInputsThatNeverChange(t *testing.T) {
	for input, want := range map[string]string{"-": "standard input is read once", "profile=default": "no file among the inputs"} {
		err := Env{}.watched(t.Context(), true, func() []string { return []string{input} }, nil, func() error { panic("not run") })
		assert.ErrorContains(t, err, want)
	}
}
