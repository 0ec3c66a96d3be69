package wasm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// flow is a task over i of [0, n) that reads word i of one entry of the base table, %x, and stores %y at word i of another.
const flow = `kernel K(n: i32) {
	int i32
	bases [0 1]
	frame 0 done -1
%s	task 0 "for i := range n" loop 1 i32 [0, 100) {
		prologue {
			%%in = base 0 : ptr
			%%out = base 1 : ptr
			%%0 = const 0 : i32
			%%1 = const 1 : i32
			%%2 = const 2 : i32
			%%3 = const 3 : i32
			%%4 = const 4 : i32
			%%7 = const 7 : i32
			%%10 = const 10 : i32
			%%size = const 8 : i64
			yield
		}
		body(%%i: i32) {
			%%w = convert %%i : i64
			%%d = mul %%w, %%size : i64
			%%p = offset %%in, %%d : ptr
			%%q = offset %%out, %%d : ptr
			%%x = load %%p : i32
%s
			store %%q, %%y
			continue
		}
	}
}
`

// wideForNarrow sets variables, of which the lower halves of lanes are wanted, to vectors of which all bits are wanted elsewhere.
func wideForNarrow(n int) string {
	return strings.NewReplacer("i64xN", fmt.Sprint("i64x", n), "i32xN", fmt.Sprint("i32x", n), "boolxN", fmt.Sprint("boolx", n)).Replace(`
		%l = convert %x : i64
		%s = splat %l : i64xN
		%lanes = iota : i64xN
		%v = add %s, %lanes : i64xN
		%ten = const 10 : i64xN
		%less = lt %v, %ten : boolxN
		%some = any %less : bool
		%chosen = if %some : i64xN {
			yield %v
		} else {
			yield %ten
		}
		^for: %sum = for %0, %3, %v : i64xN { (%k: i32, %a: i64xN)
			%b = add %a, %v : i64xN
			continue ^for %b
		}
		^block: %kept = block : i64xN {
			if %some {
				break ^block %ten
			} else {
				yield
			}
			yield %v
		}
		^loop: %left = loop %ten : i64xN { (%e: i64xN)
			%odd = any %less : bool
			if %odd {
				break ^loop %v
			} else {
				yield
			}
			break ^loop %e
		}
		%cn = convert %chosen : i32xN
		%sn = convert %sum : i32xN
		%kn = convert %kept : i32xN
		%ln = convert %left : i32xN
		%t1 = mul %cn, %sn : i32xN
		%t2 = sub %t1, %kn : i32xN
		%t3 = mul %t2, %ln : i32xN
		%y = total %t3 : i32`)
}

func wantNarrow(x int32, n int) (total int32) {
	for i := range int32(n) {
		v, chosen, kept, left := x+i, x+i, int32(10), x+i
		if x >= 10 {
			chosen, kept, left = 10, v, 10
		}
		total += (chosen*(4*v) - kept) * left
	}
	return total
}

// TestZeroAndBits branches on comparisons of 0 with what an "and" has made, which engines translate together.
func TestZeroAndBits(t *testing.T) {
	m := newMachine(t, false)
	for _, k := range []string{"i32", "u32", "i64", "u64", "u8"} {
		for name, less := range map[string]func(a, b int32) bool{
			"lt": func(a, b int32) bool { return a < b }, "le": func(a, b int32) bool { return a <= b },
			"gt": func(a, b int32) bool { return a > b }, "ge": func(a, b int32) bool { return a >= b },
		} {
			for _, left := range []bool{false, true} {
				operands := "%bits, %zero"
				if left {
					operands = "%zero, %bits"
				}
				body := strings.ReplaceAll(`
		%n = convert %x : KIND
		%mask = const 3 : KIND
		%zero = const 0 : KIND
		%bits = and %n, %mask : KIND
		%c = `+name+" "+operands+` : bool
		%y = if %c : i32 {
			yield %1
		} else {
			yield %2
		}`, "KIND", k)
				c := flowCase{fmt.Sprint(name, " ", k, " ", left), "", body, func(x int32) int32 {
					a, b := x&3, int32(0)
					if left {
						a, b = b, a
					}
					if less(a, b) {
						return 1
					}
					return 2
				}}
				t.Run(c.name, func(t *testing.T) { c.run(t, m) })
			}
		}
	}
}

// A flowCase is a body, with the functions that it calls, and what it computes.
type flowCase struct {
	name, funcs, body string
	want              func(x int32) int32
}

var flowCases = []flowCase{
	{"if", "", `
		%c = lt %x, %10 : bool
		%y = if %c : i32 {
%a = add %x, %1 : i32
			yield %a
		} else {
%b = mul %x, %x : i32
			yield %b
		}`, func(x int32) int32 {
		if x < 10 {
			return x + 1
		}
		return x * x
	}},
	{"a function on vectors, twice in a loop and once behind it", `	func @step(%v: i32x4) i32x4, i32x4 {
		%one = const 1 : i32x4
		%three = const 3 : i32x4
		%low = and %v, %one : i32x4
		%odd = eq %low, %one : boolx4
		%some = any %odd : bool
		%next = if %some : i32x4 {
%t = mul %v, %three : i32x4
			yield %t
		} else {
			yield %v
		}
		%sum = add %next, %one : i32x4
		return %sum, %low
	}
`, `
		%s = splat %x : i32x4
		%lanes = iota : i32x4
		%first = mul %s, %lanes : i32x4
		%none = const 0 : i32x4
		^f: %r, %k = for %0, %3, %first, %none : i32x4, i32x4 { (%j: i32, %a: i32x4, %b: i32x4)
			%c, %e = call @step %a : i32x4, i32x4
			%g, %h = call @step %c : i32x4, i32x4
			%m = add %b, %e : i32x4
			%o = add %m, %h : i32x4
			continue ^f %g, %o
		}
		%u, %l = call @step %r : i32x4, i32x4
		%z = add %u, %k : i32x4
		%all = add %z, %l : i32x4
		%y = total %all : i32`, func(x int32) (total int32) {
		v := [4]int32{0, x, 2 * x, 3 * x}
		for range 7 {
			odd := int32(0)
			for _, n := range v {
				total += n & 1
				odd |= n & 1
			}
			for i := range v {
				v[i] = v[i]*(1+2*odd) + 1
			}
		}
		return total + v[0] + v[1] + v[2] + v[3]
	}},
	{"two wide lanes for variables with narrow ones", "", wideForNarrow(2), func(x int32) int32 { return wantNarrow(x, 2) }},
	{"four wide lanes for variables with narrow ones", "", wideForNarrow(4), func(x int32) int32 { return wantNarrow(x, 4) }},
	{"a loop up to some bits", "", `
		%m = and %x, %3 : i32
		^f: %y = for %0, %m, %7 : i32 { (%k: i32, %a: i32)
			break ^f %k
		}`, func(x int32) int32 {
		if x&3 > 0 {
			return 0
		}
		return 7
	}},
	{"a selection of floats behind calls", "", `
		%f = convert %x : f32
		%zero = const 0x0p+00 : f32
		%h = convert %f : f16
		%c = ne %h, %h : bool
		%g = select %c, %f, %zero : f32
		%y = convert %g : i32`, func(int32) int32 { return 0 }},
	{"for with values that change places", "", `
		^f: %r, %s = for %0, %x, %0, %1 : i32, i32 { (%k: i32, %a: i32, %b: i32)
			%c = add %a, %b : i32
			continue ^f %b, %c
		}
		%y = add %r, %0 : i32`, func(x int32) int32 {
		a, b := int32(0), int32(1)
		for k := int32(0); k < x; k++ {
			a, b = b, a+b
		}
		return a
	}},
	{"break out of a for", "", `
		^f: %y = for %0, %x, %7 : i32 { (%k: i32, %a: i32)
			%c = gt %a, %10 : bool
			if %c {
%n = neg %k : i32
				break ^f %n
			} else {
yield
}
			%b = add %a, %k : i32
			continue ^f %b
		}`, func(x int32) int32 {
		a := int32(7)
		for k := int32(0); k < x; k++ {
			if a > 10 {
				return -k
			}
			a += k
		}
		return a
	}},
	{"jumps over several loops", "", `
		^outer: %y = for %0, %x, %0 : i32 { (%k: i32, %a: i32)
			^inner: %t = loop %a : i32 { (%b: i32)
				%m = rem %b, %7 : i32
				%big = gt %b, %x : bool
				if %big {
%far = eq %m, %3 : bool
					if %far {
break ^outer %b
					} else {
yield
}
					%near = eq %m, %2 : bool
					if %near {
%b2 = add %b, %10 : i32
						continue ^outer %b2
					} else {
yield
}
					break ^inner %b
				} else {
yield
}
				%b3 = add %b, %k : i32
				%b4 = add %b3, %1 : i32
				continue ^inner %b4
			}
			%u = sub %t, %4 : i32
			continue ^outer %u
		}`, func(x int32) int32 {
		a := int32(0)
	outer:
		for k := int32(0); k < x; k++ {
			b := a
			for b <= x {
				b += k + 1
			}
			switch b % 7 {
			case 3:
				return b
			case 2:
				a = b + 10
				continue outer
			}
			a = b - 4
		}
		return a
	}},
	{"a block that is left early, and the next iteration", "", `
		%odd = and %x, %1 : i32
		%isodd = ne %odd, %0 : bool
		^b: %y = block : i32 {
			if %isodd {
%z = mul %x, %3 : i32
				break ^b %z
			} else {
yield
}
			%h = lt %x, %4 : bool
			if %h {
store %q, %10
				continue
			} else {
yield
}
			%w2 = sub %x, %4 : i32
			yield %w2
		}`, func(x int32) int32 {
		if x&1 != 0 {
			return 3 * x
		}
		if x < 4 {
			return 10
		}
		return x - 4
	}},
	{"a for over numbers of 64 bits", "", `
		%lo = const 4294967290 : i64
		%xw = convert %x : i64
		%hi = add %lo, %xw : i64
		%zero = const 0 : i64
		^f: %sum = for %lo, %hi, %zero : i64 { (%k: i64, %a: i64)
			%b = add %a, %k : i64
			continue ^f %b
		}
		%thirty = const 31 : i32
		%high = shr %sum, %thirty : i64
		%y = convert %high : i32`, func(x int32) int32 {
		sum := int64(0)
		for k := int64(4294967290); k < 4294967290+int64(x); k++ {
			sum += k
		}
		return int32(sum >> 31)
	}},
	{"functions", `	func @square(%a: i32) i32 {
		%r = mul %a, %a : i32
		return %r
	}
	func @both(%a: i32, %b: i64) i64, i32 {
		%s = call @square %a : i32
		%w = convert %s : i64
		%t = add %w, %b : i64
		%c = gt %a, %s : bool
		if %c {
return %b, %a
		} else {
yield
}
		return %t, %s
	}
`, `
		%w5 = const 5000000000 : i64
		%r, %s = call @both %x, %w5 : i64, i32
		%sh = shr %r, %3 : i64
		%l = convert %sh : i32
		%y = add %l, %s : i32`, func(x int32) int32 {
		return int32((int64(x)*int64(x)+5000000000)>>3) + x*x
	}},
	{"a local array, zero in each iteration", "", `
		%arr = alloc 100 x i32 : ptr
		%c = cell.inbounds %arr, %x : ptr
		%old = load %c : i32
		%new = add %old, %x : i32
		store %c, %new
		%y = load %c : i32`, func(x int32) int32 {
		return x
	}},
	{"a small local array in a function", `	func @pick(%a: i32) i32 {
		%arr = alloc 4 x i32 : ptr
		%0 = const 0 : i32
		%1 = const 1 : i32
		%3 = const 3 : i32
		%c = cell.inbounds %arr, %3 : ptr
		store %c, %a
		%k = and %a, %3 : i32
		%d = cell.inbounds %arr, %k : ptr
		%r = load %d : i32
		return %r
	}
`, `
		%y = call @pick %x : i32`, func(x int32) int32 {
		if x&3 == 3 {
			return x
		}
		return 0
	}},
	{"a table", `	table #0 Odd i16 [1 3 -5 7 9]
`, `
		%t = lookup #0 %x : i16
		%y = convert %t : i32`, func(x int32) int32 {
		if x < 5 {
			return []int32{1, 3, -5, 7, 9}[x]
		}
		return 0
	}},
	{"a value from before a loop whose local must not be used again in it", "", `
		%a = mul %x, %3 : i32
		%b = mul %x, %7 : i32
		%keep = add %a, %b : i32
		^f: %y = for %0, %x, %0 : i32 { (%k: i32, %s: i32)
			%m = mul %k, %k : i32
			%n = add %m, %keep : i32
			%o = xor %n, %m : i32
			%r = add %s, %o : i32
			continue ^f %r
		}`, func(x int32) int32 {
		s := int32(0)
		for k := range x {
			s += (k*k + 10*x) ^ k*k
		}
		return s
	}},
}

// TestFlow runs control flow of all kinds, functions, local arrays and tables.
func TestFlow(t *testing.T) {
	for _, interpreter := range []bool{false, true} {
		m := newMachineIn(t, interpreter)
		for _, c := range flowCases {
			t.Run(fmt.Sprint(c.name, interpreter), func(t *testing.T) { c.run(t, m) })
		}
		m.done()
	}
}

func (c flowCase) run(t *testing.T, m *machine) {
	k := parsed(t, fmt.Sprintf(flow, c.funcs, c.body))
	const n = 60
	var in []uint64
	for i := range uint64(n) {
		in = append(in, i)
	}
	out := m.room(8 * n)
	slots := map[ir.Slot]uint64{{From: ir.SlotBase, At: 0}: m.fill(in), {From: ir.SlotBase, At: 1}: out}
	l := m.load(t, k, k.Tasks[0])
	l.run(t, given{slots: slots}, 0, n/2)
	l.run(t, given{slots: slots}, n/2, n)
	for i, got := range m.words(out, n) {
		if want := c.want(int32(i)); int32(got) != want {
			t.Fatalf("of %d it is %d, want %d", i, int32(got), want)
		}
	}
}

// parsed is a kernel of a text.
func parsed(t testing.TB, text string) *ir.Kernel {
	t.Helper()
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return k
}

// TestRows visits the iterations of nests of loops, whole or in parts, in order.
func TestRows(t *testing.T) {
	m := newMachine(t, false)
	for _, dims := range []string{"i32 [2, 7), i32 [-3, 4)", "i32 [0, 3), i64 [5, 7), u8 [250, 255)", "i32 [0, arg 0), i32 [1, arg 0 + 1)", "u64 [9223372036854775806, -9223372036854775806)", "i32 [3, 3), i32 [0, 2)"} {
		text := `kernel K(n: i32) {
	int i32
	bases [0]
	frame 0 done -1
	task 0 "rows" loop 1 ` + dims + ` {
		body(PARAMS) {
			%base = base 0 : ptr
			%one = const 1 : i64
			%old = atomic.add.nonatomic %base, %one : i64
			%rank = const RANK : i64
			%size = const 8 : i64
			%n = mul %old, %rank : i64
			%d = mul %n, %size : i64
			%p = offset %base, %d : ptr
STORES
			continue
		}
	}
}
`
		var params, stores []string
		for i, d := range strings.Split(dims, "), ") {
			kind, _, _ := strings.Cut(d, " ")
			params = append(params, fmt.Sprintf("%%i%d: %s", i, kind))
			stores = append(stores, fmt.Sprintf("%%o%[1]d = const %[2]d : i64\n%%p%[1]d = offset %%p, %%o%[1]d : ptr\n%%w%[1]d = convert %%i%[1]d : i64\nstore %%p%[1]d, %%w%[1]d", i, 8*(i+1)))
		}
		text = strings.NewReplacer("PARAMS", strings.Join(params, ", "), "STORES", strings.Join(stores, "\n"), "RANK", fmt.Sprint(len(params))).Replace(text)
		k := parsed(t, text)
		var want []uint64
		for _, index := range product(k.Tasks[0].Dims) {
			want = append(want, index...)
		}
		total := int64(len(want) / len(params))
		for cut := int64(0); cut <= total; cut++ {
			at := m.room(8 * (len(want) + 1))
			l := m.load(t, k, k.Tasks[0])
			g := given{slots: map[ir.Slot]uint64{{From: ir.SlotBase, At: 0}: at, {From: ir.SlotArg, At: 0}: 3}}
			l.run(t, g, 0, cut)
			l.run(t, g, cut, total)
			words := m.words(at, len(want)+1)
			if got := fmt.Sprint(words[1:]); words[0] != uint64(total) || got != fmt.Sprint(want) {
				t.Errorf("%s, cut at %d: %d iterations\n%s, want\n%v", dims, cut, words[0], got, want)
				break
			}
		}
	}
}

// product lists the indices of a nest, whose argument is 3.
func product(dims []ir.Dim) [][]uint64 {
	all := [][]uint64{nil}
	value := func(b ir.Bound) int64 {
		if b.From == ir.FromArg {
			return b.Const + 3
		}
		return b.Const
	}
	for _, d := range dims {
		var longer [][]uint64
		for _, index := range all {
			for i := uint64(value(d.Lo)); i != uint64(value(d.Hi)); i++ {
				longer = append(longer, append(index[:len(index):len(index)], i))
			}
		}
		all = longer
	}
	return all
}
