package manifest

import (
	"fmt"
	"slices"
)

// generated stands for the part of a name that the cluster appends to metadata.generateName.
const generated = "#"

// A Set holds objects, each once.
type Set struct {
	objects []Object
	byID    map[ID]int
}

// NewSet makes a set. Objects with metadata.generateName are told apart by a number in the order in which they stand:
// job-#1, job-#2. Any other object that stands twice is refused; the error names both places, for every such object.
func NewSet(objects ...Object) (*Set, error) {
	s := &Set{objects: slices.Clone(objects), byID: make(map[ID]int, len(objects))}
	numbers := map[ID]int{}
	var f faults
	for n := range s.objects {
		o := &s.objects[n]
		if isGenerated(o) {
			numbers[o.ID]++
			o.ID.Name = fmt.Sprint(o.ID.Name, numbers[o.ID])
		}
		if first, found := s.byID[o.ID]; found {
			f.add(ErrDuplicate, o.Position, fmt.Sprintf("%s stands twice, first at %s; remove one of them", o.ID, s.objects[first].Position))
			continue
		}
		s.byID[o.ID] = n
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return s, nil
}

func isGenerated(o *Object) bool {
	metadata, _ := o.Value["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	prefix, _ := metadata["generateName"].(string)
	return name == "" && o.ID.Name == prefix+generated
}

// Len is the number of objects.
func (s *Set) Len() int { return len(s.objects) }

// Objects returns the objects in the order in which they were given.
func (s *Set) Objects() []Object { return slices.Clone(s.objects) }

// Get returns an object.
func (s *Set) Get(id ID) (Object, bool) {
	n, found := s.byID[id]
	if !found {
		return Object{}, false
	}
	return s.objects[n], true
}
