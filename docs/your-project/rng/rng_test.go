package rng

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

const source = `package test

import "github.com/gotaichi/ti/docs/your-project/rng"

var Streams field[rng.Stream]

func Philox(x, y, key u32) uvec2 { return rng.Philox(uvec2(x, y), key) }

// Moments are the means of uniform numbers, normal numbers, their squares, and of a choice.
func Moments() (uniform, normal, square, choice f64) {
	for i := range Streams {
		Streams[i] = rng.New(7, u32(i))
	}
	for i := range Streams {
		x := Streams[i].Normal()
		uniform += f64(Streams[i].Uniform())
		normal += f64(x)
		square += f64(x * x)
		choice += f64(rng.Choose(&Streams[i], 0, 1))
	}
	n := f64(Streams.shape[0])
	return uniform / n, normal / n, square / n, choice / n
}
`

func TestRandom(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt, err := ti.New(ti.Config{Arch: arch, Debug: true})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		var s struct {
			Streams ti.Field[Stream]
			Philox  func(x, y, key uint32) (ti.UVec2, error)
			Moments func() (uniform, normal, square, choice float64, err error)
		}
		rt.Place(ti.Shape{2000}, &s.Streams)
		if _, err := rt.Compile(ti.Join(ti.Text("test.ti", source), Kernels), &s); err != nil {
			t.Fatal(err)
		}
		for _, known := range []struct {
			x, y, key uint32
			want      ti.UVec2
		}{ // the test vectors of the authors
			{0, 0, 0, ti.UVec2{0xff1dae59, 0x6cd10df2}},
			{0xffffffff, 0xffffffff, 0xffffffff, ti.UVec2{0x2c3f628b, 0xab4fd7ad}},
			{0x243f6a88, 0x85a308d3, 0x13198a2e, ti.UVec2{0xdd7ce038, 0xf62a4c12}},
		} {
			if got, err := s.Philox(known.x, known.y, known.key); err != nil || got != known.want {
				t.Errorf("%v: Philox gives %x, error %v; want %x", arch, got, err, known.want)
			}
		}
		uniform, normal, square, choice, err := s.Moments()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []struct{ got, want float64 }{{uniform, 0.5}, {normal, 0}, {square, 1}, {choice, 0.5}} {
			if math.Abs(m.got-m.want) > 0.06 {
				t.Errorf("%v: a mean is %v, want %v", arch, m.got, m.want)
			}
		}
	}
}
