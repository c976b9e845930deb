package manifest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// blocks are texts at the edges of what readBlock reads.
var blocks = []string{
	"a: 1\nb: yes\nc: 0777\nd: 1e3\ne: 1.0\nf: 9007199254740993\ng: 1_000\nh: ~\ni: 2001-01-01\nj: .5\nk: 0x1F\nl: -0.0\nm: 1e21\nn: 08\n",
	"y: 1\non: 2\n1: x\n1.5: y\n~: z\n",
	"'y': 1\n\"on\": 2\n'a: b': 3\n\"a\\tb\": 4\n",
	"a:\n- 1\n- b: 2\n  c: 3\n-\n- - x\n  - y\n-   d: 4\n    e: 5\nf:\n  - g\n",
	"a:\n- b:\n  - c\n  d:\n- e\n",
	"a: |\n  x\n   y\n\n  z\n\n\nb: |-\n  x\n\nc: |+\n  x\n\nd: 1\n",
	"a: |\n\n\n  x\n",
	"a: |\n\n    \n  x\n",
	"a: |\n  x\n    \n  \n y: 1\n",
	"a: |\nb: |-\nc: |+\n\nd: 1\n",
	"a: |  # comment\n  # text\n # comment\n# comment\nb: 1\n",
	"a: |\n  x", "a: |\n  x\n ", "a: |\n \tx\n", "a: |2\n   x\n", "a: >\n  x\n  y\n", "a:\n- |\n x\n- |\n  y\nb: 1\n",
	"a: \"x\\n\\\"\\u00e9\\/\"\nb: 'it''s'\nc: \"\\x41\"\nd: \"a\n  b\"\n", "a: 'x\n  y'\n", "a: 'x \n   y  \n  z' # c\nb: \"it's\n  \\\"so\\\"\"\n", "a: 'x\ny'\n", "a: 'x\n\n  y'\n", "a: \"x\\\n  y\"\n",
	"a: 'x\t\n  y'\n", "a: 'x\n  \ty'\n", "a: '\n  x'\n", "a: 'x\n  '\n", "a: 'x\n  y''\n  z'\n", "- 'x\n  y'\n- a: 'x\n   y'\n", "a: 'x\n  y': z\n", "a: 'x\n  y' z\n", "a:\n  b: 'x\n   # y'\n", "a: 'x\n  y", "a: \"#x\" # y\nb: \"x\"# y\n",
	"a: {b: 1, c: [x, \"y\", {d: ~}], e: {}}\nf: []\ng: [ a b , c ]\n", "a: {b: 1,}\n", "a: [1, 2\n  , 3]\n", "a: {b}\n", "a: {{ .Values.x }}\n",
	"{\"a\":1,\"b\":[1,2]}\n", "{a: 1, \"b\":2, c: x:y, d: http://e/f}\n", "{a: b: c}\n", "[a, b]\n", "{a: 1} b\n", "{a: 1}\n---x\n",
	"a: x # comment\nb: x#y\nc: a:b\nd: :80\ne: --flag=x\nf: -\n", "a: - b\n", "a: b: c\n", "a: b:\n", "a: x\n  y\n", "a: x\n # c\n  y\n",
	"a:\n  b: 1\n c: 2\n", "a:\n  - b\n - c\n", "  a: 1\n  b: 2\n", "  a: 1\nb: 2\n", "a: 1\na: 2\n", "a:\n  b\n", "- a\n- b\n", "- a\nb: 1\n",
	"a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n", "a: !!str 1\nb: !x 2\n", "? a\n: 1\n", "a: @x\n", "a: %x\n", "a: `x\n", "a: ,x\n", "a: ]\n",
	"a:\tb\n", "a: b\tc\n", "\ta: b\n", "a: b\t\n", "a: \"x\ty\"\n", "a: é ü 漢字 😀\né: 1\n", "a: \u0085\n", "a: \u2028x\n", "a: \x7f\n", "a: \x01\n",
	"a: 1\r\nb: |\r\n  x\r\n  y\r\nc: \"z\"\r\n", "a: 1\rb: 2\r", "a : 1\n", "a:b\n", "a: <<\n", "<<: {a: 1}\n", "a: .inf\n", "a: -.INF\n", "a: .nan\n", "a: +.inf\n", "a: 0b101\nb: 0b+1\nc: -0b11\n",
	"a: 18446744073709551615\nb: 99999999999999999999\nc: 9223372036854774784.0\nd: 1e18\n", "a: =\nb: <x>\nc: $x\n", "a: '\nb: '\n", "a:\n#x\n\n  #y\n  b: 1\n", "#x\n\na: 1\n", "a: 1\n...\n",
	"a: [a, -1, --b, 'c']\nb: [-]\nc: [- ]\nd: [a: b]\ne: [a:b]\nf: [x?]\n", "a: {\"b\" : 1}\n", "a: {b: }\n", "a: [,]\n", "a: [a,,b]\n", "a: [a,b]\n", "a: [a, b] c\n",
	"- - - a\n    - b\n", "- a: 1\n  b: 2\n- c\n", "-\n  a: 1\n", "-\n- a\n", "-a: 1\n", "a: -1\nb: +1\nc: +\nd: -x\ne: ~x\nf: null\ng: Null\nh: NULL\n",
	"a: x y  z   # c\n", "a: \"\"\nb: ''\n'': 1\n", "a: 'b': c\n", "\"a\": 1\n\"b\" : 2\n", "a.b/c-d_e: 1\n.: 1\n/: 2\n_: 3\n", "..: 1\n", "---: 1\n", "a: ---\n", "a: ...\n",
	"A: \t", "a: \tb\n",
	"a: 0o17\nb: 0O17\nc: 1__0\nd: 0_7\ne: _1\nf: 1.\ng: 1.e3\nh: +.5\ni: 1e+3\nj: 0x\nk: 1e999\nl: 12e03\n",
}

// oracle is what kubectl sends: YAML as sigs.k8s.io/yaml reads it, JSON with exact integers.
func oracle(text string) (any, error) {
	j, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	var value any
	if err := utiljson.Unmarshal(j, &value); err != nil {
		return nil, err
	}
	return value, nil
}

// agree fails where a text is read otherwise than Helm and kubectl read it.
func agree(t *testing.T, text string) {
	t.Helper()
	fast, repeated, ok := readBlock(text)
	slow, err := decodeYAML(text, false)
	if ok {
		require.NoError(t, err, "readBlock must refuse what go-yaml refuses: %q", text)
		require.Equal(t, slow, fast, "%q", text)
		_, strict := decodeYAML(text, true)
		require.Equal(t, repeated, strict != nil, "a key stands twice: %q", text)
	}
	if err != nil {
		return
	}
	want, err := oracle(text)
	require.NoError(t, err, "%q", text)
	require.Equal(t, want, slow, "%q", text)
}

func TestBlocksAreReadAsGoYAMLReadsThem(t *testing.T) {
	read := 0
	for _, text := range blocks {
		agree(t, text)
		for line := range strings.Lines(text) {
			agree(t, line)
			if _, _, ok := readBlock(line); ok {
				read++
			}
		}
	}
	assert.Greater(t, read, 100, "lines that readBlock reads itself")
}

func FuzzReadBlock(f *testing.F) {
	for _, text := range blocks {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(split(text)) != 1 || len(text) > 10_000 {
			return // readBlock and go-yaml get one document
		}
		agree(t, split(text)[0].text)
	})
}

func TestNumbersAreExact(t *testing.T) {
	for _, text := range []string{"1", "-1", "1.0", "1e3", "1e20", "1e21", "9007199254740993", "9223372036854775807", "9223372036854775808", "9223372036854774784.0", "0.1", "-0.0", "123456789012345678901234567890"} {
		fromYAML, err := decodeYAML("a: "+text, false)
		require.NoError(t, err)
		var fromJSON any
		d := json.NewDecoder(strings.NewReader(`{"a": ` + text + `}`))
		d.UseNumber()
		require.NoError(t, d.Decode(&fromJSON))
		fromJSON, err = normal(fromJSON)
		require.NoError(t, err)
		assert.Equal(t, fromYAML, fromJSON, text)
	}
}

// pieces are what YAML is made of.
var pieces = rapid.SampledFrom([]string{
	"a", "b", "key", "a: ", "b:", "\n", "\n  ", "\n    ", "\n- ", "\n  - ", "- ", "-", ":", ": ", " ", "  ", "#", " # c", "'", "\"", "''", "\\n",
	"|", "|-", "|+", "|\n  ", ">", "{", "}", "[", "]", ",", ", ", "{a: 1}", "[a, b]", "x y", "1", "0777", "yes", "~", "\t", "é", "*x", "&x ", "!!str ", "?", "<<: ", "---", "...",
})

// lines draws maps and lists in block style, most of which readBlock reads.
func lines(r *rapid.T, indent, depth int) string {
	var b strings.Builder
	pad := strings.Repeat(" ", indent)
	isList := rapid.Bool().Draw(r, "list")
	for range rapid.IntRange(1, 3).Draw(r, "lines") {
		head := pad + rapid.SampledFrom([]string{"a:", "bb:", "c-d:", "\"q\":", "e/f:"}).Draw(r, "key")
		if isList {
			head = pad + "-"
		}
		switch style := rapid.IntRange(0, 6).Draw(r, "style"); {
		case style == 0:
			b.WriteString(head + " |" + rapid.SampledFrom([]string{"", "-", "+"}).Draw(r, "chomp") + "\n" + pad + "  t x\n" +
				rapid.SampledFrom([]string{"", "\n", pad + "   y\n", pad + "\n", pad + "      \n"}).Draw(r, "text"))
		case style == 1 && isList && depth > 0:
			b.WriteString(head + " " + strings.TrimLeft(lines(r, indent+2, depth-1), " "))
		case style <= 3 && depth > 0:
			b.WriteString(head + "\n" + lines(r, indent+rapid.SampledFrom([]int{0, 2, 2, 4}).Draw(r, "indent"), depth-1))
		default:
			b.WriteString(head + " " + rapid.SampledFrom([]string{
				"1", "x", "x y", "\"q r\"", "'it''s'", "~", "", "yes", "{a: 1}", "[a, 'b', {c: d}]", "{}", "[]", "http://x:80/y", "a#b", "\"\\n\\\"\"", "-1", "- 1", "0x1f", "1.50", "é ü",
			}).Draw(r, "scalar") + rapid.SampledFrom([]string{"", " # c", "  "}).Draw(r, "end") + "\n")
		}
		b.WriteString(rapid.SampledFrom([]string{"", "", "", "", "\n", "# c\n", pad + "# d\n", "   \n"}).Draw(r, "between"))
	}
	return b.String()
}

// Texts made of the pieces of YAML reach corners that mutated bytes do not.
func TestPiecesOfYAMLAreReadAsGoYAMLReadsThem(t *testing.T) {
	t.Run("any", rapid.MakeCheck(func(r *rapid.T) {
		for _, c := range split(strings.Join(rapid.SliceOfN(pieces, 1, 25).Draw(r, "pieces"), "")) {
			agree(t, c.text)
		}
	}))
	t.Run("in lines", rapid.MakeCheck(func(r *rapid.T) {
		text := lines(r, 0, 3)
		for range rapid.IntRange(0, 2).Draw(r, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(r, "at")
			text = text[:at] + pieces.Draw(r, "piece") + text[min(len(text), at+rapid.IntRange(0, 2).Draw(r, "without")):]
		}
		for _, c := range split(text) {
			agree(t, c.text)
		}
	}))
}
