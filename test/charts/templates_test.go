package charts_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ownTemplates are the files of a chart's templates folder, but for those that are the same in every chart, of which base
// has them for all.
func ownTemplates(t testing.TB, name string) []string {
	t.Helper()
	return slices.DeleteFunc(filesIn(t, name, "templates"), func(file string) bool {
		return name != "base" && (path.Base(file) == "_overlay.tpl" || path.Base(file) == "_shared.tpl")
	})
}

// unstable are functions whose result is another with each render, or depends on the cluster.
var unstable = regexp.MustCompile(`\b(lookup|now|date|dateInZone|dateModify|ago|htmlDate|unixEpoch|rand\w*|uuidv4|genCA\w*|genSelfSignedCert\w*|genSignedCert\w*|genPrivateKey|derivePassword|htpasswd|bcrypt|encryptAES|getHostByName|env|expandenv)\b`)

var (
	action  = regexp.MustCompile(`(?s)\{\{-?\s*(.*?)\s*-?\}\}`)
	literal = regexp.MustCompile("(?s)\"(\\\\.|[^\"\\\\])*\"|`[^`]*`|/\\*.*?\\*/")
	word    = regexp.MustCompile(`[$.]\w[\w.]*`)
	defined = regexp.MustCompile(`\{\{-?\s*define\s+"([^"]*)"`)
	reading = regexp.MustCompile(`\.Values\.(\w+)`)
)

// Templates are the same for one input at any time and in any cluster: no template calls a function that asks the
// cluster, a clock or chance. Helm's own functions are meant, so that env as a key of values is no call.
func TestTemplatesCallNothingUnstable(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		for _, file := range ownTemplates(t, name) {
			for _, m := range action.FindAllStringSubmatch(string(files(t, name)[file].Data), -1) {
				code := word.ReplaceAllString(literal.ReplaceAllString(m[1], `""`), "x")
				assert.Empty(t, unstable.FindString(code), "%s/%s: %s", name, file, m[0])
			}
		}
	}
}

// Every template calls the engine on its first line, so that none depends on the order in which Helm runs them; and every
// named template begins with the chart's name, so that charts of one release do not meet.
func TestTemplatesCallTheEngineFirst(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		for _, file := range filesIn(t, name, "templates") {
			text := string(files(t, name)[file].Data)
			if !strings.HasPrefix(path.Base(file), "_") {
				first, _, _ := strings.Cut(text, "\n")
				assert.Equal(t, `{{- include "`+name+`.overlay" . -}}`, first, "%s/%s", name, file)
			}
			for _, m := range defined.FindAllStringSubmatch(text, -1) {
				assert.True(t, strings.HasPrefix(m[1], name+"."), "%s/%s defines %s", name, file, m[1])
			}
		}
	}
}

// Templates read only what the schema documents.
func TestTemplatesReadDocumentedValues(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		for _, file := range filesIn(t, name, "templates") {
			if base := path.Base(file); base == "_overlay.tpl" || base == "_shared.tpl" {
				continue // the same in every chart
			}
			for _, m := range reading.FindAllStringSubmatch(string(files(t, name)[file].Data), -1) {
				assert.True(t, m[1] == "_overlay" || schemas(t, name).knows(m[1]), "%s/%s reads %s", name, file, m[1])
			}
		}
		// By "CHART.inScope" and "CHART.pullSecrets", which every chart uses.
		for _, key := range []string{"resourceScope", "imagePullSecrets"} {
			assert.True(t, schemas(t, name).knows(key), "%s reads %s", name, key)
		}
	}
}

// Only the engine, for a hint, and the failure policy of validation ask whether a render is an upgrade; the policy is in
// no other charts than those with a validation webhook.
func TestTemplatesAskForUpgradesInOnePlace(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		for _, file := range filesIn(t, name, "templates") {
			text := string(files(t, name)[file].Data)
			if base := path.Base(file); base != "_overlay.tpl" && base != "_shared.tpl" {
				requireNone(t, text, []string{"IsUpgrade", "IsInstall", "Release.Revision"})
				if validators[name] == "" {
					requireNone(t, text, []string{"validation.failurePolicy"})
				}
			}
		}
	}
}
