package llvm

import (
	"encoding/binary"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// TestLevels makes code for all levels by each libLLVM.
func TestLevels(t *testing.T) {
	bits := map[string]int{"x86-64-v2": 128, "x86-64-v3": 256, "x86-64-v4": 512, "arm64": 128}
	for _, l := range libraries(t) {
		for _, level := range append(ahead.Usual(), ahead.Level{Processor: "x86-64-v3", Windows: true}) {
			if !l.Makes(level.Arch()) {
				continue
			}
			c := NewFor(l, level)
			k := atomicKernel(t)
			traits := c.Traits()
			if traits.Arch != level.Arch() || traits.Windows != level.Windows || traits.VectorBits != bits[level.Processor] || traits.Provides(target.FMA) != (level.Processor != "x86-64-v2") {
				t.Errorf("%v has the traits %+v", level, traits)
			}
			if small := traits.Locals < MaxLocal && traits.Stack < MaxFrame; small != level.Windows {
				t.Errorf("%v: %d bytes of stack, %d of them for local arrays", level, traits.Stack, traits.Locals)
			}
			if aligned := level.Arch() == "amd64" && !level.Windows; aligned != (traits.StackAlign == launch.StackAlign) {
				t.Errorf("%v: the stack is aligned to %d", level, traits.StackAlign)
			}
			tr, err := c.Translate(k, target.Options{Options: option.Options{Level: 3}})
			if err != nil {
				t.Fatal(err)
			}
			pieces, err := tr.(*translation).code()
			if err != nil {
				t.Errorf("%v: %v", level, err)
				continue
			}
			stores := 0
			for _, p := range pieces {
				if p.Arch != level.Arch() {
					t.Errorf("%v: a piece is for %s", level, p.Arch)
				}
				if p.Arch == "arm64" {
					stores += statusKept(t, p.Code)
				}
			}
			if level.Arch() == "arm64" && stores == 0 {
				t.Error("there is no exclusive store")
			}
			asm, err := tr.Text("asm")
			if err != nil {
				t.Fatal(err)
			}
			if level.Arch() == "arm64" && regexp.MustCompile(`\b[xw](18|28)\b`).MatchString(asm) {
				t.Errorf("the code for %v uses x18 or x28, which are not its own:\n%s", level, asm)
			}
		}
	}
}

// atomicKernel has atomic updates of all kinds, and so many values at once that registers are
// scarce.
func atomicKernel(t *testing.T) *ir.Kernel {
	k := parse(t, saxpy)
	mapTask(k, 8, []ir.Kind{ir.F32, ir.F32}, func(b *ir.Builder, v []*ir.Value) *ir.Value {
		o := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
		p := b.Emit(o)
		wide := b.Convert(v[0], ir.F64)
		whole := b.Convert(v[0], ir.I64)
		var all []*ir.Value
		for range 12 {
			all = append(all, b.Atomic(ir.AtomicAdd, p, v[0]), b.Convert(b.Atomic(ir.AtomicAdd, p, wide), ir.F32), b.Convert(b.Atomic(ir.AtomicAdd, p, whole), ir.F32))
		}
		b.Atomic(ir.AtomicSub, p, wide)
		b.Atomic(ir.AtomicMin, p, v[1])
		b.Atomic(ir.AtomicMax, p, whole)
		sum := v[0]
		for i := range all {
			sum = b.Op(ir.OpAdd, b.Op(ir.OpMul, sum, all[len(all)-1-i]), all[i])
		}
		return sum
	})
	return k
}

// statusKept looks for exclusive stores whose status nobody can look at: where such a store fails, an update is
// lost. LLVM up to 19 makes them for atomic sums of floats.
func statusKept(t *testing.T, code []byte) (stores int) {
	t.Helper()
	for at := 0; at+4 <= len(code); at += 4 {
		const exclusiveStore, mask, status = 0x08000000, 0x3fe00000, 31 << 16
		switch w := binary.LittleEndian.Uint32(code[at:]); {
		case w&mask != exclusiveStore:
		case w&status == status:
			t.Fatalf("the exclusive store at %d has its status in wzr", at)
		default:
			stores++
		}
	}
	return stores
}

func TestLevelNames(t *testing.T) {
	for _, l := range ahead.Usual() {
		if p, ok := levels[l.Processor]; !ok || p.Arch != l.Arch() || !strings.HasPrefix(p.Features+"+", "+") {
			t.Errorf("%v is %+v", l, p)
		}
	}
}
