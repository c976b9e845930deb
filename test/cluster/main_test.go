package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stratamesh/strata/test/cluster/report"
)

// table is filled by the tests, and printed at the end.
var table report.Table

func TestMain(m *testing.M) {
	code := 1
	var err error
	if pool.dir, err = os.MkdirTemp("", "strata-cluster-"); err == nil {
		code = m.Run()
		err = errors.Join(pool.close(), table.Finish())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
