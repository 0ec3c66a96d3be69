package bind

import (
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/store"
)

// A Scope has fields by the names that a kernel knows them by, and where they lie.
type Scope struct {
	Fields []Field
	Layout job.Layout
}

// A Field is a field, or the cells of a node, under its path in a source.
type Field struct {
	Path string
	Core *store.Field

	Follows bool // no source names it: it becomes zero with elements of a list

	via []Ref // pointers of the host that lead to it
}

// Add gives a field a name. The scope is one that nobody else has yet.
func (s *Scope) Add(path string, c *store.Field) {
	s.Fields = append(s.Fields, Field{Path: path, Core: c})
	s.Layout[path] = job.Place{Field: c.Layout(), First: c.Lo()}
}

// Named returns the field of a name, nil if there is none.
func (s *Scope) Named(path string) *store.Field {
	for i := range s.Fields {
		if s.Fields[i].Path == path {
			return s.Fields[i].Core
		}
	}
	return nil
}

// Clone returns a scope with the same names, to which others can be added.
func (s *Scope) Clone() Scope {
	return Scope{Fields: slices.Clone(s.Fields), Layout: maps.Clone(s.Layout)}
}
