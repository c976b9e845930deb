package render

import (
	"fmt"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
)

type helm4Chart struct{ chart *chart.Chart }

func loadHelm4(files []file) (*helm4Chart, error) {
	buffered := make([]*archive.BufferedFile, 0, len(files))
	for _, f := range files {
		buffered = append(buffered, &archive.BufferedFile{Name: f.name, Data: f.data})
	}
	c, err := loader.LoadFiles(buffered)
	if err != nil {
		return nil, err
	}
	return &helm4Chart{c}, nil
}

func (h *helm4Chart) render(s *schema, o Options) (map[string]string, error) {
	capabilities := common.DefaultCapabilities.Copy()
	version, err := common.ParseKubeVersion(o.KubeVersion)
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
		c = copyHelm4(c)
		if err := chartutil.ProcessDependencies(c, values); err != nil {
			return nil, err
		}
	}
	release := common.ReleaseOptions{Name: o.Release, Namespace: o.Namespace, Revision: 1, IsInstall: !o.IsUpgrade, IsUpgrade: o.IsUpgrade}
	top, err := commonutil.ToRenderValuesWithSchemaValidation(c, values, release, capabilities, true)
	if err != nil {
		return nil, err
	}
	if err := s.validate4(c, top["Values"].(common.Values)); err != nil {
		return nil, err
	}
	return engine.Render(c, top)
}

// copyHelm4 copies a chart as far as the processing of dependencies changes it.
func copyHelm4(c *chart.Chart) *chart.Chart {
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
		out.AddDependency(copyHelm4(d))
	}
	return &out
}
