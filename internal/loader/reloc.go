package loader

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
)

// link copies the sections to their places and applies the relocations for an
// image that starts at address base.
func (im *image) link(base uint64) ([]byte, error) {
	out := make([]byte, im.size)
	for _, s := range im.sections {
		copy(out[s.offset:], s.data)
	}
	for sym, slot := range im.got {
		binary.LittleEndian.PutUint64(out[slot:], im.addressOf(sym, base))
	}
	for _, r := range im.relocs {
		target := im.addressOf(r.symbol, base)
		if _, table, _ := relocationKind(im.arch, r.kind); table {
			target = base + uint64(im.got[r.symbol])
		}
		apply := applyX86
		if im.arch == "arm64" {
			apply = applyARM
		}
		if !apply(r.kind, out[r.place:], target+uint64(r.addend), base+uint64(r.place)) {
			return nil, fmt.Errorf("the object's relocation for %q is out of reach; split the kernel", im.all[r.symbol].name)
		}
	}
	return out, nil
}

// addressOf is the address of a symbol in an image that starts at base.
func (im *image) addressOf(sym int, base uint64) uint64 {
	s := im.all[sym]
	if s.kind == symAbsolute {
		return s.value
	}
	return base + s.value
}

// relocationKind returns how many bytes a relocation patches, whether it goes
// through the table of addresses, and whether it is known at all.
func relocationKind(arch string, kind uint32) (width int, table, known bool) {
	if arch == "amd64" {
		switch elf.R_X86_64(kind) {
		case elf.R_X86_64_64, elf.R_X86_64_PC64:
			return 8, false, true
		case elf.R_X86_64_PC32, elf.R_X86_64_PLT32:
			return 4, false, true
		case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
			return 4, true, true
		}
		return 0, false, false
	}
	switch elf.R_AARCH64(kind) {
	case elf.R_AARCH64_ABS64, elf.R_AARCH64_PREL64:
		return 8, false, true
	case elf.R_AARCH64_PREL32, elf.R_AARCH64_ADR_PREL_PG_HI21, elf.R_AARCH64_ADD_ABS_LO12_NC,
		elf.R_AARCH64_LDST8_ABS_LO12_NC, elf.R_AARCH64_LDST16_ABS_LO12_NC, elf.R_AARCH64_LDST32_ABS_LO12_NC,
		elf.R_AARCH64_LDST64_ABS_LO12_NC, elf.R_AARCH64_LDST128_ABS_LO12_NC,
		elf.R_AARCH64_CALL26, elf.R_AARCH64_JUMP26:
		return 4, false, true
	case elf.R_AARCH64_ADR_GOT_PAGE, elf.R_AARCH64_LD64_GOT_LO12_NC:
		return 4, true, true
	}
	return 0, false, false
}

// isCall reports whether a relocation is that of a call, or of a jump in its place, which may
// lead to another piece.
func isCall(arch string, kind uint32) bool {
	if arch == "amd64" {
		return elf.R_X86_64(kind) == elf.R_X86_64_PLT32
	}
	return elf.R_AARCH64(kind) == elf.R_AARCH64_CALL26 || elf.R_AARCH64(kind) == elf.R_AARCH64_JUMP26
}

// applyX86 patches the bytes at address place so that they lead to target. It
// reports whether target is within reach.
func applyX86(kind uint32, b []byte, target, place uint64) bool {
	switch elf.R_X86_64(kind) {
	case elf.R_X86_64_64:
		binary.LittleEndian.PutUint64(b, target)
		return true
	case elf.R_X86_64_PC64:
		binary.LittleEndian.PutUint64(b, target-place)
		return true
	}
	return put32(b, int64(target-place)) // all the others are relative and 32 bits wide
}

// put32 stores v if it fits.
func put32(b []byte, v int64) bool {
	binary.LittleEndian.PutUint32(b, uint32(v))
	return v >= math.MinInt32 && v <= math.MaxInt32
}

// applyARM is applyX86 for AArch64, where the bytes are an instruction whose
// immediate field is filled in. Source: ELF for the Arm 64-bit Architecture.
func applyARM(kind uint32, b []byte, target, place uint64) bool {
	const page = 4096
	switch elf.R_AARCH64(kind) {
	case elf.R_AARCH64_ABS64:
		binary.LittleEndian.PutUint64(b, target)
	case elf.R_AARCH64_PREL64:
		binary.LittleEndian.PutUint64(b, target-place)
	case elf.R_AARCH64_PREL32:
		return put32(b, int64(target-place))
	case elf.R_AARCH64_ADR_PREL_PG_HI21, elf.R_AARCH64_ADR_GOT_PAGE:
		pages := int64(target&^(page-1)-place&^(page-1)) / page
		field(b, uint32(pages)&3, 29, 2)
		field(b, uint32(pages>>2), 5, 19)
		return fits(pages, 21)
	case elf.R_AARCH64_ADD_ABS_LO12_NC, elf.R_AARCH64_LDST8_ABS_LO12_NC:
		return low12(b, target, 0)
	case elf.R_AARCH64_LDST16_ABS_LO12_NC:
		return low12(b, target, 1)
	case elf.R_AARCH64_LDST32_ABS_LO12_NC:
		return low12(b, target, 2)
	case elf.R_AARCH64_LDST64_ABS_LO12_NC, elf.R_AARCH64_LD64_GOT_LO12_NC:
		return low12(b, target, 3)
	case elf.R_AARCH64_LDST128_ABS_LO12_NC:
		return low12(b, target, 4)
	default: // a call or jump
		words := int64(target-place) / 4
		field(b, uint32(words), 0, 26)
		return fits(words, 26)
	}
	return true
}

// low12 fills in the low 12 bits of an address, in units of 1<<shift bytes.
func low12(b []byte, target uint64, shift uint) bool {
	offset := uint32(target) & 4095
	field(b, offset>>shift, 10, 12)
	return offset&(1<<shift-1) == 0
}

// field sets n bits of an instruction from bit at on.
func field(b []byte, v uint32, at, n uint) {
	mask := uint32(1)<<n - 1
	word := binary.LittleEndian.Uint32(b)
	binary.LittleEndian.PutUint32(b, word&^(mask<<at)|(v&mask)<<at)
}

// fits reports whether v is a signed number of n bits.
func fits(v int64, n uint) bool {
	limit := int64(1) << (n - 1)
	return v >= -limit && v < limit
}
