package cli

import (
	"fmt"

	"github.com/stratamesh/strata/pkg/golden"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
)

// computed are the values of one chart, and where each comes from.
type computed struct {
	*profiles.Result
	chart   *render.Chart
	install golden.Chart
	input   profiles.Input
	given   *explicit
}

// compute merges the values that a chart gets under a selection. Contradictions in it go to standard error.
func (s *selection) compute(env Env, name string) (*computed, error) {
	suite, err := openSuite(s.charts)
	if err != nil {
		return nil, err
	}
	chart, install, err := suite.load(name)
	if err != nil {
		return nil, err
	}
	c := &computed{chart: chart, install: install}
	if c.given, err = s.explicit(env); err != nil {
		return nil, err
	}
	if c.input, err = load.Chart(chart.Files(), suite.source(name)); err != nil {
		return nil, err
	}
	c.input.Explicit = c.given.documents
	if c.Result, err = profiles.Compute(c.input); err != nil {
		return nil, fmt.Errorf("chart %s: %w", chart.Name, err)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(env.Stderr, "strata: warning: %s\n", w)
	}
	return c, nil
}
