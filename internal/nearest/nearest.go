// Package nearest finds the known name that somebody meant who wrote another one.
package nearest

import (
	"slices"
	"strings"
)

// Name returns the known name that is closest to the given one, the first in order among equals. It is false where none is close:
// where more than a third of the letters would have to change. The case of letters counts as nothing.
func Name(given string, known []string) (string, bool) {
	best, found := "", false
	least := len([]rune(given))/3 + 1
	for _, name := range slices.Sorted(slices.Values(known)) {
		if d := distance(strings.ToLower(given), strings.ToLower(name)); d < least || d == least && !found {
			best, least, found = name, d, true
		}
	}
	return best, found
}

// distance is how many letters must be put in, taken out, replaced, or swapped with the next one, to make b of a.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row[0] = i
		for j := 1; j <= len(to); j++ {
			change := 1
			if from[i-1] == to[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)]
}
