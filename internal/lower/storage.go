package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// A storage holds the components of a variable in memory, or in tables if they are
// constant: one array for each kind among them, in which the components of that
// kind follow each other. A vector or matrix has one array; so a number of
// components apart in a struct is a number of cells apart in each array, whatever
// lies between.
type storage struct {
	arrays []array
	where  []cell // of each component; nil if there is one array
}

// An array holds the components of one kind.
type array struct {
	kind  ir.Kind
	n     int
	mem   *ir.Value // an alloc; or
	table *ir.Table
}

// A cell is a place in an array of a storage.
type cell struct{ array, number int }

// newStorage returns a storage for components of the given kinds, without memory.
func newStorage(kinds []ir.Kind) *storage {
	s := &storage{}
	index := map[ir.Kind]int{}
	where := make([]cell, len(kinds))
	for i, k := range kinds {
		a, ok := index[k]
		if !ok {
			a = len(s.arrays)
			index[k] = a
			s.arrays = append(s.arrays, array{kind: k})
		}
		where[i] = cell{a, s.arrays[a].n}
		s.arrays[a].n++
	}
	if len(s.arrays) > 1 {
		s.where = where
	}
	return s
}

// called gives the arrays of s that have no name one, for error messages, and returns s.
func (s *storage) called(name string) *storage {
	for _, a := range s.arrays {
		switch {
		case a.table != nil && a.table.Name == "":
			a.table.Name = name
		case a.mem != nil && a.mem.Name == "":
			a.mem.Name = name
		}
	}
	return s
}

// cell returns where component c is.
func (s *storage) cell(c int) cell {
	if s.where == nil {
		return cell{0, c}
	}
	return s.where[c]
}

// alloc appends memory for components of the given kinds.
func (l *lowerer) alloc(kinds []ir.Kind, name string) *storage {
	s := newStorage(kinds)
	for i := range s.arrays {
		a := &s.arrays[i]
		a.mem = l.b.Alloc(a.kind, a.n, name)
	}
	return s
}

// fill stores vals into the cells of fresh memory, which is zero.
func (l *lowerer) fill(s *storage, vals []*ir.Value) {
	for i, v := range vals {
		if bits, ok := ir.ConstOf(v); ok && bits == 0 {
			continue
		}
		c := s.cell(i)
		l.b.Store(l.b.Op(ir.OpCell, s.arrays[c.array].mem, l.int(int64(c.number))), v)
	}
}

// constants returns the components of a constant as tables.
func (l *lowerer) constants(name string, kinds []ir.Kind, bits []uint64) *storage {
	s := newStorage(kinds)
	data := make([][]uint64, len(s.arrays))
	for i := range s.arrays {
		data[i] = make([]uint64, 0, s.arrays[i].n)
	}
	for i, b := range bits {
		a := s.cell(i).array
		data[a] = append(data[a], b)
	}
	for i := range s.arrays {
		s.arrays[i].table = l.table(name, s.arrays[i].kind, data[i])
	}
	return s
}

// tableOf returns tables of vals if there are any and all are constant.
func (l *lowerer) tableOf(name string, vals []*ir.Value) *storage {
	kinds, data := make([]ir.Kind, len(vals)), make([]uint64, len(vals))
	for i, v := range vals {
		bits, ok := ir.ConstOf(v)
		if !ok {
			return nil
		}
		kinds[i], data[i] = v.Type.Kind, bits
	}
	if len(vals) == 0 {
		return nil
	}
	return l.constants(name, kinds, data)
}

// constTable returns tables of a constant.
func (l *lowerer) constTable(name string, c *typed.Const) *storage {
	kinds := kindsOf(c.T)
	data := make([]uint64, len(c.Vals))
	for i, n := range c.Vals {
		data[i] = constBits(kinds[i], n)
	}
	return l.constants(name, kinds, data)
}

// copyTable fills memory from tables of the same components.
func (l *lowerer) copyTable(to, from *storage) {
	for i := range to.arrays {
		mem, t := to.arrays[i].mem, from.arrays[i].table
		l.count(int64(len(t.Data)), func(i *ir.Value) {
			l.b.Store(l.b.Op(ir.OpCell, mem, i), l.lookup(t, i))
		})
	}
}
