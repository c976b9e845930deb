// Package data reads and writes kubernetes.json, which holds what the minors of Kubernetes publish about their APIs, as far as the
// charts need it: every minor in one file, and what several minors have in common once.
//
// A line is one thing, so that a diff shows what a minor changed.
package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// A File is the content of kubernetes.json.
type File struct {
	// About says what made the file.
	About string
	// Fingerprint is that of the generator and of the rest of the file; see Fingerprint.
	Fingerprint string
	// Sources are the minors, oldest first, with the module that each was read from.
	Sources []Source
	// Kinds are all kinds that can be created, sorted by apiVersion, kind and first minor.
	Kinds []Kind
	// Definitions are the schemas of some of the kinds and of all that these refer to, sorted by name and first minor.
	Definitions []Definition
}

// A Source is the published API of one minor.
type Source struct {
	Minor   string `json:"minor"`
	Module  string `json:"module"`
	Version string `json:"version"`
	// Sum is the module's hash, as in go.sum.
	Sum string `json:"sum"`
}

// A Range is some minors in a row. No From means from the oldest one on, no To up to the newest.
type Range struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// A Kind is one kind of objects in one version of its API.
type Kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced,omitempty"`
	// Deprecated is the first minor whose API server warns about it.
	Deprecated string `json:"deprecated,omitempty"`
	// Definition is the name of its schema, which need not be in the file.
	Definition string `json:"definition"`
	Range
}

// A Definition is one schema, in these words of OpenAPI: $ref (the name of a definition), type, format, enum, properties, required,
// additionalProperties, items, default (where it is no zero value), deprecated, x-kubernetes-list-type (set or map) and
// x-kubernetes-list-map-keys.
type Definition struct {
	Name string `json:"name"`
	Range
	Schema map[string]any `json:"schema"`
}

// Minors lists the minors, oldest first.
func (f *File) Minors() []string {
	minors := make([]string, 0, len(f.Sources))
	for _, s := range f.Sources {
		minors = append(minors, s.Minor)
	}
	return minors
}

// Has says whether a range, out of a file with these minors, has one of them.
func (r Range) Has(minors []string, minor string) bool {
	at := slices.Index(minors, minor)
	return at >= 0 && (r.From == "" || at >= slices.Index(minors, r.From)) && (r.To == "" || at <= slices.Index(minors, r.To))
}

// Ranges returns the ranges that have the minors for which has is true.
func Ranges(minors []string, has func(minor string) bool) []Range {
	var out []Range
	for n := 0; n < len(minors); n++ {
		if !has(minors[n]) {
			continue
		}
		var r Range
		if n > 0 {
			r.From = minors[n]
		}
		for n+1 < len(minors) && has(minors[n+1]) {
			n++
		}
		if n+1 < len(minors) {
			r.To = minors[n]
		}
		out = append(out, r)
	}
	return out
}

// Encode writes a file.
func (f *File) Encode() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"about\": %q,\n\"fingerprint\": %q", f.About, f.Fingerprint)
	for _, section := range []struct {
		name  string
		lines any
	}{{"sources", f.Sources}, {"kinds", f.Kinds}, {"definitions", f.Definitions}} {
		lines, err := oneByOne(section.lines)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",\n%q: [\n%s\n]", section.name, bytes.Join(lines, []byte(",\n")))
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// oneByOne encodes each item of a list.
func oneByOne(list any) ([][]byte, error) {
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return nil, err
	}
	lines := make([][]byte, len(items))
	for n, item := range items {
		lines[n] = item
	}
	return lines, nil
}

// Decode reads a file. Numbers in schemas are json.Number.
func Decode(text []byte) (*File, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	f := &File{}
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("kubernetes.json: %w", err)
	}
	return f, nil
}

// FingerprintOf hashes the source files of the generator, in this order, and all of the file but its Fingerprint. A file whose
// Fingerprint is another one was edited, or its generator changed since.
func FingerprintOf(f File, generator ...[]byte) (string, error) {
	f.Fingerprint = ""
	text, err := f.Encode()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range append(slices.Clone(generator), text) {
		fmt.Fprintf(h, "%d\n", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
