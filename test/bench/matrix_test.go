package bench_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/stratamesh/strata/pkg/golden"
	"github.com/stratamesh/strata/pkg/render"
)

// BenchmarkMatrix renders charts under every overlay: with a loop of helm template, in process with the same engine, and as
// the golden matrix, which renders each case with both engines, reads the objects and compares them. HELM is the helm to run.
func BenchmarkMatrix(b *testing.B) {
	helm := os.Getenv("HELM")
	if helm == "" {
		b.Skip("HELM is not set; make bench sets it")
	}
	text, err := os.ReadFile("../../strata.yaml")
	require.NoError(b, err)
	config, err := golden.ReadConfig("strata.yaml", text)
	require.NoError(b, err)
	all, err := config.Cases(os.DirFS("../.."))
	require.NoError(b, err)
	for name, charts := range map[string][]string{
		"three charts": {"base", "istio-cni", "ztunnel"},
		"five charts":  {"base", "istio-cni", "ztunnel", "istiod", "gateway"},
	} {
		var cases []golden.Case
		for _, k := range all {
			if slices.Contains(charts, k.Chart.Name()) {
				cases = append(cases, k)
			}
		}
		b.Run(name+"/helm template", func(b *testing.B) {
			loop(b, func() error {
				for _, k := range cases {
					cmd := exec.Command(helm, "template", k.Chart.Release, filepath.Join("../..", k.Chart.Path), "-n", k.Chart.Namespace,
						"--set", fmt.Sprintf("profile=%v", orEmpty(k.Overlay.Profile)), "--set", "platform="+k.Overlay.Platform,
						"--set-string", "compatibilityVersion="+k.Overlay.CompatibilityVersion)
					if out, err := cmd.CombinedOutput(); err != nil {
						return fmt.Errorf("%s: %w\n%s", k.File, err, out)
					}
				}
				return nil
			})
		})
		loaded := map[string]*render.Chart{}
		for _, k := range cases {
			if loaded[k.Chart.Path], err = render.Load(filepath.Join("../..", k.Chart.Path)); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name+"/strata render", func(b *testing.B) {
			loop(b, func() error {
				var group errgroup.Group
				group.SetLimit(runtime.GOMAXPROCS(0))
				for _, k := range cases {
					group.Go(func() error {
						_, err := loaded[k.Chart.Path].Render(render.Helm3, render.Options{
							Release: k.Chart.Release, Namespace: k.Chart.Namespace, Values: map[string]any{
								"profile": orEmpty(k.Overlay.Profile), "platform": k.Overlay.Platform, "compatibilityVersion": k.Overlay.CompatibilityVersion,
							},
						})
						return err
					})
				}
				return group.Wait()
			})
		})
		b.Run(name+"/strata golden", func(b *testing.B) {
			loop(b, func() error {
				_, err := config.Render(b.Context(), os.DirFS("../.."), cases, nil)
				return err
			})
		})
	}
}

// BenchmarkGoldenCheck is what a user runs: the program that renders the five charts under every overlay with both engines, reads the
// objects and compares them with the golden files.
func BenchmarkGoldenCheck(b *testing.B) {
	strata := filepath.Join(b.TempDir(), "strata")
	if out, err := exec.Command("go", "build", "-o", strata, "../../cmd/strata").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	loop(b, func() error {
		if out, err := exec.Command(strata, "golden", "check", "--config", "../../strata.yaml").CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
}

func orEmpty(profile any) any {
	if profile == nil {
		return ""
	}
	return profile
}
