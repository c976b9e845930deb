package binaries

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module writes a module with a small program into a folder as test/cluster is one, and returns its cache.
func module(t *testing.T) (*Cache, Binary) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/hello\n\ngo 1.26.0\n",
		"go.sum":  "",
		"main.go": "package main\n\nvar version string\n\nfunc main() { print(version) }\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "hello"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, "hello", name), []byte(text), 0o600))
	}
	return &Cache{Root: root, Folder: t.TempDir(), toolchain: "go1"}, Binary{Name: "hello", Module: "hello", Package: "."}
}

func TestHashCoversAllThatAProgramIsMadeOf(t *testing.T) {
	t.Parallel()
	c, b := module(t)
	seen := map[string]bool{}
	note := func(toolchain string, b Binary) {
		t.Helper()
		hash, _, err := b.hash(c.Root, toolchain)
		require.NoError(t, err)
		assert.False(t, seen[hash])
		seen[hash] = true
	}
	note("go1", b)
	note("go2", b)
	other := b
	other.Package = "./other"
	note("go1", other)
	other = b
	other.Linker = "-X main.version=1"
	note("go1", other)
	require.NoError(t, os.WriteFile(filepath.Join(c.Root, "hello", "go.sum"), []byte("x"), 0o600))
	note("go1", b)
	require.NoError(t, os.WriteFile(filepath.Join(c.Root, "hello", "go.mod"), []byte("module example.com/hello\n"), 0o600))
	note("go1", b)
}

func TestVersionComesFromGoMod(t *testing.T) {
	t.Parallel()
	b := Binary{Name: "x", Module: "tools/x", Linker: kubernetesVersion, VersionOf: "k8s.io/kubernetes"}
	for _, text := range []string{"require k8s.io/kubernetes v1.37.2\n", "require (\n\ta.b/c v1.0.0\n\tk8s.io/kubernetes v1.37.2 // indirect\n)\n"} {
		flags, err := b.linker(text)
		require.NoError(t, err)
		assert.Contains(t, flags, "version.gitVersion=v1.37.2 ")
		assert.Contains(t, flags, "version.gitMajor=1 ")
		assert.Contains(t, flags, "version.gitMinor=37")
	}
	_, err := b.linker("module k8s.io/kubernetes\n")
	assert.ErrorContains(t, err, "tools/x/go.mod requires no version")
}

func TestBuildsOnce(t *testing.T) {
	t.Parallel()
	c, b := module(t)
	path, linker, err := c.path(b)
	require.NoError(t, err)
	var log bytes.Buffer
	require.NoError(t, c.build(t.Context(), &log, b, path, linker+" -X main.version=7"))
	assert.Contains(t, log.String(), "hello: built")
	out, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "7", string(out))

	log.Reset()
	require.NoError(t, c.build(t.Context(), &log, b, path, linker))
	assert.Empty(t, log.String())
}

func TestFailedBuildLeavesNoProgram(t *testing.T) {
	t.Parallel()
	c, b := module(t)
	require.NoError(t, os.WriteFile(filepath.Join(c.Root, "hello", "main.go"), []byte("package main\n"), 0o600))
	path, linker, err := c.path(b)
	require.NoError(t, err)
	require.Error(t, c.build(t.Context(), &bytes.Buffer{}, b, path, linker))
	entries, err := os.ReadDir(c.Folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, "lock", entries[0].Name())
}

func TestUnusedProgramsGo(t *testing.T) {
	t.Parallel()
	c, _ := module(t)
	old, fresh := filepath.Join(c.Folder, "old-1"), filepath.Join(c.Folder, "fresh-1")
	for _, path := range []string{old, fresh} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	before := time.Now().Add(-unused - time.Hour)
	require.NoError(t, os.Chtimes(old, before, before))
	require.NoError(t, c.clean())
	assert.NoFileExists(t, old)
	assert.FileExists(t, fresh)
}

func TestFindNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	root, err := folder()
	require.NoError(t, err)
	c := &Cache{Root: root, Folder: t.TempDir(), override: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(c.override, "etcd"), nil, 0o700))
	set, err := c.Find("etcd")
	require.NoError(t, err)
	assert.Equal(t, Set{"etcd": filepath.Join(c.override, "etcd")}, set)
	_, err = c.Find("etcd", "kwok")
	assert.ErrorContains(t, err, "not built: kwok; run `make cluster-tools`")
	_, err = c.Find("kubectl")
	assert.ErrorContains(t, err, `no program "kubectl": there are etcd, kwok`)
}
