package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
)

// rngFiles are two files of a library that imports another one.
var rngFiles = ti.Join(ti.Text("state.ti", `package rng

import h "example.com/hash"

type State struct { Key, Count i32; hidden i32 }
type Pair[T any] struct { A, B T }
type Number interface { i32 | f32 }
const ( Zero = iota; One; Two )
const Table = h.Three * 2
const Scale = 0.5
const Axis = vec2(1, 2)

func Seed(key i32) State { return State{Key: key, hidden: 7} }
func (s *State) Next() i32 { s.Count++; return h.Mix(s.Key, s.Count) + s.hidden }
func (s State) Peek() i32 { t := s; return t.Next() }
func Advance(s *State, n i32) { for range n { s.Count += One } }
func (p Pair[T]) Sum() T { return p.A + p.B }
`), ti.Text("functions.ti", `package rng

import "example.com/hash"

func Twice[T Number](x T) T { return x + x }
func Apply[T any](x T, f func(T) T) T { return f(f(x)) }
func Larger[T any](p Pair[T]) T { if p.A > p.B { return p.A }; return p.B }
func Power(x i32, n template) i32 { if static(n == 0) { return 1 }; return x * Power(x, n-1) }
func Swap(a, b i32) (i32, i32) { return b, a }
func Inc(x i32) i32 { return x + 1 }
func length(x i32) i32 { return x * 100 }
func Length(x i32) i32 { return length(x) }
func Deep(x i32) i32 { return hash.Mix(x, hash.Mix(x, hash.Three)) }
func Early(x i32) i32 { for i := range 10 { if i*i > x { return i } }; return -1 }
func Fill(a *[3]i32, v i32) { for i := range a { a[i] = v + i } }
func Total(a []i32) i32 { s := 0; for _, v := range a { s += v }; return s }
func Visit(n i32, f func(k i32, sum *i32), sum *i32) { for k := range n { f(k, sum) } }
`))

var conformLibraries = []ti.Source{
	ti.Library("example.com/rng", ti.Join(rngFiles, ti.Library("example.com/hash", ti.Text("hash.ti", `package hash

const Three = 3

func Mix(a, b i32) i32 { return a*31 ^ b }
`)))),
	ti.Library("example.com/other/rng", ti.Text("rng.ti", `package rng

type State struct { Key i32 }

func Seed(key i32) State { return State{key + 1} }
`)),
	ti.Library("example.com/length", ti.Text("length.ti", `package length

func Of(x i32) i32 { return i32(length(vec2(f32(x), 0))) }
`)),
}

// What a source imports.
//
//conform:theme libraries
func TestConformLibraries(t *testing.T) {
	i := func(v int32) any { return v }
	ab := func(a, b int32) []any { return []any{a, b} }
	conformRoutines(t, `
import (
	"example.com/length"
	"example.com/rng"
	other "example.com/other/rng"
)

type Own struct { S rng.State; O other.State }
type State = rng.State
const Own2 = rng.Two + rng.Table
func Inc(x i32) i32 { return x + 1000 }
func seven(x i32) i32 { return 7 }
func take(s *rng.State) i32 { return s.Next() }
`, []routine{
		{"a function", "return rng.Inc(a)", ab(4, 0), i(5)},
		{"is not the function of the same name here", "return rng.Inc(a) + Inc(b)", ab(4, 1), i(1006)},
		{"a constant", "return rng.Two*10 + rng.One + Own2", ab(0, 0), i(29)},
		{"an untyped constant adapts", "return i32(f64(a) * rng.Scale * 4)", ab(3, 0), i(6)},
		{"a constant of a vector type", "return i32(rng.Axis.y) + a", ab(3, 0), i(5)},
		{"a constant as the length of an array", "var x [rng.Table]i32\nx[5] = a\nreturn x[5] + x.n", ab(3, 0), i(9)},
		{"a type and its methods", "s := rng.Seed(a)\nn := s.Next() * 1000\nreturn n + s.Count", ab(1, 0), i(37001)},
		{"a method of a value", "s := rng.Seed(a)\nreturn s.Peek() + s.Peek() + s.Count", ab(1, 0), i(74)},
		{"a variable of a type", "var s rng.State\ns.Key = a\nreturn s.Next()", ab(1, 0), i(30)},
		{"a literal with names", "s := rng.State{Count: b, Key: a}\nreturn s.Key*10 + s.Count", ab(1, 2), i(12)},
		{"another name for a type", "s := State{Key: a}\nreturn take(&s)", ab(1, 0), i(30)},
		{"a reference", "s := rng.Seed(a)\nrng.Advance(&s, b)\nreturn s.Count", ab(1, 5), i(5)},
		{"a reference to an array", "var x [3]i32\nrng.Fill(&x, a)\nreturn x[0]*100 + x[2]", ab(4, 0), i(406)},
		{"structs within structs", "x := Own{S: rng.Seed(a), O: other.Seed(b)}\nx.S.Next()\nreturn x.S.Count*100 + x.O.Key", ab(4, 6), i(107)},
		{"two packages of one name", "return rng.Seed(a).Key*10 + other.Seed(b).Key", ab(1, 1), i(12)},
		{"structs compared", "if rng.Seed(a) == rng.Seed(b) { return 1 }\nreturn 0", ab(4, 4), i(1)},
		{"a generic function", "return rng.Twice(a) + i32(rng.Twice(1.5))", ab(4, 0), i(11)},
		{"with its type written", "return i32(rng.Twice[f32](1.75) * 2) + a", ab(4, 0), i(11)},
		{"a generic type", "p := rng.Pair[i32]{A: a, B: b}\nreturn p.Sum()*10 + rng.Larger(p)", ab(4, 7), i(117)},
		{"a generic function with a function of here", "return rng.Apply(a, seven) + rng.Apply(b, Inc)", ab(4, 1), i(2008)},
		{"and with one of its own", "return rng.Apply(a, rng.Inc)", ab(4, 0), i(6)},
		{"and with a literal, which sees the names of here", "return rng.Apply(a, func(x i32) i32 { return Inc(x) + b })", ab(4, 1), i(2006)},
		{"a literal that changes a variable of here", "s := 0\nrng.Visit(a, func(k i32, sum *i32) { *sum += k * b }, &s)\nreturn s", ab(4, 2), i(12)},
		{"a compile-time parameter", "return rng.Power(a, 3)", ab(2, 0), i(8)},
		{"two results", "x, y := rng.Swap(a, b)\nreturn x*10 + y", ab(4, 7), i(74)},
		{"an early return", "return rng.Early(a)", ab(17, 0), i(5)},
		{"a library of a library", "return rng.Deep(a)", ab(1, 0), i(31 ^ (31 ^ 3))},
		{"a name of its own hides a builtin there alone", "return rng.Length(a) + i32(length.Of(b))", ab(1, 3), i(103)},
		{"a variable hides an import", "rng := a\nreturn rng", ab(4, 0), i(4)},
		{"in a static condition", "if static(rng.Table == 6) { return rng.Twice(a) }\nreturn 0", ab(4, 0), i(8)},
		{"a type in a conversion", "x := [2]rng.State{rng.Seed(a), rng.Seed(b)}\nreturn x[1].Key*10 + x[0].Key", ab(1, 2), i(21)},
	}, conformLibraries...)
}
