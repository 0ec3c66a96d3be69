package driver

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strings"
	"time"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/explain"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/typed"
)

// Explain compiles a kernel and says what has become of it.
func Explain(p *typed.Program, name string, lay Layout, o Options) (r *explain.Report, err error) {
	defer guard(name, &err)
	began := time.Now()
	u, err := start(p, name, lay, o)
	if err != nil {
		return nil, err
	}
	notes := &pass.Notes{}
	u.notes = notes
	modules, err := u.modules()
	if err != nil {
		return nil, err
	}
	var code *explain.Code
	if o.Lib != nil {
		if code, err = u.explained(modules); err != nil {
			return nil, err
		}
	}
	r = explain.Analyse(u.k, notes.List, code)
	r.Took = time.Since(began).Round(time.Millisecond).String()
	return r, nil
}

// explained is the machine code of modules as far as explaining needs it.
func (u *build) explained(modules [][]llvm.Source) (*explain.Code, error) {
	o := &u.o
	pipeline := o.pipeline()
	opt, err := each(o.Slots, modules, func(m []llvm.Source) (string, error) { return o.Lib.Optimize(pipeline, m...) })
	if err != nil {
		return nil, err
	}
	objects, err := u.objects(modules)
	if err != nil {
		return nil, err
	}
	code := &explain.Code{LLVM: strings.Join(opt, "\n"), Sizes: map[string]int{}, Name: codegen.TaskName}
	for _, object := range objects {
		if err := addSizes(code, object); err != nil {
			return nil, fmt.Errorf("the object file of kernel %s: %w", u.k.Name, err)
		}
	}
	return code, nil
}

// addSizes adds the sizes of functions and sections of an object file, which is
// ELF on every system.
func addSizes(code *explain.Code, object []byte) error {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return err
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 {
			code.Total += int(s.Size)
		}
	}
	symbols, err := f.Symbols()
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			code.Sizes[s.Name] = int(s.Size)
		}
	}
	return err
}
