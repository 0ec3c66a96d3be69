package simulator

import "math"

// This file has what Vulkan allows a driver to do to floats ("Precision and Operation of SPIR-V Instructions" in its specification).

// A Leeway says what a driver makes of it.
type Leeway struct {
	Rough   bool // quotients and roots are one or two units of the last place off, and quotients by what is beyond 2^126 are 0
	Flushes bool // numbers of f32 that are subnormal count as 0
	Keeps   bool // but not where modules ask for them (DenormPreserve)
}

// flushes reports whether subnormal numbers of so many bits are 0 in a module.
func (m *module) flushes(bits int) bool { return m.leeway.Flushes && bits == 32 && !m.keeps[32] }

// offered fails if a module asks for more than the device offers. Each width may be set by itself.
func (d *Driver) offered(m *module) {
	for _, bits := range []uint32{16, 32, 64} {
		switch {
		case m.keeps[bits] && (!d.keeps(bits) || !m.can[capKeep]):
			fail("a module is to keep subnormal numbers of %d bits", bits)
		case m.nearest[bits] && (bits == 16 || !m.can[capNearest]):
			fail("a module is to round numbers of %d bits to the nearest", bits)
		}
	}
}

// keeps reports whether a device offers to keep subnormal numbers.
func (d *Driver) keeps(bits uint32) bool { return bits == 64 || bits == 32 && d.Keeps }

// two changes what an instruction computes from two floats of n bits.
func (m *module) two(op uint32, n int, f onTwo) onTwo {
	if f == nil {
		return nil
	}
	if m.leeway.Rough && op == opFDiv {
		f = roughly2(f, n)
	}
	if m.flushes(n) && floats(op) {
		f = flushed2(f, !comparesFloats(op))
	}
	return f
}

// one changes what an instruction computes from a float, or into one.
func (m *module) one(op uint32, from, to *typ, f onOne) onOne {
	in, out := from.family == aFloat && m.flushes(from.bits), to.family == aFloat && m.flushes(to.bits)
	if op == opBitcast || !in && !out {
		return f
	}
	return flushed1(f, in, out)
}

// extendedOf changes what an extended instruction computes.
func (m *module) extendedOf(number uint32, t *typ, f onOne) onOne {
	if f == nil || t.family != aFloat {
		return f
	}
	if m.leeway.Rough && number == extSqrt {
		f = roughly1(f, t.bits)
	}
	return m.one(opExtInst, t, t, f)
}

// floats reports whether an instruction computes with floats.
func floats(op uint32) bool {
	switch op {
	case opFAdd, opFSub, opFMul, opFDiv, opGroupNonUniformFAdd:
		return true
	}
	return comparesFloats(op)
}

func comparesFloats(op uint32) bool { return op >= opFOrdEqual && op <= opFUnordGreaterThanEqual }

// flush is a number of f32, or a zero with its sign for one that is subnormal.
func flush(v uint64) uint64 {
	if v&0x7f800000 == 0 {
		return v & 0x80000000
	}
	return v
}

func flushed2(f onTwo, result bool) onTwo {
	return func(a, b uint64) (uint64, bool) {
		v, ok := f(flush(a), flush(b))
		if result {
			v = flush(v)
		}
		return v, ok
	}
}

func flushed1(f onOne, in, out bool) onOne {
	return func(a uint64) (uint64, bool) {
		if in {
			a = flush(a)
		}
		v, ok := f(a)
		if out {
			v = flush(v)
		}
		return v, ok
	}
}

// moved is a finite number one or two steps off, of the same sign, that is normal; others stay.
func moved(v uint64, n int, by uint64) uint64 {
	f := math.Abs(value(v, n))
	least, most := 0x1p-120, 0x1p120
	if n == 64 {
		least, most = 0x1p-1000, 0x1p1000
	}
	if !(f > least && f < most) {
		return v
	}
	return v + [4]uint64{1, 2, ^uint64(0), ^uint64(1)}[by*0x9e3779b97f4a7c15>>62]
}

func roughly2(f onTwo, n int) onTwo {
	return func(a, b uint64) (uint64, bool) {
		v, ok := f(a, b)
		if y := math.Abs(value(b, n)); n == 32 && y > 0x1p126 && !math.IsInf(y, 0) && !math.IsNaN(value(v, n)) && !math.IsInf(value(v, n), 0) {
			return v & 0x80000000, ok
		}
		return moved(v, n, a^b<<7), ok
	}
}

func roughly1(f onOne, n int) onOne {
	return func(a uint64) (uint64, bool) {
		v, ok := f(a)
		return moved(v, n, a), ok
	}
}
