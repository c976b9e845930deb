package golden

import (
	"bytes"
	"errors"

	"github.com/stratamesh/strata/pkg/manifest"
)

// ErrText is returned by Diff for files that do not hold objects, or that hold the same ones and differ in writing.
var ErrText = errors.New("no difference between objects")

// Diff tells how a stale file differs from what is rendered now, by meaning: the first side is the file. The error is ErrText where
// only the texts can be compared: a value that stands in a file of its own, a file that cannot be read, or one that holds the same
// objects written in another way.
func (f Fault) Diff() (*manifest.Report, error) {
	var sides [2]*manifest.Set
	for n, text := range [][]byte{f.Got, f.Want} {
		if !bytes.HasPrefix(text, []byte(header)) {
			return nil, ErrText
		}
		objects, err := manifest.Parse(f.File, text)
		if err != nil {
			return nil, errors.Join(ErrText, err)
		}
		if sides[n], err = manifest.NewSet(objects...); err != nil {
			return nil, errors.Join(ErrText, err)
		}
	}
	report, err := manifest.Diff(sides[0], sides[1], manifest.Options{})
	if err != nil {
		return nil, errors.Join(ErrText, err)
	}
	if report.Equal {
		return nil, ErrText
	}
	return report, nil
}
