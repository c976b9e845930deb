package render

import (
	"fmt"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

type helm3Chart struct{ chart *chart.Chart }

func loadHelm3(files []file) (*helm3Chart, error) {
	buffered := make([]*loader.BufferedFile, 0, len(files))
	for _, f := range files {
		buffered = append(buffered, &loader.BufferedFile{Name: f.name, Data: f.data})
	}
	c, err := loader.LoadFiles(buffered)
	if err != nil {
		return nil, err
	}
	return &helm3Chart{c}, nil
}

func (h *helm3Chart) render(s *schema, o Options) (map[string]string, error) {
	capabilities := chartutil.DefaultCapabilities.Copy()
	version, err := chartutil.ParseKubeVersion(o.KubeVersion)
	if err != nil {
		return nil, fmt.Errorf("version of Kubernetes %q: %w", o.KubeVersion, err)
	}
	capabilities.KubeVersion = *version
	capabilities.APIVersions = append(capabilities.APIVersions, o.APIVersions...)
	if want := h.chart.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, capabilities.KubeVersion.Version) {
		return nil, fmt.Errorf("chart requires kubeVersion: %s which is incompatible with Kubernetes %s", want, capabilities.KubeVersion.Version)
	}
	values, err := copyValues(o.Values)
	if err != nil {
		return nil, err
	}
	c := h.chart
	if len(c.Dependencies()) > 0 {
		// Dependencies are enabled, renamed and dropped in place, by the values of this render.
		c = copyHelm3(c)
		if err := chartutil.ProcessDependencies(c, values); err != nil {
			return nil, err
		}
	}
	release := chartutil.ReleaseOptions{Name: o.Release, Namespace: o.Namespace, Revision: 1, IsInstall: !o.IsUpgrade, IsUpgrade: o.IsUpgrade}
	top, err := chartutil.ToRenderValuesWithSchemaValidation(c, values, release, capabilities, true)
	if err != nil {
		return nil, err
	}
	if err := s.validate(c, top["Values"].(chartutil.Values)); err != nil {
		return nil, err
	}
	return engine.Render(c, top)
}

// copyHelm3 copies a chart as far as the processing of dependencies changes it.
func copyHelm3(c *chart.Chart) *chart.Chart {
	out := *c
	metadata := *c.Metadata
	metadata.Dependencies = nil
	for _, d := range c.Metadata.Dependencies {
		copied := *d
		metadata.Dependencies = append(metadata.Dependencies, &copied)
	}
	out.Metadata = &metadata
	out.SetDependencies()
	for _, d := range c.Dependencies() {
		out.AddDependency(copyHelm3(d))
	}
	return &out
}
