package injection

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// A setting is a way to install istiod, and what matters of the cluster around it.
type setting struct {
	Name string `json:"name"`
	// Why the setting is here.
	Why string `json:"why"`
	// Values of the chart.
	Values map[string]any `json:"values"`
	// Nodes is the version of all kubelets: from v1.33 on the sidecar is a native one.
	Nodes string `json:"nodes"`
	// Namespace has the labels of the namespaces that inputs do not describe, and annotations of all namespaces.
	Namespace struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"namespace"`
	// Inputs are patterns for the names of those inputs that have golden files here; all where it is empty. The rules are
	// tested with all inputs anyway.
	Inputs []string `json:"inputs"`
}

const settingsFile = "testdata/settings.yaml"

// settings reads testdata/settings.yaml.
func settings(t *testing.T) []setting {
	t.Helper()
	text, err := os.ReadFile(settingsFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []setting
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		t.Fatalf("%s: %v", settingsFile, err)
	}
	seen := map[string]bool{}
	for n := range all {
		s := &all[n]
		if s.Name == "" || s.Why == "" || seen[s.Name] {
			t.Fatalf("%s: setting %d: a name of its own and a reason, please", settingsFile, n)
		}
		seen[s.Name] = true
		if s.Nodes == "" {
			s.Nodes = "v1.34.0"
		}
		if s.Namespace.Labels == nil {
			s.Namespace.Labels = map[string]string{"istio-injection": "enabled"}
		}
	}
	return all
}

// guards says whether the setting has a golden file for the input.
func (s *setting) guards(input string) bool {
	for _, pattern := range s.Inputs {
		if ok, _ := path.Match(pattern, input); ok {
			return true
		}
	}
	return len(s.Inputs) == 0
}

// namespace returns a namespace that no input describes.
func (s *setting) namespace(name string) *corev1.Namespace {
	ns := &corev1.Namespace{}
	ns.Name = name
	ns.Labels = map[string]string{"kubernetes.io/metadata.name": name}
	for k, v := range s.Namespace.Labels {
		ns.Labels[k] = v
	}
	return ns
}

// tool builds the strata command of this checkout, once. The environment variable STRATA may name a built one.
var tool = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("STRATA"); given != "" {
		return given, nil
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return "", err
	}
	// A build that finds the same program at its place does not link it again.
	binary := filepath.Join(cacheDir(), "strata"+strings.ReplaceAll(root, string(filepath.Separator), "-"))
	build := exec.Command("go", "build", "-p", "2", "-o", binary, "./cmd/strata")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/strata: %w\n%s", err, out)
	}
	return binary, nil
})

// cacheDir is the folder where the script run keeps the test binary.
func cacheDir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "strata")
}

// render renders the istiod chart with values.
func render(values map[string]any) (string, error) {
	strata, err := tool()
	if err != nil {
		return "", err
	}
	text, err := yaml.Marshal(values)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(strata, "render", "istiod", "-f", "-")
	cmd.Stdin = bytes.NewReader(text)
	cmd.Dir = filepath.Join("..", "..")
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("strata render istiod: %w\n%s", err, faults.String())
	}
	return out.String(), nil
}
