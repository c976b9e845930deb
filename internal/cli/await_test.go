package cli_test

import (
	"os"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// await waits until a file that a program in the background writes holds a pattern: await FILE PATTERN.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	var text []byte
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if text, err = os.ReadFile(ts.MkAbs(args[0])); err == nil && pattern.Match(text) {
			return
		}
	}
	ts.Fatalf("%s does not get to hold %q: %v\n%s", args[0], args[1], err, text)
}
