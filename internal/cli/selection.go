package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"helm.sh/helm/v4/pkg/strvals"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
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

// explicit reads the values as helm does: files, then the flags --set-json, --set, --set-string, --set-file and --set-literal, each
// over what comes before, then the selectors that have a flag of their own.
func (s *selection) explicit(env Env) (map[string]any, error) {
	values := map[string]any{}
	for _, file := range s.files {
		document, err := readDocument(env, file)
		if err != nil {
			return nil, err
		}
		values = render.MergeValues(values, document.Values)
	}
	for _, group := range []struct {
		flag  string
		items []string
		parse func(string, map[string]any) error
	}{
		{"--set-json", s.setJSON, strvals.ParseJSON},
		{"--set", s.set, strvals.ParseInto},
		{"--set-string", s.setString, strvals.ParseIntoString},
		{"--set-file", s.setFile, func(item string, into map[string]any) error {
			return strvals.ParseIntoFile(item, into, func(name []rune) (any, error) {
				text, err := os.ReadFile(string(name))
				return string(text), err
			})
		}},
		{"--set-literal", s.setRaw, strvals.ParseLiteralInto},
	} {
		for _, item := range group.items {
			if err := group.parse(item, values); err != nil {
				return nil, fmt.Errorf("%s %s: %w", group.flag, item, err)
			}
		}
	}
	for key, value := range map[string]string{"profile": s.profile, "platform": s.platform, "compatibilityVersion": s.compatibility} {
		if value != "" {
			values[key] = value
		}
	}
	return values, nil
}

func readDocument(env Env, file string) (profiles.Document, error) {
	if file == "-" {
		text, err := io.ReadAll(env.Stdin)
		if err != nil {
			return profiles.Document{}, fmt.Errorf("standard input: %w", err)
		}
		return load.Parse("standard input", text)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return profiles.Document{}, err
	}
	return load.Parse(file, text)
}
