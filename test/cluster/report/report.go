// Package report collects how long each part of a suite took, and prints it as one table.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/stratamesh/strata/test/cluster/process"
)

// Table has a row for each case and version of Helm, and a column for each phase, both in the order in which they came. It may be
// used by several goroutines.
type Table struct {
	mu      sync.Mutex
	rows    []string
	phases  []string
	results map[[2]string]result
}

type result struct {
	failed  bool
	seconds float64
}

// Record adds a phase of a case. What is recorded twice adds up.
func (t *Table) Record(row, phase string, ok bool, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.results == nil {
		t.results = map[[2]string]result{}
	}
	if !slices.Contains(t.rows, row) {
		t.rows = append(t.rows, row)
	}
	if !slices.Contains(t.phases, phase) {
		t.phases = append(t.phases, phase)
	}
	key := [2]string{row, phase}
	r := t.results[key]
	t.results[key] = result{r.failed || !ok, r.seconds + took.Seconds()}
}

// Print writes the table: seconds where a phase passed, FAIL where it failed, a dot where it did not run. Nothing is written where
// nothing was recorded.
func (t *Table) Print(w io.Writer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rows) == 0 {
		return nil
	}
	rows := slices.Sorted(slices.Values(t.rows))
	fmt.Fprintln(w)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "case\t%s\n", strings.Join(t.phases, "\t"))
	for _, row := range rows {
		cells := []string{row}
		for _, phase := range t.phases {
			r, ok := t.results[[2]string{row, phase}]
			switch {
			case !ok:
				cells = append(cells, ".")
			case r.failed:
				cells = append(cells, "FAIL")
			default:
				cells = append(cells, fmt.Sprintf("ok %.1f", r.seconds))
			}
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	return out.Flush()
}

// printSpent writes the processor time of the programs that ran; nothing where none did.
func printSpent(w io.Writer) {
	var parts []string
	var total time.Duration
	spent := process.Spent()
	for _, name := range slices.SortedFunc(maps.Keys(spent), func(a, b string) int { return cmp.Compare(spent[b], spent[a]) }) {
		parts = append(parts, fmt.Sprintf("%s %.0f", name, spent[name].Seconds()))
		total += spent[name]
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "\nprocessor seconds of programs: %.0f (%s)\n", total.Seconds(), strings.Join(parts, ", "))
	}
}

// SummaryVariable is an environment variable with the path of a file to which Finish appends. `go test` shows what a test prints
// only where it fails; test/cluster/run shows this file.
const SummaryVariable = "STRATA_CLUSTER_SUMMARY"

// Finish prints the table and the processor time of the programs that ran, on standard output or, where SummaryVariable says so, into
// a file. It is for the end of a TestMain.
func (t *Table) Finish() error {
	path := os.Getenv(SummaryVariable)
	if path == "" {
		return t.finish(os.Stdout)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(t.finish(file), file.Close())
}

func (t *Table) finish(w io.Writer) error {
	err := t.Print(w)
	printSpent(w)
	return err
}
