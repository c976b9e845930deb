package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/stratamesh/strata/internal/report"
	"github.com/stratamesh/strata/pkg/golden"
)

func newGolden(env Env) *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:   "golden",
		Short: "Guards what charts render to",
		Long: `Compares what charts render to with golden files. strata.yaml says which charts, under which overlays, for which versions of
Kubernetes. Helm 3 and Helm 4 must agree.

A stale file is shown as a comparison by meaning, from the file to what is rendered now. Missing, stale and orphan files are
failures.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&config, "config", "strata.yaml", "configuration `FILE`; paths in it are below its folder")
	cmd.AddCommand(newGoldenCheck(env, &config), newGoldenUpdate(env, &config))
	return cmd
}

func newGoldenCheck(env Env, config *string) *cobra.Command {
	var shard string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Fails where a golden file is missing, stale or an orphan",
		Example: `  strata golden check
  strata golden check --shard 2/4`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, dir, err := readConfig(*config)
			if err != nil {
				return err
			}
			part, err := parseShard(shard, env.Getenv("JOB_COMPLETION_INDEX"))
			if err != nil {
				return err
			}
			faults, err := golden.Check(cmd.Context(), c, os.DirFS(dir), golden.Options{Shard: part, Progress: env.progress()})
			if err != nil {
				return err
			}
			if len(faults) == 0 {
				return nil
			}
			if err := printFaults(env, faults, env.color(cmd)); err != nil {
				return err
			}
			fmt.Fprintf(env.Stderr, "strata: %d golden files differ; strata golden update writes them anew\n", len(faults))
			return errDifferent
		},
	}
	cmd.Flags().StringVar(&shard, "shard", "", "only part `I/N` of the matrix, I from 1; with /N the part is JOB_COMPLETION_INDEX")
	env.watchable(cmd, func() []string { return goldenInputs(*config) }, func() []string { return nil })
	return cmd
}

func newGoldenUpdate(env Env, config *string) *cobra.Command {
	var preview bool
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Writes the golden files anew",
		Example: `  strata golden update --preview
  strata golden update`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, dir, err := readConfig(*config)
			if err != nil {
				return err
			}
			faults, err := golden.Update(cmd.Context(), c, dir, golden.Options{Preview: preview, Progress: env.progress()})
			if err != nil {
				return err
			}
			if preview {
				return printFaults(env, faults, env.color(cmd))
			}
			for _, f := range faults {
				fmt.Fprintf(env.Stdout, "%s (was %s)\n", f.File, f.State)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&preview, "preview", false, "only show what would change")
	return cmd
}

// readConfig reads the configuration; dir is its folder.
func readConfig(file string) (c *golden.Config, dir string, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: no such file; go to its folder, or name it with --config FILE", file)
	} else if err != nil {
		return nil, "", err
	}
	c, err = golden.ReadConfig(file, text)
	return c, filepath.Dir(file), err
}

// printFaults prints each fault, and for a stale file how its objects differ from what is rendered now; where only the writing
// differs, the lines.
func printFaults(env Env, faults []golden.Fault, color bool) error {
	for _, f := range faults {
		if _, err := fmt.Fprintf(env.Stdout, "%s: %s\n", f.File, f.State); err != nil {
			return err
		}
		if f.State != golden.Stale {
			continue
		}
		r, err := f.Diff()
		if errors.Is(err, golden.ErrText) {
			_, err = io.WriteString(env.Stdout, udiff.Unified(f.File, "now", string(f.Got), string(f.Want)))
		} else if err == nil {
			err = report.Write(env.Stdout, report.Text, r, report.Options{A: f.File, B: "now", Color: color})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseShard reads I/N, I from 1, or /N with the index of a Kubernetes Indexed Job, which counts from 0.
func parseShard(text, index string) (golden.Shard, error) {
	if text == "" {
		return golden.Shard{}, nil
	}
	first, second, found := strings.Cut(text, "/")
	count, err := strconv.Atoi(second)
	if !found || err != nil || count < 1 {
		return golden.Shard{}, fmt.Errorf("--shard %s: write I/N, such as 2/4", text)
	}
	var n int
	if first == "" {
		if n, err = strconv.Atoi(index); err != nil {
			return golden.Shard{}, errors.New("--shard " + text + ": JOB_COMPLETION_INDEX is no number; write I/N, such as 2/4")
		}
	} else if n, err = strconv.Atoi(first); err != nil {
		return golden.Shard{}, fmt.Errorf("--shard %s: write I/N, such as 2/4", text)
	} else {
		n--
	}
	if n < 0 || n >= count {
		return golden.Shard{}, fmt.Errorf("--shard %s: there is no part %d of %d", text, n+1, count)
	}
	return golden.Shard{Index: n, Count: count}, nil
}
