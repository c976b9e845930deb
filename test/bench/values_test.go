// Package bench_test measures this project beside its peers, in one run: make bench.
package bench_test

import (
	"errors"
	"os"
	"testing"

	"dario.cat/mergo"
	"github.com/stretchr/testify/require"
	helm3chart "helm.sh/helm/v3/pkg/chart"
	helm3util "helm.sh/helm/v3/pkg/chartutil"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

// istiodValues are the values of the istiod chart under two profiles, a compatibility version, a platform and a values
// file of a user: the lowest first.
func istiodValues(tb testing.TB) []profiles.Document {
	tb.Helper()
	read := func(name string) profiles.Document {
		text, err := os.ReadFile(name)
		require.NoError(tb, err)
		document, err := load.Parse(name, text)
		require.NoError(tb, err)
		return document
	}
	defaults := read("../../manifests/charts/istiod/values.yaml")
	defaults.Values = defaults.Values["defaults"].(map[string]any)
	defaults.Positions = defaults.Positions.Keys["defaults"]
	documents := []profiles.Document{defaults}
	for _, name := range []string{"ambient", "demo", "compatibility-version-1.28", "platform-openshift"} {
		documents = append(documents, read("../../manifests/profiles/"+name+".yaml"))
	}
	return append(documents, read("testdata/user.yaml"))
}

// BenchmarkMerge merges the same layers with each library. mergo and Helm write into what they are given, so their inputs
// are copied as cheaply as Go can; this project's Compute copies by itself, selects the layers by name and keeps origins.
func BenchmarkMerge(b *testing.B) {
	documents := istiodValues(b)
	layers := make([]map[string]any, 0, len(documents))
	for _, d := range documents {
		layers = append(layers, d.Values)
	}
	b.Run("mergo", func(b *testing.B) {
		loop(b, func() error {
			into := values.Copy(layers[0])
			for _, layer := range layers[1:] {
				if err := mergo.Merge(&into, values.Copy(layer), mergo.WithOverride); err != nil {
					return err
				}
			}
			return nil
		})
	})
	b.Run("helm CoalesceValues", func(b *testing.B) {
		loop(b, func() error {
			into := layers[0]
			for _, layer := range layers[1:] {
				merged, err := helm3util.CoalesceValues(&helm3chart.Chart{Metadata: &helm3chart.Metadata{Name: "istiod"}, Values: into}, layer)
				if err != nil {
					return err
				}
				into = merged
			}
			return nil
		})
	})
	b.Run("strata Merge", func(b *testing.B) {
		loop(b, func() error {
			if _, err := profiles.Merge(layers...); err != nil {
				return err
			}
			return nil
		})
	})
	in := profiles.Input{
		Chart:    profiles.Chart{Section: "pilot", Sections: []string{"cni", "pilot", "ztunnel", "gateway"}},
		Defaults: documents[0],
		Catalog: catalog{
			{Kind: profiles.KindProfile, Name: "ambient"}: documents[1], {Kind: profiles.KindProfile, Name: "demo"}: documents[2],
			{Kind: profiles.KindCompatibility, Name: "1.28"}: documents[3], {Kind: profiles.KindPlatform, Name: "openshift"}: documents[4],
		},
		Explicit: documents[5:],
	}
	b.Run("strata Compute", func(b *testing.B) {
		loop(b, func() error {
			if _, err := profiles.Compute(in); err != nil {
				return err
			}
			return nil
		})
	})
	b.Run("strata Compute and Origins", func(b *testing.B) {
		loop(b, func() error {
			r, err := profiles.Compute(in)
			if err != nil {
				return err
			}
			if len(r.Origins()) < 150 {
				return errors.New("too few leaves")
			}
			return nil
		})
	})
}

// catalog is a catalog of parsed documents.
type catalog map[profiles.Layer]profiles.Document

func (c catalog) Document(l profiles.Layer) (profiles.Document, error) { return c[l], nil }

func (c catalog) Names(kind profiles.Kind) []string {
	var names []string
	for l := range c {
		if l.Kind == kind {
			names = append(names, l.Name)
		}
	}
	return names
}
