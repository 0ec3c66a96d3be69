package random

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var apartSeeds = randtest.New("apart", "firstapart", "random programs on members in several trees", 7, 5)

// apartVariants are the ways to run such a program, of which each does in two.
var apartVariants = []runtest.Variant{
	{Label: "oracle", Arch: ti.Oracle, Threads: 1},
	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 3},
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 2},
	{Label: "O1/unchecked", Arch: ti.LLVM, Opt: "1", Threads: 1, Unchecked: true},
	{Label: "O1/debug", Arch: ti.LLVM, Opt: "1", Threads: 3, Debug: true},
	{Label: "O1/walks from the root", Arch: ti.LLVM, Opt: "1", Threads: 2, Without: "access"},
}

// TestRandomApart runs random programs on a field whose members lie in several nodes and trees: kernels and the host
// write, activate, deactivate, clear and save. What comes of each step is compared with a model in plain Go, so that
// the oracle is judged as the compiler is.
func TestRandomApart(t *testing.T) { apartSeeds.Each(t, compareApart) }

func compareApart(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0xa9a28))
	some := []runtest.Variant{apartVariants[0], apartVariants[1+r.IntN(len(apartVariants)-1)]}
	for _, v := range some {
		p := &apartProgram{t: t, r: rand.New(rand.NewPCG(seed, 0xa9a29)), label: v.Label}
		p.run(v, seed)
	}
}

// An apartProgram is a random program, and the model that does the same.
type apartProgram struct {
	t     *testing.T
	r     *rand.Rand
	label string
	f     ti.Field[shard]
	m     *model
	rt    *ti.Runtime
	p     *ti.Program
	src   string
	saved *snapshot
	files [][]byte
}

// A step is a statement of a loop, or a loop, and what it does to the model.
type step struct {
	text string
	do   func(m *model, p place, by int32)
}

func (p *apartProgram) run(v runtest.Variant, seed uint64) {
	rt, _ := v.NewRuntime(p.t)
	defer rt.Close()
	h := ti.Bindings{}
	p.rt, p.m = rt, newModel(rt, &p.f, seed)
	out, is, sum := ti.NewField[shard](rt, p.m.shape[:p.m.rank]...), ti.NewField[int32](rt, p.m.shape[:p.m.rank]...), ti.NewField[int32](rt, 1)
	h["S"], h["Out"], h["Is"], h["Sum"] = &p.f, out, is, sum
	if p.m.beside != nil {
		h["L"] = p.m.beside
	}
	for _, n := range p.m.nodes {
		h[n.name] = n.node
	}
	kernels := p.source(h)
	p.p = kernels[0].of
	for at := range 14 {
		name := p.step(kernels)
		p.compare(at, name, p.m.observed(&p.f), p.m.state())
		p.launch(p.p, "Read")
		var inKernel strings.Builder
		for _, q := range p.m.places() {
			idx := []int{q[0], q[1]}[:p.m.rank]
			fmt.Fprintln(&inKernel, p.m.index(q), valuesOf(out.At(idx...)), is.At(idx...) != 0)
		}
		want, _, _ := strings.Cut(p.m.state(), "N")
		p.compare(at, name+", read by a kernel", inKernel.String(), want)
		if n := int(sum.At(0)); n != len(p.m.elements()) {
			p.t.Fatalf("%s, step %d, %s: a loop over the field visits %d elements, not %d\n%s\n%s", p.label, at, name, n, len(p.m.elements()), p.m, p.src)
		}
	}
}

// compile compiles a source, which says what it contains in the case of a failure.
func (p *apartProgram) compile(h ti.Bindings, src string) *ti.Program {
	p.src += src
	prog, err := p.rt.Compile(ti.Text("apart.ti", src), h)
	if err != nil {
		p.t.Fatalf("%v\n%s\n%s", err, p.m, src)
	}
	return prog
}

func (p *apartProgram) compare(at int, name, got, want string) {
	if got != want {
		p.t.Fatalf("%s, step %d, %s: %s\n%s\n%s", p.label, at, name, firstDifference(got, want), p.m, p.src)
	}
}

func (p *apartProgram) launch(of *ti.Program, kernel string, args ...any) {
	if _, err := of.Kernel(kernel).Launch(context.Background(), args...); err != nil {
		p.t.Fatalf("%s: %v\n%s\n%s", kernel, err, p.m, p.src)
	}
}

// step does one step on the trees and the model, and returns its name.
func (p *apartProgram) step(kernels []kernel) string {
	m := p.m
	if k := p.r.IntN(len(kernels) + 7); k < len(kernels) {
		by := int32(p.r.IntN(7))
		p.launch(kernels[k].of, kernels[k].name, by)
		kernels[k].do(by)
		return fmt.Sprintf("%s(%d)", kernels[k].name, by)
	}
	at := place{p.r.IntN(m.shape[0]), p.r.IntN(m.shape[1])}
	v := values{int32(p.r.IntN(9)), int32(p.r.IntN(9)), int32(p.r.IntN(3)), int32(p.r.IntN(9)), int32(p.r.IntN(9))}
	switch p.r.IntN(8) {
	case 0:
		n := m.nodes[p.r.IntN(len(m.nodes))]
		n.node.Clear()
		m.clear(n)
		return n.name + ".Clear()"
	case 1:
		p.f.Fill(v.shard())
		for _, q := range m.elements() {
			m.storeAll(q, v)
		}
		return fmt.Sprint("Fill ", v)
	case 2:
		return p.copyFrom()
	case 3:
		return p.member(at, v)
	case 4:
		p.save()
		return "the trees are saved"
	case 5:
		if p.saved != nil {
			p.restore()
			return "the trees are restored"
		}
	}
	p.f.Set(v.shard(), m.index(at)...)
	m.storeAll(at, v)
	return fmt.Sprint("Set ", at, v)
}

// copyFrom sets all elements from a slice.
func (p *apartProgram) copyFrom() string {
	var all []shard
	for _, q := range p.m.places() {
		v := values{}
		if p.r.IntN(4) == 0 {
			v[p.r.IntN(shardComps)] = 1 + int32(p.r.IntN(9))
		}
		all = append(all, v.shard())
		if v != (values{}) {
			p.m.storeAll(q, v)
		} else {
			p.m.data[q] = v
		}
	}
	if err := p.f.CopyFrom(all); err != nil {
		p.t.Fatal(err)
	}
	return "CopyFrom"
}

// member sets a member, of one element or of all that are active.
func (p *apartProgram) member(at place, v values) string {
	m, fill := p.m, p.r.IntN(2) == 0
	k := ti.Member[int32](&p.f, "k")
	c := []int{0, 1, 4}[p.r.IntN(3)]
	where := []place{at}
	if fill {
		where = m.elements()
	}
	switch a := ti.Member[int32](&p.f, "a"); {
	case c == 1:
		if b := ti.Member[float32](&p.f, "b"); fill {
			b.Fill(float32(v[c]))
		} else {
			b.Set(float32(v[c]), m.index(at)...)
		}
	case c == 0:
		k = a
		fallthrough
	default:
		if fill {
			k.Fill(v[c])
		} else {
			k.Set(v[c], m.index(at)...)
		}
	}
	for _, q := range where {
		m.store(q, c, v[c])
	}
	return fmt.Sprint("member ", c, fill, at, v[c])
}

func (p *apartProgram) save() {
	p.files = nil
	for _, tree := range p.m.trees {
		var b bytes.Buffer
		if _, err := tree.WriteTo(&b); err != nil {
			p.t.Fatal(err)
		}
		p.files = append(p.files, b.Bytes())
	}
	s := p.m.save()
	p.saved = &s
}

// restore reads the trees that were saved, in any order.
func (p *apartProgram) restore() {
	for _, i := range p.r.Perm(len(p.files)) {
		if _, err := p.m.trees[i].ReadFrom(bytes.NewReader(p.files[i])); err != nil {
			p.t.Fatal(err)
		}
	}
	p.m.restore(*p.saved)
}
