package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratamesh/strata/internal/nearest"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

func newProfile(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Says what profiles, platforms and compatibility versions change",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProfileList(env), newProfileShow(env), newProfileDiff(env))
	return cmd
}

func newProfileList(env Env) *cobra.Command {
	var charts, output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Lists the profiles, whom they are for, and the charts in which they change values",
		Example: `  strata profile list
  strata profile list -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := textOrJSON(output); err != nil {
				return err
			}
			b, err := openBook(charts, nil)
			if err != nil {
				return err
			}
			return b.list(env.Stdout, output)
		},
	}
	cmd.Flags().StringVar(&charts, "charts", "", "`DIR|TGZ` with other charts than those in this program")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT`: text or json")
	return cmd
}

func newProfileShow(env Env) *cobra.Command {
	var charts, output string
	var only []string
	cmd := &cobra.Command{
		Use:   "show SELECTION",
		Short: "Shows what a profile is for, what it builds on, and each value that it changes",
		Long: `Shows what a selection changes over the defaults of each chart.

` + selectionHelp,
		Example: `  strata profile show openshift-ambient
  strata profile show profile=ambient,platform=gke --chart istio-cni
  strata profile show acme.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := textOrJSON(output); err != nil {
				return err
			}
			b, err := openBook(charts, only)
			if err != nil {
				return err
			}
			to, err := b.choose(env, args[0])
			if err != nil {
				return err
			}
			return b.show(env.Stdout, to, output)
		},
	}
	profileFlags(cmd, &charts, &only, &output)
	return cmd
}

func newProfileDiff(env Env) *cobra.Command {
	var charts, output string
	var only []string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Shows in which values two selections differ",
		Long: `Compares the merged values that each chart gets under two selections. strata diff compares what they render to.

` + selectionHelp + `

Exit code: 0 the same values, 1 differences, 2 refused input.`,
		Example: `  strata profile diff default ambient
  strata profile diff profile=ambient profile=ambient,platform=gke --chart ztunnel
  strata profile diff openshift acme.yaml -o json`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := textOrJSON(output); err != nil {
				return err
			}
			b, err := openBook(charts, only)
			if err != nil {
				return err
			}
			var sides [2]*choice
			var faults []error
			for n, arg := range args {
				side, err := b.choose(env, arg)
				sides[n], faults = side, append(faults, err)
			}
			if err := errors.Join(faults...); err != nil {
				return err
			}
			same, err := b.diff(env.Stdout, sides[0], sides[1], output)
			if err == nil && !same {
				return errDifferent
			}
			return err
		},
	}
	profileFlags(cmd, &charts, &only, &output)
	return cmd
}

// selectionHelp says how a selection is written.
const selectionHelp = `A SELECTION is the name of a profile, or of a platform or compatibility version where no profile has the name; names as in
profile=ambient+demo,platform=gke,compatibilityVersion=1.30; or a file with values, - for standard input.`

func profileFlags(cmd *cobra.Command, charts *string, only *[]string, output *string) {
	cmd.Flags().StringVar(charts, "charts", "", "`DIR|TGZ` with other charts than those in this program")
	cmd.Flags().StringSliceVar(only, "chart", nil, "only this `CHART` (repeatable; all where there is none)")
	cmd.Flags().StringVarP(output, "output", "o", "text", "`FORMAT`: text or json")
}

func textOrJSON(format string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("-o %s: unknown format; use text or json", format)
	}
	return nil
}

// A book holds some charts and the layers that can be selected in them.
type book struct {
	charts []page
	// layers are all that any of the charts has, sorted by kind and name.
	layers []profiles.Layer
}

// A page is one chart.
type page struct {
	name  string
	input profiles.Input
	files map[string][]byte
	known *knownKeys
}

// openBook reads the charts of the program, or of a folder or archive; all of them, or only the named ones.
func openBook(dir string, only []string) (*book, error) {
	suite, err := openSuite(dir)
	if err != nil {
		return nil, err
	}
	names, err := suite.names()
	if err != nil {
		return nil, err
	}
	if len(only) > 0 {
		names = only
	}
	b := &book{}
	var faults []error
	for _, name := range names {
		chart, files, err := suite.files(name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		input, err := load.Chart(files, suite.source(name))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		known, err := readKnownKeys(files["values.schema.json"])
		if err != nil {
			faults = append(faults, fmt.Errorf("chart %s: %w", name, err))
			continue
		}
		b.charts = append(b.charts, page{chart, input, files, known})
		for _, kind := range layerKinds {
			for _, layer := range input.Catalog.Names(kind) {
				b.layers = append(b.layers, profiles.Layer{Kind: kind, Name: layer})
			}
		}
	}
	slices.SortFunc(b.layers, func(a, c profiles.Layer) int {
		if byKind := slices.Index(layerKinds, a.Kind) - slices.Index(layerKinds, c.Kind); byKind != 0 {
			return byKind
		}
		return strings.Compare(a.Name, c.Name)
	})
	b.layers = slices.Compact(b.layers)
	return b, errors.Join(faults...)
}

// layerKinds are those that are selected by name, in the order in which they are listed.
var layerKinds = []profiles.Kind{profiles.KindProfile, profiles.KindPlatform, profiles.KindCompatibility}

// about returns what a layer's file says of itself: the comment at its top.
func (b *book) about(layer profiles.Layer) string {
	for _, p := range b.charts {
		text, found := p.files[path.Join(load.Folder, load.FileOf(layer))]
		if !found {
			continue
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
			if !isComment {
				break
			}
			if !strings.Contains(comment, "DO NOT EDIT") {
				lines = append(lines, strings.TrimSpace(comment))
			}
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

// A choice is what a chart gets on top of its defaults.
type choice struct {
	// text is as the user wrote it.
	text     string
	explicit profiles.Document
	// layer is the one that is selected, where the choice is one name.
	layer profiles.Layer
}

// choose reads a selection.
func (b *book) choose(env Env, text string) (*choice, error) {
	if strings.Contains(text, "=") {
		values, err := parseSelection(text)
		if err != nil {
			return nil, err
		}
		return &choice{text: text, explicit: profiles.Document{Source: text, Values: values}}, nil
	}
	for _, layer := range b.layers {
		if layer.Name == text {
			return &choice{text, profiles.Document{Source: text, Values: map[string]any{string(layer.Kind): text}}, layer}, nil
		}
	}
	document, err := readDocument(env, text)
	if errors.Is(err, fs.ErrNotExist) && path.Ext(text) == "" && !strings.ContainsAny(text, string(os.PathSeparator)+"/") {
		names := make([]string, 0, len(b.layers))
		for _, layer := range b.layers {
			names = append(names, layer.Name)
		}
		if name, found := nearest.Name(text, names); found {
			return nil, fmt.Errorf("unknown name %q; did you mean %s?", text, name)
		}
		return nil, fmt.Errorf("unknown name %q; known: %s", text, strings.Join(slices.Compact(names), ", "))
	}
	return &choice{text: text, explicit: document}, err
}

// compute merges the values of one chart under a choice.
func (p page) compute(c *choice) (*profiles.Result, error) {
	in := p.input
	if c != nil {
		in.Explicit = []profiles.Document{c.explicit}
	}
	r, err := profiles.Compute(in)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", p.name, err)
	}
	return r, nil
}
