package ti_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ti "github.com/gotaichi/ti"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// A usage is one way to use something of a runtime that may be closed meanwhile.
type usage struct {
	do    func() error // a panic counts as an error
	plain bool         // also works after Close, as it touches no memory
}

const usedSource = `package used

var X, S field[i32]

func Add(by i32) i32 {
	for i := range X {
		X[i] += by
	}
	for i := range S {
		S[i] += by
	}
	return X[3]
}

func Sum(x template, a array[i32, D2]) (s i32) {
	for i := range x {
		s += x[i] + a[0][0]
	}
	return
}

func Print() { print(X[0]) }`

// A used is a runtime with everything in it that has methods.
type used struct {
	rt *ti.Runtime
	p  *ti.Program

	X, S  ti.Field[int32] // dense, and in a sparse tree; 5 everywhere
	Add   func(by int32) (int32, error)
	Sum   func(x ti.AnyField, a ti.Array[int32]) (int32, error)
	Print func() error
	Loss  ti.Field[float64] `ti:"-"`
	tree  *ti.Tree          // of S
	block *ti.Node

	rows  ti.Field[[2]int32] // side by side with odd, in blocks: not in one piece
	odd   ti.Field[int8]
	saved [][]byte // X, S, rows and both trees
}

func newUsed(t *testing.T, cfg ti.Config) *used {
	cfg.Stdout = io.Discard
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	u := &used{rt: rt}
	rt.Place(ti.Shape{5000}, &u.X)
	rt.Place(nil, ti.WithGrad(&u.Loss)...)
	rt.NewTree().Dense(ti.IJ, 8).Dense(ti.IJ, 8).Place(&u.rows, &u.odd)
	u.tree = rt.NewTree()
	u.block = u.tree.Pointer(ti.I, 8)
	u.block.Bitmasked(ti.I, 64).Place(&u.S)
	if u.p, err = rt.Compile(ti.Text("used.ti", usedSource), u); err != nil {
		t.Fatal(err)
	}
	u.X.Fill(5)
	u.rows.Fill([2]int32{5, 5})
	for i := range 512 {
		u.S.Set(5, i)
	}
	for _, w := range []io.WriterTo{&u.X, &u.S, &u.rows, u.X.Tree(), u.tree} {
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		u.saved = append(u.saved, b.Bytes())
	}
	return u
}

// five reports a value that was never stored: what is read after the end.
func five[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("read %v, which nobody stored", got)
	}
	return nil
}

// fieldUsages use one field with its methods.
func fieldUsages[T comparable](name string, f *ti.Field[T], v T, saved []byte, idx ...int) map[string]usage {
	n := 1
	for _, e := range f.Shape() {
		n *= e
	}
	all := make([]T, n)
	for i := range all {
		all[i] = v
	}
	quiet := func(f func()) usage { return usage{do: func() error { f(); return nil }, plain: true} }
	fails := func(f func() error) usage { return usage{do: f} }
	with := map[string]usage{
		"At":   fails(func() error { return five(f.At(idx...), v) }),
		"Set":  fails(func() error { f.Set(v, idx...); return nil }),
		"Fill": fails(func() error { f.Fill(v); return nil }),
		"All": fails(func() error {
			for _, e := range f.All() {
				if err := five(e, v); err != nil {
					return err
				}
			}
			return nil
		}),
		"AllOf": fails(func() error {
			for _, e := range ti.AllOf(f) {
				if err := five(e, any(v)); err != nil {
					return err
				}
			}
			return nil
		}),
		"CopyFrom": fails(func() error { return f.CopyFrom(all) }),
		"CopyTo": fails(func() error {
			to := make([]T, n)
			if err := f.CopyTo(to); err != nil {
				return err
			}
			for _, e := range to {
				if err := five(e, v); err != nil {
					return err
				}
			}
			return nil
		}),
		"Values": fails(func() error {
			for _, e := range f.Values() {
				if err := five(e, v); err != nil {
					return err
				}
			}
			return nil
		}),
		"Slice": fails(func() error {
			s, err := f.Slice()
			if errors.Is(err, ti.ErrLayout) {
				_, err = f.WriteTo(io.Discard)
			}
			for i := range s { // may be written in vain
				s[i] = v
			}
			return err
		}),
		"WriteTo": fails(func() error {
			var b bytes.Buffer
			if _, err := f.WriteTo(&b); err != nil {
				return err
			}
			return five(b.String(), string(saved))
		}),
		"ReadFrom": fails(func() error { _, err := f.ReadFrom(bytes.NewReader(saved)); return err }),
		"Name":     quiet(func() { _ = f.Name() }), "Shape": quiet(func() { _ = f.Shape() }), "Len": quiet(func() { _ = f.Len() }), "Origin": quiet(func() { _ = f.Origin() }),
		"Elem": quiet(func() { _ = f.Elem() }), "Tree": quiet(func() { _ = f.Tree() }), "Node": quiet(func() { _ = f.Node() }),
		"String": quiet(func() { _ = f.String() }),
	}
	to := map[string]usage{}
	for k, u := range with {
		to[name+"."+k] = u
	}
	return to
}

// usages are all of u's, by a name that ends in the method's.
func (u *used) usages() map[string]usage {
	to := map[string]usage{}
	maps.Copy(to, fieldUsages("dense Field", &u.X, 5, u.saved[0], 4999))
	maps.Copy(to, fieldUsages("sparse Field", &u.S, 5, u.saved[1], 511))
	maps.Copy(to, fieldUsages("apart Field", &u.rows, [2]int32{5, 5}, u.saved[2], 63, 63))
	fails := func(name string, f func() error) { to[name] = usage{do: f} }
	quiet := func(name string, f func()) { to[name] = usage{do: func() error { f(); return nil }, plain: true} }
	for i, t := range []*ti.Tree{u.X.Tree(), u.tree} {
		name := []string{"dense Tree.", "sparse Tree."}[i]
		fails(name+"WriteTo", func() error { _, err := t.WriteTo(io.Discard); return err })
		fails(name+"ReadFrom", func() error { _, err := t.ReadFrom(bytes.NewReader(u.saved[3+i])); return err })
		fails(name+"Describe", func() error { return t.Describe(io.Discard) })
		quiet(name+"Bytes", func() { _ = t.Bytes() })
		quiet(name+"Err", func() { _ = t.Err() })
	}
	for i, n := range []*ti.Node{u.X.Node(), u.block} {
		name := []string{"dense Node.", "sparse Node."}[i]
		fails(name+"Active", func() error { _ = n.Active(3); return nil })
		fails(name+"Count", func() error { _ = n.Count(); return nil })
		fails(name+"Cells", func() error {
			for range n.Cells() {
			}
			return nil
		})
		quiet(name+"Shape", func() { _ = n.Shape() })
	}
	u.building(fails)
	fails("Runtime.Load", func() error {
		return u.rt.Load("package p\nvar X, S field[i32]\nfunc F() { X[0] = S[0] }", &struct{ X, S *ti.Field[int32] }{&u.X, &u.S})
	})
	fails("Runtime.Compile", func() error {
		_, err := u.rt.Compile(ti.Text("", "package p\nfunc F() {}"), nil)
		return err
	})
	fails("Runtime.Sync", u.rt.Sync)
	quiet("Runtime.Flush", u.rt.Flush)
	fails("Runtime.Prepare", func() error { return u.rt.Prepare(context.Background()) })
	fails("Runtime.Profile", func() error { return notBusy(u.rt.Profile(func() error { return nil })) })
	fails("Runtime.Trace", func() error { return notBusy(u.rt.Trace(io.Discard, func() error { return nil })) })
	fails("Runtime.Ranges", func() error {
		_, err := u.rt.Ranges(func() error { return nil }, ti.RangeOptions{Tolerance: 0.1}, &u.X, &u.S)
		if errors.Is(err, ti.ErrBusy) {
			return nil
		}
		return err
	})
	quiet("Runtime.Stats", func() { _ = u.rt.Stats() })
	quiet("Runtime.Device", func() { _ = u.rt.Device() })
	quiet("Program.Kernel", func() { _ = u.p.Kernel("Add") })
	quiet("Program.Kernels", func() { _ = u.p.Kernels() })
	u.launching(fails, quiet)
	return to
}

// notBusy is the error of a profile, none if another was under way.
func notBusy(_ ti.Profile, err error) error {
	if errors.Is(err, ti.ErrBusy) {
		return nil
	}
	return err
}

// building adds what makes trees: a mistake, or the end, is reported by their use.
func (u *used) building(fails func(string, func() error)) {
	use := func(build func(t *ti.Tree) *ti.Node) func() error {
		return func() error {
			var f ti.Field[int32]
			t := u.rt.NewTree().Origin(ti.I, -4)
			n := build(t).Place(&f)
			if err := f.Tree().Err(); err != nil {
				return err
			}
			f.Set(1, 0)
			n.Clear()
			return errors.Join(f.Tree().Close(), t.Close())
		}
	}
	fails("Runtime.NewTree", use(func(t *ti.Tree) *ti.Node { return t.Dense(ti.I, 8) }))
	fails("Node.Dense", use(func(t *ti.Tree) *ti.Node { return t.Dense(ti.I, 2).Dense(ti.I, 4) }))
	fails("Node.Pointer", use(func(t *ti.Tree) *ti.Node { return t.Pointer(ti.I, 8) }))
	fails("Node.Bitmasked", use(func(t *ti.Tree) *ti.Node { return t.Bitmasked(ti.I, 8) }))
	fails("Node.Hash", use(func(t *ti.Tree) *ti.Node { return t.Hash(ti.I, 8) }))
	fails("Node.Morton", use(func(t *ti.Tree) *ti.Node { return t.Dense(ti.I, 8).Morton() }))
	packed := func(place func(n *ti.Node, f *ti.Field[int32])) func() error {
		return func() error {
			var f ti.Field[int32]
			place(u.rt.NewTree().Dense(ti.I, 8), &f)
			if err := f.Tree().Err(); err != nil {
				return err
			}
			f.Set(1, 0)
			return f.Tree().Close()
		}
	}
	fails("Node.BitStruct", packed(func(n *ti.Node, f *ti.Field[int32]) { n.BitStruct(32).Place(f, ti.QuantInt(5)) }))
	fails("Node.BitArray", packed(func(n *ti.Node, f *ti.Field[int32]) { n.BitArray(32, ti.I, 4).Place(f, ti.QuantInt(8)) }))
	fails("Tree.Origin", use(func(t *ti.Tree) *ti.Node { return t.Dense(ti.I, 8) }))
	fails("Node.Place", use(func(t *ti.Tree) *ti.Node { return t.Dense(ti.I, 8) }))
	fails("Node.Clear", use(func(t *ti.Tree) *ti.Node { return t.Dense(ti.I, 8) }))
	fails("Tree.Close", use(func(t *ti.Tree) *ti.Node { return t.Dense(ti.I, 8) }))
	list := func() error {
		var f ti.Field[int32]
		n := u.rt.NewTree().Dynamic(ti.I, 64).Chunk(4).Place(&f)
		f.Set(1, 7)
		if n.Len() != 8 {
			return fmt.Errorf("a list of %d", n.Len())
		}
		return f.Tree().Close()
	}
	fails("Node.Dynamic", list)
	fails("Node.Chunk", list)
	fails("Node.Len", list)
	fails("Runtime.Place", func() error {
		f := ti.NewField[int32](u.rt, 100)
		f.Set(1, 0)
		return f.Tree().Close()
	})
}

// launching adds what kernels do. A sum of numbers that are all alike, and of which
// nothing is changed, is known.
func (u *used) launching(fails func(string, func() error), quiet func(string, func())) {
	view := ti.Array[int32]{Data: make([]int32, 6), Shape: ti.Shape{2, 3}}
	ctx := context.Background()
	fails("kernel function", func() error { _, err := u.Add(0); return err })
	fails("template function", func() error { _, err := u.Sum(&u.X, view); return err })
	fails("printing function", func() error { return u.Print() })
	add, sum := u.p.Kernel("Add"), u.p.Kernel("Sum")
	fails("Kernel.Launch", func() error { _, err := add.Launch(ctx, int32(0)); return err })
	fails("Kernel.Launch of a template", func() error { _, err := sum.Launch(ctx, &u.S, view); return err })
	fails("Kernel.Dump", func() error { return add.Dump(io.Discard, "lower") })
	fails("Kernel.Explain", func() error { return add.Explain(io.Discard) })
	nothing := func() error { return nil }
	fails("Runtime.WriteGraph", func() error {
		err := u.rt.WriteGraph(io.Discard, nothing)
		if errors.Is(err, ti.ErrArch) || errors.Is(err, ti.ErrArgs) { // the oracle, and debug mode
			return nil
		}
		return err
	})
	fails("Runtime.Plan", func() error {
		p, err := u.rt.Plan(func() {})
		if errors.Is(err, ti.ErrArgs) { // debug mode
			return nil
		}
		return cmp.Or(err, p.Run(ctx, 2))
	})
	fails("Runtime.Tape", func() error {
		return u.rt.Tape(&u.Loss, func() error { return u.rt.CustomGrad(nothing, nothing) })
	})
	fails("Runtime.Adjoint", func() error { return u.rt.Adjoint(nothing) })
	fails("Runtime.CustomGrad", func() error { return u.rt.CustomGrad(nothing, nothing) })
	fails("Runtime.Checkpoint", func() error { return u.rt.Checkpoint(nothing) })
	fails("Runtime.Constant", func() error { return u.rt.Constant() })
	fails("Runtime.Tangent", func() error { return u.rt.Tangent(nothing) })
	quiet("Field.Grad", func() { _ = u.X.Grad() })
	quiet("Field.Dual", func() { _ = u.X.Dual() })
	quiet("Kernel.Name", func() { _ = add.Name() })
	quiet("Kernel.String", func() { _ = add.String() })
	quiet("Kernel.SetBlock", func() { add.SetBlock(ti.Block{}) })
}

// TestUsagesAreAll keeps the list complete: every method of every type that leads to
// memory is in it.
func TestUsagesAreAll(t *testing.T) {
	u := newUsed(t, ti.Config{Arch: ti.Oracle})
	defer func() { _ = u.rt.Close() }()
	names := slices.Collect(maps.Keys(u.usages()))
	for name, typ := range map[string]reflect.Type{
		"Field": reflect.TypeFor[*ti.Field[int32]](), "Tree": reflect.TypeFor[*ti.Tree](), "Node": reflect.TypeFor[*ti.Node](),
		"Runtime": reflect.TypeFor[*ti.Runtime](), "Program": reflect.TypeFor[*ti.Program](), "Kernel": reflect.TypeFor[*ti.Kernel](),
	} {
		for i := range typ.NumMethod() {
			m := typ.Method(i).Name
			if _, promoted := reflect.TypeFor[*ti.Node]().MethodByName(m); name == "Tree" && promoted || name == "Runtime" && m == "Close" {
				continue
			}
			if !slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, name+"."+m) }) {
				t.Errorf("no usage of %s.%s: add it to usages", name, m)
			}
		}
	}
	for name, use := range u.usages() {
		if err := titest.Safely(use.do); err != nil {
			t.Errorf("%s, with nothing closed: %v", name, err)
		}
	}
}

// TestCloseBesideEverything closes a runtime, or the trees, while every method is in use
// in several goroutines. Each works, with the right values, or fails with ErrClosed, as
// all do afterwards, or with ErrBusy if it is one of those that record launches, or because another goroutine is in
// an Adjoint.
func TestCloseBesideEverything(t *testing.T) {
	t.Setenv(codegen.EnvObjects, "") // libLLVM is to be at work meanwhile
	rounds := 40
	if testing.Short() {
		rounds = 12
	}
	for round := range rounds {
		cfg := ti.Config{Threads: 1 + round%3, Debug: round%7 == 3}
		if round%5 == 4 {
			cfg.Arch = ti.Oracle
		}
		u := newUsed(t, cfg)
		uses := u.usages()
		names := slices.Sorted(maps.Keys(uses))
		var wg sync.WaitGroup
		start := make(chan struct{})
		for g := range 6 {
			wg.Go(func() {
				<-start
				for k := range 3 * len(names) {
					name := names[(k*7+g*11)%len(names)]
					err := titest.Safely(uses[name].do)
					// Another goroutine may be recording, and a runtime has one tape at a time.
					busy := errors.Is(err, ti.ErrBusy) && strings.HasPrefix(name, "Runtime.")
					if err != nil && !errors.Is(err, ti.ErrClosed) && !busy && !taken(err) {
						t.Errorf("round %d: %s: %v", round, name, err)
					}
				}
			})
		}
		for _, name := range []string{"dense Field.At", "apart Field.At", "dense Field.Set"} {
			wg.Go(func() {
				<-start
				for {
					err := titest.Safely(uses[name].do)
					if err != nil && !errors.Is(err, ti.ErrClosed) && !taken(err) {
						t.Errorf("round %d: %s: %v", round, name, err)
					}
					if err != nil && !taken(err) {
						return
					}
				}
			})
		}
		close(start)
		time.Sleep(time.Duration(round*round%37) * 300 * time.Microsecond)
		if round%3 == 0 {
			if err := errors.Join(u.tree.Close(), u.X.Tree().Close(), u.rows.Tree().Close()); err != nil {
				t.Error(err)
			}
		}
		if err := u.rt.Close(); err != nil {
			t.Error(err)
		}
		for _, name := range names {
			err := titest.Safely(uses[name].do)
			if uses[name].plain && err != nil || !uses[name].plain && !errors.Is(err, ti.ErrClosed) {
				t.Errorf("round %d: %s after Close: %v", round, name, err)
			}
		}
		wg.Wait()
	}
}

// taken reports whether another goroutine was in an Adjoint or a Plan, which take the launches of all: those with a result, or that print, and accesses of the host
// to what is launched are none that they can take.
func taken(err error) bool {
	return errors.Is(err, ti.ErrArgs) && (strings.Contains(err.Error(), "Adjoint does not launch it") || strings.Contains(err.Error(), "Plan: its function"))
}

// TestLoadBesideClose loads sources while the runtime is closed: each load ends, and
// none leaves anything behind.
func TestLoadBesideClose(t *testing.T) {
	t.Setenv(codegen.EnvObjects, "") // libLLVM is to be at work meanwhile
	rounds := 60
	if randtest.All() {
		rounds = 300
	}
	for round := range rounds {
		rt, err := ti.New(ti.Config{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for k := range 50 {
					var h struct{ F func() (int32, error) }
					err := rt.Load("package p\nfunc F() i32 { return 3 }\n"+strings.Repeat("\n", g*50+k), &h)
					if errors.Is(err, ti.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		time.Sleep(time.Duration(round%40) * 50 * time.Microsecond)
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}

// TestSliceOutlivesTree touches a slice of a closed tree, of which a field is still
// reachable.
func TestSliceOutlivesTree(t *testing.T) {
	rt := titest.New(t, ti.Config{Arch: ti.LLVM})
	x := ti.NewField[int32](rt, 1<<20)
	x.Fill(5)
	s, err := x.Slice()
	if !titest.Shares(rt) {
		if !errors.Is(err, ti.ErrLayout) {
			t.Errorf("a slice of memory apart: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Tree().Close(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	for i := range s {
		s[i]++
	}
	if n := x.Tree().Bytes() + rt.Stats().Bytes; n != 0 {
		t.Errorf("%d bytes are in use", n)
	}
	if _, err := x.Slice(); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("another slice: %v", err)
	}
	runtime.KeepAlive(x)
}
