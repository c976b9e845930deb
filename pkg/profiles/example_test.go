package profiles_test

import (
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

// A user selects a profile and sets one value.
func ExampleCompute() {
	catalog, err := load.FS(fstest.MapFS{
		"small.yaml": {Data: []byte("resources:\n  cpu: 10m\n  memory: 40Mi\n")},
	}, "profiles")
	if err != nil {
		fmt.Println(err)
		return
	}
	mine, err := load.Parse("mine.yaml", []byte("profile: small\nresources:\n  cpu: 500m\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := profiles.Compute(profiles.Input{
		Defaults: profiles.Document{Source: "values.yaml", Values: map[string]any{"resources": map[string]any{"cpu": "100m"}}},
		Catalog:  catalog,
		Explicit: []profiles.Document{mine},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, origin := range result.Origins() {
		fmt.Println(origin.Path)
		for _, source := range origin.Sources {
			fmt.Printf("  %v  %s  %s\n", source.Value(), source.Layer(), source.Position())
		}
	}
	// Output:
	// profile
	//   small  explicit values  mine.yaml:1:1
	// resources.cpu
	//   500m  explicit values  mine.yaml:3:3
	//   10m  profile small  profiles/small.yaml:2:3
	//   100m  defaults  values.yaml
	// resources.memory
	//   40Mi  profile small  profiles/small.yaml:3:3
}

// Errors carry a reason, a layer, a path and a position.
func ExampleError() {
	mine, err := load.Parse("mine.yaml", []byte("profile: ambiant\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog, err := load.FS(fstest.MapFS{"ambient.yaml": {}}, "profiles")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = profiles.Compute(profiles.Input{Catalog: catalog, Explicit: []profiles.Document{mine}})
	fmt.Println(err)
	fmt.Println(errors.Is(err, profiles.ErrUnknownName))
	// Output:
	// mine.yaml:1:1: explicit values: profile: unknown name "ambiant"; known: ambient
	// true
}

func ExampleMerge() {
	merged, err := profiles.Merge(
		map[string]any{"labels": map[string]any{"a": "1", "b": "2"}, "ports": []any{80}},
		map[string]any{"labels": map[string]any{"a": nil}, "ports": []any{}},
	)
	fmt.Println(merged, err)
	// Output: map[labels:map[b:2] ports:[]] <nil>
}
