package finding_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	sarifschema "github.com/stratamesh/strata/internal/sarif"
	"github.com/stratamesh/strata/pkg/finding"
)

var (
	tool  = finding.Tool{Name: "strata", Version: "1.2.3", URI: "https://example.com/strata"}
	rules = []finding.Rule{
		{ID: "unknown-key", Severity: finding.Error, Summary: "A key that no chart knows.", Help: "Nothing reads it. Remove it."},
		{ID: "same", Severity: finding.Note, Summary: "A leaf that changes nothing."},
	}
	findings = []finding.Finding{
		{
			Rule: "unknown-key", Severity: finding.Error, Message: "unknown key <a>", Fix: "write b", File: "a folder/v:1.yaml", Line: 3, Column: 5,
			Path: "pilot.a",
		},
		{Rule: "same", Severity: finding.Note, Message: "100%, nothing\nchanges", File: "/abs/x.yaml", Object: "Deployment:n:d", Path: "spec.replicas"},
		{Rule: "same", Severity: finding.Warning, Message: "everywhere"},
	}
)

func sarif(t require.TestingT, findings []finding.Finding) (text string, document any) {
	var b bytes.Buffer
	require.NoError(t, finding.SARIF(&b, tool, rules, findings))
	text = b.String()
	document, err := jsonschema.UnmarshalJSON(&b)
	require.NoError(t, err)
	return text, document
}

func TestSARIFFitsTheSchema(t *testing.T) {
	s := sarifschema.Schema(t)
	for _, list := range [][]finding.Finding{nil, findings} {
		_, document := sarif(t, list)
		require.NoError(t, s.Validate(document))
	}
	broken, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": "2.1.0", "runs": [{"results": []}]}`))
	require.NoError(t, err)
	require.Error(t, s.Validate(broken), "the schema refuses what is none")
}

func TestSARIFOfAnyFindingFitsTheSchema(t *testing.T) {
	s := sarifschema.Schema(t)
	rapid.Check(t, func(t *rapid.T) {
		f := finding.Finding{
			Rule:     rapid.SampledFrom(rules).Draw(t, "rule").ID,
			Severity: rapid.SampledFrom([]finding.Severity{finding.Error, finding.Warning, finding.Note}).Draw(t, "severity"),
			Message:  rapid.String().Draw(t, "message"), Fix: rapid.String().Draw(t, "fix"), File: rapid.String().Draw(t, "file"),
			Line: rapid.IntRange(0, 9).Draw(t, "line"), Column: rapid.IntRange(0, 9).Draw(t, "column"),
			Object: rapid.String().Draw(t, "object"), Path: rapid.String().Draw(t, "path"),
		}
		_, document := sarif(t, []finding.Finding{f})
		require.NoError(t, s.Validate(document))
	})
}

func TestSARIFTellsRuleAndPlace(t *testing.T) {
	text, _ := sarif(t, findings)
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Name, Version, InformationURI string
					Rules                         []struct {
						ID                     string
						ShortDescription, Help struct{ Text string }
						DefaultConfiguration   struct{ Level string }
					}
				}
			}
			Results []struct {
				RuleID, Level string
				RuleIndex     int
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
					LogicalLocations []struct{ FullyQualifiedName string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &log))
	driver := log.Runs[0].Tool.Driver
	assert.Equal(t, tool, finding.Tool{Name: driver.Name, Version: driver.Version, URI: driver.InformationURI})
	assert.Equal(t, "Nothing reads it. Remove it.", driver.Rules[0].Help.Text)
	assert.Equal(t, "A leaf that changes nothing.", driver.Rules[1].ShortDescription.Text)
	assert.Equal(t, "note", driver.Rules[1].DefaultConfiguration.Level)

	first, second, third := log.Runs[0].Results[0], log.Runs[0].Results[1], log.Runs[0].Results[2]
	assert.Equal(t, "unknown key <a>\nFix: write b", first.Message.Text)
	assert.Equal(t, "a%20folder/v:1.yaml", first.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, 3, first.Locations[0].PhysicalLocation.Region.StartLine)
	assert.Equal(t, 5, first.Locations[0].PhysicalLocation.Region.StartColumn)
	assert.Equal(t, "pilot.a", first.Locations[0].LogicalLocations[0].FullyQualifiedName)
	assert.Equal(t, 1, second.RuleIndex)
	assert.Equal(t, "file:///abs/x.yaml", second.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, "Deployment:n:d:spec.replicas", second.Locations[0].LogicalLocations[1].FullyQualifiedName)
	assert.Equal(t, "warning", third.Level, "a finding may be milder than its rule")
	assert.Empty(t, third.Locations)
	assert.Contains(t, text, "<a>")
}

func marks(t *testing.T, findings ...finding.Finding) []string {
	t.Helper()
	text, _ := sarif(t, findings)
	var log struct {
		Runs []struct {
			Results []struct{ PartialFingerprints map[string]string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &log))
	var out []string
	for _, r := range log.Runs[0].Results {
		out = append(out, r.PartialFingerprints["strata/v1"])
	}
	return out
}

func TestFingerprintsStayWhenLinesMove(t *testing.T) {
	f := findings[0]
	moved, other := f, f
	moved.Line, moved.Message = 99, "other words"
	other.Path = "pilot.c"
	assert.Equal(t, marks(t, f), marks(t, moved))
	assert.NotEqual(t, marks(t, f), marks(t, other))

	twice := marks(t, f, f)
	assert.NotEqual(t, twice[0], twice[1], "two in one place are two")

	nowhere, elsewhere := findings[2], findings[2]
	elsewhere.Message = "else"
	assert.NotEqual(t, marks(t, nowhere), marks(t, elsewhere))
}

func TestSARIFRefusesAnUndeclaredRule(t *testing.T) {
	err := finding.SARIF(&bytes.Buffer{}, tool, rules, []finding.Finding{{Rule: "none", Message: "m"}})
	require.ErrorContains(t, err, `"none" is not declared`)
}

func TestGitHubEscapesPropertiesAndText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, finding.GitHub(&b, findings))
	assert.Equal(t, `::error file=a folder/v%3A1.yaml,line=3,col=5,title=unknown-key%3A pilot.a::unknown key <a>%0AFix: write b
::notice file=/abs/x.yaml,title=same%3A Deployment%3An%3Ad spec.replicas::100%25, nothing%0Achanges
::warning title=same::everywhere
`, b.String())
}

func TestGitHubWritesOneLineForEachFinding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		text := rapid.StringOf(rapid.SampledFrom([]rune("a:,%\r\n\u2028=")))
		f := finding.Finding{Rule: "r", Severity: finding.Error, Message: text.Draw(t, "message"), File: text.Draw(t, "file"), Path: text.Draw(t, "path")}
		require.NoError(t, finding.GitHub(&b, []finding.Finding{f}))
		require.Equal(t, 1, strings.Count(b.String(), "\n"))
		require.NotContains(t, b.String(), "\r")
		// The first :: after the command's own ends the properties, so what follows is the message as escaped.
		_, data, found := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), "::"), "::")
		require.True(t, found)
		require.Equal(t, f.Message, strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n").Replace(data))
	})
}

func TestJSONIsAListAlsoWhereThereIsNothing(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, finding.JSON(&b, nil))
	assert.JSONEq(t, `{"findings": []}`, b.String())
	b.Reset()
	require.NoError(t, finding.JSON(&b, findings))
	var got struct{ Findings []finding.Finding }
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	assert.Equal(t, findings, got.Findings)
	assert.Contains(t, b.String(), "<a>")
}
