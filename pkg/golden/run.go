package golden

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/stratamesh/strata/pkg/render"
)

// A run is one case while it is rendered.
type run struct {
	Case
	chart   *render.Chart
	options render.Options
	output  *render.Output
	objects result
}

// each calls do for all runs, several at a time, and returns the faults of all.
func each(ctx context.Context, runs []*run, progress func(done, total int), do func(*run) error) error {
	faults := make([]error, len(runs))
	var mu sync.Mutex
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n, r := range runs {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(r); err != nil {
				faults[n] = fmt.Errorf("%s: %w", r.File, err)
			}
			if progress != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				progress(done, len(runs))
			}
			return nil
		})
	}
	return errors.Join(group.Wait(), errors.Join(faults...))
}

// render renders the case with Helm 4.
func (r *run) render(fsys fs.FS, reader *reader) error {
	values, err := r.values(fsys)
	if err != nil {
		return err
	}
	r.options = render.Options{Release: r.Chart.Release, Namespace: r.Chart.NamespaceFor(r.chart, values), KubeVersion: r.KubeVersion, Values: values}
	if r.output, err = r.chart.Render(render.Helm4, r.options); err != nil {
		return err
	}
	r.objects, err = reader.read(r.output)
	return err
}

// compare renders the case with Helm 3 too, and demands the same objects.
func (r *run) compare(reader *reader) error {
	output, err := r.chart.Render(render.Helm3, r.options)
	if err != nil || slices.Equal(output.Files, r.output.Files) {
		return err
	}
	others, err := reader.read(output)
	if err != nil {
		return err
	}
	if at := r.objects.differs(others); at != "" {
		return fmt.Errorf("Helm 3 and Helm 4 render %s differently", at) //nolint:staticcheck // Helm is a name
	}
	return nil
}

// novel returns the runs with a text of a template that no run before has, and those without any text. The engines differ, if at
// all, in what they make of a text, so a text on which they agree need not be rendered twice again.
func novel(runs []*run) []*run {
	type text struct {
		chart *render.Chart
		render.File
	}
	known := map[text]bool{}
	var out []*run
	for _, r := range runs {
		isNew := len(r.output.Files) == 0
		for _, f := range r.output.Files {
			isNew = isNew || !known[text{r.chart, f}]
			known[text{r.chart, f}] = true
		}
		if isNew {
			out = append(out, r)
		}
	}
	return out
}
