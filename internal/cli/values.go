package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/stratamesh/strata/pkg/profiles"
)

func newValues(env Env) *cobra.Command {
	var s selection
	var origin bool
	var output string
	cmd := &cobra.Command{
		Use:   "values CHART",
		Short: "Prints the merged values of a chart",
		Long: `Prints the values that the templates of a chart read: its defaults, the profiles, the compatibility version, the platform and
the explicit values, merged. With --origin a comment on each value names the layer that set it, and the place.`,
		Example: `  strata values istiod --profile ambient --platform gke
  strata values istiod -f mine.yaml --set pilot.autoscaleMin=2 --origin
  strata values ztunnel -o json | jq .resources`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if output != "yaml" && output != "json" {
				return fmt.Errorf("-o %s: unknown format; use yaml or json", output)
			}
			if output == "json" && origin {
				return errors.New("--origin writes comments, which JSON does not have; use strata explain -o json")
			}
			c, err := s.compute(env, args[0])
			if err != nil {
				return err
			}
			if output == "json" {
				return writeJSON(env.Stdout, c.Values)
			}
			notes := map[string]string{}
			if origin {
				for _, o := range c.Origins() {
					notes[o.Path.String()] = sourceText(o.Winner())
				}
			}
			node, err := valuesNode(c.Values, nil, notes)
			if err != nil {
				return err
			}
			encoder := yaml.NewEncoder(env.Stdout)
			encoder.SetIndent(2)
			return errors.Join(encoder.Encode(node), encoder.Close())
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().BoolVar(&origin, "origin", false, "say where each value comes from")
	cmd.Flags().StringVarP(&output, "output", "o", "yaml", "`FORMAT`: yaml or json")
	return cmd
}

// sourceText says which layer gives a value, and where.
func sourceText(s profiles.Source) string {
	layer, position := s.Layer(), s.Position().String()
	if layer.Kind == profiles.KindExplicit && strings.HasPrefix(position, "--") {
		return position
	}
	return layer.String() + " (" + position + ")"
}

// valuesNode turns values into YAML with a comment on each leaf that notes has one for, by path.
func valuesNode(value any, at profiles.Path, notes map[string]string) (*yaml.Node, error) {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 {
		node := &yaml.Node{}
		err := node.Encode(value)
		return node, err
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		path := append(slices.Clip(at), key)
		inner, err := valuesNode(m[key], path, notes)
		if err != nil {
			return nil, err
		}
		name := &yaml.Node{}
		if err := name.Encode(key); err != nil {
			return nil, err
		}
		switch note := notes[path.String()]; {
		case note == "":
		case inner.Kind == yaml.ScalarNode && !strings.Contains(inner.Value, "\n"), inner.Kind != yaml.ScalarNode && len(inner.Content) == 0:
			inner.LineComment = note
		default:
			name.HeadComment = note
		}
		node.Content = append(node.Content, name, inner)
	}
	return node, nil
}

func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
