package simulator

import (
	"math"
	"strings"
	"testing"
)

// TestUndefined: results that the specification leaves open are told from others.
func TestUndefined(t *testing.T) {
	least, most := uint64(1)<<31, uint64(math.MaxUint32)
	for _, c := range []struct {
		op   uint32
		a, b uint64
		want uint64
		ok   bool
	}{
		{opSDiv, 7, 0, 0, false}, {opSDiv, least, most, least, false}, {opSDiv, least, 1, least, true}, {opSDiv, most - 6, 2, most - 2, true},
		{opSRem, least, most, 0, false}, {opSRem, most - 6, 4, most - 2, true}, {opUDiv, 7, 0, 0, false}, {opUMod, most, 10, 5, true},
		{opShiftLeftLogical, 1, 32, 0, false}, {opShiftLeftLogical, 3, 31, least, true}, {opShiftRightArithmetic, least, 31, most, true}, {opShiftRightLogical, least, 32, 0, false},
	} {
		if v, ok := binaryOf(c.op, 32)(c.a, c.b); ok != c.ok || ok && v != c.want {
			t.Errorf("instruction %d of %#x and %#x: %#x, %t", c.op, c.a, c.b, v, ok)
		}
	}
	float, whole := &typ{family: aFloat, bits: 32}, &typ{family: anInt, bits: 32}
	for _, c := range []struct {
		op uint32
		f  float64
		ok bool
	}{
		{opConvertFToS, 0x1p31, false}, {opConvertFToS, -0x1p31, true}, {opConvertFToS, math.NaN(), false}, {opConvertFToU, -1, false}, {opConvertFToU, -0.5, true}, {opConvertFToU, 0x1p32, false},
	} {
		if _, ok := unaryOf(c.op, float, whole)(bitsOf(c.f, 32)); ok != c.ok {
			t.Errorf("instruction %d of %v is defined: %t", c.op, c.f, ok)
		}
	}
}

// TestOrderOfCommands: a barrier orders what its stages and kinds of access name, and barriers form chains.
func TestOrderOfCommands(t *testing.T) {
	type barrier struct{ from, to, what, whom uint32 }
	for name, c := range map[string]struct {
		barriers     []barrier
		later        int
		sees, writes bool
	}{
		"none":               {nil, stageCompute, false, false},
		"all":                {[]barrier{{bitCompute, bitCompute, shaderWrite, shaderRead | shaderWrite}}, stageCompute, true, true},
		"reads alone":        {[]barrier{{bitCompute, bitCompute, shaderWrite, shaderRead}}, stageCompute, true, false},
		"nothing available":  {[]barrier{{bitCompute, bitCompute, 0, shaderRead}}, stageCompute, false, false},
		"another stage":      {[]barrier{{bitTransfer, bitCompute, shaderWrite, shaderRead}}, stageCompute, false, false},
		"to the host":        {[]barrier{{bitCompute, bitHost, shaderWrite, hostRead}}, stageHost, true, false},
		"not to the host":    {[]barrier{{bitCompute, bitCompute, shaderWrite, shaderRead}}, stageHost, false, false},
		"a chain":            {[]barrier{{bitCompute, bitTransfer, shaderWrite, transferRead}, {bitTransfer, bitCompute, 0, shaderRead}}, stageCompute, true, false},
		"a chain with a gap": {[]barrier{{bitCompute, bitTransfer, shaderWrite, transferRead}, {bitHost, bitCompute, 0, shaderRead}}, stageCompute, false, false},
	} {
		d := New(Options{})
		w := newRecord(d.begin(stageCompute).serial, 3, 0, kindPlain)
		for _, b := range c.barriers {
			d.order.barrier(uint32(len(d.stages))+1, b.from, b.to, [][2]uint32{{b.what, b.whom}})
		}
		if l := d.begin(c.later); l.sees(w) != c.sees || l.overwrites(w) != c.writes {
			t.Errorf("%s: it sees: %t, it may overwrite: %t", name, l.sees(w), l.overwrites(w))
		}
	}
}

// TestRaces: accesses of two threads to a byte are ordered by clocks, or both atomic.
func TestRaces(t *testing.T) {
	d := New(Options{})
	cmd := d.begin(stageCompute)
	by := func(thread, epoch uint32, kind int, known *clock) *access {
		return &access{record: newRecord(cmd.serial, thread, epoch, kind), known: known, cmd: cmd, per: 4}
	}
	for name, c := range map[string]struct {
		first, second func(c *cell) string
		races         bool
	}{
		"two reads":             {by(1, 0, kindPlain, nil).read, by(2, 0, kindPlain, nil).read, false},
		"a read, then a write":  {by(1, 0, kindPlain, nil).read, by(2, 0, kindPlain, nil).wrote, true},
		"a write, then a read":  {by(1, 0, kindPlain, nil).wrote, by(2, 0, kindPlain, nil).read, true},
		"one thread":            {by(1, 0, kindPlain, nil).wrote, by(1, 0, kindPlain, nil).wrote, false},
		"two atomics":           {by(1, 0, kindAtomic, nil).wrote, by(2, 0, kindAtomic, nil).wrote, false},
		"one atomic":            {by(1, 0, kindAtomic, nil).wrote, by(2, 0, kindPlain, nil).read, true},
		"atomics of a group":    {by(1, 0, kindAtomicInGroup, nil).wrote, by(2, 0, kindAtomicInGroup, nil).wrote, false},
		"atomics of two groups": {by(1, 0, kindAtomicInGroup, nil).wrote, by(6, 0, kindAtomic, nil).wrote, true},
		"released":              {by(1, 2, kindPlain, nil).wrote, by(2, 0, kindPlain, (*clock)(nil).with(1, 2)).read, false},
		"released before":       {by(1, 3, kindPlain, nil).wrote, by(2, 0, kindPlain, (*clock)(nil).with(1, 2)).read, true},
	} {
		m := new(cell)
		if why := c.first(m); why != "" {
			t.Errorf("%s: the first access %s", name, why)
		}
		if why := c.second(m); (why != "") != c.races {
			t.Errorf("%s: the second access %q", name, why)
		}
	}
}

// TestAddresses: memory is found by its address, to its last byte.
func TestAddresses(t *testing.T) {
	d := New(Options{Seed: 3})
	first, second := d.addSpan(100, 0), d.addSpan(1<<16, 0)
	outside := func(at uint64, n int) (why string) {
		defer func() {
			if p := recover(); p != nil {
				why = p.(fault).Error()
			}
		}()
		d.spanAt(at, n)
		return ""
	}
	for _, c := range []struct {
		at   uint64
		n    int
		want string
	}{
		{first.base, 8, ""}, {first.base + 92, 8, ""}, {first.base + 96, 8, "100 bytes"}, {first.base - 1, 1, "no buffer"}, {second.base + 1<<16 - 1, 1, ""}, {second.base + 1<<16, 1, "65536 bytes"}, {0, 4, "no buffer"},
	} {
		if got := outside(c.at, c.n); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d bytes at %#x: %q, want %q", c.n, c.at-first.base, got, c.want)
		}
	}
}

// TestRefused: what is no module is refused.
func TestRefused(t *testing.T) {
	for _, words := range [][]uint32{nil, {magic}, {magic, 0, 0, 9, 0}, {magic, 0, 0, 9, 0, 0}, {magic, 0, 0, 9, 0, 5<<16 | opCapability, 1}, {magic, 0, 0, 9, 0, 3<<16 | 9999, 1, 2}} {
		if _, err := read(words, nil); err == nil {
			t.Errorf("%v is read", words)
		}
	}
}

// TestManyDrivers: a function that gets an address first goes to the driver that was asked last, however many there are.
func TestManyDrivers(t *testing.T) {
	var last *Driver
	for range 1000 {
		last = New(Options{})
	}
	last.Symbol("vkCreateInstance")
	for upper := range uint64(1 << 15) { // that of an address
		if got := driverOf(upper<<32 | 64); got != last {
			t.Fatalf("the address %#x leads to driver %#x of %#x", upper<<32|64, got.number, last.number)
		}
	}
	h := last.create(0, "instance", &instance{})
	New(Options{}).Symbol("vkCreateInstance")
	if got := driverOf(h); got != last {
		t.Errorf("the handle %#x leads to driver %#x of %#x", h, got.number, last.number)
	}
}
