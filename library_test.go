package ti_test

import (
	"testing"
	"testing/fstest"

	"github.com/gotaichi/ti"
)

const rngLibrary = `package rng

// A State is the state of a generator.
type State struct {
	Key, Count u32
}

const Scale = 1.0 / (1 << 24)

func hash(x u32) u32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

// Next is the next number of a generator, from 0 to 1.
func (s *State) Next() f32 {
	s.Count++
	return f32(hash(s.Key^hash(s.Count))>>8) * Scale
}

// Uniform is number n of a stream.
func Uniform(key, n u32) f32 {
	s := State{key, n}
	return s.Next()
}

// Map applies f to all elements of a field.
func Map[T any](x field[T], f func(T) T) {
	for p := range x {
		x[p] = f(x[p])
	}
}
`

func TestLibrary(t *testing.T) {
	library := ti.Library("example.com/rng", ti.Files(fstest.MapFS{"rng.ti": {Data: []byte(rngLibrary)}}, "*.ti"))
	const source = `package p

import r "example.com/rng"

var X field[f32]
var S field[r.State]

func Fill(key u32) {
	for i := range X {
		X[i] = r.Uniform(key, u32(i))
	}
	r.Map(X, func(x f32) f32 { return 2 * x })
}

func Step() (sum f32) {
	for i := range S {
		sum += S[i].Next()
	}
	return sum
}
`
	type State struct{ Key, Count uint32 }
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt, err := ti.New(ti.Config{Arch: arch, Cache: ti.Cache{Policy: ti.CacheOff}})
		if err != nil {
			t.Fatal(err)
		}
		var host struct {
			X    ti.Field[float32]
			S    ti.Field[State]
			Fill func(uint32) error
			Step func() (float32, error)
		}
		rt.Place(ti.Shape{64}, &host.X, &host.S)
		if _, err := rt.Compile(ti.Join(ti.Text("p.ti", source), library), &host); err != nil {
			t.Fatal(err)
		}
		if err := host.Fill(7); err != nil {
			t.Fatal(err)
		}
		t.Log(host.X.At(0), host.X.At(63))
		s, err := host.Step()
		t.Log(s, err, host.S.At(3))
		rt.Close()
	}
}
