package manifest

import (
	"math"
	"strconv"
	"strings"
)

// words are the plain scalars of YAML 1.1 that are neither text nor digits.
var words = map[string]any{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "true": true, "True": true, "TRUE": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "false": false, "False": false, "FALSE": false, "off": false, "Off": false, "OFF": false,
	"~": nil, "null": nil, "Null": nil, "NULL": nil,
}

// resolve gives a plain scalar its type as go-yaml v2 does, which is what Helm and kubectl run. ok is false for rare
// spellings, which are left to go-yaml itself: infinities, and binary numbers that Go does not read.
func resolve(plain string) (value any, ok bool) {
	if plain == "" {
		return nil, true
	}
	switch c := plain[0]; {
	case strings.IndexByte("yYnNtTfFoO~", c) >= 0:
		if value, found := words[plain]; found {
			return value, true
		}
		return plain, true
	case c == '.':
		switch strings.ToLower(plain) {
		case ".nan", ".inf":
			return nil, false
		}
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return number(f), true
		}
		return plain, true
	case c == '+' || c == '-' || c >= '0' && c <= '9':
		return resolveNumber(plain)
	}
	return plain, true
}

func resolveNumber(plain string) (value any, ok bool) {
	if strings.EqualFold(plain[1:], ".inf") {
		return nil, false
	}
	digits := strings.ReplaceAll(plain, "_", "")
	if i, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return i, true
	}
	if u, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return float64(u), true
	}
	if isFloat(digits) {
		if f, err := strconv.ParseFloat(digits, 64); err == nil {
			return number(f), true
		}
	}
	if strings.HasPrefix(digits, "0b") || strings.HasPrefix(digits, "-0b") {
		return nil, false
	}
	return plain, true
}

// isFloat matches [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
func isFloat(s string) bool {
	digits := func() (n int) {
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n
	}
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	whole, fraction := digits(), 0
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		fraction = digits()
	}
	if whole+fraction == 0 {
		return false
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if digits() == 0 {
			return false
		}
	}
	return s == ""
}

// number returns a float as kubectl sends it: JSON writes a whole one without a fraction, and what is written so is read
// as an integer where it fits in 64 bits.
func number(f float64) any {
	if f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return f
	}
	if math.Abs(f) < 1<<53 {
		return int64(f)
	}
	if i, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64); err == nil {
		return i
	}
	return f
}
