package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/stratamesh/strata/pkg/profiles"
)

// A place is a value of a chart's .Values, and what its templates do with it. The root stands for .Values.
type place struct {
	keys map[string]*place
	// read: a template looks at the value itself. whole: it uses all that is below, too.
	read, whole bool
}

// anyKey stands for the keys that a template does not name, as where it ranges over a map.
const anyKey = "*"

func (p *place) key(name string) *place {
	if p.keys == nil {
		p.keys = map[string]*place{}
	}
	if p.keys[name] == nil {
		p.keys[name] = &place{}
	}
	return p.keys[name]
}

// uses says whether any template reads the value at path, all of it or a part.
func (p *place) uses(path profiles.Path) bool {
	if p.whole {
		return true
	}
	if len(path) == 0 {
		return p.anyRead()
	}
	for _, name := range []string{path[0], anyKey} {
		if inner := p.keys[name]; inner != nil && inner.uses(path[1:]) {
			return true
		}
	}
	return false
}

func (p *place) anyRead() bool {
	if p.read || p.whole {
		return true
	}
	for _, inner := range p.keys {
		if inner.anyRead() {
			return true
		}
	}
	return false
}

// The folders of a chart with templates.
const (
	templateFolder = "templates"
	// injectionFolder holds the templates that istiod's injector executes, with values that the chart hands on.
	injectionFolder = "files/injection"
	engineFile      = "_overlay.tpl"
	notesFile       = "NOTES.txt"
)

// handedOn are named templates whose text says nothing about what is read: they copy values, for others to read.
var handedOn = []string{
	"istiod.recordedValues",   // a record for people
	"istiod.injection.values", // for the injection templates, which are analysed themselves
}

// readByInjector is what Istio's injector reads of the values that istiod hands on, besides its templates.
var readByInjector = []profiles.Path{
	{"global", "hub"},
	{"global", "tag"},
	{"global", "variant"},
	{"global", "network"},
	{"global", "multiCluster", "clusterName"},
	{"global", "proxy", "image"},
	{"global", "proxy", "holdApplicationUntilProxyStarts"},
	{"global", "proxy_init", "image"},
	{"sidecarInjectorWebhook", "rewriteAppHTTPProbe"},
}

// findReads follows the values through all templates of a chart. The result errs towards reading: what the analysis cannot
// follow counts as read. Not counted are the overlay engine, which only moves values, and the notes, which nobody installs.
func findReads(files map[string][]byte, section string) (*place, error) {
	root := &place{}
	f := follower{trees: map[string]*parse.Tree{}, done: map[string]bool{}}
	var templates, injections []string
	for name, text := range files {
		base := path.Base(name)
		switch {
		case strings.HasPrefix(name, templateFolder+"/") && base != engineFile && base != notesFile:
			if !strings.HasPrefix(base, "_") {
				templates = append(templates, name)
			}
		case path.Dir(name) == injectionFolder:
			injections = append(injections, name)
		default:
			continue
		}
		if err := f.parse(name, string(text)); err != nil {
			return nil, err
		}
	}
	slices.Sort(templates)
	slices.Sort(injections)
	values := &flow{places: []*place{root}}
	f.root = &flow{fields: map[string]*flow{"Values": values}}
	for _, name := range templates {
		f.call(name, f.root)
	}
	if len(injections) == 0 {
		return root, nil
	}
	for _, p := range readByInjector {
		at := root
		for _, key := range p {
			at = at.key(key)
		}
		at.whole = true
	}
	if section != "" {
		values.fields = map[string]*flow{section: {places: []*place{root}}}
	}
	f.done = map[string]bool{}
	for _, name := range injections {
		f.call(name, f.root)
	}
	return root, nil
}

// A follower executes templates without values: it follows where each value of .Values goes, into all branches.
type follower struct {
	trees map[string]*parse.Tree
	// root is the context of a template: a map with the key Values.
	root *flow
	// done are the templates already called with root: another call would find the same.
	done  map[string]bool
	stack []string
}

func (f *follower) parse(name, text string) error {
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "{{", "}}", set); err != nil {
		return fmt.Errorf("cannot be parsed: %w", err)
	}
	f.trees[name] = tree
	for defined, tree := range set {
		f.trees[defined] = tree
	}
	return nil
}

// depth is how often a template may stand in the stack of calls. Beyond it, what it gets counts as read.
const depth = 2

// call executes a named template.
func (f *follower) call(name string, dot *flow) {
	if slices.Contains(handedOn, name) {
		return
	}
	tree := f.trees[name]
	if tree == nil || tree.Root == nil {
		return // of the engine, or of a library chart, which gets its own values
	}
	if dot == f.root {
		if f.done[name] {
			return
		}
		f.done[name] = true
	}
	calls := 0
	for _, caller := range f.stack {
		if caller == name {
			calls++
		}
	}
	if calls == depth {
		dot.use()
		return
	}
	f.stack = append(f.stack, name)
	s := &scope{follower: f, dot: dot, vars: map[string]*flow{"$": dot}}
	s.list(tree.Root)
	f.stack = f.stack[:len(f.stack)-1]
}

// A scope is one template that is executed.
type scope struct {
	*follower
	dot  *flow
	vars map[string]*flow
}

func (s *scope) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		s.node(n)
	}
}

func (s *scope) node(n parse.Node) {
	switch n := n.(type) {
	case *parse.ActionNode:
		value := s.pipe(n.Pipe)
		if len(n.Pipe.Decl) == 0 {
			value.use()
		}
	case *parse.IfNode:
		s.pipe(n.Pipe).look()
		s.list(n.List)
		s.list(n.ElseList)
	case *parse.WithNode:
		value := s.pipe(n.Pipe)
		value.look()
		s.with(value, n.List)
		s.list(n.ElseList)
	case *parse.RangeNode:
		s.loop(n)
	case *parse.TemplateNode:
		s.call(n.Name, s.pipe(n.Pipe))
	case *parse.ListNode:
		s.list(n)
	}
}

func (s *scope) with(dot *flow, list *parse.ListNode) {
	outer := s.dot
	s.dot = dot
	s.list(list)
	s.dot = outer
}

func (s *scope) loop(n *parse.RangeNode) {
	over := s.pipe(&parse.PipeNode{NodeType: parse.NodePipe, Cmds: n.Pipe.Cmds})
	over.look()
	over.lookAtKeys()
	for range 2 { // the second time with what the first has assigned
		items := over.elements()
		for i, v := range n.Pipe.Decl {
			if i == len(n.Pipe.Decl)-1 {
				s.vars[v.Ident[0]] = items
			} else {
				s.vars[v.Ident[0]] = unknown()
			}
		}
		s.with(items, n.List)
	}
	s.list(n.ElseList)
}

// pipe returns the value of a pipeline and does its assignments.
func (s *scope) pipe(pipe *parse.PipeNode) *flow {
	if pipe == nil {
		return unknown()
	}
	var value *flow
	for n, cmd := range pipe.Cmds {
		if n == 0 {
			value = s.command(cmd)
		} else {
			value = s.command(cmd, value)
		}
	}
	for _, v := range pipe.Decl {
		name := v.Ident[0]
		if pipe.IsAssign && s.vars[name] != nil {
			value = union(s.vars[name], value)
		}
		s.vars[name] = value
	}
	return value
}

// command returns the value of a command; last is what a pipe puts behind its arguments.
func (s *scope) command(cmd *parse.CommandNode, last ...*flow) *flow {
	if name, ok := cmd.Args[0].(*parse.IdentifierNode); ok {
		args := make([]*flow, 0, len(cmd.Args))
		for _, arg := range cmd.Args[1:] {
			args = append(args, s.value(arg))
		}
		return s.function(name.Ident, append(args, last...))
	}
	value := s.value(cmd.Args[0])
	// More arguments make it the call of a method, such as .Files.Get.
	for _, arg := range cmd.Args[1:] {
		s.value(arg).use()
	}
	for _, arg := range last {
		arg.use()
	}
	return value
}

// value returns the value of an operand.
func (s *scope) value(n parse.Node) *flow {
	switch n := n.(type) {
	case *parse.DotNode:
		return s.dot
	case *parse.FieldNode:
		return s.dot.follow(n.Ident)
	case *parse.VariableNode:
		if value := s.vars[n.Ident[0]]; value != nil {
			return value.follow(n.Ident[1:])
		}
	case *parse.ChainNode:
		return s.value(n.Node).follow(n.Field)
	case *parse.PipeNode:
		return s.pipe(n)
	case *parse.StringNode:
		return &flow{texts: []string{n.Text}}
	case *parse.NumberNode:
		if n.IsInt {
			return &flow{index: int(n.Int64), isIndex: true}
		}
	case *parse.IdentifierNode:
		return s.function(n.Ident, nil)
	}
	return unknown()
}
