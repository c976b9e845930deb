//go:build race

package charts_test

const raceEnabled = true
