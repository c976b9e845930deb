package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stratamesh/strata/pkg/render"
)

// A selection is the flags that say which values a chart gets.
type selection struct {
	charts                                   string
	profile, platform, compatibility         string
	files                                    []string
	set, setString, setJSON, setFile, setRaw []string
}

func (s *selection) register(flags *pflag.FlagSet) {
	flags.StringVar(&s.charts, "charts", "", "`DIR|TGZ` with other charts than those in this program")
	flags.StringVar(&s.profile, "profile", "", "`NAME` of a profile, or names joined by +")
	flags.StringVar(&s.platform, "platform", "", "`NAME` of a platform")
	flags.StringVar(&s.compatibility, "compatibility-version", "", "Istio `VERSION` to stay compatible with")
	flags.StringArrayVarP(&s.files, "values", "f", nil, "`FILE` with values, - for standard input (repeatable)")
	flags.StringArrayVar(&s.set, "set", nil, "set a value, as `KEY=VALUE` (repeatable)")
	flags.StringArrayVar(&s.setString, "set-string", nil, "set a string, as `KEY=VALUE` (repeatable)")
	flags.StringArrayVar(&s.setJSON, "set-json", nil, "set a value in JSON, as `KEY=JSON` (repeatable)")
	flags.StringArrayVar(&s.setFile, "set-file", nil, "set a string from a file, as `KEY=FILE` (repeatable)")
	flags.StringArrayVar(&s.setRaw, "set-literal", nil, "set a string without any escapes, as `KEY=VALUE` (repeatable)")
}

// parseSelection reads names of layers, as in profile=ambient,platform=gke.
func parseSelection(text string) (map[string]any, error) {
	values := map[string]any{}
	for part := range strings.SplitSeq(text, ",") {
		key, name, found := strings.Cut(part, "=")
		if !found || !slices.Contains([]string{"profile", "platform", "compatibilityVersion"}, key) {
			return nil, fmt.Errorf("%s: neither a file nor a selection of profile=, platform= and compatibilityVersion=", text)
		}
		values[key] = name
	}
	return values, nil
}

// registerOptions adds the flags that say how a release is installed.
func registerOptions(flags *pflag.FlagSet, o *render.Options) {
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "`NAMESPACE` of the release (default: that in which the chart is usually installed)")
	flags.StringVar(&o.Release, "release", "", "`NAME` of the release (default: the usual one of the chart)")
	flags.StringVar(&o.KubeVersion, "kube-version", "", "`VERSION` of Kubernetes that the charts see (default "+render.DefaultKubeVersion+")")
	flags.StringSliceVar(&o.APIVersions, "api-versions", nil, "`GROUP/VERSION[/KIND]` that the cluster has besides the usual ones (repeatable)")
	flags.BoolVar(&o.IsUpgrade, "is-upgrade", false, "render what helm upgrade would")
}
