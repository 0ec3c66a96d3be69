package driver_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/randtest"
)

// eachSwitch calls f for every part that can be left out.
func eachSwitch(t *testing.T, f func(t *testing.T, i int, without option.Switches)) {
	for i, name := range option.SwitchNames() {
		without, err := option.ParseSwitches(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { f(t, i, without) })
	}
}

// TestSwitches runs sparse programs with each part left out in turn: the results are
// the same. TestSwitches of internal/runtest/program leaves out every part; here it is a
// quarter of them if not everything is asked for.
func TestSwitches(t *testing.T) {
	kinds := []string{"pointer", "bitmasked", "deep", "hash", "mask"}
	eachSwitch(t, func(t *testing.T, i int, without option.Switches) {
		if !randtest.Share(t.Name()) {
			return
		}
		o, threads := driver.TestOptions(t, 3), 1+2*(i/len(kinds)%2)
		o.Without = without
		if i%2 == 0 && !without.Has(option.Lists) {
			c := sparseCases[i/2%len(sparseCases)]
			c.run(t, plotVariant{level: 3, threads: threads, without: without})
			return
		}
		h := newSparseHarness(t, kinds[i%len(kinds)], threads)
		if without.Has(option.Lists) {
			h.tree.RemakeLists()
		}
		h.check(o)
	})
}

// switchSource has what the other sources have not.
const switchSource = `package p

var (
	X, Y field[f32, D2]
	B    node
)

// Far looks up two blocks below one.
func Far() (s f32) {
	for a, b := range ndrange(5, 3) {
		s += X[40*a][40*b] + Y[40*a][40*b] + X[40*a+8][40*b]
	}
	return s
}

// Shift reads neighbours along one axis.
func Shift() {
	for i, j := range X {
		Y[i][j] = X[i-1][j] + X[i+1][j]
	}
}

// Within has a serial loop over cells.
func Within() {
	for i := range 3 {
		s := f32(i)
		for p, q := range Y {
			s += Y[p][q]
		}
		X[i][0] = s
	}
}

// Choose has an array and a branch.
func Choose(n int) {
	for i := range n {
		var v vec4
		for k := range static(4) {
			if i%5 > k {
				v[k%4] = f32(k)
			}
		}
		m := 0
		if i > 3 {
			m = i * 3
		}
		v[i%4] += 2
		X[i][m%2] = v.x + v.w
	}
}
`

// rareSource writes to few places of its domain.
const rareSource = `package p

var (
	X, Y field[f32, D2]
	B    node
)

// Rare makes few blocks.
func Rare(n int) {
	for i, j := range ndrange(200, 152) {
		if i*j > n {
			X[i][j] = 1
		}
	}
}
`

// apartSource loops over fields in separate nodes of a block.
const apartSource = `package p

var (
	X, Y field[f32, D2]
	B    node
)

func Scale() {
	for i, j := range X {
		Y[i][j] += 2 * X[i][j]
	}
}

// Both has two loops that differ in a number.
func Both() {
	for i, j := range X {
		if i+j > 40 {
			Y[i][j] = X[i-1][j] + X[i+1][j]
		}
	}
	for i, j := range X {
		if i+j > 50 {
			Y[i][j] = X[i-1][j] + X[i+1][j]
		}
	}
}
`

// listSource appends to lists.
const listSource = `package p

var (
	X, Y field[f32, D2]
	B    node
)

func Bins() {
	for i := range 50000 {
		append(X[i%200], f32(i))
	}
}
`

// TestSwitchesChangeCode looks for a kernel whose code each part changes.
func TestSwitchesChangeCode(t *testing.T) {
	type kernel struct {
		dump func(o driver.Options, stage string) (string, error)
		name string
	}
	var kernels []kernel
	add := func(k kernel) { kernels = append(kernels, k) }
	_, dense, lay := explained(t, "testdata/explain.ti")
	for _, k := range dense.Kernels {
		add(kernel{func(o driver.Options, stage string) (string, error) {
			return driver.Dump(&dense.Program, k.Name, lay, o, stage)
		}, k.Name})
	}
	_, others, othersLay := explained(t, "testdata/reasons.ti")
	for _, k := range others.Kernels {
		add(kernel{func(o driver.Options, stage string) (string, error) {
			return driver.Dump(&others.Program, k.Name, othersLay, o, stage)
		}, "other " + k.Name})
	}
	_, derived, derivedLay := explained(t, "testdata/explaingrad.ti")
	derivative := derivativeIn(t, derivedLay)
	for _, k := range derived.Kernels {
		add(kernel{func(o driver.Options, stage string) (string, error) {
			o.Derivative = derivative
			return driver.Dump(&derived.Program, k.Name, derivedLay, o, stage)
		}, "adjoint of " + k.Name})
	}
	planes, planesLay := planeProgram(t)
	for _, k := range planes.Kernels {
		add(kernel{func(o driver.Options, stage string) (string, error) {
			return driver.Dump(&planes.Program, k.Name, planesLay, o, stage)
		}, "planes of " + k.Name})
	}
	add(kernel{func(o driver.Options, stage string) (string, error) {
		return linkedUnit(t, "Copy:1 Increment:2 Smooth Copy:3", o).Dump(stage)
	}, "linked"})
	packed, packedLay := packedProgram(t)
	for _, k := range packed.Kernels {
		add(kernel{func(o driver.Options, stage string) (string, error) {
			return driver.Dump(&packed.Program, k.Name, packedLay, o, stage)
		}, "packed" + k.Name})
	}
	bits, bitsLay := bitsProgram(t, bitKernel("F", bitKernels[0].loop, false))
	add(kernel{func(o driver.Options, stage string) (string, error) {
		return driver.Dump(&bits.Program, "F", bitsLay, o, stage)
	}, "bits"})
	for _, s := range [][2]string{{"pointer", sparseSource}, {"bitmasked", sparseSource}, {"pointer", switchSource}, {"deep", switchSource}, {"wide", rareSource}, {"apart", apartSource}, {"list", listSource}} {
		h := sparseHarnessOf(t, s[1], s[0], 1)
		for _, k := range h.p.Kernels {
			add(kernel{func(o driver.Options, stage string) (string, error) {
				return driver.Dump(&h.p.Program, k.Name, h.lay, o, stage)
			}, fmt.Sprint(s[0], len(kernels), k.Name)})
		}
	}
	with := map[string]string{}
	text := func(k kernel, o driver.Options, stage string) string {
		t.Helper()
		s, err := k.dump(o, stage)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		return s
	}
	eachSwitch(t, func(t *testing.T, _ int, without option.Switches) {
		if without.Has(option.Lists) {
			t.Log("of the runtime; see TestRemakeLists of internal/sparse")
			return
		}
		o, stage := driver.TestOptions(t, 3), "ir"
		o.Threads = 2
		o.Debug = without.Has(option.Races)
		o.StreamFrom = 1
		if without.Has(option.Estimate) && !strings.Contains(text(kernels[0], o, "asm"), "%zmm") {
			t.Skip("only processors with AVX-512 have the estimates")
		}
		if without.Has(option.Vectors) {
			noVectors(t, dense, lay)
			return
		}
		for _, k := range kernels {
			key := fmt.Sprint(k.name, stage, o.Debug)
			if with[key] == "" {
				with[key] = text(k, o, stage)
			}
			off := o
			off.Without = without
			if got := text(k, off, stage); got != with[key] {
				return
			}
		}
		t.Errorf("the code of all kernels is the same without %s", without)
	})
}

// noVectors looks for vectors in code that has them otherwise.
func noVectors(t *testing.T, p *check.Program, lay driver.Layout) {
	vector := regexp.MustCompile(`<[0-9]+ x (float|i32)>`)
	with, o := driver.TestOptions(t, 3), driver.TestOptions(t, 3)
	o.Without = option.Vectors
	for _, name := range []string{"Scale", "Sum", "Lengths", "Escape"} {
		a, err := driver.Dump(&p.Program, name, lay, with, "opt")
		if err != nil || !vector.MatchString(a) {
			t.Errorf("%s has no vectors anyway: %v", name, err)
		}
		b, err := driver.Dump(&p.Program, name, lay, o, "opt")
		if err != nil || vector.MatchString(b) {
			t.Errorf("%s has the vectors %q, %v", name, vector.FindString(b), err)
		}
	}
}

// TestSwitchKey compares the keys of a kernel with and without a part of the compiler.
func TestSwitchKey(t *testing.T) {
	p, lay := driver.TestProgram(t)
	a, err := driver.Prepare(&p.Program, "Smooth", lay, driver.TestOptions(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	o := driver.TestOptions(t, 3)
	o.Without = option.CSE
	if b, err := driver.Prepare(&p.Program, "Smooth", lay, o); err != nil || b.Key == a.Key {
		t.Errorf("%v, %v", b, err)
	}
}
