package wasm

import (
	"encoding/binary"
	"errors"
	"slices"
)

// importName is that of the memory that modules import, and of what they import it from.
const importName = "ti"

// The sections of a module, by number.
const (
	typeSection   = 1
	importSection = 2
	memorySection = 5
	headBytes     = 8
)

// withImport returns a module which imports the memory that module defines. Kernels in a page have the memory of the program.
func withImport(module []byte) ([]byte, error) {
	if len(module) < headBytes {
		return nil, errDamaged
	}
	out := slices.Clone(module[:headBytes])
	for rest := module[headBytes:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errDamaged
		}
		end := 1 + n + int(size)
		if rest[0] != memorySection {
			out = append(out, rest[:end]...)
		}
		if rest[0] == typeSection {
			out = append(out, importOfMemory()...)
		}
		rest = rest[end:]
	}
	return out, nil
}

var errDamaged = errors.New("a module is damaged")

// importOfMemory is a section with one import: a memory of any size.
func importOfMemory() []byte {
	name := append([]byte{byte(len(importName))}, importName...)
	content := slices.Concat([]byte{1}, name, name, []byte{2, 0, 0})
	return append([]byte{importSection, byte(len(content))}, content...)
}
