package harness

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stratamesh/strata/test/cluster/process"
)

// Helm is a command of Helm that works on one cluster, with folders of its own: no setting of the machine's user counts.
type Helm struct {
	// Major is 3 or 4.
	Major int

	path        string
	environment []string
}

// Result is what a run of Helm left.
type Result struct {
	// Command is the command line, without the program's path.
	Command        string
	Stdout, Stderr string
	// Code is the exit code, -1 where the program was killed.
	Code     int
	Duration time.Duration
}

// Helm returns the Helm of a major version, 3 or 4, for this cluster.
func (c *Cluster) Helm(major int) (*Helm, error) {
	path, err := c.Binary(fmt.Sprintf("helm%d", major))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(c.options.Dir, fmt.Sprintf("helm%d", major))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Helm{major, path, []string{
		tuning, "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "KUBECONFIG=" + c.Kubeconfig,
		"HELM_CACHE_HOME=" + filepath.Join(dir, "cache"), "HELM_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"HELM_DATA_HOME=" + filepath.Join(dir, "data"),
	}}, nil
}

// Run runs Helm. A run that fails is no error: see the Result's code. ctx kills it.
func (h *Helm) Run(ctx context.Context, arguments ...string) (Result, error) {
	command := exec.CommandContext(ctx, h.path, arguments...)
	command.Env = slices.Clone(h.environment)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	start := time.Now()
	err := process.Run(fmt.Sprintf("helm%d", h.Major), command)
	r := Result{
		Command: fmt.Sprintf("helm%d %s", h.Major, strings.Join(arguments, " ")),
		Stdout:  out.String(), Stderr: errs.String(), Code: process.Code(err), Duration: time.Since(start),
	}
	if r.Code < 0 {
		return r, fmt.Errorf("%s: %w", r.Command, err)
	}
	return r, nil
}

// Err is nil after a run that did all it was asked for without a warning, and says what is wrong after any other.
func (r Result) Err() error {
	if r.Code != 0 {
		return fmt.Errorf("%s: exit code %d\n%s", r.Command, r.Code, r.Stderr)
	}
	for line := range strings.Lines(r.Stderr) {
		// What the Kubernetes client logs for information (I0131 …) may have the word in it, about a connection that it makes anew.
		if strings.Contains(strings.ToLower(line), "warn") && !information.MatchString(line) {
			return fmt.Errorf("%s: warns\n%s", r.Command, r.Stderr)
		}
	}
	return nil
}

var information = regexp.MustCompile(`^I[0-9]{4} `)
