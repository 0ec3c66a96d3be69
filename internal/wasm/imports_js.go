package wasm

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
)

// importName is that of the memory that modules import from [launch.ModuleHost].
const importName = "memory"

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
	out, imports := slices.Clone(module[:headBytes]), false
	for rest := module[headBytes:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errDamaged
		}
		end := 1 + n + int(size)
		switch content := rest[1+n : end]; {
		case rest[0] == importSection && size > 0 && content[0] < 0x7f:
			out, imports = append(out, withMemory(content[0], content[1:])...), true
		case rest[0] == memorySection:
			if !imports { // it comes before the sections of functions, and these before that of memories
				return nil, errDamaged
			}
		default:
			out = append(out, rest[:end]...)
		}
		rest = rest[end:]
	}
	return out, nil
}

var errDamaged = errors.New("a module is damaged")

// withMemory is a section with so many imports, to which that of a memory of any size is added.
func withMemory(imports byte, rest []byte) []byte {
	content := append([]byte{imports + 1}, rest...)
	for _, name := range []string{launch.ModuleHost, importName} {
		content = append(append(content, byte(len(name))), name...)
	}
	content = append(content, 2, 0, 0)
	return append(binary.AppendUvarint([]byte{importSection}, uint64(len(content))), content...)
}
