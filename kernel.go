package ti

import (
	"context"
	"fmt"
	"go/ast"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
)

// A Kernel is an exported function of a program.
type Kernel struct {
	_ noCopy

	p    *Program
	name string
	sig  signature    // of Launch
	want []check.Type // of the parameters of Launch

	latest    atomic.Pointer[instance]
	instances []*instance // guarded by p.mu
}

// newKernel makes a kernel out of a checked function.
func newKernel(p *Program, f *check.Func) *Kernel {
	k := &Kernel{p: p, name: f.Name}
	for _, v := range f.Params {
		c, _ := newCodec(goTypeOf(v.Type), v.Type, p.rt.opt.widths())
		k.sig.in, k.want = append(k.sig.in, c), append(k.want, v.Type)
	}
	for _, v := range f.Results {
		c, _ := newCodec(goTypeOf(v.Type), v.Type, p.rt.opt.widths())
		k.sig.out = append(k.sig.out, c)
	}
	return k
}

// adopt takes the Go struct types of a kernel function for those of Launch, which
// otherwise has struct types written in place.
func (k *Kernel) adopt(sig *signature) {
	take := func(own, of []codec) {
		for i := range own {
			if own[i].parts != nil {
				own[i] = of[i]
			}
		}
	}
	take(k.sig.in, sig.in)
	take(k.sig.out, sig.out)
}

// Name returns the function's name.
func (k *Kernel) Name() string { return k.name }

// String returns the function's declaration as the source has it, on one line.
func (k *Kernel) String() string { return k.p.declarationOf(k.name) }

func (p *Program) declarationOf(name string) string {
	for _, f := range p.files {
		for _, d := range f.Tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return strings.Join(strings.Fields(f.Text(fn.Pos(), fn.Type.End())), " ")
			}
		}
	}
	return name
}

// Launch runs the kernel with arguments whose types are those of the
// corresponding kernel function, and returns its results, nil if it has none. It
// fails with [ErrArgs] if number or types are wrong, and ends early if ctx is
// done, as described for [Runtime.Load].
func (k *Kernel) Launch(ctx context.Context, args ...any) (results []any, err error) {
	if k == nil {
		return nil, errorOf(ErrArgs, "Launch of a nil kernel; Program.Kernel returns nil for a name that the source does not have")
	}
	if len(args) != len(k.sig.in) {
		return nil, errorOf(ErrArgs, "%d arguments for %s", len(args), k)
	}
	for i := range k.sig.in {
		if t := reflect.TypeOf(args[i]); t != k.sig.in[i].typ && !k.accepts(i, t) {
			return nil, k.wrongType(i, t)
		}
	}
	inst, err := k.enter()
	if err != nil {
		return nil, err
	}
	defer k.p.rt.eng.Unlock()
	slots := inst.args
	for i := range args {
		c, data := k.codecFor(i, reflect.TypeOf(args[i])), (*[2]unsafe.Pointer)(unsafe.Pointer(&args[i]))[1]
		if !c.put(slots, data) {
			return nil, k.tooLarge(i)
		}
		slots = slots[c.slots():]
	}
	err = inst.run(ctx)
	runtime.KeepAlive(args)
	if err != nil {
		return nil, err
	}
	return k.results(inst), nil
}

// results boxes the results of a launch.
func (k *Kernel) results(inst *instance) []any {
	if len(k.sig.out) == 0 {
		return nil
	}
	out := make([]any, len(k.sig.out))
	slots := inst.results
	for i := range out {
		c := &k.sig.out[i]
		v := reflect.New(c.typ)
		c.get(v.UnsafePointer(), slots)
		slots = slots[c.slots():]
		out[i] = v.Elem().Interface()
	}
	return out
}

// accepts reports whether parameter i takes a type besides its own: a Go int, or a
// named type of the same form.
func (k *Kernel) accepts(i int, t reflect.Type) bool {
	return t != nil && k.codecFor(i, t) != nil
}

// codecFor returns the codec of parameter i for a type, nil if it does not fit.
func (k *Kernel) codecFor(i int, t reflect.Type) *codec {
	own := &k.sig.in[i]
	if t == own.typ {
		return own
	}
	c, ok := newCodec(t, k.want[i], k.p.rt.opt.widths())
	if !ok {
		return nil
	}
	return &c
}

func (k *Kernel) wrongType(i int, t reflect.Type) error {
	found := "nil"
	if t != nil {
		found = "a " + t.String()
	}
	return errorOf(ErrArgs, "argument %d is %s where %s takes a %v", i+1, found, k, k.sig.in[i].typ)
}

func (k *Kernel) tooLarge(i int) error {
	return errorOf(ErrArgs, "argument %d of %s does not fit an i32; pass a smaller number, or use Config.Int 64", i+1, k)
}

// enter finds the instance for the constants as they are now, compiles it if need
// be, and takes the launch lock. Without an error the caller gives the lock back.
func (k *Kernel) enter() (*instance, error) {
	inst := k.latest.Load()
	if inst == nil || !inst.current() {
		var err error
		if inst, err = k.instance(); err != nil {
			return nil, err
		}
	}
	if !inst.ready.Load() {
		if err := inst.compile(); err != nil {
			return nil, err
		}
	}
	rt := k.p.rt
	rt.eng.Lock()
	if rt.closed.Load() {
		rt.eng.Unlock()
		return nil, errorOf(ErrClosed, "launch of %s after its runtime was closed", k.name)
	}
	for _, t := range inst.trees {
		if t.closed {
			rt.eng.Unlock()
			return nil, errorOf(ErrClosed, "launch of %s, which uses a field whose tree was closed", k.name)
		}
	}
	return inst, nil
}

// Explain writes the source of the kernel with what the compiler has made of it in
// words beside the lines: which loops run in parallel and in vectors, and what is
// in the way of that; which atomics and index checks remain and why; the size of
// the code; and what would make it faster.
func (k *Kernel) Explain(w io.Writer) error {
	inst, err := k.instance()
	if err != nil {
		return err
	}
	r, err := driver.Explain(inst.checked, k.name, k.p.layout, k.p.rt.driver())
	if err != nil {
		return fmt.Errorf("ti: %w", err)
	}
	return r.Write(w, k.p.files)
}

// Dump writes the kernel as it stands after a stage of compilation, for people to
// read. The stages are "lower", each pass by its name, "ir" for the end of these,
// "llvm" for the code given to LLVM, "opt" for that code optimised, "asm", and
// "object" for the bytes of the object file, or of an ar archive of the several
// that a larger kernel has.
// Another name gives an error that lists them.
func (k *Kernel) Dump(w io.Writer, stage string) error {
	inst, err := k.instance()
	if err != nil {
		return err
	}
	text, err := inst.dump(stage)
	if err != nil {
		return fmt.Errorf("ti: %w", err)
	}
	_, err = io.WriteString(w, text)
	return err
}
