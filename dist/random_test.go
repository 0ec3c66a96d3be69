package dist_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
	"github.com/gotaichi/ti/internal/mpi"
	"github.com/gotaichi/ti/internal/randtest"
)

var distSeeds = randtest.New("distseeds", "firstdist", "made-up programs for several ranks", 8, 3)

type cell struct {
	X float32
	N int32
}

// randomHost has the fields of a made-up program.
type randomHost struct {
	A    ti.Field[float32]
	B    ti.Field[int32]
	D    ti.Field[float64]
	V    ti.Field[ti.Vec2]
	S    ti.Field[cell]
	R, F ti.Field[float32]

	G, HAdd, HMin, HOr, HXor ti.Field[int32]
	HMax                     ti.Field[int64]
	HAnd                     ti.Field[uint16]
}

// A handle is a field whose type does not matter.
type handle interface {
	name() string
	any() ti.AnyField
	set(r *rand.Rand, idx ...int) error
	fill(r *rand.Rand) error
	copyFrom(r *rand.Rand) error
	values() (string, error)
	ownAre(values string) error
}

type handleOf[T any] struct {
	named string
	f     *ti.Field[T]
	make  func(r *rand.Rand) T
}

func (h handleOf[T]) name() string     { return h.named }
func (h handleOf[T]) any() ti.AnyField { return h.f }

func (h handleOf[T]) set(r *rand.Rand, idx ...int) error {
	h.f.Set(h.make(r), idx...)
	return nil
}

func (h handleOf[T]) fill(r *rand.Rand) error {
	h.f.Fill(h.make(r))
	return nil
}

func (h handleOf[T]) copyFrom(r *rand.Rand) error {
	all := make([]T, h.f.Len())
	for i := range all {
		all[i] = h.make(r)
	}
	return h.f.CopyFrom(all)
}

func (h handleOf[T]) values() (string, error) {
	all := make([]T, h.f.Len())
	err := h.f.CopyTo(all)
	return bitsOf(all), err
}

// ownAre compares the elements that this rank has with those of all ranks.
func (h handleOf[T]) ownAre(values string) error {
	each := strings.Fields(values)
	shape, low := h.f.Shape(), h.f.Origin()
	for idx, v := range h.f.All() {
		n := 0
		for k := range shape {
			n = n*shape[k] + idx[k]
			if low != nil {
				n -= low[k]
			}
		}
		if got := strings.TrimSpace(bitsOf([]T{v})); got != each[n] {
			return fmt.Errorf("element %v of %s is %s among this rank's own, and %s among all", idx, h.named, got, each[n])
		}
	}
	return nil
}

// bitsOf is the bits of numbers, of each element in one word. All NaNs are one.
func bitsOf[T any](all []T) string {
	var s strings.Builder
	for _, v := range all {
		b, err := binary.Append(nil, binary.LittleEndian, plain(v))
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&s, "%x ", b)
	}
	return s.String()
}

// plain is v with one kind of NaN, whose bits an expression does not decide.
func plain(v any) any {
	single := func(x float32) float32 {
		if x != x {
			return float32(math.NaN())
		}
		return x
	}
	switch v := v.(type) {
	case float32:
		return single(v)
	case float64:
		if v != v {
			return math.NaN()
		}
	case ti.Vec2:
		return [2]float32{single(v[0]), single(v[1])}
	case cell:
		return cell{single(v.X), v.N}
	}
	return v
}

func (h *randomHost) divided() []handle {
	f := func(r *rand.Rand) float32 { return float32(r.IntN(2000)-1000) / 512 }
	n := func(r *rand.Rand) int32 { return int32(r.IntN(1000) - 500) }
	return []handle{
		handleOf[float32]{"A", &h.A, f},
		handleOf[int32]{"B", &h.B, n},
		handleOf[float64]{"D", &h.D, func(r *rand.Rand) float64 { return r.Float64() }},
		handleOf[ti.Vec2]{"V", &h.V, func(r *rand.Rand) ti.Vec2 { return ti.Vec2{f(r), f(r)} }},
		handleOf[cell]{"S", &h.S, func(r *rand.Rand) cell { return cell{f(r), n(r)} }},
	}
}

func (h *randomHost) replicated() []handle {
	n := func(r *rand.Rand) int32 { return int32(r.IntN(1000) - 500) }
	f := func(r *rand.Rand) float32 { return r.Float32() }
	return []handle{
		handleOf[float32]{"R", &h.R, f}, handleOf[float32]{"F", &h.F, f}, handleOf[int32]{"G", &h.G, n},
		handleOf[int32]{"HAdd", &h.HAdd, n}, handleOf[int32]{"HMin", &h.HMin, n}, handleOf[int32]{"HOr", &h.HOr, n}, handleOf[int32]{"HXor", &h.HXor, n},
		handleOf[int64]{"HMax", &h.HMax, func(r *rand.Rand) int64 { return int64(n(r)) }},
		handleOf[uint16]{"HAnd", &h.HAnd, func(r *rand.Rand) uint16 { return uint16(r.IntN(1 << 16)) }},
	}
}

// A madeUp is a program from a seed: the source, how fields lie, and what the host does.
type madeUp struct {
	seed        uint64
	low, extent []int
	tile        int
	block       int // rows of a cell of the outermost node
	source      string
	kernels     []string
	strict      bool
}

func makeUp(seed uint64) *madeUp {
	r := rand.New(rand.NewPCG(seed, 50))
	p := &madeUp{seed: seed, strict: r.IntN(4) > 0}
	p.block = []int{1, 1, 1, 2, 4}[r.IntN(5)]
	p.tile = p.block * (1 + r.IntN(4))
	rows := p.tile * (5 + r.IntN(3))
	if p.block == 1 {
		rows -= r.IntN(p.tile)
	}
	p.extent = []int{rows}
	for range r.IntN(3) {
		p.extent = append(p.extent, 1+r.IntN(6))
	}
	p.low = make([]int, len(p.extent))
	if r.IntN(4) == 0 {
		for k := range p.low {
			p.low[k] = p.block * (r.IntN(7) - 3)
		}
	}
	m := newMaker(r, p.low, p.extent)
	p.source = m.source(2 + r.IntN(2))
	p.kernels = m.kernels
	return p
}

// place lays out the fields; w is nil for one machine alone.
func (p *madeUp) place(rt *ti.Runtime, w *dist.World, h *randomHost) {
	r := rand.New(rand.NewPCG(p.seed, 51))
	axes := ti.IJK[:len(p.extent)]
	var parts []ti.AnyField
	for _, f := range h.divided() {
		if r.IntN(2) == 0 {
			parts = append(parts, ti.Members(f.any())...)
		} else {
			parts = append(parts, f.any())
		}
	}
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	var g *dist.Grid
	if w != nil {
		tile := append([]int{p.tile}, p.extent[1:]...)
		g = w.Grid(axes, p.extent...).Tile(tile...)
	}
	for len(parts) > 0 {
		n := 1 + r.IntN(min(3, len(parts)))
		tree := rt.NewTree().Origin(axes, p.low...)
		if g != nil {
			g.Divide(tree)
		}
		p.node(r, tree, axes).Place(parts[:n]...)
		parts = parts[n:]
	}
	rt.Place(ti.Shape{3}, &h.F, &h.G)
	rt.Place(ti.Shape{5}, &h.R, &h.HAdd, &h.HMin, &h.HMax, &h.HAnd, &h.HOr, &h.HXor)
}

func (p *madeUp) node(r *rand.Rand, tree *ti.Tree, axes ti.Axes) *ti.Node {
	rest := append([]int{p.block}, p.extent[1:]...)
	switch {
	case p.block > 1 && r.IntN(2) == 0: // blocks of some columns of a row of blocks
		outer := append([]int{p.extent[0] / p.block}, p.extent[1:]...)
		return tree.Dense(axes, outer...).Dense(ti.I, p.block)
	case p.block > 1:
		return tree.Dense(ti.I, p.extent[0]/p.block).Dense(axes, rest...)
	case len(axes) > 1 && r.IntN(3) == 0:
		return tree.Dense(ti.I, p.extent[0]).Dense(axes[1:], p.extent[1:]...)
	}
	return tree.Dense(axes, p.extent...)
}

// run runs the program, and returns all that it leaves: lines, one for each step. w is nil for one machine alone.
func (p *madeUp) run(rt *ti.Runtime, w *dist.World, printed *bytes.Buffer) ([]string, error) {
	h := new(randomHost)
	p.place(rt, w, h)
	program, err := rt.Compile(ti.Text("", p.source), h)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(p.seed, 52))
	divided, replicated := h.divided(), h.replicated()
	for _, f := range append(divided, replicated...) {
		if err := f.copyFrom(r); err != nil {
			return nil, err
		}
	}
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	for range 4 + r.IntN(5) {
		f := divided[r.IntN(len(divided))]
		switch r.IntN(9) {
		case 0:
			idx := make([]int, len(p.low))
			for k := range idx {
				idx[k] = p.low[k] + r.IntN(p.extent[k])
			}
			err = f.set(r, idx...)
		case 1:
			switch r.IntN(3) {
			case 0:
				err = f.fill(r)
			case 1:
				err = f.copyFrom(r)
			default:
				err = p.compare(f, w, say)
			}
		case 2:
			err = replicated[r.IntN(len(replicated))].copyFrom(r)
		default:
			name := p.kernels[r.IntN(len(p.kernels))]
			var results []any
			results, err = program.Kernel(name).Launch(context.Background(), int32(r.IntN(6)-2), float32(r.IntN(64))/16)
			if err != nil {
				say("%s fails: %v", name, err)
			} else {
				say("%s returns %v", name, results)
			}
			err = nil
		}
		if err != nil {
			return nil, err
		}
	}
	for _, f := range append(divided, replicated...) {
		v, err := f.values()
		if err != nil {
			return nil, err
		}
		say("%s: %s", f.name(), v)
	}
	for _, line := range strings.Split(printed.String(), "\n") {
		say("printed: %s", line)
	}
	return said, nil
}

// compare compares a rank's own elements of a field with those that all ranks have.
func (p *madeUp) compare(f handle, w *dist.World, say func(string, ...any)) error {
	v, err := f.values()
	if err != nil {
		return err
	}
	say("%s: %s", f.name(), v)
	if w == nil {
		return nil
	}
	return f.ownAre(v)
}

// garbage is a NaN of 32 bits, and of 64 when it stands twice.
const garbage = 0xfff8beef

func spoil(rows []byte) {
	for ; len(rows) >= 4; rows = rows[4:] {
		binary.LittleEndian.PutUint32(rows, garbage)
	}
}

// on runs the program on so many ranks, and returns what they all say.
func (p *madeUp) on(ranks, threads int, cfg mpi.LocalConfig) ([]string, error) {
	said := make([][]string, ranks)
	var mu sync.Mutex
	err := dist.LocalWith(ranks, cfg, func(w *dist.World) error {
		w.Spoil(spoil)
		var printed bytes.Buffer
		rt, err := w.New(ti.Config{Threads: threads, StrictMath: p.strict, Stdout: &printed})
		if err != nil {
			return err
		}
		defer func() { _ = rt.Close() }()
		lines, err := p.run(rt, w, &printed)
		mu.Lock()
		said[w.Rank()] = lines
		mu.Unlock()
		return err
	})
	if err != nil {
		return nil, err
	}
	for rank, lines := range said {
		if w, g, differ := difference(unprinted(said[0]), unprinted(lines)); differ {
			return nil, fmt.Errorf("of %d ranks, number %d says\n%s\nand number 0\n%s", ranks, rank, g, w)
		}
	}
	return said[0], nil
}

// unprinted is lines but those that are printed, which rank 0 alone does.
func unprinted(lines []string) (some []string) {
	for _, line := range lines {
		if !strings.HasPrefix(line, "printed: ") {
			some = append(some, line)
		}
	}
	return some
}

// difference returns the first lines that differ.
func difference(a, b []string) (inA, inB string, differ bool) {
	for i := range max(len(a), len(b)) {
		inA, inB = "", ""
		if i < len(a) {
			inA = a[i]
		}
		if i < len(b) {
			inB = b[i]
		}
		if inA != inB {
			return inA, inB, true
		}
	}
	return "", "", false
}

// alone runs the program on the oracle.
func (p *madeUp) alone() ([]string, error) {
	var printed bytes.Buffer
	rt, err := ti.New(ti.Config{Arch: ti.Oracle, StrictMath: true, Stdout: &printed})
	if err != nil {
		return nil, err
	}
	defer func() { _ = rt.Close() }()
	return p.run(rt, nil, &printed)
}

// TestRandom: made-up programs give the same on one rank and on several, to the last bit: what they return and print, how they fail, and
// what they leave in fields. The oracle agrees, but for sums of floats.
func TestRandom(t *testing.T) {
	refused, launches, oracles := 0, 0, 0
	distSeeds.Each(t, func(t *testing.T, seed uint64) {
		p := makeUp(seed)
		if distSeeds.Alone() {
			t.Logf("rows %d, tiles of %d, blocks of %d, lowest %d, strict %v\n%s", p.extent, p.tile, p.block, p.low, p.strict, p.source)
		}
		r := rand.New(rand.NewPCG(seed, 53))
		want, err := p.on(1, 1, mpi.LocalConfig{})
		if err != nil {
			t.Fatal(err)
		}
		failed := false
		for _, line := range want {
			if strings.Contains(line, "dist: ") {
				refused++
			}
			fails := strings.Contains(line, " fails: ")
			failed = failed || fails
			if fails || strings.Contains(line, " returns ") {
				launches++
			}
		}
		if distSeeds.Alone() {
			t.Logf("%s", strings.Join(want, "\n"))
		}
		few := 2 + r.IntN(4)
		for n, ranks := range []int{few, 2 + (few-1)%4} {
			cfg := mpi.LocalConfig{}
			if n == 0 {
				cfg.Seed = seed + 1
			}
			got, err := p.on(ranks, 1+r.IntN(2), cfg)
			if err != nil {
				t.Errorf("%d ranks: %v", ranks, err)
			} else if w, g, differ := difference(want, got); differ {
				t.Errorf("%d ranks say\n%s\nand one\n%s", ranks, g, w)
			}
		}
		if !p.strict || failed {
			return
		}
		oracles++
		got, err := p.alone()
		if err != nil {
			t.Fatal(err)
		}
		if w, g, differ := difference(exact(got), exact(want)); differ {
			t.Errorf("one rank says\n%s\nand the oracle\n%s", g, w)
		}
	})
	t.Logf("%d launches, of which %d are refused; %d programs on the oracle", launches, refused, oracles)
}

// exact is lines without sums of floats.
func exact(lines []string) (some []string) {
	for _, line := range lines {
		if before, results, is := strings.Cut(line, " returns ["); is {
			_, rest, _ := strings.Cut(results, " ")
			line = before + rest
		}
		if !strings.HasPrefix(line, "F: ") {
			some = append(some, line)
		}
	}
	return some
}
