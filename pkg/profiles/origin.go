package profiles

import "slices"

// A Source is one value that a layer gives for a path.
type Source struct {
	// Path is where the value stands in the document: the path of the result, or that under the chart's section or under global.
	Path  Path
	value any
	sheet *sheet
}

// Layer is the layer that gives the value.
func (s Source) Layer() Layer { return s.sheet.layer }

// Value is a copy of the value; nil where the layer takes the value away: a null at Path or above it.
func (s Source) Value() any { return normal(s.value) }

// Position is the place of Path in the document; only its Source is set where the line is not known.
func (s Source) Position() Position {
	return s.sheet.document.at(s.Path)
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
	c := newCollector(r)
	for _, key := range path {
		c.descend(key)
	}
	o := Origin{Path: path.join(), Sources: c.collect(nil, path)}
	return o, len(o.Sources) > 0
}

// Origins returns the origin of every leaf, sorted by path, key by key.
func (r *Result) Origins() []Origin {
	c := newCollector(r)
	leaves, keys := count(r.Values, 1)
	c.origins = make([]Origin, 0, leaves)
	c.sources = make([]Source, 0, leaves+leaves/4)
	c.keys = make(Path, 0, keys)
	c.walk(r.Values)
	return c.origins
}

// count returns the number of leaves and that of the keys of all their paths.
func count(values map[string]any, depth int) (leaves, keys int) {
	for _, value := range values {
		if m, ok := value.(map[string]any); ok && len(m) > 0 {
			l, k := count(m, depth+1)
			leaves, keys = leaves+l, keys+k
			continue
		}
		leaves, keys = leaves+1, keys+depth
	}
	return leaves, keys
}

// A collector walks down the result and keeps, for each step, where the sheets are that have something to say there.
type collector struct {
	result  *Result
	cursors []cursor
	// steps are where the cursors of each step begin; the last step is the current one.
	steps []int
	at    Path
	order []string // the sorted keys of the maps on the way down

	// Paths and sources of all leaves stand in few long slices.
	keys    Path
	sources []Source
	origins []Origin
}

// A cursor is how far a sheet goes along the current path.
type cursor struct {
	sheet *sheet
	n     int
	// value is what the sheet has after depth keys of the path: that at its end, or what stands in the way.
	value any
	depth int
}

func newCollector(r *Result) *collector {
	c := &collector{result: r, cursors: make([]cursor, 0, 4*len(r.sheets)), steps: []int{0}}
	for n := range r.sheets {
		s := &r.sheets[n]
		c.cursors = append(c.cursors, cursor{sheet: s, n: n, value: s.values})
	}
	return c
}

// descend adds a step: the cursors that have the key, or a value that stands in its way.
func (c *collector) descend(key string) {
	first, end := c.steps[len(c.steps)-1], len(c.cursors)
	c.steps = append(c.steps, end)
	for n := first; n < end; n++ {
		at := c.cursors[n]
		m, ok := asMap(at.value)
		if !ok || at.depth < len(c.steps)-2 {
			c.cursors = append(c.cursors, at)
			continue
		}
		value, found := m[key]
		if !found || at.depth == 0 && at.sheet.skips(key) {
			continue
		}
		at.value = value
		at.depth++
		c.cursors = append(c.cursors, at)
	}
}

// ascend takes the last step back.
func (c *collector) ascend() {
	last := len(c.steps) - 1
	c.cursors, c.steps = c.cursors[:c.steps[last]], c.steps[:last]
}

func (c *collector) walk(values map[string]any) {
	first := len(c.order)
	for key := range values {
		c.order = append(c.order, key)
	}
	slices.Sort(c.order[first:])
	for n := first; n < first+len(values); n++ {
		key := c.order[n]
		c.at = append(c.at, key)
		c.descend(key)
		if m, ok := values[key].(map[string]any); ok && len(m) > 0 {
			c.walk(m)
		} else {
			c.leaf()
		}
		c.ascend()
		c.at = c.at[:len(c.at)-1]
	}
	c.order = c.order[:first]
}

func (c *collector) leaf() {
	k := len(c.keys)
	c.keys = append(c.keys, c.at...)
	path := c.keys[k:len(c.keys):len(c.keys)]
	s := len(c.sources)
	c.sources = c.collect(c.sources, path)
	c.origins = append(c.origins, Origin{Path: path, Sources: c.sources[s:len(c.sources):len(c.sources)]})
}

// collect appends what each sheet says for a path, at which the collector stands, from the highest to the lowest.
func (c *collector) collect(to []Source, path Path) []Source {
	// Among the documents of one layer that spell a value alike, a value that Helm replaces takes those below it along.
	type spelling struct{ stage, prefix int }
	blocked := spelling{stage: -1}
	for n := len(c.cursors) - 1; n >= c.steps[len(c.steps)-1]; n-- {
		at := &c.cursors[n]
		here := spelling{at.sheet.stage, len(at.sheet.prefix)}
		if blocked == here {
			continue
		}
		if at.value == nil && c.result.undone(at.n, path[:at.depth]) || at.value != nil && at.depth < len(path) {
			blocked = here
			continue
		}
		to = append(to, at.source(path[:at.depth]))
	}
	return to
}

// undone says whether a null that sheet n has at path comes to nothing, because a later document of the same layer gives
// a map there before the layer is merged over others.
func (r *Result) undone(n int, path Path) bool {
	for later := n + 1; later < len(r.sheets) && r.sheets[later].stage == r.sheets[n].stage; later++ {
		value, depth, found := r.sheets[later].lookup(path)
		if _, isMap := asMap(value); found && isMap && depth == len(path) {
			return true
		}
	}
	return false
}

// source describes the value that the sheet has at a path of the result.
func (at *cursor) source(path Path) Source {
	return Source{Path: at.sheet.written(path), value: at.value, sheet: at.sheet}
}
