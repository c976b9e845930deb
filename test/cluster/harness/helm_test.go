package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWarningsAreErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		Result
		fault string
	}{
		{"nothing said", Result{}, ""},
		{"failed", Result{Code: 1, Stderr: "Error: no"}, "exit code 1"},
		{"warning of the API server, Helm 3", Result{Stderr: "W1130 16:48:48.573267   17160 warnings.go:70] unknown field \"spec.x\"\n"}, "warns"},
		{"warning of Helm 4", Result{Stderr: "level=WARN msg=\"unable to find exact version\"\n"}, "warns"},
		{"warning of Helm 3", Result{Stderr: "a line\nWARNING: Kubernetes configuration file is group-readable\n"}, "warns"},
		{"information of the client", Result{Stderr: "I1130 16:48:48.573267   17160 reflector.go:664] \"Warning: watch ended with error\"\n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := c.Err(); c.fault == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.fault)
			}
		})
	}
}
