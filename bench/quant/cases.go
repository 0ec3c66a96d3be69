package main

import (
	"embed"
	"fmt"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

//go:embed kernels/*.ti
var kernels embed.FS

// targets are upper limits of the time of a packed case over that of the plain one.
var targets = map[string]string{
	"halves": "1.0", "bytes": "1.0", "histogram_64": "1.5", "histogram_1m": "1.5", "product": "0.7",
	"saxpy_float": "1.15", "saxpy_fixed": "0.65", "life_bits": "0.33, 30 ms",
	"advect_shared": "1.15", "advect_fixed": "1.0",
}

// checksums are those of the cases at full size, and at a sixteenth.
var checksums = map[string][2]float64{
	"halves": {65574336, 65529568}, "bytes": {250744, 254616}, "product": {523.4375, 468.75},
	"saxpy_float": {375, 562.5}, "saxpy_fixed": {375, 562.5}, "life_bits": {814760700, 50945988},
	"advect_shared": {2679.453125, 2376.421875}, "advect_fixed": {2679.453125, 2376.421875},
}

// A size says how large the cases are.
type size struct {
	n, side int // elements, and cells of a side
	edge    int // of what is advected, in cells
	column  int // of the checksums; -1 for none
}

var full, small = size{1 << 28, 41690, 256, 0}, size{1 << 24, 41690 / 4, 102, 1}

// casesOf returns the cases, on packed fields or plain ones.
func casesOf(z size, packed bool) []suite.Case {
	n, side := z.n, z.side
	start := func(f func(s *fields, rt *ti.Runtime) (*suite.Trial, error)) func(rt *ti.Runtime) (*suite.Trial, error) {
		return func(rt *ti.Runtime) (*suite.Trial, error) { return f(&fields{packed: packed}, rt) }
	}
	samples := n/16 + 12345
	cases := []suite.Case{
		{Name: "halves", Start: start(func(s *fields, rt *ti.Runtime) (*suite.Trial, error) { return s.stores(rt, n, 16, 2) })},
		{Name: "bytes", Start: start(func(s *fields, rt *ti.Runtime) (*suite.Trial, error) { return s.stores(rt, n, 8, 4) })},
		{Name: "histogram_64", Expect: counted(samples, 64), Start: start(func(s *fields, rt *ti.Runtime) (*suite.Trial, error) { return s.histogram(rt, samples, 64) })},
		{Name: "histogram_1m", Expect: counted(samples, 1<<20), Start: start(func(s *fields, rt *ti.Runtime) (*suite.Trial, error) { return s.histogram(rt, samples, 1<<20) })},
		{Name: "product", Start: start(func(s *fields, rt *ti.Runtime) (*suite.Trial, error) { return s.product(rt, n/8) })},
		{Name: "saxpy_float", Start: start(func(s *fields, rt *ti.Runtime) (*suite.Trial, error) {
			return s.saxpy(rt, n, 32, ti.QuantFloat(8, 22))
		})},
		{Name: "saxpy_fixed", Start: start(func(s *fields, rt *ti.Runtime) (*suite.Trial, error) {
			return s.saxpy(rt, n, 16, ti.QuantFixed(16, 8))
		})},
		{Name: "life_bits", Start: func(rt *ti.Runtime) (*suite.Trial, error) { return life(rt, side, packed) }},
		{Name: "advect_shared", Start: func(rt *ti.Runtime) (*suite.Trial, error) {
			return advect(rt, z.edge, packed, func(word *ti.BitStruct, f ti.AnyField) { word.PlaceShared(ti.QuantFloat(5, 9), f) })
		}},
		{Name: "advect_fixed", Start: func(rt *ti.Runtime) (*suite.Trial, error) {
			return advect(rt, z.edge, packed, func(word *ti.BitStruct, f ti.AnyField) { word.Place(f, ti.QuantFixed(10, 4)) })
		}},
	}
	for i := range cases {
		c := &cases[i]
		c.Budget = suite.Budget{Least: 3, For: 500 * time.Millisecond}
		if c.Name == "life_bits" { // which takes seconds a bit at a time
			c.Budget.Least = 1
		}
		if z.column >= 0 {
			c.Want = checksums[c.Name][z.column]
		}
	}
	return cases
}

// counted computes the checksum of a histogram.
func counted(samples, bins int) func() float64 {
	return func() (sum float64) {
		count := make([]uint32, bins)
		for i := range samples {
			count[int(uint32(i)*2654435761>>8)%bins]++
		}
		return binsTotal(bins, func(i int) uint32 { return count[i] })
	}
}

// binsTotal is a checksum of bins of 4 bits.
func binsTotal(bins int, at func(i int) uint32) (sum float64) {
	for i := range bins {
		sum += float64(i%7) * float64(at(i)&15)
	}
	return sum
}

// fields is the host of quant.ti.
type fields struct {
	packed bool

	A, B, C, D                               ti.Field[int32]
	X, Y                                     ti.Field[float32]
	P0, P1, P2, Q0, Q1, Q2, R0, R1, R2       ti.Field[ti.Vec3]
	Bins                                     ti.Field[uint32]
	Samples, Modulus                         int32
	Halves, Bytes, Count, Product, InitSaxpy func() error
	InitProduct                              func() error
	Saxpy                                    func(s float32) error
}

// load compiles a file of kernels/ for a host; fields that a case does not use have one element.
func load(rt *ti.Runtime, file string, host any, unused ...ti.AnyField) error {
	for _, f := range unused {
		rt.Place(ti.Shape{1}, f)
	}
	text, err := kernels.ReadFile("kernels/" + file)
	if err != nil {
		return fmt.Errorf("the benchmark's kernel is not in the program: %w", err)
	}
	_, err = rt.Compile(ti.Text(file, string(text)), host)
	return err
}

func (s *fields) matrices() []ti.AnyField {
	return []ti.AnyField{&s.P0, &s.P1, &s.P2, &s.Q0, &s.Q1, &s.Q2, &s.R0, &s.R1, &s.R2}
}

// trial is one of launches that need no fresh data, whose checksum samples a field.
func trial(launch func() error, at func(i int) float64, n int) *suite.Trial {
	return &suite.Trial{Launch: launch, Check: func() (sum float64, err error) {
		err = launch()
		for i := 0; i < n; i += 1 + n/1000 {
			sum += at(i)
		}
		return sum, err
	}}
}

// stores times stores to parts of a word, of which there are two, or three are stored of four.
func (s *fields) stores(rt *ti.Runtime, n, bits, parts int) (*suite.Trial, error) {
	used := []ti.AnyField{&s.A, &s.B, &s.C, &s.D}[:parts]
	if s.packed {
		word := rt.NewTree().Dense(ti.I, n).BitStruct(32)
		for _, f := range used {
			word.Place(f, ti.QuantInt(bits))
		}
	} else {
		for _, f := range used[:min(parts, 3)] {
			rt.Place(ti.Shape{n}, f)
		}
		if parts > 3 {
			rt.Place(ti.Shape{1}, &s.D)
		}
	}
	unused := append([]ti.AnyField{&s.X, &s.Y, &s.Bins}, s.matrices()...)
	if parts == 2 {
		unused = append(unused, &s.C, &s.D)
	}
	err := load(rt, "quant.ti", s, unused...)
	launch := s.Bytes
	if parts == 2 {
		launch = s.Halves
	}
	return trial(launch, func(i int) float64 { return float64(s.A.At(i)) + 3*float64(s.B.At(i)) }, n), err
}

// histogram times samples counted in bins of 4 bits, modulo 16.
func (s *fields) histogram(rt *ti.Runtime, samples, bins int) (*suite.Trial, error) {
	s.Samples, s.Modulus = int32(samples), int32(bins)
	if s.packed {
		rt.NewTree().Dense(ti.I, bins/8).BitArray(32, ti.I, 8).Place(&s.Bins, ti.QuantInt(4).Unsigned().Wrap())
	} else {
		rt.Place(ti.Shape{bins}, &s.Bins)
	}
	err := load(rt, "quant.ti", s, append([]ti.AnyField{&s.A, &s.B, &s.C, &s.D, &s.X, &s.Y}, s.matrices()...)...)
	return &suite.Trial{Launch: s.Count, Check: func() (float64, error) {
		s.Bins.Fill(0)
		err := s.Count()
		return binsTotal(bins, func(i int) uint32 { return s.Bins.At(i) }), err
	}}, err
}

// product times products of 3×3 matrices, a row in a word.
func (s *fields) product(rt *ti.Runtime, n int) (*suite.Trial, error) {
	for _, f := range s.matrices() {
		if s.packed {
			rt.NewTree().Dense(ti.I, n).BitStruct(64).Place(f, ti.QuantFixed(16, 2))
		} else {
			rt.Place(ti.Shape{n}, f)
		}
	}
	err := load(rt, "quant.ti", s, &s.A, &s.B, &s.C, &s.D, &s.X, &s.Y, &s.Bins)
	if err == nil {
		err = s.InitProduct()
	}
	return trial(s.Product, func(i int) float64 { v := s.R1.At(i); return float64(v[0]) + 2*float64(v[2]) }, n), err
}

// saxpy times x += s*y.
func (s *fields) saxpy(rt *ti.Runtime, n, bits int, form ti.Quant) (*suite.Trial, error) {
	for _, f := range []ti.AnyField{&s.X, &s.Y} {
		if s.packed {
			rt.NewTree().Dense(ti.I, n).BitStruct(bits).Place(f, form)
		} else {
			rt.Place(ti.Shape{n}, f)
		}
	}
	err := load(rt, "quant.ti", s, append([]ti.AnyField{&s.A, &s.B, &s.C, &s.D, &s.Bins}, s.matrices()...)...)
	return &suite.Trial{Launch: func() error { return s.Saxpy(0) }, Check: func() (sum float64, err error) {
		if err = s.InitSaxpy(); err == nil {
			err = s.Saxpy(0.5)
		}
		for i := 0; i < n; i += 1 + n/1000 {
			sum += float64(s.X.At(i))
		}
		return sum, err
	}}, err
}

// life times a generation of cells.
func life(rt *ti.Runtime, side int, packed bool) (*suite.Trial, error) {
	var s struct {
		Now, Next  ti.Field[uint8]
		Init, Step func() error
		Living     func() (int64, error)
	}
	const lanes = 32
	words := (side + lanes - 1) / lanes
	for _, f := range []*ti.Field[uint8]{&s.Now, &s.Next} {
		if packed {
			rt.NewTree().Dense(ti.IJ, side, words).BitArray(lanes, ti.J, lanes).Place(f, ti.QuantInt(1).Unsigned())
		} else {
			rt.Place(ti.Shape{side, words * lanes}, f)
		}
	}
	if err := load(rt, "life.ti", &s); err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Step, Check: func() (float64, error) {
		n, err := s.Living()
		return float64(n), err
	}}, s.Init()
}

// advect times a step of advection. The flow is packed as flow says, and the colours in fixed point of 10 bits.
func advect(rt *ti.Runtime, n int, packed bool, flow func(word *ti.BitStruct, f ti.AnyField)) (*suite.Trial, error) {
	var s struct {
		Flow, Dye, Next ti.Field[ti.Vec3]
		Init, Advect    func() error
	}
	if packed {
		word := func() *ti.BitStruct { return rt.NewTree().Dense(ti.IJK, n, n, n).BitStruct(32) }
		flow(word(), &s.Flow)
		word().Place(&s.Dye, ti.QuantFixed(10, 1))
		word().Place(&s.Next, ti.QuantFixed(10, 1))
	} else {
		rt.Place(ti.Shape{n, n, n}, &s.Flow, &s.Dye, &s.Next)
	}
	if err := load(rt, "advect.ti", &s); err != nil {
		return nil, err
	}
	return trial(s.Advect, func(i int) float64 {
		v := s.Next.At(i/n/n, i/n%n, i%n)
		return float64(v[0]) + 2*float64(v[1]) + 3*float64(v[2])
	}, n*n*n), s.Init()
}
