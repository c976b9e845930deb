package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// A Tool is the program that found something.
type Tool struct {
	Name, Version string
	// URI leads to a page about the tool; it may be empty.
	URI string
}

// sarifSchema is where OASIS publishes the schema of the form that SARIF writes.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes one SARIF 2.1.0 log with one run, which code scanning of GitHub, GitLab and Azure reads.
//
// A file becomes a URI below the folder of the run, or an absolute one where it is an absolute path. Object and path become a logical
// location. A fingerprint tells a finding from others by rule, file, object and path, so that it is the same one after lines above
// it came or went; by its message where there is neither object nor path. The error is one of writing, or of a finding whose rule is
// not among rules.
func SARIF(w io.Writer, tool Tool, rules []Rule, findings []Finding) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: tool.Name, Version: tool.Version, InformationURI: tool.URI, Rules: []sarifRule{}}
	index := map[string]int{}
	for n, r := range rules {
		index[r.ID] = n
		rule := sarifRule{ID: r.ID, ShortDescription: sarifText{r.Summary}}
		rule.DefaultConfiguration.Level = r.Severity
		if r.Help != "" {
			rule.Help = &sarifText{r.Help}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	seen := map[string]int{}
	for _, f := range findings {
		n, known := index[f.Rule]
		if !known {
			return fmt.Errorf("finding %q: its rule %q is not declared", f.Message, f.Rule)
		}
		mark := fingerprint(f)
		seen[mark]++
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Rule, RuleIndex: n, Level: f.Severity, Message: sarifText{f.text()}, Locations: locations(f),
			// Equal ones are counted, as GitHub does with the hashes of lines.
			PartialFingerprints: map[string]string{"strata/v1": fmt.Sprintf("%s:%d", mark, seen[mark])},
		})
	}
	return encode(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// text is the message with what to do about it.
func (f Finding) text() string {
	if f.Fix == "" {
		return f.Message
	}
	return f.Message + "\nFix: " + f.Fix
}

func fingerprint(f Finding) string {
	parts := []string{f.Rule, filepath.ToSlash(f.File), f.Object, f.Path}
	if f.Object == "" && f.Path == "" {
		parts = append(parts, f.Message)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func locations(f Finding) []sarifLocation {
	var l sarifLocation
	if f.File != "" {
		l.Physical = &sarifPhysical{ArtifactLocation: sarifArtifact{fileURI(f.File)}}
		if f.Line > 0 {
			l.Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: max(f.Column, 0)}
		}
	}
	if f.Object != "" {
		l.Logical = append(l.Logical, sarifLogical{Name: f.Object, Kind: "resource", FullyQualifiedName: f.Object})
	}
	if f.Path != "" {
		full := f.Path
		if f.Object != "" {
			full = f.Object + ":" + f.Path
		}
		l.Logical = append(l.Logical, sarifLogical{Name: f.Path, Kind: "member", FullyQualifiedName: full})
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}

// fileURI writes a path as a URI: relative as it is, absolute with the scheme file.
func fileURI(file string) string {
	slashed := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(slashed, "/")}).String()
	}
	return (&url.URL{Path: slashed}).String()
}

// encode writes indented JSON with <, > and & as they are.
func encode(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// The parts of SARIF that SARIF writes, by its names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string     `json:"id"`
		ShortDescription     sarifText  `json:"shortDescription"`
		Help                 *sarifText `json:"help,omitempty"`
		DefaultConfiguration struct {
			Level Severity `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               Severity          `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name               string `json:"name"`
		Kind               string `json:"kind"`
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)
