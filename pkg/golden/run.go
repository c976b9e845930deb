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

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/render"
)

// A run is one case while it is rendered.
type run struct {
	Case
	chart   *render.Chart
	input   func() (profiles.Input, error)
	options render.Options
	output  *render.Output
	objects result
	// novel are the templates that Helm 3 has to be held against.
	novel []string
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
	r.options = render.Options{Release: r.Chart.Release, Namespace: r.Chart.namespace(r.input, values), KubeVersion: r.KubeVersion, Values: values}
	if r.output, err = r.chart.Render(render.Helm4, r.options); err != nil {
		return err
	}
	r.objects, err = reader.read(r.output)
	return err
}

// compare renders the templates with a text that is new with Helm 3 too, and demands the same objects.
func (r *run) compare(reader *reader) error {
	chart, err := r.chart.Only(r.novel...)
	if err != nil {
		return err
	}
	output, err := chart.Render(render.Helm3, r.options)
	if err != nil {
		return err
	}
	templates := r.chart.Templates()
	same := &render.Output{Files: slices.DeleteFunc(slices.Clone(r.output.Files), func(f render.File) bool {
		return slices.Contains(templates, f.Name) && !slices.Contains(r.novel, f.Name)
	})}
	if slices.Equal(output.Files, same.Files) {
		return nil
	}
	objects, err := reader.read(same)
	if err != nil {
		return err
	}
	others, err := reader.read(output)
	if err != nil {
		return err
	}
	if at := objects.differs(others); at != "" {
		return fmt.Errorf("Helm 3 and Helm 4 render %s differently", at) //nolint:staticcheck // Helm is a name
	}
	return nil
}

// novel returns the runs with a text of a template that no run before has, and notes which: no text is one, too. The engines differ,
// if at all, in what they make of a text, so one on which they agree need not be rendered twice again. The templates of dependencies
// always are, with the others.
func novel(runs []*run) []*run {
	type text struct {
		chart *render.Chart
		render.File
	}
	known := map[text]bool{}
	templates := map[*render.Chart][]string{}
	var out []*run
	for _, r := range runs {
		if templates[r.chart] == nil {
			templates[r.chart] = r.chart.Templates()
		}
		texts := make(map[string]string, len(r.output.Files))
		isNew := false
		for _, f := range r.output.Files {
			texts[f.Name] = f.Text
			if !slices.Contains(templates[r.chart], f.Name) {
				isNew = isNew || !known[text{r.chart, f}]
				known[text{r.chart, f}] = true
			}
		}
		for _, name := range templates[r.chart] {
			one := text{r.chart, render.File{Name: name, Text: texts[name]}}
			if !known[one] {
				known[one] = true
				r.novel = append(r.novel, name)
			}
		}
		if isNew || len(r.novel) > 0 {
			out = append(out, r)
		}
	}
	return out
}
