package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"
)

// A version says what this program is made of.
type version struct {
	// Strata is the version of the module, or (devel).
	Strata string `json:"strata"`
	// Commit is that of the source, with +dirty where it was changed; empty where it is not known.
	Commit string `json:"commit,omitempty"`
	// Istio is what the charts install.
	Istio string `json:"istio"`
	// Charts are those in the program.
	Charts []chartVersion `json:"charts"`
	// Engines are the libraries that render.
	Engines []string `json:"engines"`
	Go      string   `json:"go"`
}

type chartVersion struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func newVersion(env Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Prints the versions of this program, of its charts and of its engines",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := textOrJSON(output); err != nil {
				return err
			}
			v, err := readVersion()
			if err != nil {
				return err
			}
			if output == "json" {
				return writeJSON(env.Stdout, v)
			}
			text := fmt.Sprintf("strata %s\n", v.Strata)
			if v.Commit != "" {
				text += fmt.Sprintf("commit %s\n", v.Commit)
			}
			text += fmt.Sprintf("Istio %s\n", v.Istio)
			for _, c := range v.Charts {
				text += fmt.Sprintf("chart %s %s\n", c.Name, c.Version)
			}
			for _, e := range v.Engines {
				text += fmt.Sprintf("engine %s\n", e)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s%s\n", text, v.Go)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT`: text or json")
	return cmd
}

// moduleVersion is that of the program.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func readVersion() (*version, error) {
	v := &version{Strata: moduleVersion(), Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		dirty := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				v.Commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+dirty"
			}
		}
		if v.Commit != "" {
			v.Commit += dirty
		}
		for _, d := range info.Deps {
			if slices.Contains([]string{"helm.sh/helm/v3", "helm.sh/helm/v4"}, d.Path) {
				v.Engines = append(v.Engines, d.Path+" "+d.Version)
			}
		}
	}
	suite, err := openSuite("")
	if err != nil {
		return nil, err
	}
	names, err := suite.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		_, files, err := suite.files(name)
		if err != nil {
			return nil, err
		}
		var about chart.Metadata
		if err := yaml.Unmarshal(files[chartFile], &about); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", name, chartFile, err)
		}
		v.Charts = append(v.Charts, chartVersion{about.Name, about.Version})
		v.Istio = about.AppVersion
	}
	return v, nil
}
