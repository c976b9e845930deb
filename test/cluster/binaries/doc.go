// Package binaries knows the programs that the tests run: where their sources are, how they are built, and where the results are
// kept. Each program has a Go module of its own under test/cluster/tools (Helm: under tools), since their requirements exclude
// one another.
package binaries
