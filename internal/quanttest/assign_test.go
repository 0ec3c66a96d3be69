package quanttest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/treetext"
)

// grain is the struct of the fields P and Q of assignedFields.
type grain struct {
	V ti.Vec3
	A [5]float32
	U ti.Vec2
	M [2]float32
}

// assigned are the fields that random assignments are to. X, W and Y share an exponent, as do V and U of P, with M[1], and P.A with itself.
type assigned struct {
	V    ti.Field[ti.Vec3]
	W    ti.Field[ti.Vec2]
	X, Y ti.Field[float32]
	M    ti.Field[ti.Mat3]
	P, Q ti.Field[grain]
	K    ti.Field[int32]
}

const assignedTypes = `package q

type grain struct {
	V vec3
	A [5]f32
	U vec2
	M [2]f32
}

var (
	V field[vec3]
	W field[vec2]
	X, Y field[f32]
	M field[mat3]
	P, Q field[grain]
	K field[i32]
)

func put2(v *vec2, w vec2) {
	*v = w
	*v += w
}

func put3(v *vec3, w vec3) {
	*v = w
	*v += w
}
`

const assignedCells = 24

// newElements describes assigned, with random forms.
func newElements(r *rand.Rand) *elements {
	e := &elements{}
	packed := func(numbers, bits int) int {
		f := quant.Format{Class: quant.Float, Exp: 2 + r.IntN(5), Unsigned: r.IntN(4) == 0}
		most := (bits - f.Exp) / numbers
		f.Frac = 2 + r.IntN(min(most, []int{6, 24}[r.IntN(2)])-1) // of few digits, what is rounded twice shows
		if f.Check(scalar.F32, true) != nil {
			f.Frac = min(most, 8)
		}
		e.formats = append(e.formats, f)
		return len(e.formats) - 1
	}
	add := func(text, ctor string, rows, n, group int) []int {
		v := vector{text: text, ctor: ctor, rows: rows}
		for k := range n {
			s := slot{text, group}
			switch {
			case rows > 0:
				s.text += fmt.Sprintf("[%d][%d]", k/(n/rows), k%(n/rows))
			case n > 1:
				s.text += fmt.Sprintf("[%d]", k)
			}
			v.slots, e.slots = append(v.slots, len(e.slots)), append(e.slots, s)
		}
		e.vectors = append(e.vectors, v)
		return v.slots
	}
	v, xwy, m, p, a := packed(3, 27), packed(4, 64), packed(9, 64), packed(6, 57), packed(5, 32)
	add("V[%s]", "vec3", 0, 3, v)
	add("W[%s]", "vec2", 0, 2, xwy)
	add("X[%s]", "", 0, 1, xwy)
	add("Y[%s]", "", 0, 1, xwy)
	add("M[%s]", "mat3", 3, 9, m)
	for k, name := range []string{"P[%s]", "Q[%s]"} {
		group := func(g int) int { // Q is not packed
			if k > 0 {
				return -1
			}
			return g
		}
		rec := record{text: name}
		rec.slots = append(rec.slots, add(name+".V", "vec3", 0, 3, group(p))...)
		rec.slots = append(rec.slots, add(name+".A", "[5]f32", 0, 5, group(a))...)
		rec.slots = append(rec.slots, add(name+".U", "vec2", 0, 2, group(p))...)
		rec.slots = append(rec.slots, add(name+".M", "vec2", 0, 2, -1)...)
		e.slots[rec.slots[len(rec.slots)-1]].group = group(p)
		e.records = append(e.records, rec)
	}
	return e
}

// place packs the fields as the elements say.
func (h *assigned) place(rt *ti.Runtime, e *elements, sparse bool) {
	f := func(g int) ti.Quant { return treetext.Quant(e.formats[g]) }
	var cell *ti.Node
	if sparse {
		cell = rt.NewTree().Pointer(ti.I, assignedCells)
	} else {
		cell = rt.NewTree().Dense(ti.I, assignedCells)
	}
	cell.BitStruct(32).PlaceShared(f(0), &h.V).Place(&h.K, ti.QuantInt(5))
	cell.BitStruct(64).PlaceShared(f(1), &h.X, &h.W, &h.Y)
	cell.BitStruct(64).PlaceShared(f(2), &h.M)
	cell.BitStruct(64).PlaceShared(f(3), ti.Member[ti.Vec3](&h.P, "V"), ti.Member[ti.Vec2](&h.P, "U"), ti.Member[float32](&h.P, "M[1]"))
	cell.BitStruct(32).PlaceShared(f(4), ti.Member[[5]float32](&h.P, "A"))
	cell.Place(&h.P, &h.Q)
}

// numbers returns what an element holds, in the order of the slots.
func (h *assigned) numbers(p int) (vs []float32) {
	v, w := h.V.At(p), h.W.At(p)
	vs = append(append(vs, v[:]...), w[:]...)
	vs = append(vs, h.X.At(p), h.Y.At(p))
	for _, row := range h.M.At(p) {
		vs = append(vs, row[:]...)
	}
	for _, g := range []grain{h.P.At(p), h.Q.At(p)} {
		vs = append(append(append(append(vs, g.V[:]...), g.A[:]...), g.U[:]...), g.M[:]...)
	}
	return vs
}

// An assigning is a random source of assignments and its meaning.
type assigning struct {
	*elements
	sparse bool
	source string
	loops  [][]statement
}

func newAssigning(seed uint64) *assigning {
	r := rand.New(rand.NewPCG(seed, 43))
	a := &assigning{elements: newElements(r), sparse: r.IntN(3) == 0}
	w := &writer{elements: a.elements, r: r}
	var s strings.Builder
	s.WriteString(assignedTypes)
	for n := range 2 {
		fmt.Fprintf(&s, "\nfunc Work%d() {\n\tfor p := range %s {\n\t\tq := p\n\t\t_ = q\n\t\tK[p] = i32(p)%%13 - 2\n", n, []string{fmt.Sprint(assignedCells), fmt.Sprintf("serial(%d)", assignedCells)}[r.IntN(2)])
		var loop []statement
		for range 2 + r.IntN(6) {
			st := w.statement()
			loop = append(loop, st)
			fmt.Fprintf(&s, "\t\t%s\n", at(st.text, []string{"p", "p", "q", "(p+1)-1"}[r.IntN(4)]))
		}
		a.loops = append(a.loops, loop)
		s.WriteString("\t}\n}\n")
	}
	a.source = s.String()
	return a
}

// assignedLaunches are the numbers of the loops that are run.
var assignedLaunches = []int{0, 1, 0}

// run carries the statements out, and returns what the elements hold after each launch.
func (a *assigning) run() (after []*state) {
	s := &state{elements: a.elements}
	for range assignedCells {
		s.cells = append(s.cells, make([]float32, len(a.slots)))
	}
	for _, n := range assignedLaunches {
		for p := range s.cells {
			for _, st := range a.loops[n] {
				st.do(s, p)
			}
		}
		now := &state{elements: a.elements}
		for _, cell := range s.cells {
			now.cells = append(now.cells, slices.Clone(cell))
		}
		after = append(after, now)
	}
	return after
}

// An assignedWay is a way to compile and run assignments.
type assignedWay struct {
	cfg ti.Config
	env string // NAME=value, several with spaces between
	in  func(rt *ti.Runtime, h *assigned, run func() error) error
}

// counted runs a function while its stores are counted.
func counted(rt *ti.Runtime, h *assigned, run func() error) error {
	_, err := rt.Ranges(run, ti.RangeOptions{}, &h.V, &h.W, &h.X, &h.Y, &h.M, &h.P)
	return err
}

var assignedWays = []assignedWay{
	{cfg: ti.Config{Arch: ti.Oracle}},
	{cfg: ti.Config{Debug: true}},
	{},
	{env: "TI_MAX_UNROLLED=2"},
	{cfg: ti.Config{Arch: ti.Oracle, Debug: true}},
	{cfg: ti.Config{Arch: ti.Oracle}, env: "TI_MAX_UNROLLED=1"},
	{cfg: ti.Config{Debug: true}, env: "TI_MAX_UNROLLED=4"},
	{env: "TI_OPT=0"},
	{env: "TI_WITHOUT=storemerge"},
	{env: "TI_WITHOUT=preaccess,postaccess TI_MAX_UNROLLED=12"},
	{cfg: ti.Config{Threads: 3, Deterministic: true}},
	{cfg: ti.Config{Unchecked: true, Threads: 1}},
	{in: counted},
	{cfg: ti.Config{Arch: ti.Oracle}, in: counted},
}

// check runs the assignments in one way, and compares what the elements hold with what they should.
func (a *assigning) check(t *testing.T, way assignedWay, want []*state) {
	t.Helper()
	for _, e := range strings.Fields(way.env) {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
		defer os.Unsetenv(name)
	}
	way.cfg.StrictMath = true
	rt := newRuntime(t, way.cfg)
	h := &assigned{}
	h.place(rt, a.elements, a.sparse)
	prog, err := rt.Compile(ti.Text("q.ti", a.source), ti.Bindings{"V": &h.V, "W": &h.W, "X": &h.X, "Y": &h.Y, "M": &h.M, "P": &h.P, "Q": &h.Q, "K": &h.K})
	if err != nil {
		t.Fatalf("%+v: %v\n%s", way, err, a.source)
	}
	for k, n := range assignedLaunches {
		run := func() error {
			_, err := prog.Kernel(fmt.Sprintf("Work%d", n)).Launch(context.Background())
			return err
		}
		if way.in != nil {
			err = way.in(rt, h, run)
		} else {
			err = run()
		}
		if err != nil {
			t.Fatalf("%+v: %v\n%s", way, err, a.source)
		}
		for p := range assignedCells {
			for n, v := range h.numbers(p) {
				if is := want[k].cells[p][n]; v != is && (v == v || is == is) {
					t.Fatalf("%+v, launch %d: %s is %v, not %v; %v\n%s", way, k, at(a.slots[n].text, fmt.Sprint(p)), v, is, a.formats, a.source)
				}
			}
		}
	}
}

var assignSeeds = randtest.New("assignseeds", "assignseed", "random assignments to numbers that share exponents", 3, 2)

// TestRandomAssignments runs random assignments to numbers that share exponents in many ways, and compares with the model.
func TestRandomAssignments(t *testing.T) {
	assignSeeds.Each(t, func(t *testing.T, seed uint64) {
		a := newAssigning(seed)
		want := a.run()
		ways := assignedWays
		if !randtest.All() && !assignSeeds.Alone() { // the others in turn
			k := 4 + int(seed)%(len(ways)-4)
			ways = append(ways[:4:4], ways[k])
		}
		for _, way := range ways {
			a.check(t, way, want)
		}
	})
}
