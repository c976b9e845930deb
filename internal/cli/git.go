package cli

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// gitPrefix begins a side that is read from a git repository: git:REV:PATH.
const gitPrefix = "git:"

// A gitObject is a file or a folder at a revision.
type gitObject struct {
	name, hash string
	isFolder   bool
}

// findGit finds what git:REV:PATH names in the repository of the working directory. PATH counts from the root of the repository, or
// from the working directory where it begins with ./; an empty one is the root.
func findGit(ctx context.Context, name string) (o gitObject, err error) {
	revision, path, found := strings.Cut(strings.TrimPrefix(name, gitPrefix), ":")
	switch {
	case !found:
		return o, fmt.Errorf("%s: write git:REV:PATH, such as git:main:deploy/", name)
	case revision == "" || strings.HasPrefix(revision, "-"):
		return o, fmt.Errorf("%s: %q is no revision; write git:REV:PATH, such as git:main:deploy/", name, revision)
	}
	if path == "." {
		path = "./"
	}
	tree, err := resolveGit(ctx, revision+"^{tree}")
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	if tree == "" {
		return o, fmt.Errorf("%s: git knows no revision %q here; a shallow clone may lack it (git fetch)", name, revision)
	}
	hash, err := resolveGit(ctx, tree+":"+path)
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	if hash == "" {
		return o, fmt.Errorf("%s: there is no %q at %s; a path counts from the root of the repository, or with ./ from here", name, path, revision)
	}
	kind, err := git(ctx, nil, "cat-file", "-t", hash)
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	switch strings.TrimSpace(string(kind)) {
	case "blob":
		return gitObject{name: name, hash: hash}, nil
	case "tree":
		return gitObject{name: name, hash: hash, isFolder: true}, nil
	}
	return o, fmt.Errorf("%s: neither a file nor a folder, but a submodule or the like", name)
}

// read returns the contents of a file.
func (o gitObject) read(ctx context.Context) ([]byte, error) {
	text, err := git(ctx, nil, "cat-file", "blob", o.hash)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	return text, nil
}

// open returns the files of a folder for which keep is true. Symbolic links are refused, for git has only what they say.
func (o gitObject) open(ctx context.Context, keep func(path string) bool) (fs.FS, error) {
	list, err := git(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", o.hash)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	var paths []string
	var hashes strings.Builder
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		if len(fields) != 3 || fields[1] != "blob" || !keep(path) {
			continue
		}
		if fields[0] == "120000" {
			return nil, fmt.Errorf("%s: %s is a symbolic link, which is not followed at a revision", o.name, path)
		}
		paths = append(paths, path)
		hashes.WriteString(fields[2] + "\n")
	}
	blobs, err := git(ctx, strings.NewReader(hashes.String()), "cat-file", "--batch")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	files, err := archive(paths, blobs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	return files, nil
}

// archive makes a file system of what git cat-file --batch printed for the files at paths.
func archive(paths []string, blobs []byte) (fs.FS, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	in := bufio.NewReader(bytes.NewReader(blobs))
	for _, path := range paths {
		head, err := in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: git cat-file ended early: %w", path, err)
		}
		head = strings.TrimSpace(head)
		size, err := strconv.ParseInt(head[strings.LastIndexByte(head, ' ')+1:], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: git cat-file: %s", path, head)
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := io.CopyN(w, in, size); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if _, err := in.Discard(1); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
}

// resolveGit returns the hash of an object; nothing where git knows none of that name.
func resolveGit(ctx context.Context, name string) (string, error) {
	out, err := git(ctx, nil, "rev-parse", "--verify", "--quiet", name)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// git runs git in the working directory, without asking any network. The error has what git says.
func git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Env = append(os.Environ(), "LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0")
	command.Stdin = stdin
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("the program git is needed for this, and it is not in PATH")
	case err != nil && stderr.Len() > 0:
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	case err != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}
