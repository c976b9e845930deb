package data_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/test/schemas/internal/data"
)

func TestRangesHaveTheMinorsTheyWereMadeFrom(t *testing.T) {
	minors := []string{"1.8", "1.9", "1.10", "1.11"}
	for _, test := range []struct {
		name string
		in   []string
		want []data.Range
	}{
		{"none", nil, nil},
		{"all", minors, []data.Range{{}}},
		{"from one on", []string{"1.10", "1.11"}, []data.Range{{From: "1.10"}}},
		{"up to one", []string{"1.8", "1.9"}, []data.Range{{To: "1.9"}}},
		{"one", []string{"1.9"}, []data.Range{{From: "1.9", To: "1.9"}}},
		{"the oldest", []string{"1.8"}, []data.Range{{To: "1.8"}}},
		{"the newest", []string{"1.11"}, []data.Range{{From: "1.11"}}},
		{"gone and back", []string{"1.8", "1.10"}, []data.Range{{To: "1.8"}, {From: "1.10", To: "1.10"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := map[string]bool{}
			for _, minor := range test.in {
				in[minor] = true
			}
			got := data.Ranges(minors, func(minor string) bool { return in[minor] })
			assert.Equal(t, test.want, got)
			for _, minor := range minors {
				times := 0
				for _, r := range got {
					if r.Has(minors, minor) {
						times++
					}
				}
				assert.Equal(t, map[bool]int{true: 1, false: 0}[in[minor]], times, minor)
			}
		})
	}
	assert.False(t, data.Range{}.Has(minors, "1.12"), "a minor that is not there")
}

func TestFingerprintIsThatOfContentAndGenerator(t *testing.T) {
	file := data.File{About: "a", Sources: []data.Source{{Minor: "1.30"}}, Definitions: []data.Definition{{Name: "b", Schema: map[string]any{"type": "object"}}}}
	first, err := data.FingerprintOf(file, []byte("x"), []byte("y"))
	require.NoError(t, err)
	other := file
	other.Definitions = []data.Definition{{Name: "b", Schema: map[string]any{"type": "string"}}}
	for name, f := range map[string]func() (string, error){
		"content":   func() (string, error) { return data.FingerprintOf(other, []byte("x"), []byte("y")) },
		"generator": func() (string, error) { return data.FingerprintOf(file, []byte("x"), []byte("z")) },
		"its files": func() (string, error) { return data.FingerprintOf(file, []byte("xy")) },
	} {
		got, err := f()
		require.NoError(t, err)
		assert.NotEqual(t, first, got, name)
	}
	file.Fingerprint = first
	again, err := data.FingerprintOf(file, []byte("x"), []byte("y"))
	require.NoError(t, err)
	assert.Equal(t, first, again, "it is no part of itself")
}

func TestEncodedFileIsReadBack(t *testing.T) {
	file := &data.File{
		About: "a", Fingerprint: "f",
		Sources:     []data.Source{{Minor: "1.30", Module: "m", Version: "v1.30.1", Sum: "h1:x="}},
		Kinds:       []data.Kind{{APIVersion: "v1", Kind: "K", Namespaced: true, Deprecated: "1.30", Definition: "d", Range: data.Range{From: "1.30"}}},
		Definitions: []data.Definition{{Name: "d", Schema: map[string]any{"type": "object"}}},
	}
	text, err := file.Encode()
	require.NoError(t, err)
	got, err := data.Decode(text)
	require.NoError(t, err)
	assert.Equal(t, file, got)
	_, err = data.Decode([]byte(`{"sorces": []}`))
	assert.ErrorContains(t, err, `kubernetes.json: json: unknown field "sorces"`)
}
