// Package finding is what a command reports about a place in a file or in an object, and the forms in which people and CI systems
// read it.
package finding

// A Severity says how much a finding matters.
type Severity string

// The severities, in falling order. They are also the levels of SARIF.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Rule is one kind of finding.
type Rule struct {
	// ID is stable and in words, such as unknown-key.
	ID       string
	Severity Severity
	// Summary is one sentence; Help says why it matters and what to do.
	Summary, Help string
}

// A Finding is one place where a rule applies.
type Finding struct {
	// Rule is the ID of the rule.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Message says what is there. Fix, if any, what to write instead.
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	// File, Line and Column (from 1) are 0 or empty where there is no file.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Object is Kind:namespace:name, and Path a path in it or in the values.
	Object string `json:"object,omitempty"`
	Path   string `json:"path,omitempty"`
}
