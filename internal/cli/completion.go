package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/render"
)

// A proposer lists words for the shell, given the arguments before the word. What cannot be read proposes nothing.
type proposer func(cmd *cobra.Command, args []string) []string

// registerCompletions lets the shell complete what flags and arguments stand for, by their names, in all commands.
func registerCompletions(env Env, root *cobra.Command) {
	flags := map[string]proposer{
		"profile":               layersOf(profiles.KindProfile),
		"platform":              layersOf(profiles.KindPlatform),
		"compatibility-version": layersOf(profiles.KindCompatibility),
		"chart":                 func(cmd *cobra.Command, _ []string) []string { return chartNames(selectionOf(cmd).charts) },
		"object":                objectsOf(env),
		"select":                objectsOf(env),
		"ignore":                objectsOf(env),
		"helm":                  fixed("3", "4"),
		colorFlag:               fixed(string(colorAuto), string(colorAlways), string(colorNever)),
	}
	for _, flag := range []string{"set", "set-string", "set-json", "set-file", "set-literal"} {
		flags[flag] = func(cmd *cobra.Command, args []string) []string {
			paths := leafPaths(env, cmd, args)
			for n := range paths {
				paths[n] += "="
			}
			return paths
		}
	}
	arguments := map[string]proposer{
		"render": chartsNotIn,
		"values": oneChart,
		"explain": func(cmd *cobra.Command, args []string) []string {
			if len(args) == 0 {
				return oneChart(cmd, args)
			}
			return leafPaths(env, cmd, args)
		},
		"lint": layersOf(profiles.KindProfile),
		"show": selectionsOf, "diff": selectionsOf,
	}
	for _, cmd := range allCommands(root) {
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if list, found := flags[flag.Name]; found {
				// The only error is that of a flag which has a completion already.
				_ = cmd.RegisterFlagCompletionFunc(flag.Name, list.complete(cobra.ShellCompDirectiveNoFileComp))
			}
		})
		if list, found := arguments[cmd.Name()]; found {
			directive := cobra.ShellCompDirectiveNoFileComp
			if slices.Contains([]string{"show", "diff", "lint"}, cmd.Name()) {
				directive = cobra.ShellCompDirectiveDefault // files too
			}
			cmd.ValidArgsFunction = list.complete(directive)
		}
	}
}

// allCommands are a command and all below it.
func allCommands(cmd *cobra.Command) []*cobra.Command {
	below := cmd.Commands()
	all := append(make([]*cobra.Command, 0, 1+len(below)), cmd)
	for _, c := range below {
		all = append(all, allCommands(c)...)
	}
	return all
}

// complete proposes those words that begin like the one that is being written.
func (list proposer) complete(directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		directive := directive
		var out []string
		for _, w := range list(cmd, args) {
			if strings.HasPrefix(w, word) {
				out = append(out, w)
				if strings.HasSuffix(w, "=") {
					directive |= cobra.ShellCompDirectiveNoSpace
				}
			}
		}
		return out, directive
	}
}

// fixed proposes the same words always.
func fixed(list ...string) proposer { return func(*cobra.Command, []string) []string { return list } }

// selectionOf reads the flags of a selection as far as the command has them.
func selectionOf(cmd *cobra.Command) *selection {
	s := &selection{}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.register(flags)
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		same := flags.Lookup(flag.Name)
		if same == nil {
			return
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			if into, ok := same.Value.(pflag.SliceValue); ok {
				_ = into.Replace(list.GetSlice()) // strings, as they were
			}
			return
		}
		_ = same.Value.Set(flag.Value.String())
	})
	return s
}

func chartNames(dir string) []string {
	suite, err := openSuite(dir)
	if err != nil {
		return nil
	}
	names, err := suite.names()
	if err != nil {
		return nil
	}
	return names
}

// chartsNotIn are the charts that are not among the arguments yet.
func chartsNotIn(cmd *cobra.Command, args []string) []string {
	return slices.DeleteFunc(chartNames(selectionOf(cmd).charts), func(name string) bool { return slices.Contains(args, name) })
}

// oneChart are the charts, for a command that takes one.
func oneChart(cmd *cobra.Command, args []string) []string {
	if len(args) > 0 {
		return nil
	}
	return chartsNotIn(cmd, nil)
}

func layersOf(kind profiles.Kind) proposer {
	return func(cmd *cobra.Command, _ []string) []string { return layerNames(selectionOf(cmd).charts, kind) }
}

// layerNames are the known names of one kind.
func layerNames(dir string, kind profiles.Kind) []string {
	b, err := openBook(dir, nil)
	if err != nil {
		return nil
	}
	var names []string
	for _, layer := range b.layers {
		if layer.Kind == kind {
			names = append(names, layer.Name)
		}
	}
	return names
}

// leafPaths are the paths of all values under the selection: those of the chart that is the first argument, of all charts where there is
// none.
func leafPaths(env Env, cmd *cobra.Command, args []string) []string {
	env.Stderr = io.Discard
	s := selectionOf(cmd)
	charts := args
	if len(args) == 0 {
		charts = chartNames(s.charts)
	} else if cmd.Name() != "render" {
		charts = args[:1]
	}
	var paths []string
	for _, chart := range charts {
		c, err := s.compute(env, chart)
		if err != nil {
			continue
		}
		for _, o := range c.Origins() {
			paths = append(paths, o.Path.String())
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// objectsOf are the objects that charts render to under the selection, as rules.
func objectsOf(env Env) proposer {
	return func(cmd *cobra.Command, args []string) []string {
		s := selectionOf(cmd)
		charts := chartNames(s.charts)
		if cmd.Name() == "explain" && len(args) > 0 {
			charts = args[:1]
		}
		suite, err := openSuite(s.charts)
		if err != nil {
			return nil
		}
		given, err := s.explicit(env)
		if err != nil {
			return nil
		}
		all, err := renderCharts(suite, charts, render.Helm4, render.Options{Values: given.values})
		if err != nil {
			return nil
		}
		var names []string
		for _, r := range all {
			objects, err := manifest.Parse(r.chart, []byte(r.text))
			if err != nil {
				return nil
			}
			for _, object := range objects {
				names = append(names, strings.Join([]string{object.ID.Kind, object.ID.Namespace, object.ID.Name}, ":"))
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
}

// selectionsOf are the selections of one layer.
func selectionsOf(cmd *cobra.Command, args []string) []string {
	if len(args) == 2 || len(args) == 1 && cmd.Name() == "show" {
		return nil
	}
	dir := selectionOf(cmd).charts
	var all []string
	for _, kind := range layerKinds {
		for _, name := range layerNames(dir, kind) {
			all = append(all, string(kind)+"="+name)
		}
	}
	return all
}
