package wasm

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/pass/fold"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/target"
)

// atomicKinds are the updates with a value.
var atomicKinds = []ir.AtomicKind{
	ir.AtomicAdd, ir.AtomicSub, ir.AtomicMul, ir.AtomicDiv, ir.AtomicMin, ir.AtomicMax, ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor, ir.AtomicLAnd, ir.AtomicLOr, ir.AtomicXchg, ir.AtomicCAS,
}

// updated is what an update leaves, as package fold has it; ok is false for an update that numbers of the kind do not have.
func updated(kind ir.AtomicKind, k ir.Kind, old, a, c uint64) (now uint64, ok bool) {
	switch kind {
	case ir.AtomicXchg:
		return a, true
	case ir.AtomicCAS:
		if fold.Compare(ir.OpEq, k, old, a) {
			return c, true
		}
		return old, true
	}
	code, _ := kind.Code()
	logical := kind == ir.AtomicLAnd || kind == ir.AtomicLOr
	if !code.Info().Domain.Allows(k) || logical != (k == ir.Bool) {
		return 0, false
	}
	b := ir.NewBuilder(&ir.Block{})
	t := ir.Scalar(k)
	return fold.Op(b.OpOf(code, t, b.Const(t, old), b.Const(t, a)).Def)
}

// TestAtomics updates hard numbers, by one thread: what is there afterwards, and what was before, are right, and neighbours stay as they are.
func TestAtomics(t *testing.T) {
	for _, interpreter := range []bool{false, true} {
		t.Run(fmt.Sprint(interpreter), func(t *testing.T) {
			m := newMachine(t, interpreter)
			start := m.next
			for _, kind := range atomicKinds {
				for _, k := range allKinds {
					for _, flags := range []ir.Flags{0, ir.NonAtomic} {
						m.next = start
						testAtomic(t, m, kind, k, flags)
					}
				}
			}
		})
	}
}

func testAtomic(t *testing.T, m *machine, kind ir.AtomicKind, k ir.Kind, flags ir.Flags) {
	t.Helper()
	const third = 3 // the index among hard numbers that a CAS puts
	var rows [][]uint64
	var want []uint64
	for _, old := range hard(k) {
		for _, a := range hard(k) {
			now, ok := updated(kind, k, old, a, hard(k)[third%len(hard(k))])
			if !ok {
				return
			}
			rows, want = append(rows, []uint64{old, a}), append(want, now)
		}
	}
	b := newBench()
	v := b.Load(ir.Scalar(k), b.place(1))
	args := []*ir.Value{v}
	if kind == ir.AtomicCAS {
		args = append(args, b.Const(ir.Scalar(k), hard(k)[third%len(hard(k))]))
	}
	at := b.place(3)
	old := b.Atomic(kind, at, args...)
	old.Def.Flags = flags
	b.Store(b.place(2), old)
	b.end()
	slots := map[ir.Slot]uint64{}
	columns := make([][]uint64, 2)
	const guard = 0xa5a5a5a5a5a5a5a5
	for _, r := range rows {
		columns[0] = append(columns[0], memoryBits(k, r[0])|guard<<(8*k.Size()-1)<<1)
		columns[1] = append(columns[1], memoryBits(k, r[1]))
	}
	places := m.fill(columns[0])
	out := m.room(8 * len(rows))
	slots[ir.Slot{From: ir.SlotBase, At: 1}] = m.fill(columns[1])
	slots[ir.Slot{From: ir.SlotBase, At: 2}] = out
	slots[ir.Slot{From: ir.SlotBase, At: 3}] = places
	m.load(t, &ir.Kernel{}, b.task).run(t, given{slots: slots}, 0, int64(len(rows)))
	mask := uint64(1)<<(8*k.Size()-1)<<1 - 1
	for i, r := range rows {
		now, was := m.words(places, len(rows))[i], m.words(out, len(rows))[i]
		if !same(k, now&mask, memoryBits(k, want[i])) || now&^mask != guard<<(8*k.Size()-1)<<1 {
			t.Errorf("%s of %s with flags %d: %x and %x give %x, want %x", kind, k, flags, r[0], r[1], now, want[i])
			return
		}
		if !same(k, was, memoryBits(k, r[0])) {
			t.Errorf("%s of %s with flags %d: the old value of %x is %x", kind, k, flags, r[0], was)
			return
		}
	}
}

// TestThreads has several threads update the same numbers at once: none is lost.
func TestThreads(t *testing.T) {
	const threads, each = 4, 50000
	for _, interpreter := range []bool{false, true} {
		t.Run(fmt.Sprint(interpreter), func(t *testing.T) {
			m := newMachine(t, interpreter)
			for _, k := range allKinds {
				for _, kind := range []ir.AtomicKind{ir.AtomicAdd, ir.AtomicMax, ir.AtomicXor} {
					code, _ := kind.Code()
					if k == ir.Bool || !code.Info().Domain.Allows(k) {
						continue
					}
					b := newBench()
					base := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
					b.Emit(base)
					v := b.Const(ir.Scalar(k), 1)
					if k.IsFloat() {
						v = b.Float(ir.Scalar(k), 1)
					}
					b.Atomic(kind, base.Results[0], v)
					b.end()
					l := m.load(t, &ir.Kernel{}, b.task)
					at := m.room(8)
					n := each
					if k == ir.F16 { // which counts no further
						n = 2048 / threads
					}
					if interpreter {
						n /= 10
					}
					var wg sync.WaitGroup
					for range threads {
						ctx, stack := l.context(given{slots: map[ir.Slot]uint64{{From: ir.SlotBase}: at}}), m.room(1<<12)+1<<12
						wg.Go(func() {
							if _, err := l.module.ExportedFunction(launch.ModuleEntry).Call(m.ctx, ctx&(unit-1), 0, uint64(n), stack&(unit-1)); err != nil {
								t.Error(err)
							}
						})
					}
					wg.Wait()
					want := float64(threads * n)
					switch {
					case kind == ir.AtomicMax:
						want = 1
					case kind == ir.AtomicXor:
						want = 0
					case k.IsInt():
						want = float64(ir.IntBits(k, threads*int64(n)))
					}
					bits := m.words(at, 1)[0]
					got := float64(bits)
					if k.IsInt() {
						got = float64(ir.IntBits(k, int64(bits)))
					}
					if k.IsFloat() {
						got = ir.FloatValue(k, bits)
					}
					if got != want {
						t.Errorf("%s of %s is %v, want %v", kind, k, got, want)
					}
				}
			}
		})
	}
}

// TestFail records the first of several failures, with the index and the iteration, and counts all.
func TestFail(t *testing.T) {
	k := parsed(t, fmt.Sprintf(flow, "", `
		%c = gt %x, %10 : bool
		if %c {
			fail #1 1 %x, %i
			yield
		} else {
			yield
		}
		%y = add %x, %1 : i32`))
	k.Sites = make([]*ir.Site, 2)
	m := newMachine(t, false)
	l := m.load(t, k, k.Tasks[0])
	errs := m.room(int(launch.ErrSize))
	slots := map[ir.Slot]uint64{{From: ir.SlotBase, At: 0}: m.fill([]uint64{3, 10, 11, math.MaxUint32, 12}), {From: ir.SlotBase, At: 1}: m.room(64)}
	l.run(t, given{slots: slots, errs: errs}, 0, 5)
	r := m.words(errs, int(launch.ErrSize/8))
	if count, site, value, at, rank := r[launch.ErrCount/8], r[launch.ErrSite/8], r[launch.ErrValues/8], r[launch.ErrLoop/8], r[launch.ErrRank/8]; count != 2 || site != 1 || value != 11 || at != 2 || rank != 1 {
		t.Errorf("%d failures, the first at site %d with %d in iteration %d of rank %d", count, site, value, at, rank)
	}
}

// TestRecord appends records while there is room, and counts the others. After a printed one that was dropped, none follows.
func TestRecord(t *testing.T) {
	for _, prints := range []bool{false, true} {
		k := parsed(t, fmt.Sprintf(flow, "", `
		%n = convert %i : i64
		%f = convert %x : f32
		record #0 %n, %x, %f
		%y = add %x, %1 : i32`))
		kind := site.Index
		if prints {
			kind = site.Print
		}
		k.Sites = []*ir.Site{{Site: site.Site{Kind: kind}}}
		m := newMachineIn(t, false)
		l := m.load(t, k, k.Tasks[0])
		const kept, size = 3, 4 * 8
		room := m.room(kept*size + 8)
		text := m.fill([]uint64{room, room + kept*size + 8, 0, room + kept*size + 8, 0, math.MaxUint64})
		slots := map[ir.Slot]uint64{{From: ir.SlotBase, At: 0}: m.fill([]uint64{5, math.MaxUint32, 7, 8, 9}), {From: ir.SlotBase, At: 1}: m.room(64)}
		l.run(t, given{slots: slots, text: text}, 0, 5)
		head := uint64(3) << 32
		want := []uint64{head, 0, 5, 0x40a00000, head, 1, math.MaxUint64, 0xbf800000, head, 2, 7, 0x40e00000}
		if got := m.words(room, len(want)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the records are %x, want %x", got, want)
		}
		b := m.words(text, 6)
		lost, stop, drops, first := b[launch.TextLost/8], b[launch.TextStop/8], b[launch.TextDrops/8], b[launch.TextFirst/8]
		if b[0] != room+kept*size || prints != (lost == 0 && stop == 0 && drops == 2 && first == 3) || !prints && (lost != 2 || drops != 0 || first != math.MaxUint64) {
			t.Errorf("prints %t: the buffer is %x", prints, b)
		}
		m.done()
	}
}

// TestPoll ends a loop that has no end, when the word is set.
func TestPoll(t *testing.T) {
	k := parsed(t, fmt.Sprintf(flow, `	func @wait(%a: i32) i32 {
		^l: %r = loop : i32 {
			poll
			continue ^l
		}
		return %r
	}
`, `
		%y = call @wait %x : i32
		^l: loop {
			poll
			continue ^l
		}`))
	m := newMachine(t, false)
	l := m.load(t, k, k.Tasks[0])
	stop := m.fill([]uint64{1})
	out := m.fill([]uint64{42})
	slots := map[ir.Slot]uint64{{From: ir.SlotBase, At: 0}: m.fill([]uint64{7}), {From: ir.SlotBase, At: 1}: out}
	l.run(t, given{slots: slots, stop: stop}, 0, 1)
	if got := m.words(out, 1)[0]; got != 42 {
		t.Errorf("behind the poll, %d was stored", got)
	}
}

// TestText has a name for each instruction, and ends each block.
func TestText(t *testing.T) {
	for _, c := range flowCases {
		k := parsed(t, fmt.Sprintf(flow, c.funcs, c.body))
		m, err := moduleOf(k.Tasks[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		text := disassemble(m.bytes())
		opened := 0
		for line := range strings.Lines(text) {
			switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
			case "":
				t.Errorf("%s: an instruction without a name in\n%s", c.name, text)
			case "block", "loop", "if":
				opened++
			case "end":
				opened--
			}
		}
		if opened != 0 {
			t.Errorf("%s: %d blocks do not end in\n%s", c.name, opened, text)
		}
	}
}

// TestArguments reads hard numbers of all kinds that a task is given as arguments.
func TestArguments(t *testing.T) {
	m := newMachine(t, false)
	for _, k := range allKinds {
		b := newBench()
		o := ir.NewOp(ir.OpParam, ir.Pos{}, []ir.Type{ir.Scalar(k)})
		b.Store(b.place(0), b.Emit(o))
		b.end()
		l := m.load(t, &ir.Kernel{}, b.task)
		for _, bits := range hard(k) {
			out := m.room(8)
			l.run(t, given{slots: map[ir.Slot]uint64{{From: ir.SlotBase}: out, {From: ir.SlotArg}: bits}}, 0, 1)
			if got := m.words(out, 1)[0]; got != memoryBits(k, bits) {
				t.Errorf("of the argument %x of kind %s %x is stored", bits, k, got)
			}
		}
	}
}

// TestStack: a task that needs more stack than there is, its callees included, is an error that names it.
func TestStack(t *testing.T) {
	const array = "\t\t%%arr = alloc %d x f64 : ptr\n"
	for _, c := range []struct {
		own, callee int
		fits        bool
	}{{1000, 1000, true}, {launch.ModuleStack/8 + 1, 1, false}, {launch.ModuleStack/16 + 64, launch.ModuleStack / 16, false}} {
		function := "\tfunc @f(%a: i32) i32 {\n" + fmt.Sprintf(array, c.callee) + "\t\treturn %a\n\t}\n"
		k := parsed(t, fmt.Sprintf(flow, function, fmt.Sprintf(array, c.own)+"\t\t%y = call @f %x : i32"))
		made, err := Compiler{}.Translate(k, target.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = made.Pieces()
		if e, is := errors.AsType[*target.StackError](err); is == c.fits || is && (e.Task != k.Tasks[0] || e.Bytes <= launch.ModuleStack || e.Max != launch.ModuleStack) {
			t.Errorf("with arrays of %d and %d numbers: %v", c.own, c.callee, err)
		}
	}
}
