package cli

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProgressIsForTerminals(t *testing.T) {
	var b bytes.Buffer
	env := Env{Stderr: &b, Terminal: func(w io.Writer) bool { return w == &b }}
	show := env.progress()
	show(1, 2)
	show(2, 2)
	assert.Equal(t, "\r\x1b[Krendered 1 of 2\r\x1b[K", b.String())
	env.Terminal = func(io.Writer) bool { return false }
	assert.Nil(t, env.progress())
	assert.Nil(t, Env{}.progress())
}
