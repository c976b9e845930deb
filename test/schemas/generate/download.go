package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/stratamesh/strata/test/schemas/internal/data"
)

// download returns the folder of a module, after a look at its hash.
func download(s data.Source) (string, error) {
	name := s.Module + "@" + s.Version
	c := exec.Command("go", "mod", "download", "-json", name)
	// Outside of any module: the requirements of the one around would count.
	c.Dir = os.TempDir()
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	text, err := c.Output()
	var module struct{ Dir, Sum, Error string }
	if decoded := json.Unmarshal(text, &module); err == nil {
		err = decoded
	}
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w: %s%s", name, err, module.Error, stderr.String())
	}
	if module.Sum != s.Sum {
		return "", fmt.Errorf("%s has the hash %s, but the list of sources says %q", name, module.Sum, s.Sum)
	}
	return module.Dir, nil
}
