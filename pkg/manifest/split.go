package manifest

import "strings"

// A chunk is the text of one document of a stream.
type chunk struct {
	text string
	// line is that of the first character in the source, from 1.
	line int
}

// split cuts a stream at the lines --- and ..., which YAML allows nowhere inside a document, and leaves out documents
// with nothing but comments and directives. Each chunk begins with the first line that says something.
func split(text string) []chunk {
	var chunks []chunk
	start, from, line := 0, 1, 1 // of the document, its line, the line read
	for at := 0; at < len(text); line++ {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if isMarker(text[at:end]) {
			chunks = appendChunk(chunks, text[start:at], from, text[at] == '-')
			start, from = end, line+1
			if isContent(text[at+3 : end]) {
				start, from = at, line // --- {apiVersion: v1, …}
			}
		}
		at = end
	}
	return appendChunk(chunks, text[start:], from, false)
}

// isMarker says whether a line begins or ends a document.
func isMarker(line string) bool {
	return len(line) >= 3 && (line[:3] == "---" || line[:3] == "...") && (len(line) == 3 || strings.IndexByte(" \t\r\n", line[3]) >= 0)
}

// isContent says whether a line is more than white space and a comment.
func isContent(line string) bool {
	line = strings.TrimLeft(line, " \t\r\n")
	return line != "" && line[0] != '#'
}

// appendChunk leaves out comments in front; before a --- also directives, as %YAML 1.1.
func appendChunk(chunks []chunk, text string, line int, marked bool) []chunk {
	for text != "" {
		end := len(text)
		if n := strings.IndexByte(text, '\n'); n >= 0 {
			end = n + 1
		}
		if isContent(text[:end]) && (!marked || text[0] != '%') {
			return append(chunks, chunk{text, line})
		}
		text = text[end:]
		line++
	}
	return chunks
}
