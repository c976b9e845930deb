package golden

import (
	"fmt"
	"path"
	"strings"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/profiles"
)

// A rule is Kind:namespace:name[:path]. Each part but the path is a pattern with *, empty is any; path leads through the keys of
// maps.
type rule struct {
	text                  string
	kind, namespace, name string
	path                  profiles.Path
}

func parseRules(texts []string) ([]rule, error) {
	var rules []rule
	for _, text := range texts {
		parts := strings.SplitN(text, ":", 4)
		if len(parts) < 3 {
			return nil, fmt.Errorf("%q: a rule is Kind:namespace:name or Kind:namespace:name:path", text)
		}
		r := rule{text: text, kind: parts[0], namespace: parts[1], name: parts[2]}
		for _, pattern := range parts[:3] {
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
		}
		if len(parts) == 4 {
			var err error
			if r.path, err = profiles.ParsePath(parts[3]); err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func (r rule) matches(id manifest.ID) bool {
	return match(r.kind, id.Kind) && match(r.namespace, id.Namespace) && match(r.name, id.Name)
}

// match says whether a pattern matches a whole name; the empty pattern matches any.
func match(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
