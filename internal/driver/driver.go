package driver

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/pass"
)

// Options say how kernels are compiled.
type Options struct {
	Lib       *llvm.Lib // may be nil for what needs no LLVM
	Level     int       // of optimisation, 0 to 3
	Unchecked bool      // no index checks
	Strict    bool      // IEEE order
	Verify    bool      // verify the IR after every pass
}

// Compiled is a kernel in executable memory.
type Compiled struct {
	Kernel  *ir.Kernel
	Object  []byte       // what was loaded
	Entries []uintptr    // address of each task
	code    *loader.Code // nil if there are no tasks
}

// Close gives the machine code back. No thread may be in it then or later.
func (c *Compiled) Close() error {
	if c.code == nil {
		return nil
	}
	return c.code.Close()
}

// Lower returns a kernel as it leaves lowering: what the oracle runs.
func Lower(p *check.Program, name string, o Options) (k *ir.Kernel, err error) {
	defer guard(name, &err)
	f := p.Kernel(name)
	if f == nil {
		return nil, fmt.Errorf("there is no kernel %s", name)
	}
	k = lower.Kernel(p, f, lower.Options{Strict: o.Strict})
	if o.Verify {
		if err := ir.Verify(k); err != nil {
			return nil, fmt.Errorf("lowering leaves kernel %s broken: %w\n%s", name, err, k)
		}
	}
	return k, nil
}

// Compile takes a kernel all the way.
func Compile(p *check.Program, name string, lay Layout, o Options) (c *Compiled, err error) {
	defer guard(name, &err)
	k, text, err := Text(p, name, lay, o)
	if err != nil {
		return nil, err
	}
	if len(k.Tasks) == 0 {
		return &Compiled{Kernel: k}, nil
	}
	object, err := o.Lib.Compile(codegen.Pipeline(o.Level), text)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	code, err := loader.Load(object)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	c = &Compiled{Kernel: k, Object: object, code: code}
	for _, t := range k.Tasks {
		entry, ok := code.Symbol(codegen.TaskName(t))
		if !ok {
			return nil, fmt.Errorf("kernel %s: the object has no function %s", name, codegen.TaskName(t))
		}
		c.Entries = append(c.Entries, entry)
	}
	return c, nil
}

// Text takes a kernel up to LLVM's door: the tasks, and the module as text.
func Text(p *check.Program, name string, lay Layout, o Options) (k *ir.Kernel, text string, err error) {
	defer guard(name, &err)
	if k, err = Lower(p, name, o); err != nil {
		return nil, "", err
	}
	if err := passes(k, lay, o, nil, ""); err != nil {
		return nil, "", err
	}
	text, err = codegen.Generate(k, o.codegen())
	if err != nil {
		return nil, "", fmt.Errorf("kernel %s: %w", name, err)
	}
	return k, text, nil
}

// passes runs the pipeline, up to a stage if one is named.
func passes(k *ir.Kernel, lay Layout, o Options, dump func(stage, text string), until string) error {
	return pass.Run(k, pass.Options{
		Layout: lay, Unchecked: o.Unchecked, StrictMath: o.Strict, NoOptimize: o.Level == 0,
		VectorBits: 8 * vectorBytes(o.Lib), NoFMA: noFMA(o.Lib), Verify: o.Verify, Dump: dump, Until: until,
	})
}

// vectorBytes is the size of this machine's widest vector register.
func vectorBytes(lib *llvm.Lib) int {
	switch {
	case lib == nil || runtime.GOARCH == "arm64":
		return 16
	case hasFeature(lib, "+avx512f"):
		return 64
	case hasFeature(lib, "+avx2"):
		return 32
	}
	return 16
}

// noFMA reports whether this machine would have to call a function for a fused
// multiply-add.
func noFMA(lib *llvm.Lib) bool {
	return lib != nil && runtime.GOARCH == "amd64" && !hasFeature(lib, "+fma")
}

func hasFeature(lib *llvm.Lib, name string) bool {
	for f := range strings.SplitSeq(lib.HostFeatures(), ",") {
		if f == name {
			return true
		}
	}
	return false
}

func (o *Options) codegen() codegen.Options {
	c := codegen.Options{
		Strict: o.Strict, VectorBits: 8 * vectorBytes(o.Lib),
		Arch: runtime.GOARCH, Windows: runtime.GOOS == "windows",
	}
	if o.Lib != nil {
		c.Version = o.Lib.Version().Major
	}
	return c
}

// guard turns a panic in the compiler into an error.
func guard(kernel string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error while compiling kernel %s: %v\n%s", kernel, p, debug.Stack())
	}
}
