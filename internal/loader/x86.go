package loader

// An instruction of x86-64, as far as cutting needs to know it.
type instruction struct {
	size  int
	disp  int // where the displacement from the next instruction lies; 0 if there is none
	reads int // the bytes of memory that it reads, at most
}

// Encodings of an instruction: with a legacy prefix, or with VEX or EVEX in its place.
type encoding uint8

const (
	legacy encoding = iota
	vex
	evex
)

// An x86Decoder finds out how long an instruction is (Intel's Software Developer's Manual,
// volume 2, chapter 2 and appendix A). It knows what compilers make for 64-bit mode.
type x86Decoder struct {
	code []byte
	at   int
	cut  bool // the code ends within the instruction

	encoding  encoding
	opmap     byte // 0 to 3: one byte, 0F, 0F 38, 0F 3A; 5 and 6: those of EVEX for f16
	opcode    byte
	wide      bool // REX.W
	narrow    bool // the prefix 66
	length    byte // of the vectors: 0 for 128 bits, 1 for 256, 2 for 512
	broadcast bool // of one element in memory
}

// decodeX86 returns the first instruction of code, and whether it is one.
func decodeX86(code []byte) (instruction, bool) {
	d := &x86Decoder{code: code}
	if !d.prefixes() {
		return instruction{}, false
	}
	modrm, immediate, known := d.operands()
	if !known {
		return instruction{}, false
	}
	in := instruction{reads: d.reads()}
	if modrm {
		reg := d.peek() >> 3 & 7
		in.disp = d.operand()
		if d.encoding == legacy && d.opmap == 0 && d.opcode&^1 == 0xf6 && reg < 2 { // test
			immediate = d.sized(d.opcode)
		}
	}
	d.at += immediate
	in.size = d.at
	return in, !d.cut && d.at <= len(code) && d.at <= 15
}

// peek returns the next byte, next takes it.
func (d *x86Decoder) peek() byte {
	if d.at >= len(d.code) {
		d.cut = true
		return 0
	}
	return d.code[d.at]
}

func (d *x86Decoder) next() byte {
	b := d.peek()
	d.at++
	return b
}

// prefixes reads up to the opcode, with it.
func (d *x86Decoder) prefixes() bool {
	for !d.cut {
		b := d.next()
		switch {
		case b == 0x66:
			d.narrow = true
		case b == 0xf2 || b == 0xf3 || b == 0xf0 || b == 0x2e || b == 0x36 || b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65:
		case b&0xf0 == 0x40:
			d.wide = b&8 != 0
		case b == 0xc5:
			d.encoding, d.opmap = vex, 1
			d.length = d.next() >> 2 & 1
			d.opcode = d.next()
			return true
		case b == 0xc4:
			d.encoding, d.opmap = vex, d.next()&0x1f
			d.length = d.next() >> 2 & 1
			d.opcode = d.next()
			return true
		case b == 0x62:
			d.encoding, d.opmap = evex, d.next()&7
			d.next()
			last := d.next()
			d.length, d.broadcast = last>>5&3, last&0x10 != 0
			d.opcode = d.next()
			return true
		case b == 0x0f:
			d.opmap, d.opcode = 1, d.next()
			switch d.opcode {
			case 0x38:
				d.opmap, d.opcode = 2, d.next()
			case 0x3a:
				d.opmap, d.opcode = 3, d.next()
			}
			return true
		default:
			d.opcode = b
			return true
		}
	}
	return false
}

// sized is the size of an immediate value that follows the operands' size.
func (d *x86Decoder) sized(opcode byte) int {
	switch {
	case opcode&1 == 0:
		return 1
	case d.narrow && !d.wide:
		return 2
	}
	return 4
}

// operands says whether the opcode is followed by operands, and by how many bytes after them.
func (d *x86Decoder) operands() (modrm bool, immediate int, known bool) {
	op := d.opcode
	switch d.opmap {
	case 0:
		return d.oneByte()
	case 1:
		switch {
		case op == 0x77 && d.encoding != evex, op == 0x05 || op == 0x0b, d.encoding == legacy && (op >= 0x30 && op <= 0x37 || op >= 0xc8 && op <= 0xcf || op&0xf7 >= 0xa0 && op&0xf7 <= 0xa2):
			return false, 0, true
		case op >= 0x80 && op <= 0x8f && d.encoding == legacy:
			return false, 4, true
		case op >= 0x70 && op <= 0x73, op == 0xc2, op >= 0xc4 && op <= 0xc6, d.encoding == legacy && (op == 0xa4 || op == 0xac || op == 0xba):
			return true, 1, true
		}
		return true, 0, op > 0x0b
	case 2:
		return true, 0, true
	case 3:
		return true, 1, true
	case 5, 6:
		return true, 0, d.encoding == evex
	}
	return false, 0, false
}

// oneByte is form for the opcodes of one byte.
func (d *x86Decoder) oneByte() (modrm bool, immediate int, known bool) {
	op := d.opcode
	switch {
	case op < 0x40:
		switch op & 7 {
		case 0, 1, 2, 3:
			return true, 0, true
		case 4, 5:
			return false, d.sized(op), true
		}
	case op >= 0x50 && op <= 0x5f, op >= 0x90 && op <= 0x99, op >= 0xa4 && op <= 0xa7, op >= 0xaa && op <= 0xaf,
		op == 0xc3, op == 0xc9, op == 0xcc, op == 0xf4, op >= 0xf8 && op <= 0xfd:
		return false, 0, true
	case op == 0x63, op >= 0x84 && op <= 0x8f, op >= 0xd0 && op <= 0xd3, op >= 0xd8 && op <= 0xdf, op >= 0xf6 && op <= 0xf7, op >= 0xfe:
		return true, 0, true
	case op == 0x69 || op == 0x81 || op == 0xc7:
		return true, d.sized(op), true
	case op == 0x6b || op == 0x80 || op == 0x83 || op == 0xc0 || op == 0xc1 || op == 0xc6:
		return true, 1, true
	case op == 0x68 || op == 0xa9:
		return false, d.sized(1), true
	case op == 0xe8 || op == 0xe9:
		return false, 4, true
	case op == 0x6a, op >= 0x70 && op <= 0x7f, op == 0xa8, op >= 0xb0 && op <= 0xb7, op >= 0xe0 && op <= 0xe3, op == 0xeb:
		return false, 1, true
	case op >= 0xb8 && op <= 0xbf:
		if d.wide {
			return false, 8, true
		}
		return false, d.sized(1), true
	case op == 0xc2:
		return false, 2, true
	}
	return false, 0, false
}

// operand reads the byte that encodes the operands, and what belongs to it. It returns where
// the displacement from the next instruction lies, or 0.
func (d *x86Decoder) operand() (disp int) {
	b := d.next()
	mod, rm := b>>6, b&7
	if mod == 3 {
		return 0
	}
	base := byte(0)
	if rm == 4 {
		base = d.next() & 7
	}
	switch {
	case mod == 1:
		d.at++
	case mod == 2 || rm == 4 && base == 5:
		d.at += 4
	case rm == 5:
		disp = d.at
		d.at += 4
	}
	return disp
}

// reads returns how many bytes of memory the instruction reads, at most.
func (d *x86Decoder) reads() int {
	vector := 16 << d.length
	switch {
	case d.encoding != legacy && d.opmap == 2 && d.opcode == 0x78, // vpbroadcastb
		d.opmap == 3 && d.opcode == 0x20,                                               // pinsrb
		d.encoding == legacy && d.opmap == 1 && (d.opcode == 0xb6 || d.opcode == 0xbe): // movzx, movsx
		return 1
	case d.encoding != legacy && d.opmap == 2 && d.opcode == 0x79, // vpbroadcastw
		d.opmap == 1 && d.opcode == 0xc4,                                               // pinsrw
		d.encoding == legacy && d.opmap == 1 && (d.opcode == 0xb7 || d.opcode == 0xbf), // movzx, movsx
		d.broadcast && d.opmap >= 5:
		return 2
	case d.broadcast:
		return 8
	case d.encoding == evex && d.length == 3: // the bits stand for a way to round
		return 64
	}
	return vector
}
