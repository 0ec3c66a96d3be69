package loader

import (
	"debug/elf"
	"fmt"
	"runtime"
	"slices"
)

// A Piece is the code of one task, or of a function that tasks call, cut out of an object
// file (see [Cut]). What it refers to are places in itself, and other pieces by name.
type Piece struct {
	Name   string
	Arch   string // as GOARCH has it
	Align  int    // of the code
	Entry  int    // offset of the task's function in the code
	Code   []byte
	Data   []Data // constants
	Relocs []Reloc
}

// Data is constants of a piece.
type Data struct {
	Align int
	Bytes []byte
}

// A Reloc patches the code at offset Place so that it leads to offset At in the piece's
// constants number Data, or in its code if Data is -1. A call of another piece has its name,
// and leads to its entry. Kind is that of ELF for the architecture, Addend what ELF adds to
// the target.
type Reloc struct {
	Kind   uint32
	Place  int
	Data   int
	At     int
	Addend int64
	Callee string // name of another piece; "" for this one
}

// Size returns how many bytes of code and constants the piece has.
func (p *Piece) Size() int {
	n := len(p.Code)
	for _, d := range p.Data {
		n += len(d.Bytes)
	}
	return n
}

// Check reports a piece whose numbers do not fit each other.
func (p *Piece) Check() error {
	aligned := func(n int) bool { return n > 0 && n <= 4096 && n&(n-1) == 0 }
	if p.Arch != "amd64" && p.Arch != "arm64" || !aligned(p.Align) || p.Entry < 0 || p.Entry >= len(p.Code) {
		return damaged("the code of %s is for %q, aligned to %d, and entered at %d of %d", p.Name, p.Arch, p.Align, p.Entry, len(p.Code))
	}
	for _, d := range p.Data {
		if !aligned(d.Align) {
			return damaged("constants of %s are aligned to %d", p.Name, d.Align)
		}
	}
	for _, r := range p.Relocs {
		width, table, known := relocationKind(p.Arch, r.Kind)
		size := len(p.Code)
		if r.Data >= 0 && r.Data < len(p.Data) {
			size = len(p.Data[r.Data].Bytes)
		}
		if !known || table || r.Place < 0 || r.Place > len(p.Code)-width || r.Data < -1 || r.Data >= len(p.Data) || r.At < 0 || r.At > size {
			return damaged("the relocation %+v of %s leads out of it", r, p.Name)
		}
		if r.Callee != "" && (!isCall(p.Arch, r.Kind) || r.Data >= 0 || r.At != 0) {
			return damaged("the relocation %+v of %s is no call", r, p.Name)
		}
	}
	return nil
}

// Callees lists the names of the pieces that p calls, each once.
func (p *Piece) Callees() (names []string) {
	for _, r := range p.Relocs {
		if r.Callee != "" && !slices.Contains(names, r.Callee) {
			names = append(names, r.Callee)
		}
	}
	return names
}

// Link puts pieces for this machine into executable memory, where Symbol finds them by name.
// Those that they call must be among them. The memory stays until [Code.Close].
func Link(pieces []*Piece) (*Code, error) {
	im := &image{arch: runtime.GOARCH, symbols: map[string]int{}}
	for _, p := range pieces {
		if err := im.add(p); err != nil {
			return nil, err
		}
	}
	if im.size == 0 {
		return nil, damaged("it has no code")
	}
	if err := im.bind(); err != nil {
		return nil, err
	}
	return im.load()
}

// bind finds the functions that pieces call in other pieces, once all are laid out.
func (im *image) bind() error {
	for i := range im.all {
		s := &im.all[i]
		if s.kind != symUndefined {
			continue
		}
		at, ok := im.symbols[s.name]
		if !ok {
			return undefined(s.name)
		}
		s.kind, s.value = symLocal, uint64(at)
	}
	return nil
}

// undefined is the error for a call of a function that is not there.
func undefined(name string) error {
	return fmt.Errorf("the code calls %q, which is defined nowhere; generated code must not need a C library", name)
}

// add lays a piece out in the image.
func (im *image) add(p *Piece) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p.Arch != im.arch {
		return wrongArch(p.Arch)
	}
	if _, twice := im.symbols[p.Name]; twice {
		return damaged("function %s is there twice", p.Name)
	}
	place := func(name string, bytes []byte, align int) int {
		at := alignUp(im.size, align)
		im.sections = append(im.sections, section{name, at, bytes})
		im.size = at + len(bytes)
		return at
	}
	code := place(p.Name, p.Code, p.Align)
	starts := make([]int, len(p.Data))
	for i, d := range p.Data {
		starts[i] = place(p.Name, d.Bytes, d.Align)
	}
	if im.size > maxImage {
		return fmt.Errorf("the code needs more than %d bytes of memory; split the kernel", maxImage)
	}
	for _, r := range p.Relocs {
		start := code
		if r.Data >= 0 {
			start = starts[r.Data]
		}
		im.relocs = append(im.relocs, relocation{kind: r.Kind, place: code + r.Place, symbol: len(im.all), addend: r.Addend})
		target := symbol{name: p.Name, kind: symLocal, value: uint64(start + r.At)}
		if r.Callee != "" {
			target = symbol{name: r.Callee, kind: symUndefined}
		}
		im.all = append(im.all, target)
	}
	im.symbols[p.Name] = code + p.Entry
	im.names = append(im.names, p.Name)
	return nil
}

// wrongArch is the error for code of another architecture.
func wrongArch(arch string) error {
	return fmt.Errorf("the object is for %s and this machine is %s; compile it anew", arch, runtime.GOARCH)
}

// widest is the size of the largest constant that the code generator keeps for a function:
// that of a vector register.
const widest = 64

// pooled reports whether a section holds constants that the code generator made, of any
// function. They have no names.
func pooled(s *elf.Section) bool {
	return s.Flags&(elf.SHF_ALLOC|elf.SHF_WRITE|elf.SHF_EXECINSTR) == elf.SHF_ALLOC && (s.Flags&elf.SHF_MERGE != 0 || s.Name == ".rodata")
}
