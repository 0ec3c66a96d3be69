package loader

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/bits"
	"strings"
)

// Sections of a task in an object begin with these; see package llvm.
const (
	textSection = ".text."
	dataSection = ".rodata."
)

// Cut takes an object apart into the code of its tasks, each of which has a section of
// its own and refers to no other. Functions that the object does not define are other
// pieces: who cuts has to know them. The constants that the code generator puts together for
// all functions are given to the tasks that read them. So what is cut out of an object
// does not depend on what else was compiled with it.
func Cut(object []byte) ([]*Piece, error) {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, damaged("%v", err)
	}
	c := &cutter{f: f}
	if c.arch, err = archOf(f); err != nil {
		return nil, err
	}
	if c.symbols, err = f.Symbols(); err != nil {
		return nil, damaged("its symbols: %v", err)
	}
	var pieces []*Piece
	for i, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Size == 0 {
			continue
		}
		name, ok := strings.CutPrefix(s.Name, textSection)
		if !ok {
			return nil, damaged("section %s is of no task", s.Name)
		}
		p, err := c.piece(name, i, s)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, p)
	}
	return pieces, nil
}

// A cutter takes one object apart.
type cutter struct {
	f       *elf.File
	arch    string
	symbols []elf.Symbol // without the first of the file, which is none

	// operands are those of the piece's instructions on x86-64 that lie at a distance from
	// the next instruction, by the place where the distance is written.
	operands map[int]operand
}

// An operand is one in memory. The instruction ends so many bytes behind the start of the
// distance, and reads so many of the operand at most.
type operand struct {
	end, reads int
}

// operandsX86 finds the operands of the code of a task.
func operandsX86(task string, code []byte) (map[int]operand, error) {
	found := map[int]operand{}
	for at := 0; at < len(code); {
		in, known := decodeX86(code[at:])
		if !known {
			return nil, fmt.Errorf("task %s has an instruction that is not known, at %d (% x)", task, at, code[at:min(at+15, len(code))])
		}
		if in.disp > 0 {
			found[at+in.disp] = operand{in.size - in.disp, in.reads}
		}
		at += in.size
	}
	return found, nil
}

// piece cuts out the task in section number at.
func (c *cutter) piece(name string, at int, s *elf.Section) (*Piece, error) {
	code, err := c.bytes(s)
	if err != nil {
		return nil, err
	}
	p := &Piece{Name: name, Arch: c.arch, Align: int(max(1, min(s.Addralign, 1<<20))), Entry: -1, Code: code}
	for _, sym := range c.symbols {
		if int(sym.Section) == at && sym.Name == name && elf.ST_TYPE(sym.Info) == elf.STT_FUNC && sym.Value < s.Size {
			p.Entry = int(sym.Value)
		}
	}
	if c.arch == "amd64" {
		if c.operands, err = operandsX86(name, code); err != nil {
			return nil, err
		}
	}
	blobs := map[blob]int{}
	for _, r := range c.f.Sections {
		if r.Type != elf.SHT_RELA || int(r.Info) != at {
			continue
		}
		data, err := r.Data()
		if err != nil || len(data)%24 != 0 {
			return nil, damaged("relocations %s cannot be read (%d bytes, error %v)", r.Name, len(data), err)
		}
		for ; len(data) > 0; data = data[24:] {
			if err := c.relocation(p, at, data, blobs); err != nil {
				return nil, err
			}
		}
	}
	return p, p.Check()
}

// bytes returns the bytes of a section.
func (c *cutter) bytes(s *elf.Section) ([]byte, error) {
	if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_COMPRESSED != 0 || s.Size > maxImage {
		return nil, damaged("section %s of type %v has %d bytes", s.Name, s.Type, s.Size)
	}
	data, err := s.Data()
	if err != nil {
		return nil, damaged("section %s: %v", s.Name, err)
	}
	return data, nil
}

// A blob is constants in a section of the object.
type blob struct {
	section, start, size int
}

// relocation adds what one relocation needs to p.
func (c *cutter) relocation(p *Piece, at int, data []byte, blobs map[blob]int) error {
	order := c.f.ByteOrder
	place, info, addend := order.Uint64(data), order.Uint64(data[8:]), int64(order.Uint64(data[16:]))
	kind, n := uint32(info), int(info>>32)
	width, table, known := relocationKind(c.arch, kind)
	switch {
	case !known || table:
		return fmt.Errorf("the object has a relocation of kind %d for %s in task %s, which cannot be cut out", kind, c.arch, p.Name)
	case place > uint64(len(p.Code)) || uint64(len(p.Code))-place < uint64(width):
		return damaged("a relocation lies outside task %s", p.Name)
	case n < 1 || n > len(c.symbols):
		return damaged("a relocation names symbol %d of %d", n, len(c.symbols))
	}
	sym := c.symbols[n-1]
	if sym.Section == elf.SHN_UNDEF {
		if !isCall(c.arch, kind) || sym.Name == "" {
			return fmt.Errorf("task %s refers to %q, which is defined nowhere", p.Name, sym.Name)
		}
		p.Relocs = append(p.Relocs, Reloc{Kind: kind, Place: int(place), Data: -1, Addend: addend, Callee: sym.Name})
		return nil
	}
	if int(sym.Section) >= len(c.f.Sections) {
		return damaged("symbol %s lies in section %d of %d", sym.Name, sym.Section, len(c.f.Sections))
	}
	r := Reloc{Kind: kind, Place: int(place), Data: -1, Addend: addend}
	s := c.f.Sections[sym.Section]
	switch {
	case int(sym.Section) == at:
		r.At = int(sym.Value)
	case s.Name == dataSection+p.Name:
		i, err := c.include(p, blobs, blob{int(sym.Section), 0, int(s.Size)}, s)
		if err != nil {
			return err
		}
		r.Data, r.At = i, int(sym.Value)
	case pooled(s):
		return c.constant(p, blobs, s, sym, r)
	default:
		return fmt.Errorf("task %s refers to section %s, which is not its own", p.Name, s.Name)
	}
	p.Relocs = append(p.Relocs, r)
	return nil
}

// constant adds a relocation that leads to a constant of the code generator. The object
// names its section and offset; on x86-64 less the distance from the patched place to the
// end of the instruction.
func (c *cutter) constant(p *Piece, blobs map[blob]int, s *elf.Section, sym elf.Symbol, r Reloc) error {
	to := operand{reads: widest}
	if c.arch == "amd64" {
		known := false
		if to, known = c.operands[r.Place]; !known || elf.R_X86_64(r.Kind) != elf.R_X86_64_PC32 {
			return fmt.Errorf("task %s has a constant at %d that no instruction reads", p.Name, r.Place)
		}
	} else if n := accessARM64(r.Kind); n > 0 {
		to.reads = n
	}
	offset := int64(sym.Value) + r.Addend + int64(to.end)
	start, size := offset, int64(to.reads)
	if s.Flags&elf.SHF_MERGE != 0 && s.Entsize > 0 {
		size = int64(s.Entsize)
		start -= offset % size
	}
	size = min(size, int64(s.Size)-start)
	if offset < 0 || start < 0 || size <= 0 {
		return damaged("task %s refers to offset %d of section %s, of %d bytes", p.Name, offset, s.Name, s.Size)
	}
	i, err := c.include(p, blobs, blob{int(sym.Section), int(start), int(size)}, s)
	if err != nil {
		return err
	}
	r.Data, r.At, r.Addend = i, int(offset-start), -int64(to.end)
	p.Relocs = append(p.Relocs, r)
	return nil
}

// accessARM64 returns how many bytes the instruction reads that a relocation patches; 0 if
// the relocation does not show.
func accessARM64(kind uint32) int {
	switch elf.R_AARCH64(kind) {
	case elf.R_AARCH64_LDST8_ABS_LO12_NC:
		return 1
	case elf.R_AARCH64_LDST16_ABS_LO12_NC:
		return 2
	case elf.R_AARCH64_LDST32_ABS_LO12_NC:
		return 4
	case elf.R_AARCH64_LDST64_ABS_LO12_NC:
		return 8
	case elf.R_AARCH64_LDST128_ABS_LO12_NC:
		return 16
	}
	return 0
}

// include makes part of a section constants of p, once, and returns their number.
func (c *cutter) include(p *Piece, blobs map[blob]int, b blob, s *elf.Section) (int, error) {
	if i, ok := blobs[b]; ok {
		return i, nil
	}
	data, err := c.bytes(s)
	if err != nil {
		return 0, err
	}
	for _, r := range c.f.Sections {
		if r.Type == elf.SHT_RELA && int(r.Info) == b.section && r.Size > 0 {
			return 0, fmt.Errorf("constants of task %s have relocations (section %s)", p.Name, s.Name)
		}
	}
	if b.start+b.size > len(data) {
		return 0, damaged("section %s is cut off", s.Name)
	}
	// The alignment of a pool is that of its widest constant, whoever reads it.
	align := int(max(1, min(s.Addralign, 1<<20)))
	if pooled(s) {
		align = 1 << bits.Len(uint(b.size-1))
	}
	blobs[b] = len(p.Data)
	p.Data = append(p.Data, Data{align, data[b.start : b.start+b.size]})
	return blobs[b], nil
}

// archOf returns the architecture of an object, as GOARCH has it.
func archOf(f *elf.File) (string, error) {
	switch {
	case f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Type != elf.ET_REL:
		return "", damaged("it is not a relocatable 64-bit little-endian ELF file")
	case f.Machine == elf.EM_X86_64:
		return "amd64", nil
	case f.Machine == elf.EM_AARCH64:
		return "arm64", nil
	}
	return "", damaged("it is for the machine %v", f.Machine)
}
