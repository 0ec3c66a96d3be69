package loader

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"strings"
)

// maxImage bounds an image: offsets within it fit 32 signed bits with room to
// spare, and the branches of AArch64 reach 128 MiB.
const maxImage = 96 << 20

// A section is one that the image holds.
type section struct {
	name   string
	offset int // in the image
	data   []byte
}

// A symbol of the object: an offset in the image, or an absolute value.
type symbol struct {
	name     string
	kind     symbolKind
	value    uint64 // offset in the image, or the value of an absolute symbol
	function bool   // a global function
}

type symbolKind uint8

const (
	symAbsent symbolKind = iota // in a section that the image leaves out
	symUndefined
	symLocal
	symAbsolute
)

// A relocation patches a place in the image.
type relocation struct {
	kind   uint32
	place  int // offset in the image
	symbol int // index into image.all
	addend int64
}

// An image is an object taken apart and laid out, not yet bound to an address.
type image struct {
	arch     string // as GOARCH has it
	sections []section
	all      []symbol // by the object's symbol index
	relocs   []relocation
	got      map[int]int // by symbol index: offset of its slot with its address
	size     int
	symbols  map[string]int
	names    []string
}

// damaged is the error for bytes that are no object of ours.
func damaged(format string, args ...any) error {
	return fmt.Errorf("the object file is damaged: "+format+"; remove it from the cache and compile anew", args...)
}

// parse takes an object apart.
func parse(object []byte) (*image, error) {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, damaged("%v", err)
	}
	im := &image{got: map[int]int{}, symbols: map[string]int{}}
	if im.arch, err = archOf(f); err != nil {
		return nil, err
	}
	at, err := im.layOut(f)
	if err != nil {
		return nil, err
	}
	if err := im.readSymbols(f, at); err != nil {
		return nil, err
	}
	if err := im.readRelocations(f, at); err != nil {
		return nil, err
	}
	return im, nil
}

// layOut gives every section that is needed at run time a place in the image.
// The result leads from the object's section index to im.sections, -1 for none.
func (im *image) layOut(f *elf.File) ([]int, error) {
	at := make([]int, len(f.Sections))
	for i, s := range f.Sections {
		at[i] = -1
		if s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 || s.Name == ".eh_frame" {
			continue
		}
		constant := s.Flags&elf.SHF_WRITE == 0 || strings.HasPrefix(s.Name, ".data.rel.ro")
		if !constant || s.Flags&elf.SHF_TLS != 0 {
			return nil, fmt.Errorf("the object has writable data (section %s), which generated code must not use", s.Name)
		}
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_COMPRESSED != 0 || s.Size > maxImage {
			return nil, damaged("section %s of type %v has %d bytes", s.Name, s.Type, s.Size)
		}
		align := max(s.Addralign, 1)
		if align&(align-1) != 0 || align > 4096 {
			return nil, damaged("section %s is aligned to %d bytes", s.Name, align)
		}
		data, err := s.Data()
		if err != nil {
			return nil, damaged("section %s: %v", s.Name, err)
		}
		offset := alignUp(im.size, int(align))
		im.size = offset + len(data)
		if im.size > maxImage {
			return nil, fmt.Errorf("the object needs more than %d bytes of memory; split the kernel", maxImage)
		}
		at[i] = len(im.sections)
		im.sections = append(im.sections, section{s.Name, offset, data})
	}
	if im.size == 0 {
		return nil, damaged("it has no code")
	}
	return at, nil
}

func alignUp(n, align int) int { return (n + align - 1) &^ (align - 1) }

// readSymbols finds where each symbol lies.
func (im *image) readSymbols(f *elf.File, at []int) error {
	list, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return damaged("its symbols: %v", err)
	}
	im.all = append(im.all, symbol{kind: symAbsolute}) // index 0 stands for no symbol, address 0
	for _, s := range list {
		sym := symbol{name: s.Name, value: s.Value}
		switch {
		case s.Section == elf.SHN_UNDEF:
			sym.kind = symUndefined
		case s.Section == elf.SHN_ABS:
			sym.kind = symAbsolute
		case int(s.Section) >= len(at):
			return damaged("symbol %s lies in section %d of %d", s.Name, s.Section, len(at))
		case at[s.Section] >= 0:
			in := im.sections[at[s.Section]]
			if s.Value > uint64(len(in.data)) {
				return damaged("symbol %s lies outside section %s", s.Name, in.name)
			}
			sym.kind, sym.value = symLocal, uint64(in.offset)+s.Value
			sym.function = elf.ST_TYPE(s.Info) == elf.STT_FUNC && elf.ST_BIND(s.Info) == elf.STB_GLOBAL
		}
		if sym.function {
			if _, twice := im.symbols[sym.name]; twice {
				return damaged("function %s is there twice", sym.name)
			}
			im.symbols[sym.name] = int(sym.value)
			im.names = append(im.names, sym.name)
		}
		im.all = append(im.all, sym)
	}
	return nil
}

// readRelocations lists the places to patch and gives the symbols that are
// reached through an address table their slots at the end of the image.
func (im *image) readRelocations(f *elf.File, at []int) error {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA && s.Type != elf.SHT_REL {
			continue
		}
		if int(s.Info) >= len(at) {
			return damaged("relocations %s belong to section %d of %d", s.Name, s.Info, len(at))
		}
		if at[s.Info] < 0 {
			continue
		}
		data, err := s.Data()
		if err != nil || s.Type == elf.SHT_REL || len(data)%24 != 0 {
			return damaged("relocations %s cannot be read (%d bytes, error %v)", s.Name, len(data), err)
		}
		if err := im.readRela(f, im.sections[at[s.Info]], data); err != nil {
			return err
		}
	}
	return nil
}

// readRela reads the relocations of one section.
func (im *image) readRela(f *elf.File, in section, data []byte) error {
	for ; len(data) > 0; data = data[24:] {
		place, info := f.ByteOrder.Uint64(data), f.ByteOrder.Uint64(data[8:])
		r := relocation{kind: uint32(info), symbol: int(info >> 32), addend: int64(f.ByteOrder.Uint64(data[16:]))}
		width, table, known := relocationKind(im.arch, r.kind)
		switch {
		case !known:
			return fmt.Errorf("the object has a relocation of kind %d for %s in section %s, which the loader does not know", r.kind, im.arch, in.name)
		case place > uint64(len(in.data)) || uint64(len(in.data))-place < uint64(width):
			return damaged("a relocation lies outside section %s", in.name)
		case r.symbol >= len(im.all):
			return damaged("a relocation names symbol %d of %d", r.symbol, len(im.all))
		}
		r.place = in.offset + int(place)
		switch s := im.all[r.symbol]; s.kind {
		case symUndefined:
			return undefined(s.name)
		case symAbsent:
			return damaged("a relocation names %q in a section that is not loaded", s.name)
		}
		if _, has := im.got[r.symbol]; table && !has {
			im.size = alignUp(im.size, 8)
			im.got[r.symbol] = im.size
			im.size += 8
		}
		im.relocs = append(im.relocs, r)
	}
	return nil
}
