package llvm

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/target"
)

// A Compiler makes code for this machine's processors by libLLVM.
type Compiler struct {
	lib    *llvm.Lib
	traits target.Traits
	shared runtimeCode
	kept   func() (*cache.Cache, error) // objects of earlier compilers; nil if none are kept
}

// New returns a compiler. Without a library it translates tasks, and makes no code.
func New(lib *llvm.Lib) *Compiler {
	return &Compiler{lib: lib, traits: traitsOf(lib, runtime.GOARCH, runtime.GOOS == "windows"), kept: keptObjects()}
}

// Traits describes this machine as libLLVM makes code for it.
func (c *Compiler) Traits() target.Traits { return c.traits }

// Identity is that of the library, with the processor and the pipelines.
func (c *Compiler) Identity(o target.Options) (string, error) {
	if c.lib == nil {
		return "", target.ErrNoLibrary
	}
	key, err := c.lib.Key(nil, Pipeline(o.Level))
	if err == nil {
		key, err = c.lib.Key(key, RuntimePipeline(o.Level))
	}
	return string(key), err
}

// Stages are the LLVM IR of tasks, the same after LLVM's passes, assembly, and an object file
// or, of several, an archive of them.
func (c *Compiler) Stages() []string { return []string{"llvm", "opt", "asm", "object"} }

// Translate writes the tasks as LLVM IR and divides them among modules.
func (c *Compiler) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	t := &translation{Compiler: c, k: k, o: o, pipeline: Pipeline(o.Level), same: map[string]string{}}
	t.pipeline.Stop = o.Stop
	if len(k.Tasks) == 0 {
		return t, nil
	}
	texts, unique, err := t.write()
	if err != nil {
		return nil, err
	}
	for _, part := range Parts(&ir.Kernel{Tasks: unique}) {
		var sources []llvm.Source
		for _, task := range part {
			sources = append(sources, llvm.Source{Text: texts[task], Name: target.Symbol(task)})
		}
		t.modules = append(t.modules, t.batches(sources)...)
	}
	return t, t.addRuntime()
}

// write writes each task, and notes those whose text is that of one before: they have its
// code, since no text says which task it is of.
func (t *translation) write() (texts map[*ir.Task]string, unique []*ir.Task, err error) {
	texts, first := map[*ir.Task]string{}, map[string]string{}
	bytes := 0
	for _, task := range t.k.Tasks {
		text, err := Generate(t.k, task, Options{Options: t.o.Options, Traits: t.traits, NoVariants: t.pipeline.NoVector})
		if err != nil {
			return nil, nil, err
		}
		if bytes += len(text); t.o.MaxText > 0 && bytes > t.o.MaxText {
			return nil, nil, &target.TooLarge{Bytes: t.o.MaxText, Language: "LLVM"}
		}
		name := target.Symbol(task)
		if of, again := first[text]; again {
			t.same[name] = of
			continue
		}
		texts[task], first[text] = text, name
		unique = append(unique, task)
	}
	return texts, unique, nil
}

// ready reports that there is no library for a stage.
func (c *Compiler) ready(stage string) error {
	if c.lib == nil {
		return fmt.Errorf("stage %s %w", stage, target.ErrNoLibrary)
	}
	return nil
}

// traitsOf describes the machine that lib makes code for.
func traitsOf(lib *llvm.Lib, arch string, windows bool) target.Traits {
	t := target.Traits{
		Name: "llvm", Arch: arch, Windows: windows,
		Has: target.CPU | target.FMA | target.FloatMax, VectorBits: 8 * vectorBytes(lib, arch), Stack: MaxFrame, Locals: MaxLocal,
	}
	if arch == "amd64" && !windows {
		t.StackAlign = launch.StackAlign
	}
	if windows {
		t.Stack, t.Locals = maxFrameWindows, maxLocalWindows
	}
	if lib == nil {
		return t
	}
	t.Version, t.Processor = lib.Version().Major, lib.HostCPU()
	if t.Version < 19 {
		t.Has &^= target.FloatMax
	}
	if arch == "amd64" {
		t.Has |= target.Streams
	}
	if arch == "amd64" && hasFeature(lib, "+avx512f") {
		t.Has |= target.Estimates | target.Scales | target.Masks
	}
	if arch == "amd64" && !hasFeature(lib, "+fma") { // it would be a call
		t.Has &^= target.FMA
	}
	return t
}

// vectorBytes is the size of the machine's widest vector register.
func vectorBytes(lib *llvm.Lib, arch string) int {
	switch {
	case lib == nil || arch == "arm64":
		return 16
	case hasFeature(lib, "+avx512f"):
		return 64
	case hasFeature(lib, "+avx2"):
		return 32
	}
	return 16
}

func hasFeature(lib *llvm.Lib, name string) bool {
	for f := range strings.SplitSeq(lib.HostFeatures(), ",") {
		if f == name {
			return true
		}
	}
	return false
}
