package bench_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkDiff compares two manifests of so many objects with strata diff and with its peers, each as a user runs it: as a program that
// reads two files and prints what differs. DYFF is the dyff to run; DIFFYML, where it is set, the diffyml. peak-MB is the most memory that
// the program had.
//
// "tenth" differs in every tenth object, "all" in each.
func BenchmarkDiff(b *testing.B) {
	strata := filepath.Join(b.TempDir(), "strata")
	out, err := exec.Command("go", "build", "-o", strata, "../../cmd/strata").CombinedOutput()
	require.NoError(b, err, string(out))
	programs := [][]string{{"strata", strata, "diff"}}
	if dyff := os.Getenv("DYFF"); dyff != "" {
		programs = append(programs, []string{"dyff", dyff, "between", "--omit-header", "--set-exit-code"})
	}
	if diffyml := os.Getenv("DIFFYML"); diffyml != "" {
		programs = append(programs, []string{"diffyml", diffyml, "--set-exit-code"})
	}
	for _, n := range []int{500, 1000, 2000, 4000, 8000} {
		for _, differ := range []struct {
			name  string
			every int
		}{{"tenth", 10}, {"all", 1}} {
			old, now := writeManifest(b, "old.yaml", n, 0), writeManifest(b, "new.yaml", n, differ.every)
			for _, p := range programs {
				b.Run(fmt.Sprintf("%d/%s/%s", n, differ.name, p[0]), func(b *testing.B) {
					benchmarkProgram(b, append(p[1:len(p):len(p)], old, now)...)
				})
			}
		}
	}
}

// benchmarkProgram runs a program that tells by the exit code 1 that its files differ.
func benchmarkProgram(b *testing.B, command ...string) {
	var peak int64
	loop(b, func() error {
		cmd := exec.Command(command[0], command[1:]...)
		var stderr strings.Builder
		cmd.Stdout, cmd.Stderr = io.Discard, &stderr
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			return fmt.Errorf("%v: %w, want exit code 1\n%s", command, err, stderr.String())
		}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, peakBytes(usage))
		}
		return nil
	})
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
}

// peakBytes reads the peak of memory, which macOS counts in bytes and others in KiB.
func peakBytes(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return u.Maxrss
	}
	return u.Maxrss * 1024
}

// writeManifest writes n objects of about 1.4 KB each, of which every so many-th has another image or version; none where it is 0.
func writeManifest(b *testing.B, name string, n, every int) string {
	b.Helper()
	var text strings.Builder
	for i := range n {
		version := "1.31.3"
		if every > 0 && i%every == 0 {
			version = "1.31.4"
		}
		text.WriteString("---\n")
		app, namespace := fmt.Sprintf("app-%05d", i/4), fmt.Sprintf("team-%02d", i/4%40)
		switch i % 4 {
		case 0:
			text.WriteString(deployment(app, namespace, version))
		case 1:
			fmt.Fprintf(&text, "apiVersion: v1\nkind: Service\n%sspec:\n  selector:\n    app: %s\n  ports:\n", metadata(app, namespace, version), app)
			for p, port := range []string{"http", "grpc", "metrics", "admin"} {
				fmt.Fprintf(&text, "  - name: %s\n    port: %d\n    targetPort: %d\n    protocol: TCP\n", port, 80+p, 8080+p)
			}
		case 2:
			fmt.Fprintf(&text, "apiVersion: v1\nkind: ConfigMap\n%sdata:\n  mesh: |-\n    accessLogFile: /dev/stdout\n    extensionProviders:\n", metadata(app, namespace, version))
			for p := range 10 {
				fmt.Fprintf(&text, "    - name: provider-%d\n      envoyOtelAls:\n        service: otel-%d.%s.svc.cluster.local\n        port: 4317\n", p, p, namespace)
			}
		case 3:
			fmt.Fprintf(&text, "apiVersion: networking.istio.io/v1\nkind: VirtualService\n%sspec:\n  hosts:\n  - %s.example.com\n  http:\n", metadata(app, namespace, version), app)
			for p := range 5 {
				fmt.Fprintf(&text, "  - match:\n    - uri:\n        prefix: /v%d\n    route:\n    - destination:\n        host: %s.%s.svc.cluster.local\n      weight: 100\n", p, app, namespace)
			}
		}
	}
	file := filepath.Join(b.TempDir(), name)
	require.NoError(b, os.WriteFile(file, []byte(text.String()), 0o600))
	return file
}

func metadata(name, namespace, version string) string {
	return fmt.Sprintf("metadata:\n  name: %s\n  namespace: %s\n  labels:\n    app: %s\n    app.kubernetes.io/name: %s\n    app.kubernetes.io/managed-by: Helm\n"+
		"    app.kubernetes.io/version: %s\n", name, namespace, name, name, version)
}

func deployment(name, namespace, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: apps/v1\nkind: Deployment\n%sspec:\n  replicas: 3\n  selector:\n    matchLabels:\n      app: %s\n  template:\n    metadata:\n"+
		"      labels:\n        app: %s\n    spec:\n      serviceAccountName: %s\n      containers:\n", metadata(name, namespace, version), name, name, name)
	for _, c := range []string{"app", "proxy"} {
		fmt.Fprintf(&b, "      - name: %s\n        image: registry.example.com/mesh/%s:%s\n        args:\n        - serve\n        - --log-level=info\n        ports:\n"+
			"        - containerPort: 8080\n          name: http\n          protocol: TCP\n        - containerPort: 15020\n          name: metrics\n          protocol: TCP\n        env:\n", c, c, version)
		for e := range 10 {
			fmt.Fprintf(&b, "        - name: SETTING_%d\n          value: \"%d\"\n", e, e*100)
		}
		b.WriteString("        resources:\n          requests:\n            cpu: 100m\n            memory: 128Mi\n          limits:\n            cpu: 2000m\n            memory: 1Gi\n" +
			"        readinessProbe:\n          httpGet:\n            path: /healthz/ready\n            port: 8080\n          periodSeconds: 15\n        volumeMounts:\n        - mountPath: /etc/config\n          name: config\n          readOnly: true\n")
	}
	fmt.Fprintf(&b, "      volumes:\n      - name: config\n        configMap:\n          name: %s\n", name)
	return b.String()
}
