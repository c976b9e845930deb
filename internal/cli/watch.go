package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"helm.sh/helm/v4/pkg/strvals"
)

// watchEvery is how often --watch looks at its inputs.
const watchEvery = 300 * time.Millisecond

// A watch runs a command again whenever one of its inputs changes.
type watch struct {
	env Env
	// inputs are files and folders, with all that is in them. They are asked for before each look: a configuration may name others.
	inputs func() []string
	// outputs are the files and folders that the command writes itself.
	outputs []string
	run     func() error

	// seen are the inputs as they were at the last run, latest as they were at the last look.
	seen, latest map[string]stamp
}

// A stamp tells a file from what it was before.
type stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
}

func registerWatch(flags *pflag.FlagSet, on *bool) {
	flags.BoolVar(on, "watch", false, "run again whenever an input changes, until Ctrl-C")
}

// watchable gives a command --watch. The inputs and outputs are those that its flags name.
func (e Env) watchable(cmd *cobra.Command, inputs, outputs func() []string) {
	var on bool
	registerWatch(cmd.Flags(), &on)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return e.watched(cmd.Context(), on, inputs, outputs(), func() error { return run(cmd, args) })
	}
}

// watched runs a command, with --watch again and again until the user interrupts it, which is no fault.
func (e Env) watched(ctx context.Context, on bool, inputs func() []string, outputs []string, run func() error) error {
	if !on {
		return run()
	}
	if slices.Contains(inputs(), "-") {
		return errors.New("--watch: standard input is read once; name files instead of -")
	}
	w := watch{env: e, inputs: inputs, run: run}
	for _, name := range outputs {
		if name != "" {
			w.outputs = append(w.outputs, filepath.Clean(name))
		}
	}
	if len(w.look()) == 0 {
		return errors.New("--watch: there is no file among the inputs, so nothing would ever change")
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second Ctrl-C ends the program, also in the middle of a run.
	context.AfterFunc(ctx, stop)
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	w.loop(ctx, ticker.C)
	return nil
}

// loop runs the command at once and looks at its inputs at each tick, until ctx ends.
func (w *watch) loop(ctx context.Context, ticks <-chan time.Time) {
	w.again(w.look(), "")
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticks:
			w.step()
		}
	}
}

// step runs the command where the inputs differ from those of the last run, and are as they were one step before: a file that is being
// written is left alone. Faults are printed, for the next change may mend them.
func (w *watch) step() {
	now, before := w.look(), w.latest
	w.latest = now
	if changed := changes(w.seen, now); len(changed) > 0 && len(changes(before, now)) == 0 {
		w.again(now, changed[0])
	}
}

// again runs the command on the inputs as they are now, of which one has changed.
func (w *watch) again(now map[string]stamp, changed string) {
	w.seen, w.latest = now, now
	reason := fmt.Sprintf("watching %d files", len(now))
	if len(now) == 1 {
		reason = "watching 1 file"
	}
	if changed != "" {
		reason = changed + " changed"
	}
	fmt.Fprintf(w.env.Stderr, "--- %s %s\n", w.env.now().Format(time.DateTime), reason)
	fmt.Fprintf(w.env.Stderr, "--- exit code %d\n", w.env.explain(w.run()))
}

// inputs are the files and folders that the flags name.
func (s *selection) inputs() []string {
	inputs := slices.Clone(s.files)
	if s.charts != "" {
		inputs = append(inputs, s.charts)
	}
	for _, item := range s.setFile {
		// What is wrong with the flag, the command says.
		_ = strvals.ParseIntoFile(item, map[string]any{}, func(name []rune) (any, error) {
			inputs = append(inputs, string(name))
			return "", nil
		})
	}
	return inputs
}

// goldenInputs are the configuration, the charts, profiles and values that it names, and the golden files.
func goldenInputs(config string) []string {
	inputs := []string{config}
	c, dir, err := readConfig(config)
	if err != nil {
		return inputs // the command says what is wrong; once it is mended, all are there
	}
	names := []string{c.Golden.Directory, c.Golden.Profiles}
	for _, chart := range c.Charts {
		names = append(append(names, chart.Path), chart.Values...)
	}
	for _, overlay := range c.Golden.Overlays {
		names = append(names, overlay.Values...)
	}
	for _, name := range names {
		if name != "" {
			inputs = append(inputs, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return inputs
}

// look stamps all inputs. What cannot be read has no stamp; the command says why.
func (w *watch) look() map[string]stamp {
	stamps := map[string]stamp{}
	for _, input := range w.inputs() {
		_ = filepath.WalkDir(input, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err == nil && slices.Contains(w.outputs, filepath.Clean(name)) && d.IsDir():
				return fs.SkipDir
			case err != nil || d.IsDir() || slices.Contains(w.outputs, filepath.Clean(name)):
				return nil //nolint:nilerr // what cannot be read is left out
			}
			// Stat follows links: what they lead to is what is read.
			if info, err := os.Stat(name); err == nil && !info.IsDir() {
				stamps[name] = stamp{info.ModTime(), info.Size(), info.Mode()}
			}
			return nil
		})
	}
	return stamps
}

// changes names the files that differ, sorted.
func changes(a, b map[string]stamp) []string {
	var names []string
	for name, s := range b {
		if old, found := a[name]; !found || old != s {
			names = append(names, name)
		}
	}
	for name := range a {
		if _, found := b[name]; !found {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
