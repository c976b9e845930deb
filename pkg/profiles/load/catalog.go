package load

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/stratamesh/strata/pkg/profiles"
)

// prefixes of the file names that are not plain profiles.
var prefixes = map[profiles.Kind]string{
	profiles.KindProfile:       "",
	profiles.KindCompatibility: "compatibility-version-",
	profiles.KindPlatform:      "platform-",
}

// Catalog is the profiles, compatibility versions and platforms of one folder: NAME.yaml,
// compatibility-version-X.YY.yaml and platform-NAME.yaml. It may be used at the same time by several goroutines.
type Catalog struct {
	source string
	read   func(file string) ([]byte, error)
	files  map[profiles.Layer]string

	mu     sync.Mutex
	loaded map[profiles.Layer]profiles.Document
}

// FS reads the catalog at the root of fsys. source is the folder's name in messages; it is put before file names. Files
// are parsed when they are first asked for.
func FS(fsys fs.FS, source string) (*Catalog, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("profiles in %s: %w", source, err)
	}
	return newCatalog(source, func(file string) ([]byte, error) { return fs.ReadFile(fsys, file) }, names), nil
}

// newCatalog makes a catalog of the named files.
func newCatalog(source string, read func(file string) ([]byte, error), files []string) *Catalog {
	c := &Catalog{source: source, read: read, files: map[profiles.Layer]string{}, loaded: map[profiles.Layer]profiles.Document{}}
	for _, name := range files {
		c.files[LayerOf(name)] = name
	}
	return c
}

// LayerOf returns the layer that a file of a catalog holds, from its name.
func LayerOf(file string) profiles.Layer {
	name := strings.TrimSuffix(path.Base(file), ".yaml")
	for _, kind := range []profiles.Kind{profiles.KindCompatibility, profiles.KindPlatform} {
		if rest, ok := strings.CutPrefix(name, prefixes[kind]); ok {
			return profiles.Layer{Kind: kind, Name: rest}
		}
	}
	return profiles.Layer{Kind: profiles.KindProfile, Name: name}
}

// FileOf returns the name of the file that holds a layer in a catalog.
func FileOf(layer profiles.Layer) string { return prefixes[layer.Kind] + layer.Name + ".yaml" }

// Names implements profiles.Catalog.
func (c *Catalog) Names(kind profiles.Kind) []string {
	var names []string
	for layer := range c.files {
		if layer.Kind == kind {
			names = append(names, layer.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Document implements profiles.Catalog.
func (c *Catalog) Document(layer profiles.Layer) (profiles.Document, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if document, ok := c.loaded[layer]; ok {
		return document, nil
	}
	file, ok := c.files[layer]
	if !ok {
		return profiles.Document{}, fmt.Errorf("%s: no %s: %w", c.source, layer, fs.ErrNotExist)
	}
	text, err := c.read(file)
	if err != nil {
		return profiles.Document{}, fmt.Errorf("%s: %w", path.Join(c.source, file), err)
	}
	document, err := Parse(path.Join(c.source, file), text)
	if err != nil {
		return profiles.Document{}, err
	}
	c.loaded[layer] = document
	return document, nil
}
