package vulkan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// This file changes modules and barriers, and looks whether the simulated device notices.

// An attempt is a run of a program whose device may find anything wrong.
type attempt struct {
	numbers []string
	err     error
	faults  []string
}

// try runs a program on a driver.
func try(t *testing.T, cfg ti.Config, d *simulator.Driver, f func(t *testing.T, rt *ti.Runtime) ([]string, error)) (a attempt) {
	t.Helper()
	rt, err := titest.NewVulkan(cfg, d.Symbol)
	must(t, err)
	err = titest.Safely(func() (err error) {
		a.numbers, a.err = f(t, rt)
		return err
	})
	if a.err == nil {
		a.err = err
	}
	_ = rt.Close()
	a.faults = d.Faults()
	return a
}

// notices reports whether a run shows that something is wrong.
func (a attempt) notices(right attempt) bool {
	return len(a.faults) > 0 || (a.err == nil) != (right.err == nil) || !slices.Equal(a.numbers, right.numbers)
}

// A mutation changes the instruction of a module that begins at a word. It returns nil for one that it does not change.
type mutation struct {
	name   string
	of     string // the programs whose modules it changes
	alike  bool   // it changes all instructions that are alike at once: a loop is there several times, for iterations that need guards and others
	change func(at []uint32, next uint32, types map[uint32]uint32) []uint32
}

func instruction(op uint32, operands ...uint32) []uint32 {
	return append([]uint32{uint32(len(operands)+1)<<16 | op}, operands...)
}

// mutations make atomics plain, drop barriers of memory and of execution, and take guards away. Numbers are those of the specification of SPIR-V.
var mutations = []mutation{
	{"an atomic is plain", "contended", false, func(at []uint32, next uint32, types map[uint32]uint32) []uint32 {
		const aligned = 2
		plain := map[uint32]uint32{234: 128, 235: 130, 240: 199, 241: 197, 242: 198}
		size := func(t uint32) uint32 { return types[t] / 8 }
		switch op := at[0] & 0xffff; {
		case op == 227:
			return instruction(61, at[1], at[2], at[3], aligned, size(at[1]))
		case op == 229:
			return append(instruction(61, at[1], at[2], at[3], aligned, size(at[1])), instruction(62, at[3], at[6], aligned, size(at[1]))...)
		case plain[op] != 0:
			all := instruction(61, at[1], at[2], at[3], aligned, size(at[1]))
			all = append(all, instruction(plain[op], at[1], next, at[2], at[6])...)
			return append(all, instruction(62, at[3], next, aligned, size(at[1]))...)
		case op == 230:
			all := instruction(61, at[1], at[2], at[3], aligned, size(at[1]))
			all = append(all, instruction(170, types[0], next, at[2], at[8])...)
			all = append(all, instruction(169, at[1], next+1, next, at[7], at[2])...)
			return append(all, instruction(62, at[3], next+1, aligned, size(at[1]))...)
		}
		return nil
	}},
	{"there is no fence that releases", "sparse trees", true, func(at []uint32, _ uint32, types map[uint32]uint32) []uint32 {
		if at[0]&0xffff == 225 && types[at[2]|1<<31]&4 != 0 {
			return []uint32{}
		}
		return nil
	}},
	{"there is no fence that acquires", "sparse trees", true, func(at []uint32, _ uint32, types map[uint32]uint32) []uint32 {
		if at[0]&0xffff == 225 && types[at[2]|1<<31]&2 != 0 {
			return []uint32{}
		}
		return nil
	}},
	{"there is no barrier", "contended", false, func(at []uint32, _ uint32, _ map[uint32]uint32) []uint32 {
		if at[0]&0xffff == 224 {
			return []uint32{}
		}
		return nil
	}},
	{"there is no guard: the first of two numbers is chosen", "guarded", true, func(at []uint32, _ uint32, types map[uint32]uint32) []uint32 { return unguarded(at, types, 4) }},
	{"there is no guard: the second of two numbers is chosen", "guarded", true, func(at []uint32, _ uint32, types map[uint32]uint32) []uint32 { return unguarded(at, types, 5) }},
}

// unguarded replaces a choice between two numbers, of which the result goes to an instruction that is not defined for all numbers.
func unguarded(at []uint32, types map[uint32]uint32, operand int) []uint32 {
	if at[0]&0xffff != 169 || types[at[2]|1<<30] == 0 {
		return nil
	}
	if _, constant := types[at[operand]|1<<31]; !constant {
		return instruction(124, at[1], at[2], at[operand])
	}
	return nil
}

// guards notes the operands of instructions that are not defined for all numbers: divisions, shifts, conversions of floats and elements of arrays. Changes of width
// stand between some of them and the choice.
func guards(words []uint32, types map[uint32]uint32) {
	from := map[uint32]uint32{}
	for words = words[5:]; len(words) > 0; {
		n := words[0] >> 16
		at := words[:n]
		words = words[n:]
		guarded := uint32(0)
		switch op := at[0] & 0xffff; {
		case op == 113:
			from[at[2]] = at[3]
		case op >= 134 && op <= 138 && op != 136, op >= 194 && op <= 196:
			guarded = at[4]
		case op == 109, op == 110:
			guarded = at[3]
		case op == 65:
			guarded = at[4]
		}
		for ; guarded != 0; guarded = from[guarded] {
			types[guarded|1<<30] = at[0]
		}
	}
}

// A mutator changes one instruction of all modules that a driver is given: that with number at among those that the mutation changes.
type mutator struct {
	mutation
	at, count int
	kinds     []string // of instructions that are alike
	trap      bool     // an instruction that must not be reached stands before
	changed   uint32   // the instruction
}

// patch is [simulator.Options.Patch].
func (m *mutator) patch(words []uint32) []uint32 {
	const header = 5
	types := map[uint32]uint32{} // bits of numbers by their types, values of constants by their ids with the highest bit, and the type of bools as 0
	guards(words, types)
	out := slices.Clone(words[:header])
	for words = words[header:]; len(words) > 0; {
		n := words[0] >> 16
		at := words[:n]
		words = words[n:]
		switch at[0] & 0xffff {
		case 20:
			types[0] = at[1]
		case 21:
			types[at[1]] = at[2]
		case 43:
			types[at[2]|1<<31] = at[3]
		}
		if to := m.change(at, out[3], types); to != nil {
			number := m.count
			if m.alike {
				kind := fmt.Sprint(at[0], at[1], types[at[2]|1<<30])
				if number = slices.Index(m.kinds, kind); number < 0 {
					number = len(m.kinds)
					m.kinds = append(m.kinds, kind)
				}
				m.count = len(m.kinds)
			} else {
				m.count++
			}
			if number == m.at {
				if m.changed = at[0] & 0xffff; m.trap {
					to = append(instruction(255), at...)
				}
				out = append(out, to...)
				out[3] += 2
				continue
			}
		}
		out = append(out, at...)
	}
	return out
}

// contended has atomics of all kinds on elements that all threads update.
var contended = program{name: "contended", body: `
	for i := range 64 {
		S += I[i]
		K[i%3] += 1
		J[i%2] = max(J[i%2], K[i+0]*0+i32(i))
		U[i%5] |= u32(1) << u32(i%32)
		U[5+i%2] ^= u32(i)
		U[8+i%2] &= ^(u32(1) << u32(i%32))
		L[i%4] += i64(i)
		Z[i%4] ^= u64(i)
		H[i%4] += 3
		T[i%4] ^= u8(i)
		R += 0.5
		A[i%2] += 0.25
		D[i%3] += 0.5
		E[i%2] += 1
		B[i%2] = max(B[i%2], f32(i+100))
		V[i%2] += vec3(1, 2, 3)
	}
	for i := range 64 {
		C[i] = min(1, atomicAdd(&M[i%2][0][1], 1.5)) + f32(atomicMax(&P[i%2], f16(i)))*0
	}`}

// guarded has operations that SPIR-V leaves undefined for some of the numbers here.
var guarded = program{name: "guarded", body: `
	for i := range I {
		a, b, n := J[(i+1)%64], J[i], i32(i)
		I[i] = a/b + a%b*3 + floorDiv(a, b)*5 + mod(a, b)*7
		U[i] = u32(a)/u32(b) + u32(a)%u32(b)*3
		L[i] = (i64(a)<<32)/i64(b>>31) + (i64(a)<<32)%i64(b>>31)
		K[i] = a<<n + a>>n
		Z[i] = u64(a) >> u64(2*i) + u64(a) << u64(2*i)
		H[i] = i16(a) >> n
		T[i] = u8(A[i]) + u8(u32(D[i])) + u8(i32(B[i])) + u8(i64(X[i])) + u8(u64(D[i]))
	}`}

// TestMutants changes modules of programs, one instruction at a time: the simulated device notices each.
func TestMutants(t *testing.T) {
	of := func(p program) func(t *testing.T, rt *ti.Runtime) ([]string, error) {
		return func(t *testing.T, rt *ti.Runtime) ([]string, error) { return run(t, rt, p, false) }
	}
	all := map[string]func(t *testing.T, rt *ti.Runtime) ([]string, error){"contended": of(contended), "guarded": of(guarded), "sparse trees": runSparse}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) { mutants(t, m, all[m.of]) })
	}
}

// runSparse activates cells of all kinds of nodes by many threads.
func runSparse(t *testing.T, rt *ti.Runtime) (all []string, err error) {
	var h struct {
		X, L ti.Field[int32]
		H    ti.Field[float32]
		Run  func(n int32) error
		Drop func() error
	}
	rt.NewTree().Pointer(ti.IJ, 8).Bitmasked(ti.IJ, 8).Place(&h.X)
	rt.NewTree().Hash(ti.IJ, 1<<20).Bitmasked(ti.IJ, 2).Place(&h.H)
	rt.NewTree().Dense(ti.I, 4).Dynamic(ti.J, 1<<12).Place(&h.L)
	must(t, rt.Load(`package p

var X, L field[i32, D2]
var H field[f32, D2]

func Run(n i32) {
	for i, j := range ndrange(n, n) {
		X[i][j] = i*100 + j
		H[i*3%7][j*3%5] += f32(i)
		append(L[i%4], i+j)
	}
	for i, j := range X {
		X[i][j] += 1
	}
}

func Drop() {
	for i, j := range X {
		deactivate(X, i, j)
	}
	for i, j := range H {
		deactivate(H, i, j)
	}
}
`, &h))
	for i := range 3 {
		if i > 0 {
			if err := h.Drop(); err != nil {
				return nil, err
			}
		}
		if err := h.Run(12); err != nil {
			return nil, err
		}
	}
	for i, v := range h.X.All() {
		all = append(all, fmt.Sprint("X", i, v))
	}
	for i, v := range h.H.All() {
		all = append(all, fmt.Sprint("H", i, v))
	}
	for i, v := range h.L.All() {
		all = append(all, fmt.Sprint("L", i[0], v))
	}
	slices.Sort(all)
	return all, nil
}

func mutants(t *testing.T, m mutation, f func(t *testing.T, rt *ti.Runtime) ([]string, error)) {
	t.Helper()
	cfg := ti.Config{StrictMath: true, Seed: 3, Cache: ti.Cache{Policy: ti.CacheOff}}
	cfg.Block = ti.Block{Size: [3]int{8, 1, 1}, Policy: ti.BlockExact} // several workgroups
	o := simulator.Options{Seed: 5, Lanes: 8, Most: 1 << 24}
	none := &mutator{mutation: m, at: -1}
	o.Patch = none.patch
	right := try(t, cfg, simulator.New(o), f)
	if len(right.faults) > 0 || right.err != nil {
		t.Fatalf("as it is: %v, %s", right.err, strings.Join(right.faults, "\n"))
	}
	for at := range none.count {
		one := &mutator{mutation: m, at: at}
		o.Patch = one.patch
		got := try(t, cfg, simulator.New(o), f)
		if !got.notices(right) {
			one = &mutator{mutation: m, at: at, trap: true}
			o.Patch = one.patch
			if !try(t, cfg, simulator.New(o), f).notices(right) {
				continue // it is never reached
			}
			t.Errorf("mutant %d of %d, of instruction %d, is not noticed", at, none.count, one.changed)
		}
	}
}
