package cli_test

import (
	"errors"
	"fmt"
	"os/exec"
)

func exitCode(err error) string {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Sprint(exit.ExitCode())
	}
	return err.Error()
}
