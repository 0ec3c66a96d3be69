package wasm

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// disassemble writes the functions of a module, an instruction a line, with the names of the text format of WebAssembly.
func disassemble(code []byte) string {
	d := &disassembler{in: code[8:]}
	for len(d.in) > 0 {
		id := d.byte()
		size := d.number()
		d.section(id, &disassembler{in: d.bytes(int(size)), out: d.out, signatures: d.signatures, of: d.of}, d)
	}
	return strings.Join(d.out, "")
}

// A disassembler reads a module, or a part of it.
type disassembler struct {
	in         []byte
	out        []string
	signatures []string
	of         []uint64 // the signature of each function
	depth      int
}

func (d *disassembler) byte() byte { return d.bytes(1)[0] }

func (d *disassembler) bytes(n int) []byte {
	b := d.in[:n]
	d.in = d.in[n:]
	return b
}

func (d *disassembler) number() uint64 {
	v, n := binary.Uvarint(d.in)
	d.in = d.in[n:]
	return v
}

func (d *disassembler) signed() int64 {
	v, shift := int64(0), 0
	for {
		b := d.byte()
		v |= int64(b&0x7f) << shift
		if shift += 7; b&0x80 == 0 {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// types reads a list of types under a heading.
func (d *disassembler) types(heading string) string {
	s := ""
	for range d.number() {
		s += " " + valType(d.byte()).String()
	}
	if s == "" {
		return ""
	}
	return fmt.Sprintf(" (%s%s)", heading, s)
}

// section reads the sections whose contents differ from module to module.
func (d *disassembler) section(id byte, s, to *disassembler) {
	switch id {
	case 1:
		for range s.number() {
			s.byte() // a function
			to.signatures = append(to.signatures, s.types("param")+s.types("result"))
		}
	case 3:
		for range s.number() {
			to.of = append(to.of, s.number())
		}
	case 10:
		for n := range s.number() {
			body := s.bytes(int(s.number()))
			f := &disassembler{in: body, depth: 1}
			to.out = append(to.out, fmt.Sprintf("(func $%d%s%s\n", n+imported, to.signatures[to.of[n]], f.locals()))
			for len(f.in) > 0 {
				f.instruction()
			}
			to.out = append(append(to.out, f.out...), ")\n")
		}
	}
}

// locals reads the types of locals, in runs.
func (d *disassembler) locals() string {
	s := ""
	for range d.number() {
		n := d.number()
		s += strings.Repeat(" "+valType(d.byte()).String(), int(n))
	}
	if s == "" {
		return ""
	}
	return fmt.Sprintf("\n\t(local%s)", s)
}

// instruction writes one.
func (d *disassembler) instruction() {
	code := uint32(d.byte())
	if code >= 0xfc {
		code = code<<16 | uint32(d.number())
	}
	i := instructionSet().byCode[code]
	if i.name == "end" || i.name == "else" {
		d.depth--
	}
	if d.depth == 0 { // the end of the function
		return
	}
	d.out = append(d.out, fmt.Sprintf("%s%s%s\n", strings.Repeat("\t", d.depth), i.name, d.immediate(i)))
	if i.immediate == immBlock || i.name == "else" {
		d.depth++
	}
}

// immediate reads what follows the number of an instruction.
func (d *disassembler) immediate(i instruction) string {
	switch i.immediate {
	case immMemory, immMemoryLane:
		d.number()
		s := ""
		if offset := d.number(); offset > 0 {
			s = fmt.Sprintf(" offset=%d", offset)
		}
		if i.immediate == immMemoryLane {
			s += fmt.Sprintf(" %d", d.byte())
		}
		return s
	case immLane:
		return fmt.Sprintf(" %d", d.byte())
	case immBlock, immZero:
		d.byte()
	case immZeroZero:
		d.bytes(2)
	case immLabel, immIndex:
		return fmt.Sprintf(" %d", d.number())
	case immLabels:
		s := ""
		for range d.number() + 1 {
			s += fmt.Sprintf(" %d", d.number())
		}
		return s
	case immI32, immI64:
		return fmt.Sprintf(" %d", d.signed())
	case immF32:
		return fmt.Sprintf(" %v", math.Float32frombits(binary.LittleEndian.Uint32(d.bytes(4))))
	case immF64:
		return fmt.Sprintf(" %v", math.Float64frombits(binary.LittleEndian.Uint64(d.bytes(8))))
	case immV128:
		s := " i32x4"
		for range 4 {
			s += fmt.Sprintf(" 0x%08x", binary.LittleEndian.Uint32(d.bytes(4)))
		}
		return s
	case immShuffle:
		s := ""
		for _, b := range d.bytes(16) {
			s += fmt.Sprintf(" %d", b)
		}
		return s
	}
	return ""
}
