package finding

import "io"

// JSON writes one map with the key findings, a list in the order given, whose items are as the tags of Finding say.
func JSON(w io.Writer, findings []Finding) error {
	if findings == nil {
		findings = []Finding{}
	}
	return encode(w, struct {
		Findings []Finding `json:"findings"`
	}{findings})
}
