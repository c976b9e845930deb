package profiles

import (
	"maps"
	"slices"
)

// A Source is one value that a layer gives for a path.
type Source struct {
	Layer Layer
	// Value is nil where the layer takes the value away: a null at Path or above it.
	Value any
	// Path is where the value stands in the document: the path of the result, or that under the chart's section or under global.
	Path Path
	// Position is the place of Path in the document; only its Source is set where the line is not known.
	Position Position
}

// An Origin says where the value at a path comes from.
type Origin struct {
	Path Path
	// Sources are all that a layer says for the path, the winner first and then what it beats, from the highest to the lowest.
	Sources []Source
}

// Winner is the source of the value in the result.
func (o Origin) Winner() Source { return o.Sources[0] }

// Beaten are the sources that the winner hides, from the highest to the lowest.
func (o Origin) Beaten() []Source { return o.Sources[1:] }

// Origin returns where the leaf at path comes from: a list, a scalar or an empty map. For a path that a null took away
// the winner is that null. It is false for a path that is no leaf.
func (r *Result) Origin(path Path) (Origin, bool) {
	if value, depth, found := lookup(r.Values, path); found {
		if m, ok := value.(map[string]any); depth < len(path) || ok && len(m) > 0 {
			return Origin{}, false
		}
	}
	o := Origin{Path: path.join(), Sources: r.sources(nil, path)}
	return o, len(o.Sources) > 0
}

// Origins returns the origin of every leaf, sorted by path, key by key.
func (r *Result) Origins() []Origin {
	c := collector{result: r}
	c.walk(r.Values)
	return c.origins
}

// A collector walks the result. Paths and sources of all leaves stand in few long slices.
type collector struct {
	result  *Result
	at      Path
	keys    Path
	sources []Source
	origins []Origin
}

func (c *collector) walk(values map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		c.at = append(c.at, key)
		if m, ok := values[key].(map[string]any); ok && len(m) > 0 {
			c.walk(m)
		} else {
			c.leaf()
		}
		c.at = c.at[:len(c.at)-1]
	}
}

func (c *collector) leaf() {
	k := len(c.keys)
	c.keys = append(c.keys, c.at...)
	path := c.keys[k:len(c.keys):len(c.keys)]
	s := len(c.sources)
	c.sources = c.result.sources(c.sources, path)
	c.origins = append(c.origins, Origin{Path: path, Sources: c.sources[s:len(c.sources):len(c.sources)]})
}

// sources appends what each sheet says for a path, from the highest to the lowest.
func (r *Result) sources(to []Source, path Path) []Source {
	// Among the documents of one layer that spell a value alike, a value that Helm replaces takes those below it along.
	type spelling struct{ stage, prefix int }
	blocked := spelling{stage: -1}
	for n := len(r.sheets) - 1; n >= 0; n-- {
		s := &r.sheets[n]
		if blocked == (spelling{s.stage, len(s.prefix)}) {
			continue
		}
		value, depth, found := lookup(s.values, path)
		if !found {
			continue
		}
		if value == nil && r.undone(n, path[:depth]) || value != nil && depth < len(path) {
			blocked = spelling{s.stage, len(s.prefix)}
			continue
		}
		to = append(to, s.source(value, path[:depth]))
	}
	return to
}

// undone says whether a null that sheet n has at path comes to nothing, because a later document of the same layer gives
// a map there before the layer is merged over others.
func (r *Result) undone(n int, path Path) bool {
	for later := n + 1; later < len(r.sheets) && r.sheets[later].stage == r.sheets[n].stage; later++ {
		value, depth, found := lookup(r.sheets[later].values, path)
		if _, isMap := asMap(value); found && isMap && depth == len(path) {
			return true
		}
	}
	return false
}

// source describes the value that the sheet has at a path of the result.
func (s *sheet) source(value any, path Path) Source {
	at := s.written(path)
	return Source{Layer: s.layer, Value: normal(value), Path: at, Position: s.document.at(at)}
}
