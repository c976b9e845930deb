package cli

import "fmt"

// progress returns a function that shows how far a long command is, on one line of standard error; nil where that is no terminal.
func (e Env) progress() func(done, total int) {
	if e.Terminal == nil || !e.Terminal(e.Stderr) {
		return nil
	}
	return func(done, total int) {
		text := fmt.Sprintf("rendered %d of %d", done, total)
		if done == total {
			text = "" // the line is clean for what comes next
		}
		fmt.Fprintf(e.Stderr, "\r\x1b[K%s", text)
	}
}
