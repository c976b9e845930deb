package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// readBlock reads the YAML that charts write: maps and lists in block style, scalars on one line or folded in quotes, literal text
// (|), and flow style on one line. It is about ten times as fast as go-yaml. What it does not know for certain it does not read: ok
// is false, and go-yaml decides, also about what is an error. So it may refuse anything, but must never read a text
// otherwise than go-yaml; FuzzParse compares the two.
//
// repeated says that a map had a key twice, of which the last counts.
func readBlock(text string) (value any, repeated, ok bool) {
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if !isPlainText(text) {
		return nil, false, false
	}
	b := block{text: text}
	column, ok := b.line()
	if !ok || column < 0 {
		return nil, false, false
	}
	if c := b.text[b.pos]; c == '{' || c == '[' {
		value, ok = b.flow(0)
		if !ok || !b.restIsBlank() {
			return nil, false, false
		}
		column, ok = b.line()
	} else {
		value, column, ok = b.node(column)
	}
	return value, b.repeated, ok && column < 0
}

// isPlainText is true for the characters that YAML allows and that are no line break but \n. Tabs are left to where they stand.
func isPlainText(text string) bool {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			return false
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError || r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r > 0xfffd && r < 0x10000 {
			return false
		}
		i += size
	}
	return true
}

const (
	maxDepth = 100
	// maxKey keeps keys below the length at which YAML no longer takes a scalar for one.
	maxKey = 500
)

// A block reads one text. Each method leaves pos behind what it read.
type block struct {
	text     string
	pos      int
	start    int // of the line that pos is in
	depth    int
	repeated bool
}

// is says whether the character at i is c.
func (b *block) is(i int, c byte) bool { return i < len(b.text) && b.text[i] == c }

// blank says whether a space, the end of the line or the end of the text is at i.
func (b *block) blank(i int) bool {
	return i >= len(b.text) || b.text[i] == ' ' || b.text[i] == '\n'
}

func (b *block) spaces() {
	for b.is(b.pos, ' ') {
		b.pos++
	}
}

// line goes from the start of a line to the first character that is neither indentation nor in a comment, and returns its
// column; -1 at the end of the text.
func (b *block) line() (column int, ok bool) {
	for b.pos < len(b.text) {
		b.start = b.pos
		b.spaces()
		switch {
		case b.pos == len(b.text):
		case b.text[b.pos] == '\n':
			b.pos++
		case b.text[b.pos] == '#':
			b.skipLine()
		case b.text[b.pos] == '\t':
			return 0, false
		default:
			return b.pos - b.start, true
		}
	}
	return -1, true
}

func (b *block) skipLine() {
	if n := strings.IndexByte(b.text[b.pos:], '\n'); n >= 0 {
		b.pos += n + 1
	} else {
		b.pos = len(b.text)
	}
}

// restIsBlank goes to the next line. It is false where more than a comment stands before it.
func (b *block) restIsBlank() bool {
	from := b.pos
	b.spaces()
	if b.pos < len(b.text) && b.text[b.pos] != '\n' && (b.text[b.pos] != '#' || b.pos == from) {
		return false
	}
	b.skipLine()
	return true
}

// node reads a map or list that begins at pos. next is the column of what follows it.
func (b *block) node(column int) (value any, next int, ok bool) {
	if b.depth++; b.depth > maxDepth {
		return nil, 0, false
	}
	defer func() { b.depth-- }()
	if b.is(b.pos, '-') && b.blank(b.pos+1) {
		return b.list(column)
	}
	return b.mapping(column)
}

func (b *block) list(column int) (value any, next int, ok bool) {
	var list []any
	for {
		if !b.is(b.pos, '-') || !b.blank(b.pos+1) {
			// The key that follows a list of the same indentation.
			return list, column, true
		}
		b.pos++
		var item any
		if item, next, ok = b.item(column); !ok || next > column {
			return nil, 0, false
		}
		list = append(list, item)
		if next < column {
			return list, next, true
		}
	}
}

// item reads what follows the dash of a list.
func (b *block) item(column int) (value any, next int, ok bool) {
	from := b.pos
	b.spaces()
	if b.pos < len(b.text) && b.text[b.pos] != '\n' && b.text[b.pos] != '#' {
		if b.text[b.pos] == '-' && b.blank(b.pos+1) {
			return b.node(b.pos - b.start)
		}
		at := b.pos
		if _, ok := b.key(false); ok {
			b.pos = at
			return b.node(at - b.start)
		}
		b.pos = at
		return b.scalar(column)
	}
	b.pos = from
	if !b.restIsBlank() {
		return nil, 0, false
	}
	if next, ok = b.line(); !ok || next <= column {
		return nil, next, ok
	}
	return b.node(next)
}

func (b *block) mapping(column int) (value any, next int, ok bool) {
	m := make(map[string]any)
	for {
		key, ok := b.key(false)
		if !ok {
			return nil, 0, false
		}
		if value, next, ok = b.field(column); !ok || next > column {
			return nil, 0, false
		}
		b.set(m, key, value)
		if next < column {
			return m, next, true
		}
	}
}

func (b *block) set(m map[string]any, key string, value any) {
	size := len(m)
	m[key] = value
	b.repeated = b.repeated || len(m) == size
}

// field reads what follows the colon of a map.
func (b *block) field(column int) (value any, next int, ok bool) {
	from := b.pos
	b.spaces()
	if b.pos < len(b.text) && b.text[b.pos] != '\n' && b.text[b.pos] != '#' {
		return b.scalar(column)
	}
	b.pos = from
	if !b.restIsBlank() {
		return nil, 0, false
	}
	if next, ok = b.line(); !ok {
		return nil, 0, false
	}
	if next > column || next == column && b.is(b.pos, '-') && b.blank(b.pos+1) {
		return b.node(next)
	}
	return nil, next, true
}

// key reads the key of a map and its colon. ok is false where there is none, or one that is not text.
func (b *block) key(inFlow bool) (key string, ok bool) {
	from := b.pos
	if c := b.text[b.pos]; c == '"' || c == '\'' {
		key, ok = b.quoted()
		if !ok || b.pos-from > maxKey || !b.is(b.pos, ':') {
			return "", false
		}
		b.pos++
		return key, inFlow || b.blank(b.pos)
	}
	for b.pos < len(b.text) && isKeyCharacter(b.text[b.pos]) {
		b.pos++
	}
	key = b.text[from:b.pos]
	if key == "" || len(key) > maxKey || !b.is(b.pos, ':') || !b.blank(b.pos+1) || key[0] == '-' && len(key) == 1 {
		return "", false
	}
	b.pos++
	value, ok := resolve(key)
	_, isText := value.(string)
	return key, ok && isText
}

func isKeyCharacter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/'
}

// scalar reads a value that begins at pos and ends on its line, or a literal text. parent is the column of the map or list around it.
func (b *block) scalar(parent int) (value any, next int, ok bool) {
	switch c := b.text[b.pos]; c {
	case '|':
		return b.literal(parent)
	case '"', '\'':
		at := b.pos
		if value, ok = b.quoted(); !ok {
			b.pos = at
			value, ok = b.folded(parent)
		}
	case '{', '[':
		value, ok = b.flow(0)
	default:
		value, ok = b.plain()
	}
	if !ok || !b.restIsBlank() {
		return nil, 0, false
	}
	// A line that is further in would continue the scalar.
	next, ok = b.line()
	return value, next, ok && next <= parent
}

// plain reads a scalar without quotes, up to the end of the line or a comment.
func (b *block) plain() (value any, ok bool) {
	rest := b.text[b.pos:]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	switch rest[0] {
	case '-', ':':
		if len(rest) == 1 || rest[1] == ' ' {
			return nil, false
		}
	case '\t', '?', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return nil, false
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '#':
			if rest[i-1] == ' ' {
				rest = rest[:i]
			}
		case ':':
			if i+1 == len(rest) || rest[i+1] == ' ' {
				return nil, false
			}
		case '\t':
			return nil, false
		}
	}
	rest = strings.TrimRight(rest, " ")
	b.pos += len(rest)
	return resolve(rest)
}

// quoted reads a scalar in quotes that ends on its line.
func (b *block) quoted() (value string, ok bool) {
	quote := b.text[b.pos]
	b.pos++
	from := b.pos
	for b.pos < len(b.text) {
		switch c := b.text[b.pos]; {
		case c == '\n':
			return "", false
		case c == '\\' && quote == '"':
			return b.escaped(from)
		case c == quote && quote == '\'' && b.is(b.pos+1, '\''):
			return b.doubled(from)
		case c == quote:
			value = b.text[from:b.pos]
			b.pos++
			return value, true
		}
		b.pos++
	}
	return "", false
}

// folded reads a scalar in quotes that goes on in further lines, each further in than parent: a line end is a space. Empty lines and
// lines that end with a backslash or a tab are left alone.
func (b *block) folded(parent int) (value string, ok bool) {
	quote := b.text[b.pos]
	var joined strings.Builder
	joined.WriteByte(quote)
	b.pos++
	for at := b.pos; ; {
		b.skipLine()
		line := strings.TrimRight(b.text[at:b.pos], " \n")
		if end := closing(line, quote); end >= 0 {
			joined.WriteString(line[:end+1])
			b.pos = at + end + 1
			break
		}
		joined.WriteString(line)
		joined.WriteByte(' ')
		begin := b.pos
		b.spaces()
		at = b.pos
		if strings.HasSuffix(line, "\\") || strings.HasSuffix(line, "\t") || at-begin <= parent || b.blank(at) || b.is(at, '\t') {
			return "", false
		}
	}
	whole := block{text: joined.String()}
	return whole.quoted()
}

// closing returns where a line ends a scalar in quotes, -1 where it does not.
func closing(line string, quote byte) int {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quote == '"':
			i++
		case line[i] != quote:
		case quote == '\'' && i+1 < len(line) && line[i+1] == quote:
			i++
		default:
			return i
		}
	}
	return -1
}

// doubled reads the rest of a scalar in single quotes that holds a quote, written twice.
func (b *block) doubled(from int) (value string, ok bool) {
	for b.pos < len(b.text) && b.text[b.pos] != '\n' {
		if b.text[b.pos] != '\'' {
			b.pos++
			continue
		}
		if !b.is(b.pos+1, '\'') {
			value = strings.ReplaceAll(b.text[from:b.pos], "''", "'")
			b.pos++
			return value, true
		}
		b.pos += 2
	}
	return "", false
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', 'n': '\n', 't': '\t', 'r': '\r'}

// escaped reads the rest of a scalar in double quotes that holds a backslash.
func (b *block) escaped(from int) (value string, ok bool) {
	var out strings.Builder
	out.WriteString(b.text[from:b.pos])
	for b.pos < len(b.text) {
		c := b.text[b.pos]
		b.pos++
		switch c {
		case '"':
			return out.String(), true
		case '\n':
			return "", false
		case '\\':
			if b.is(b.pos, 'u') && b.pos+5 <= len(b.text) {
				code, err := strconv.ParseUint(b.text[b.pos+1:b.pos+5], 16, 16)
				if err != nil || code >= 0xd800 && code < 0xe000 {
					return "", false
				}
				out.WriteRune(rune(code))
				b.pos += 5
				continue
			}
			if b.pos == len(b.text) {
				return "", false
			}
			plain, known := escapes[b.text[b.pos]]
			if !known {
				return "", false
			}
			out.WriteByte(plain)
			b.pos++
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

// literal reads a text in block style: | with or without - or +.
func (b *block) literal(parent int) (value any, next int, ok bool) {
	b.pos++
	chomp := byte(0)
	if b.is(b.pos, '-') || b.is(b.pos, '+') {
		chomp = b.text[b.pos]
		b.pos++
	}
	if !b.restIsBlank() {
		return nil, 0, false
	}
	indent, ok := b.indentation(chomp)
	if !ok {
		return nil, 0, false
	}
	if indent <= parent {
		next, ok = b.line()
		return "", next, ok
	}
	var out strings.Builder
	breaks := 0 // line ends not yet written: only those before another line belong to the text for certain
	for b.pos < len(b.text) {
		from, spaces := b.pos, 0
		for spaces < indent && b.is(from+spaces, ' ') {
			spaces++
		}
		at := from + spaces
		if at == len(b.text) {
			if spaces > 0 {
				return nil, 0, false
			}
			break
		}
		if b.text[at] == '\n' {
			breaks++
			b.pos = at + 1
			continue
		}
		if spaces < indent {
			break
		}
		for ; breaks > 0; breaks-- {
			out.WriteByte('\n')
		}
		b.pos = at
		b.skipLine()
		line := b.text[at:b.pos]
		if strings.HasSuffix(line, "\n") {
			line, breaks = line[:len(line)-1], 1
		}
		out.WriteString(line)
	}
	switch chomp {
	case 0:
		breaks = min(breaks, 1)
	case '-':
		breaks = 0
	}
	for ; breaks > 0; breaks-- {
		out.WriteByte('\n')
	}
	next, ok = b.line()
	return out.String(), next, ok
}

// indentation returns that of the first line with any text, without reading it.
func (b *block) indentation(chomp byte) (indent int, ok bool) {
	widest := 0
	for at := b.pos; at < len(b.text); {
		spaces := 0
		for b.is(at+spaces, ' ') {
			spaces++
		}
		switch {
		case at+spaces == len(b.text):
			return 0, false
		case b.text[at+spaces] == '\n':
			widest = max(widest, spaces)
			at += spaces + 1
		default:
			return spaces, b.text[at+spaces] != '\t' && widest <= spaces && (chomp != '+' || at == b.pos)
		}
	}
	// Only line ends are left; with + they would be the text.
	return 0, chomp != '+' && widest == 0
}

// flow reads a map or list in flow style that ends on its line.
func (b *block) flow(depth int) (value any, ok bool) {
	if depth > maxDepth {
		return nil, false
	}
	open := b.text[b.pos]
	b.pos++
	b.spaces()
	list, m, end := []any{}, map[string]any(nil), byte(']')
	if open == '{' {
		m, end = map[string]any{}, '}'
	}
	if b.is(b.pos, end) {
		b.pos++
		if m != nil {
			return m, true
		}
		return list, true
	}
	for b.pos < len(b.text) {
		var key string
		if m != nil {
			if key, ok = b.key(true); !ok {
				return nil, false
			}
			b.spaces()
		}
		item, ok := b.flowValue(depth)
		if !ok {
			return nil, false
		}
		if m != nil {
			b.set(m, key, item)
		} else {
			list = append(list, item)
		}
		b.spaces()
		switch {
		case b.is(b.pos, end):
			b.pos++
			if m != nil {
				return m, true
			}
			return list, true
		case b.is(b.pos, ',') && b.is(b.pos+1, ' '):
			b.pos++
			b.spaces()
		case b.is(b.pos, ',') && b.pos+1 < len(b.text) && b.text[b.pos+1] != '\n':
			b.pos++
		default:
			return nil, false
		}
	}
	return nil, false
}

func (b *block) flowValue(depth int) (value any, ok bool) {
	if b.pos == len(b.text) {
		return nil, false
	}
	switch b.text[b.pos] {
	case '"', '\'':
		return b.quoted()
	case '{', '[':
		return b.flow(depth + 1)
	}
	return b.flowPlain()
}

// flowPlain reads a scalar without quotes inside flow style.
func (b *block) flowPlain() (value any, ok bool) {
	from := b.pos
	if !isKeyCharacter(b.text[from]) && b.text[from] != '~' && b.text[from] != '$' || b.text[from] == '-' && (from+1 == len(b.text) || !isKeyCharacter(b.text[from+1])) {
		return nil, false
	}
	for b.pos < len(b.text) {
		c := b.text[b.pos]
		if c == ',' || c == '}' || c == ']' {
			return resolve(strings.TrimRight(b.text[from:b.pos], " "))
		}
		if !isKeyCharacter(c) && strings.IndexByte("~ $+=@%()<>^;*", c) < 0 && (c != ':' || b.pos+1 >= len(b.text) || !isKeyCharacter(b.text[b.pos+1])) {
			return nil, false
		}
		b.pos++
	}
	return nil, false
}
