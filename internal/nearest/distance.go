package nearest

import "strings"

// Distance is how many letters must be put in, taken out, replaced, or swapped with the next one, to make one name of the other. The
// case of letters counts as nothing.
func Distance(a, b string) int { return distance(strings.ToLower(a), strings.ToLower(b)) }
