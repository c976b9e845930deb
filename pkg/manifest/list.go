package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A place is an item of a list and where it stands.
type place struct {
	index int
	value any
}

func places(list []any) []place {
	out := make([]place, len(list))
	for n, value := range list {
		out[n] = place{n, value}
	}
	return out
}

func (c *comparison) lists(x, y []any) {
	if slices.EqualFunc(x, y, identical) {
		return
	}
	if !c.listOfItems(x, y) {
		c.byIndex(inOrder(places(x), places(y), c.exact))
	}
}

// listOfItems compares lists in which the order means nothing. It is false for others, and where both have no items.
func (c *comparison) listOfItems(x, y []any) bool {
	if c.exact || len(x)+len(y) == 0 {
		return false
	}
	t := c.schema.List(c.apiVersion, c.kind, c.at)
	switch t.Kind {
	case Keyed:
		c.items(x, y, func(value any) (Step, string) { return keyOf(value, t) }, t)
	case Unique:
		c.items(x, y, memberOf, t)
	default:
		return false
	}
	return true
}

// items compares the items of each identity. Those that have none, and those that stand twice, are compared by place.
func (c *comparison) items(x, y []any, identity func(any) (Step, string), t ListType) {
	type items struct {
		step Step
		x, y []place
	}
	groups := map[string]*items{}
	add := func(list []any, to func(*items) *[]place) {
		for index, value := range list {
			step, key := identity(value)
			if groups[key] == nil {
				groups[key] = &items{step: step}
			}
			side := to(groups[key])
			*side = append(*side, place{index, value})
		}
	}
	add(x, func(g *items) *[]place { return &g.x })
	add(y, func(g *items) *[]place { return &g.y })

	var restX, restY []place
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		if g.step == nil || len(g.x) > 1 || len(g.y) > 1 {
			leftX, leftY := inOrder(g.x, g.y, c.exact)
			restX, restY = append(restX, leftX...), append(restY, leftY...)
			continue
		}
		c.push(g.step)
		switch {
		case len(g.y) == 0:
			c.report(g.x[0].value, nothing{})
		case len(g.x) == 0:
			c.report(nothing{}, g.y[0].value)
		default:
			c.value(withDefaults(g.x[0].value, t), withDefaults(g.y[0].value, t))
		}
		c.pop()
	}
	c.byIndex(restX, restY)
}

// keyOf returns the step to an item of a Keyed list, and a text that no other item has. The step is nil for an item without any key.
func keyOf(value any, t ListType) (Step, string) {
	m, ok := value.(map[string]any)
	if !ok {
		return nil, ""
	}
	var item Item
	var key strings.Builder
	for _, name := range t.Keys {
		field := m[name]
		if field == nil {
			field = t.Defaults[name]
		}
		if field == nil {
			continue
		}
		text, ok := scalarText(field)
		if !ok {
			return nil, ""
		}
		item = append(item, Field{name, text})
		key.WriteString(strconv.Quote(name) + strconv.Quote(text))
	}
	if item == nil {
		return nil, ""
	}
	return item, key.String()
}

// memberOf is keyOf for a Unique list.
func memberOf(value any) (Step, string) {
	text, ok := scalarText(value)
	if !ok {
		return nil, ""
	}
	return Member(text), "=" + text
}

// withDefaults returns an item with the keys that it leaves out.
func withDefaults(value any, t ListType) any {
	m, ok := value.(map[string]any)
	if !ok {
		return value
	}
	copied := false
	for name, field := range t.Defaults {
		if m[name] == nil {
			if !copied {
				m, copied = maps.Clone(m), true
			}
			m[name] = field
		}
	}
	return m
}

// inOrder pairs equal items, the first with the first of its kind and so on, and returns those that are left. Where that
// would change the order, all are left.
func inOrder(x, y []place, exact bool) (leftX, leftY []place) {
	waiting := map[string][]int{}
	for n, p := range x {
		key := fingerprint(p.value, exact)
		waiting[key] = append(waiting[key], n)
	}
	paired := make([]bool, len(x))
	last := -1
	for _, p := range y {
		key := fingerprint(p.value, exact)
		queue := waiting[key]
		if len(queue) == 0 {
			leftY = append(leftY, p)
			continue
		}
		n := queue[0]
		waiting[key] = queue[1:]
		if n < last {
			return x, y
		}
		last = n
		paired[n] = true
	}
	for n, p := range x {
		if !paired[n] {
			leftX = append(leftX, p)
		}
	}
	return leftX, leftY
}

// byIndex compares items that stand at the same place; others are removed or added.
func (c *comparison) byIndex(x, y []place) {
	others := make(map[int]any, len(y))
	for _, p := range y {
		others[p.index] = p.value
	}
	for _, p := range x {
		c.push(Index(p.index))
		if other, found := others[p.index]; found {
			c.value(p.value, other)
			delete(others, p.index)
		} else {
			c.report(p.value, nothing{})
		}
		c.pop()
	}
	for _, index := range slices.Sorted(maps.Keys(others)) {
		c.push(Index(index))
		c.report(nothing{}, others[index])
		c.pop()
	}
}

func writeFingerprint(b *strings.Builder, value any, exact bool) {
	if !exact && isEmpty(value) {
		b.WriteByte('~')
		return
	}
	switch value := value.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if exact || !isEmpty(value[key]) {
				b.WriteString(strconv.Quote(key))
				writeFingerprint(b, value[key], exact)
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for _, item := range value {
			writeFingerprint(b, item, exact)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case string:
		b.WriteString(strconv.Quote(value))
	case float64:
		b.WriteString(strconv.FormatFloat(value, 'g', -1, 64))
	default:
		fmt.Fprint(b, value)
	}
}
