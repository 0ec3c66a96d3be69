package llvm

import (
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/sparsert"
)

// A sparseRuntime is the functions of package sparsert that a module has used so far.
type sparseRuntime struct {
	take, grow *ir.Func
	tables     map[int][]*ir.Func // find and enter, by the number of coordinates
}

// growFunc returns the function that makes a block.
func (m *module) growFunc() *ir.Func {
	r := &m.runtime
	if r.grow == nil {
		fs := sparsert.Blocks()
		r.take, r.grow = fs[0], fs[1]
		m.coldFunctions(fs...)
	}
	return r.grow
}

// tableFuncs returns the functions that find and enter a block by a number of coordinates.
func (m *module) tableFuncs(rank int) (find, enter *ir.Func) {
	fs := m.runtime.tables[rank]
	if fs == nil {
		m.growFunc()
		fs = sparsert.Tables(rank, m.runtime.take)
		if m.runtime.tables == nil {
			m.runtime.tables = map[int][]*ir.Func{}
		}
		m.runtime.tables[rank] = fs
		m.coldFunctions(fs...)
	}
	return fs[0], fs[1]
}

// coldFunctions writes functions that are not inlined.
func (m *module) coldFunctions(fs ...*ir.Func) {
	for _, fn := range fs {
		f, params := m.beginFunction(fn)
		if f.err != nil {
			m.err = errors.Join(m.err, fmt.Errorf("function %s: %w", fn.Name, f.err))
			continue
		}
		f.write(&m.helpers, fmt.Sprintf("define internal %s @%s(%s) #2", resultType(fn.Results), m.functionName(fn), params))
	}
}
