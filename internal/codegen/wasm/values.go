package wasm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// An operand is a number that can be put on the stack several times while an op is translated.
type operand struct {
	local uint32
	of    *ir.Value // a constant; nil for a local
}

// put puts an operand on the stack.
func (f *function) put(x operand) {
	if x.of != nil {
		f.push(x.of)
		return
	}
	f.get(x.local)
}

// hold makes an operand of a value.
func (f *function) hold(v *ir.Value) operand {
	v = f.resolve(v)
	if o := v.Def; o != nil && o.Code == ir.OpConst {
		return operand{of: v}
	}
	if p, ok := f.places[v]; ok && f.plan.lessBy(v) == 0 {
		f.pending = append(f.pending, func() { f.used(v) })
		return operand{local: p.locals[0]}
	}
	f.push(v)
	return operand{local: f.temp(f.typeOf(v))}
}

// keep takes a number from the stack for use as an operand.
func (f *function) keep(t valType) operand { return operand{local: f.temp(t)} }

// resolve passes over conversions that leave their operand as it is.
func (p *plan) resolve(v *ir.Value) *ir.Value {
	for v.Def != nil && p.same(v.Def) {
		v = v.Def.Args[0]
	}
	return v
}

// push puts a number on the stack.
func (f *function) push(v *ir.Value) {
	v = f.resolve(v)
	if f.pushKept(v); f.plan != nil {
		f.increase(f.lessBy(v))
	}
}

// increase adds bytes to the address on the stack.
func (f *function) increase(bytes int64) {
	if bytes != 0 {
		f.word(int32(bytes))
		f.do("i32.add")
	}
}

// pushKept puts a number on the stack as it is kept; see [plan.biases].
func (f *function) pushKept(v *ir.Value) {
	p, ok := f.places[v]
	switch o := v.Def; {
	case ok && f.left[v] == 1 && !p.pinned && f.last >= 0 && f.lastSet == p.locals[0] && p.level == len(f.regions):
		f.code, f.last = f.code[:f.last], -1 // it was put there just now, for this
		f.used(v)
	case ok:
		f.get(p.locals[0])
		f.used(v)
	case o != nil && (f.later[v] || f.vanishes(o)):
		if f.compute(o); o.Code != ir.OpOffset {
			f.increase(-f.lessBy(v))
		}
	default:
		f.failed(fmt.Errorf("code for a value of type %s that is defined nowhere", v.Type))
		f.number(f.typeOf(v), 0)
	}
}

// used counts a use of a value, and makes its locals free behind the last one. Those of a value from outside of the regions around the current point stay until
// the outermost of these ends, which may run again.
func (f *function) used(v *ir.Value) {
	p := f.places[v]
	if f.left[v]--; f.left[v] > 0 || p.pinned {
		return
	}
	if p.level < len(f.regions) {
		r := &f.regions[p.level]
		r.frees = append(r.frees, p.locals...)
		return
	}
	f.give(p.locals...)
}

// define takes a result from the stack.
func (f *function) define(v *ir.Value) {
	if f.left[v] == 0 {
		f.do("drop")
		return
	}
	if v.Def.Code != ir.OpOffset {
		f.increase(-f.lessBy(v))
	}
	l := f.take(f.typeOf(v))
	f.set(l)
	f.at(v, l)
}

// at says that a value is in locals.
func (f *function) at(v *ir.Value, locals ...uint32) {
	f.places[v] = place{locals: locals, level: len(f.regions)}
	if f.left[v] == 0 {
		f.give(locals...)
	}
}

// pin says so of a value whose locals stay.
func (f *function) pin(v *ir.Value, locals ...uint32) {
	f.places[v] = place{locals: locals, pinned: true}
}

// pushAs puts a number on the stack in a type: of one of 64 bits, the lower half may be wanted.
func (f *function) pushAs(t valType, v *ir.Value) {
	v = f.resolve(v)
	if o := v.Def; o != nil && o.Code == ir.OpConst && (t == i32 || t == i64) {
		f.number(t, int64(o.Bits))
		return
	}
	f.push(v)
	if t == i32 && f.typeOf(v) == i64 {
		f.do("i32.wrap_i64")
	}
}

// address puts an address on the stack, and returns what an instruction adds to it.
func (f *function) address(v *ir.Value) uint64 {
	v, offset := f.peel(v)
	if o := v.Def; o != nil && o.Code == ir.OpAlloc && offset >= 0 {
		f.frame()
		f.get(f.sp)
		return uint64(offset + f.arrays[o])
	}
	offset += f.lessBy(v)
	if f.pushKept(v); f.typeOf(v) == i64 {
		f.do("i32.wrap_i64")
	}
	if offset < 0 || offset >= nearOffset && !f.isPlace(v) {
		f.increase(offset)
		return 0
	}
	return uint64(offset)
}

// extend makes a word on the stack a number of 64 bits.
func (f *function) extend(k ir.Kind) {
	if k.IsSigned() {
		f.do("i64.extend_i32_s")
	} else {
		f.do("i64.extend_i32_u")
	}
}

// constant puts the value of a const op on the stack.
func (f *function) constant(o *ir.Op) {
	switch t := f.typeOf(o.Results[0]); t {
	case f32, f64:
		f.real(t, o.Bits)
	default:
		f.number(t, int64(o.Bits))
	}
}

// zero puts a zero on the stack.
func (f *function) zero(t valType) {
	switch t {
	case i32, i64:
		f.number(t, 0)
	case f32, f64:
		f.real(t, 0)
	default:
		f.bytes([16]byte{})
	}
}

// bytes puts a vector with these bytes on the stack.
func (f *function) bytes(bytes [16]byte) {
	f.begin("v128.const")
	f.code = append(f.code, bytes[:]...)
}
