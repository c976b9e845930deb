package lint

// function returns what a function of the templates makes of its arguments, and marks what it uses. One that is not known here
// uses all of them.
func (s *scope) function(name string, args []*flow) *flow {
	arg := func(n int) *flow {
		if n < len(args) {
			return args[n]
		}
		return unknown()
	}
	from := func(n int) []*flow { return args[min(n, len(args)):] }
	switch name {
	case "include":
		for _, template := range arg(0).texts {
			s.call(template, arg(1))
		}
		if !arg(0).isText() {
			arg(1).use()
		}
		return unknown()
	case "dict":
		made := &flow{fields: map[string]*flow{}}
		for n := 0; n+1 < len(args); n += 2 {
			made.set(args[n], args[n+1])
		}
		return made
	case "list", "tuple":
		return &flow{items: args}
	case "get":
		return arg(0).at(arg(1))
	case "index":
		return index(arg(0), from(1))
	case "dig":
		return dig(args)
	case "set":
		arg(0).set(arg(1), arg(2))
		return arg(0)
	case "unset", "omit":
		return arg(0)
	case "pick":
		return pick(arg(0), from(1))
	case "hasKey":
		arg(0).at(arg(1)).look()
		return unknown()
	case "keys":
		for _, a := range args {
			a.lookAtKeys()
		}
		return unknown()
	case "default", "coalesce", "and", "or", "ternary":
		for _, a := range args {
			a.look()
		}
		return union(args...)
	case "deepCopy", "mustDeepCopy", "omitNil":
		return arg(0)
	case "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite":
		return merge(args)
	case "concat":
		return concat(args)
	case "append", "prepend", "push", "mustAppend", "mustPrepend", "mustPush":
		if name == "prepend" || name == "mustPrepend" {
			return concat([]*flow{{items: []*flow{arg(1)}}, arg(0)})
		}
		return concat([]*flow{arg(0), {items: []*flow{arg(1)}}})
	case "slice", "rest", "mustRest":
		start := 1
		if name == "slice" {
			start = arg(1).index
		}
		if list := arg(0); list.isList() && start >= 0 && len(args) <= 2 && (name != "slice" || arg(1).isIndex) {
			return &flow{items: list.items[min(start, len(list.items)):], rest: list.rest}
		}
		return &flow{rest: arg(0).elements()}
	case "first", "mustFirst":
		return index(arg(0), []*flow{{isIndex: true}})
	case "last", "mustLast", "values":
		arg(0).lookAtKeys()
		return arg(0).elements()
	case "compact", "initial", "reverse", "uniq", "mustCompact", "mustInitial", "mustReverse", "mustUniq":
		return &flow{rest: arg(0).elements()}
	case "kindIs", "typeIs", "kindOf", "typeOf", "len", "empty":
		for _, a := range args {
			a.look()
		}
		return unknown()
	}
	for _, a := range args {
		a.use()
	}
	return unknown()
}

// index returns what is under a chain of keys and indices.
func index(value *flow, keys []*flow) *flow {
	for _, key := range keys {
		switch {
		case !key.isIndex:
			value = value.at(key)
		case value.isList() && key.index >= 0 && key.index < len(value.items):
			value = value.items[key.index]
		case value.isList():
			value = union(value.rest)
		default:
			value = value.elements()
		}
	}
	return value
}

// dig returns what is under a chain of keys of its last argument, or the one before that.
func dig(args []*flow) *flow {
	if len(args) < 2 {
		return unknown()
	}
	preset, value := args[len(args)-2], args[len(args)-1]
	for _, key := range args[:len(args)-2] {
		value = value.at(key)
	}
	return union(preset, value)
}

// pick returns a dictionary with some of the keys.
func pick(value *flow, keys []*flow) *flow {
	out := &flow{fields: map[string]*flow{}}
	for _, key := range keys {
		key.use()
		if !key.isText() {
			return value
		}
		for _, name := range key.texts {
			out.fields[name] = union(out.fields[name], value.key(name))
		}
	}
	return out
}

// merge returns the dictionaries as one. The functions write into the first of them, which others may still hold.
func merge(args []*flow) *flow {
	if len(args) == 0 {
		return unknown()
	}
	into := args[0]
	if into.fields == nil {
		return union(args...)
	}
	for _, from := range args[1:] {
		for name, inner := range from.fields {
			into.fields[name] = union(into.fields[name], inner)
		}
		into.places = append(into.places, from.places...)
		if from.rest != nil {
			into.rest = union(into.rest, from.rest)
		}
		into.open = into.open || from.open
	}
	return into
}

// concat returns lists as one. The items of the first keep their index where all of them are known.
func concat(lists []*flow) *flow {
	out := &flow{}
	for _, list := range lists {
		if list.isList() && out.rest == nil {
			out.items = append(out.items, list.items...)
			out.rest = list.rest
			continue
		}
		out.rest = union(out.rest, list.elements())
	}
	return out
}
