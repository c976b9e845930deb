package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stratamesh/strata/test/cluster/process"
)

// Override is the environment variable with a folder of programs that are taken in place of built ones. A program that is not
// in it comes from the cache.
const Override = "STRATA_CLUSTER_BIN"

// unused is how long a program is kept that nobody uses.
const unused = 14 * 24 * time.Hour

// Set is the path of each program, by name.
type Set map[string]string

// Cache is a folder of built programs. A file is named NAME-HASH, where HASH covers all that the program is made of.
type Cache struct {
	// Root is the folder test/cluster.
	Root string
	// Folder holds the programs.
	Folder string
	// toolchain describes the compiler.
	toolchain string
	// override is a folder with programs that are taken as they are, or empty.
	override string
}

// Open finds the cache from the working directory, which is test/cluster or a folder in it: in $XDG_CACHE_HOME/strata/cluster,
// by default ~/.cache/strata/cluster.
func Open(ctx context.Context) (*Cache, error) {
	root, err := folder()
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no place for built programs: %w", err)
	}
	// The toolchain is that of the modules, which all ask for the same one.
	command := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED")
	command.Dir = root
	toolchain, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	return &Cache{root, filepath.Join(cache, "strata", "cluster"), string(toolchain), os.Getenv(Override)}, nil
}

// folder returns the folder test/cluster: the working directory or one above it.
func folder() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "kubernetes", "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s: not in test/cluster: no folder above it holds tools/kubernetes/go.mod", start)
		}
	}
}

// Find returns the programs with these names, or all of them. It builds nothing: one that is missing is an error that says how
// to build it.
func (c *Cache) Find(names ...string) (Set, error) {
	wanted, err := named(names)
	if err != nil {
		return nil, err
	}
	set, missing := Set{}, []string(nil)
	for _, b := range wanted {
		path, _, err := c.path(b)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			missing = append(missing, b.Name)
			continue
		}
		set[b.Name] = path
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("not built: %s; run `make cluster-tools` in the root of the repository", strings.Join(missing, ", "))
	}
	return set, nil
}

// path is where a program is, or is to be.
func (c *Cache) path(b Binary) (path, linker string, err error) {
	if c.override != "" {
		path := filepath.Join(c.override, b.Name)
		if _, err := os.Stat(path); err == nil {
			return path, "", nil
		}
	}
	hash, linker, err := b.hash(c.Root, c.toolchain)
	if err != nil {
		return "", "", err
	}
	return filepath.Join(c.Folder, b.Name+"-"+hash), linker, nil
}

// Build builds those of these programs, or of all, that are missing, one after the other, and writes to log what it does. Another
// process that builds the same one is waited for. Programs that nobody used for two weeks are removed.
func (c *Cache) Build(ctx context.Context, log io.Writer, names ...string) (Set, error) {
	wanted, err := named(names)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return nil, err
	}
	set := Set{}
	for _, b := range wanted {
		path, linker, err := c.path(b)
		if err != nil {
			return nil, err
		}
		if filepath.Dir(path) == c.Folder {
			if err := c.build(ctx, log, b, path, linker); err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name, err)
			}
			now := time.Now()
			if err := os.Chtimes(path, now, now); err != nil {
				return nil, err
			}
		}
		set[b.Name] = path
	}
	return set, c.clean()
}

func (c *Cache) build(ctx context.Context, log io.Writer, b Binary, path, linker string) (err error) {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	// One build at a time: a linker of Kubernetes takes 3 GiB.
	lock, err := os.OpenFile(filepath.Join(c.Folder, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("%s: %w", lock.Name(), err)
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	fmt.Fprintf(log, "%s: building %s\n", b.Name, b.Package)
	start := time.Now()
	// Beside its place and then there: a build that is cut off leaves no half of a program.
	part := path + ".part"
	command := exec.CommandContext(ctx, "go", "build", "-p", "2", "-ldflags", linker, "-o", part, b.Package)
	command.Dir = filepath.Join(c.Root, b.Module)
	command.Stdout, command.Stderr = log, log
	if err := process.Run("go build", command); err != nil {
		return errors.Join(err, remove(part))
	}
	fmt.Fprintf(log, "%s: built in %.0fs\n", b.Name, time.Since(start).Seconds())
	return os.Rename(part, path)
}

// clean removes what nobody used for a while.
func (c *Cache) clean() error {
	entries, err := os.ReadDir(c.Folder)
	if err != nil {
		return err
	}
	var faults []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.IsDir() || e.Name() == "lock" || time.Since(info.ModTime()) < unused {
			continue // one that is gone was removed by another process
		}
		faults = append(faults, remove(filepath.Join(c.Folder, e.Name())))
	}
	return errors.Join(faults...)
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
