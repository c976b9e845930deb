package harness

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childVariable makes the test binary a program that starts a cluster and waits to be killed.
const childVariable = "STRATA_CLUSTER_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func child(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	options, err := Options{Dir: dir}.Defaults(ctx, "child")
	if err != nil {
		return err
	}
	c, err := Start(ctx, options)
	if err != nil {
		return err
	}
	for _, r := range c.running {
		fmt.Println(r.PID())
	}
	fmt.Println("up")
	select {}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func gone(t *testing.T, pids []int) {
	t.Helper()
	require.Len(t, pids, 5)
	for _, pid := range pids {
		assert.Eventually(t, func() bool { return !alive(pid) }, 20*time.Second, 50*time.Millisecond, "process %d still runs", pid)
	}
}

func TestNothingRunsAfterTheTestWasKilled(t *testing.T) {
	t.Parallel()
	// In a group of its own, so that only the kernel ends its children.
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+t.TempDir())
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var pids []int
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "up" {
		pid, err := strconv.Atoi(lines.Text())
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	for _, pid := range pids {
		assert.True(t, alive(pid))
	}
	require.NoError(t, command.Process.Signal(syscall.SIGKILL))
	require.Error(t, command.Wait())
	gone(t, pids)
}

func TestTwoClustersSideBySide(t *testing.T) {
	t.Parallel()
	one, two := New(t, Options{}), New(t, Options{Nodes: []string{"only"}})
	assert.NotEqual(t, one.URL, two.URL)
	assert.NotEqual(t, one.ServiceRange(), two.ServiceRange())
	for c, nodes := range map[*Cluster]int{one: 2, two: 1} {
		code, body, err := c.Req(t.Context(), http.MethodGet, "/api/v1/nodes", "", "")
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, code)
		assert.Equal(t, nodes, strings.Count(body, `"KubeletReady"`))
	}
	var pids []int
	for _, r := range two.running {
		pids = append(pids, r.PID())
	}
	two.Stop()
	gone(t, pids)
	_, _, err := one.Req(t.Context(), http.MethodGet, "/readyz", "", "")
	assert.NoError(t, err)
}

func TestAPIServerRestarts(t *testing.T) {
	if testing.Short() {
		t.Skip("TestAPIServerDiesDuringInstall does this too")
	}
	t.Parallel()
	c := New(t, Options{})
	assert.ErrorContains(t, c.Restart(t.Context(), apiServer), "still runs")
	require.NoError(t, c.Kill(apiServer))
	_, _, err := c.Req(t.Context(), http.MethodGet, "/readyz", "", "")
	require.Error(t, err)
	require.NoError(t, c.Restart(t.Context(), apiServer))
	code, _, err := c.Req(t.Context(), http.MethodGet, "/api/v1/nodes/node-1", "", "")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, code)
}

// A start that fails says why, with the end of the log, and leaves nothing.
func TestFailedStartLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	options, err := Options{Dir: t.TempDir(), APIServerArgs: []string{"--no-such-flag"}}.Defaults(t.Context(), t.Name())
	require.NoError(t, err)
	_, err = Start(t.Context(), options)
	require.ErrorContains(t, err, "unknown flag: --no-such-flag")
	require.ErrorContains(t, err, options.Dir)
}

func TestNetworksAreExclusive(t *testing.T) {
	t.Parallel()
	one, err := reserve()
	require.NoError(t, err)
	two, err := reserve()
	require.NoError(t, err)
	assert.NotEqual(t, one.number, two.number)
	_, services, err := net.ParseCIDR(one.services())
	require.NoError(t, err)
	assert.True(t, services.Contains(net.ParseIP(one.apiService())))
	assert.False(t, services.Contains(net.ParseIP(one.ip())))
	require.NoError(t, one.release())
	require.NoError(t, two.release())
}
