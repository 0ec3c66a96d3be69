package llvm

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/target"
)

// A translation is a kernel as modules of LLVM IR, each with some of its tasks.
type translation struct {
	*Compiler
	k        *ir.Kernel
	o        target.Options
	pipeline llvm.Options
	modules  [][]llvm.Source
	same     map[string]string // tasks whose code is that of another, which is in the modules

	// runtime is the functions of the sparse runtime that tasks call. They are compiled
	// apart from tasks: LLVM would look into them from there.
	runtime []llvm.Source
}

// addRuntime writes the functions of the sparse runtime that tasks call.
func (t *translation) addRuntime() error {
	for _, task := range t.k.Tasks {
		for _, f := range Callees(task) {
			if slices.ContainsFunc(t.runtime, func(s llvm.Source) bool { return s.Name == f.Name() }) {
				continue
			}
			text, err := RuntimeText(f, Options{Options: t.o.Options, Traits: t.traits})
			if err != nil {
				return err
			}
			t.runtime = append(t.runtime, llvm.Source{Text: text, Name: f.Name()})
		}
	}
	return nil
}

// pipelineOf is how a module is compiled.
func (t *translation) pipelineOf(m []llvm.Source) llvm.Options {
	if !slices.ContainsFunc(t.runtime, func(s llvm.Source) bool { return s.Name == m[0].Name }) {
		return t.pipeline
	}
	o := RuntimePipeline(t.o.Level)
	o.Stop = t.o.Stop
	return o
}

// all returns the modules of tasks and of what they call.
func (t *translation) all() [][]llvm.Source {
	if len(t.runtime) == 0 {
		return t.modules
	}
	return append(slices.Clip(t.modules), t.runtime)
}

// batches puts sources that may be compiled together into one module.
func (t *translation) batches(sources []llvm.Source) (modules [][]llvm.Source) {
	var plain, late []llvm.Source
	for _, s := range sources {
		if t.pipeline.Late(s) {
			late = append(late, s)
		} else {
			plain = append(plain, s)
		}
	}
	for _, m := range [][]llvm.Source{plain, late} {
		if len(m) > 0 {
			modules = append(modules, m)
		}
	}
	return modules
}

// objects makes machine code of modules by compile.
func (t *translation) objects(modules [][]llvm.Source, compile func(llvm.Options, ...llvm.Source) ([]byte, error)) ([][]byte, error) {
	if err := t.ready("object"); err != nil {
		return nil, err
	}
	return each(t.o.Slots, modules, func(sources []llvm.Source) ([]byte, error) {
		began := time.Now()
		object, err := compile(t.pipelineOf(sources), sources...)
		if t.o.Made != nil {
			m := target.Made{Code: len(object), Took: time.Since(began)}
			for _, s := range sources {
				m.Names, m.Text = append(m.Names, s.Name), m.Text+len(s.Text)
			}
			t.o.Made(m)
		}
		if e, ok := errors.AsType[*llvm.FrameError](err); ok {
			for _, task := range t.k.Tasks {
				if s := target.Symbol(task); s == e.Function || strings.HasPrefix(e.Function, s+asideMark) {
					err = &target.StackError{Task: task, Bytes: e.Bytes, Max: e.Max}
				}
			}
		}
		return object, err
	})
}

// Pieces makes the code of the tasks, in their order, and of the functions that they call,
// unless the compiler has it already.
func (t *translation) Pieces() ([]launch.Piece, error) {
	code, err := t.code()
	if err != nil {
		return nil, err
	}
	pieces := make([]launch.Piece, len(code))
	for i, p := range code {
		pieces[i] = launch.Piece{Size: p.Size(), Code: p.Append(nil)}
	}
	return pieces, nil
}

// code makes what the pieces contain.
func (t *translation) code() ([]*loader.Piece, error) {
	var runtime []*loader.Piece
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { runtime, failed = t.runtimePieces() })
	of, err := t.cut(t.modules)
	wg.Wait()
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	for i, s := range t.runtime {
		of[s.Name] = runtime[i]
	}
	for name, first := range t.same {
		if p := of[first]; p != nil {
			again := *p
			again.Name = name
			of[name] = &again
		}
	}
	all, err := t.inOrder(of)
	if err == nil && t.o.VerifyTasks {
		err = t.verify(of)
	}
	return all, err
}

// runtimePieces returns the code of the functions that tasks call. Each is compiled once, by
// itself: which ones a kernel needs must not matter.
func (t *translation) runtimePieces() ([]*loader.Piece, error) {
	return each(make(target.Slots, len(t.runtime)), t.runtime, func(s llvm.Source) (*loader.Piece, error) {
		return t.shared.of(t.o.Level, s.Text).get(func() (*loader.Piece, error) {
			of, err := t.cut([][]llvm.Source{{s}})
			return of[s.Name], err
		})
	})
}

// inOrder returns the pieces of the tasks and then of what they call, and checks that
// nothing is missing.
func (t *translation) inOrder(of map[string]*loader.Piece) (all []*loader.Piece, err error) {
	for _, name := range t.names() {
		p := of[name]
		if p == nil {
			return nil, fmt.Errorf("the machine code has no function %s", name)
		}
		for _, c := range p.Callees() {
			if of[c] == nil {
				return nil, fmt.Errorf("the machine code calls %q, which is defined nowhere; it must not need a C library", c)
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// names lists the tasks in their order, and then what they call.
func (t *translation) names() (all []string) {
	for _, task := range t.k.Tasks {
		all = append(all, target.Symbol(task))
	}
	for _, s := range t.runtime {
		all = append(all, s.Name)
	}
	return all
}

// cut compiles modules and takes their objects apart, by the names of functions. A task in
// several modules must have the same code in each.
func (t *translation) cut(modules [][]llvm.Source) (map[string]*loader.Piece, error) {
	objects, err := t.objects(modules, t.compile)
	if err != nil {
		return nil, err
	}
	of := map[string]*loader.Piece{}
	for _, object := range objects {
		pieces, err := loader.Cut(object)
		if err != nil {
			return nil, err
		}
		for _, p := range pieces {
			if q := of[p.Name]; q != nil && !reflect.DeepEqual(p, q) {
				return nil, fmt.Errorf("kernel %s: the code of %s differs from what it is in other company", t.k.Name, p.Name)
			}
			of[p.Name] = p
		}
	}
	return of, nil
}

// verify compiles each task by itself, and all that may be together in the reverse order,
// and reports a task whose code is not the one in pieces. Code is kept and linked by task:
// it must not depend on what was compiled with it.
func (t *translation) verify(pieces map[string]*loader.Piece) error {
	tasks, runtime := slices.Concat(t.modules...), slices.Clone(t.runtime)
	slices.Reverse(tasks)
	slices.Reverse(runtime)
	batches := t.batches(tasks)
	if len(runtime) > 0 {
		batches = append(batches, runtime)
	}
	all := append(tasks, runtime...)
	for _, s := range all {
		batches = append(batches, []llvm.Source{s})
	}
	again, err := t.cut(batches)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !reflect.DeepEqual(again[s.Name], pieces[s.Name]) {
			return fmt.Errorf("kernel %s: the code of %s differs when it is compiled alone", t.k.Name, s.Name)
		}
	}
	return nil
}

// Keys cover the text of a task or function, in which the compiler has put layout, options
// and checks, and what libLLVM makes of it for which target; and those of the functions that
// it calls, so that code is not linked with others than it was made for. They know nothing
// of other tasks, names and positions. A libLLVM without an identity gives none.
func (t *translation) Keys() []target.Key {
	if t.lib == nil {
		return nil
	}
	texts := map[string]string{} // with what makes code of them
	for _, m := range t.all() {
		shared, err := t.lib.Key(nil, t.pipelineOf(m))
		if err != nil {
			return nil
		}
		for _, s := range m {
			texts[s.Name] = fmt.Sprintf("%s\n%s", shared, s.Text)
		}
	}
	for name, first := range t.same {
		texts[name] = texts[first]
	}
	var all []target.Key
	for i, name := range t.names() {
		h := sha256.New()
		fmt.Fprintf(h, "task 1\n%s", texts[name])
		if i < len(t.k.Tasks) {
			for _, f := range Callees(t.k.Tasks[i]) {
				fmt.Fprintf(h, "\ncalls %s\n%s", f.Name(), texts[f.Name()])
			}
		}
		all = append(all, target.Key(h.Sum(nil)))
	}
	return all
}

// Text returns the modules at a stage.
func (t *translation) Text(stage string) (string, error) {
	if stage == "llvm" {
		return t.readable(strings.Join(t.texts(), "\n")), nil
	}
	if err := t.ready(stage); err != nil {
		return "", err
	}
	if stage == "object" { // compiled anew, for those who compare two
		objects, err := t.objects(t.all(), t.lib.Compile)
		return archive(objects), err
	}
	write := t.lib.Assembly
	if stage == "opt" {
		write = t.lib.Optimize
	}
	texts, err := each(t.o.Slots, t.all(), func(m []llvm.Source) (string, error) { return write(t.pipelineOf(m), m...) })
	return t.readable(strings.Join(texts, "\n")), err
}

// texts returns the text of each task, and of what tasks call, under a line that says which
// it is.
func (t *translation) texts() (texts []string) {
	for _, s := range slices.Concat(t.modules...) {
		i := slices.IndexFunc(t.k.Tasks, func(task *ir.Task) bool { return target.Symbol(task) == s.Name })
		texts = append(texts, fmt.Sprintf("; %s of kernel %s: %s\n%s", s.Name, t.k.Name, t.k.Tasks[i].Name, s.Named()))
	}
	for _, task := range t.k.Tasks {
		if of, again := t.same[target.Symbol(task)]; again {
			texts = append(texts, fmt.Sprintf("; %s of kernel %s: %s, with the code of %s\n", target.Symbol(task), t.k.Name, task.Name, of))
		}
	}
	for _, s := range t.runtime {
		texts = append(texts, fmt.Sprintf("; %s of the sparse runtime\n%s", s.Name, s.Named()))
	}
	return texts
}

// readable replaces the numbers of functions by their names in the source.
func (t *translation) readable(text string) string {
	var pairs []string
	for _, task := range t.k.Tasks {
		names := Functions(task, !t.pipeline.NoVector)
		for i := len(names) - 1; i >= 0; i-- { // 10 before 1
			pairs = append(pairs, fmt.Sprintf("%s.fn.%d", target.Symbol(task), i), "fn."+names[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// archive is the object file, or, of several, an archive as ar makes them, which
// objdump and its kind read too.
func archive(objects [][]byte) string {
	switch len(objects) {
	case 0:
		return ""
	case 1:
		return string(objects[0])
	}
	var w strings.Builder
	w.WriteString("!<arch>\n")
	for i, object := range objects {
		fmt.Fprintf(&w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", fmt.Sprintf("%d.o/", i), 0, 0, 0, 0o644, len(object))
		w.Write(object)
		if len(object)%2 == 1 {
			w.WriteByte('\n')
		}
	}
	return w.String()
}

// Measure returns the optimised text and the sizes of functions; nil without a library.
func (t *translation) Measure() (*target.Measurement, error) {
	if t.lib == nil {
		return nil, nil
	}
	opt, err := each(t.o.Slots, t.all(), func(m []llvm.Source) (string, error) { return t.lib.Optimize(t.pipelineOf(m), m...) })
	if err != nil {
		return nil, err
	}
	objects, err := t.objects(t.all(), t.compile)
	if err != nil {
		return nil, err
	}
	m := &target.Measurement{Text: strings.Join(opt, "\n"), Sizes: map[string]int{}, Same: t.same}
	for _, object := range objects {
		if err := addSizes(m, object); err != nil {
			return nil, fmt.Errorf("the object file of kernel %s: %w", t.k.Name, err)
		}
	}
	return m, nil
}

// addSizes adds the sizes of functions and sections of an object file, which is
// ELF on every system.
func addSizes(m *target.Measurement, object []byte) error {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return err
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 {
			m.Total += int(s.Size)
		}
	}
	symbols, err := f.Symbols()
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			m.Sizes[s.Name] = int(s.Size)
		}
	}
	return err
}

// each calls f for all modules at once, as far as there are slots, and returns the
// results in order.
func each[S, T any](slots target.Slots, modules []S, f func(S) (T, error)) ([]T, error) {
	if slots == nil {
		slots = target.NewSlots()
	}
	results, errs := make([]T, len(modules)), make([]error, len(modules))
	var wg sync.WaitGroup
	for i, m := range modules {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i], errs[i] = f(m)
		})
	}
	wg.Wait()
	return results, errors.Join(errs...)
}
