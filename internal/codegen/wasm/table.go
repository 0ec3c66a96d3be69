package wasm

import (
	"encoding/binary"

	"github.com/gotaichi/ti/internal/ir"
)

// A module has no data of its own, since the memory is that of the runtime. So a task writes the constant tables that it reads to its stack when it begins, and
// functions get their address.

// lookup reads a constant table; what is out of range gives 0.
func (f *function) lookup(o *ir.Op) {
	k, v := o.Results[0].Type.Kind, o.Args[0]
	if v.Type.Lanes > 1 {
		f.unsupported(o, "vectors of several iterations")
		return
	}
	t := f.typeOf(v)
	i := f.hold(v)
	f.lookupAt(o, i, t, k)
}

// lookupAt reads the element with a number of type t.
func (f *function) lookupAt(o *ir.Op, i operand, t valType, k ir.Kind) {
	inside := func() {
		f.put(i)
		f.number(t, int64(len(o.Table.Data)))
		f.do(t.String() + ".lt_u")
	}
	checked := !o.Flags.Has(ir.InBounds)
	f.get(f.tableBase())
	f.put(i)
	if checked {
		f.zero(t)
		inside()
		f.do("select")
	}
	f.cut(t, i32)
	f.scale(int64(k.Size()))
	f.do("i32.add")
	result := kindType(k)
	f.access(loadName(k, result), uint64(f.useTable(o.Table)))
	if f.truth(k); checked {
		f.zero(result)
		inside()
		f.choose(result)
	}
	if is64(k) {
		f.cut(result, f.typeOf(o.Results[0]))
	}
}

// useTable returns where a table lies from the address of all of them on.
func (m *module) useTable(t *ir.Table) int64 {
	at, ok := m.tables[t]
	if !ok {
		at = m.tablesBytes
		m.tables[t] = at
		m.tableOrder = append(m.tableOrder, t)
		m.tablesBytes += (int64(len(t.Data)*t.Kind.Size()) + 15) &^ 15
	}
	return at
}

// tableBase is a local with the address of all tables.
func (f *function) tableBase() uint32 {
	if f.task && !f.hasTables {
		f.hasTables = true
		f.tablesAt = f.fresh(i32)
	}
	return f.tablesAt
}

// fillTables writes all tables below the upper end of the stack. Zeros are written too, since there is something else on the stack.
func (f *function) fillTables(bytes int64) {
	f.get(f.stack)
	f.word(int32(bytes))
	f.do("i32.sub")
	f.set(f.tablesAt)
	for _, t := range f.tableOrder {
		var data []byte
		for _, bits := range t.Data {
			data = binary.LittleEndian.AppendUint64(data, bits)
			data = data[:len(data)-8+t.Kind.Size()]
		}
		for len(data)%8 != 0 {
			data = append(data, 0)
		}
		for i := 0; i < len(data); i += 8 {
			f.get(f.tablesAt)
			f.long(int64(binary.LittleEndian.Uint64(data[i:])))
			f.access("i64.store", uint64(f.tables[t])+uint64(i))
		}
	}
}
