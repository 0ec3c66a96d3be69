package spirv

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// This file has what a machine asks of modules under strict maths, whose floats it adapts to its device.

// Strict returns the kinds of floats with which a module computes under strict maths: those of which it has the constant.
func Strict(words []uint32) (kinds []ir.Kind) {
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		each(words, func(i []uint32) bool {
			found := i[0]&0xffff == opDecorate && len(i) == 4 && i[2] == decorationSpecID && i[3] == exactConstants[k]
			if found {
				kinds = append(kinds, k)
			}
			return !found
		})
	}
	return kinds
}

// each calls f for the instructions before the functions, as long as it returns true.
func each(words []uint32, f func(i []uint32) bool) {
	for words = words[header:]; len(words) > 0; words = words[words[0]>>16:] {
		if words[0]&0xffff == opFunction || !f(words[:words[0]>>16]) {
			return
		}
	}
}

// A FloatMode is an execution mode for floats of so many bits.
type FloatMode struct{ Mode, Bits uint32 }

// Execution modes.
const (
	KeepSubnormals = 4459 // DenormPreserve
	RoundToNearest = 4462 // RoundingModeRTE
)

// modeCapabilities are what modules must declare for them.
var modeCapabilities = map[uint32]uint32{KeepSubnormals: 4464, RoundToNearest: 4467}

// WithModes adds execution modes to a module, which has no such ones.
func WithModes(words []uint32, modes []FloatMode) []uint32 {
	var capabilities, added []uint32
	capabilitiesEnd, modesEnd, main, at := header, header, uint32(0), header
	each(words, func(i []uint32) bool {
		at += len(i)
		switch i[0] & 0xffff {
		case opCapability:
			capabilitiesEnd = at
		case opEntryPoint:
			main, modesEnd = i[2], at
		case opExecutionMode:
			modesEnd = at
		}
		return true
	})
	for _, m := range modes {
		added = emit(added, opExecutionMode, main, m.Mode, m.Bits)
		if c := emit(nil, opCapability, modeCapabilities[m.Mode]); !slices.Contains(capabilities, c[1]) {
			capabilities = append(capabilities, c...)
		}
	}
	return slices.Concat(words[:capabilitiesEnd], capabilities, words[capabilitiesEnd:modesEnd], added, words[modesEnd:])
}

// What a probe computes of a, b and c, in this order.
const (
	ProbeQuotient = iota // a/b
	ProbeRoot            // of a
	ProbeSum             // a+b
	ProbeProduct         // a·b
	ProbeBoth            // a·b+c, rounded twice
	ProbeLess            // the integer 1 if a < b, or else 0
	ProbeResults
)

// Probe is a module under strict maths that computes with floats of a kind. Each thread has a triple of numbers, at the address in [launch.PushSlots], and
// leaves its results at the one in [launch.PushErrs]. The dispatch is along x.
func Probe(k ir.Kind) ([]uint32, error) {
	m := newModule(nil, true)
	m.declare()
	f := m.newFunction()
	o, size, u64 := &ir.Op{}, uint64(k.Size()), f.integer(64)
	place := func(slot, per, i int) id {
		first := f.times(f.thread(), f.number(64, uint64(per)*size))
		return f.inst(opIAdd, u64, f.inst(opIAdd, u64, f.pushed(slot), first), f.number(64, uint64(i)*size))
	}
	var v [3]id
	for i := range v {
		v[i] = f.loadAt(k, place(launch.PushSlots, len(v), i))
	}
	product := f.binary(o, ir.OpMul, k, v[0], v[1])
	less := f.inst(opSelect, f.integer(k.Bits()), f.compare(ir.OpLt, k, v[0], v[1]), f.number(k.Bits(), 1), f.number(k.Bits(), 0))
	for i, r := range [ProbeResults]id{
		ProbeQuotient: f.binary(o, ir.OpDiv, k, v[0], v[1]), ProbeRoot: f.root(k, v[0]), ProbeSum: f.binary(o, ir.OpAdd, k, v[0], v[1]), ProbeProduct: product,
		ProbeBoth: f.binary(o, ir.OpAdd, k, product, v[2]), ProbeLess: f.inst(opBitcast, f.kind(k), less),
	} {
		f.storeAt(k, place(launch.PushErrs, ProbeResults, i), r)
	}
	if f.failed != nil {
		return nil, f.failed
	}
	f.do(opReturn)
	void, main := m.global(opTypeVoid, 0), m.id()
	f.finish(main, void, m.global(opTypeFunction, 0, void), nil, nil)
	return m.finish(main), nil
}
