package llvm

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
)

// Identity distinguishes the library in a file from others that generate other code, without
// opening it as a library: by its path, size, time and, in an ELF file, build ID. Links are
// followed, so that an update of the package behind them shows.
func Identity(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("libLLVM at %s: %w", path, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("libLLVM at %s: %w", path, err)
	}
	return fmt.Sprintf("%s %d bytes %d %x", real, info.Size(), info.ModTime().UnixNano(), buildID(real)), nil
}

// Identity is that of the library's file. A library that the system has found by a bare
// name has none.
func (l *Lib) Identity() (string, error) { return l.identity() }

// buildID reads the note that linkers leave in ELF files; nil if there is none.
func buildID(path string) []byte {
	const noteBuildID = 3
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	data, err := s.Data()
	if err != nil || len(data) < 16 {
		return nil
	}
	name, size := f.ByteOrder.Uint32(data), f.ByteOrder.Uint32(data[4:])
	if f.ByteOrder.Uint32(data[8:]) != noteBuildID || name != 4 || !bytes.HasPrefix(data[12:], []byte("GNU\x00")) || uint64(size) > uint64(len(data)-16) {
		return nil
	}
	return data[16 : 16+size : 16+size]
}

// describe appends all of o that code depends on.
func (o *Options) describe(b []byte, triple, cpu, features string) []byte {
	return fmt.Appendf(b, "triple %q cpu %q features %q level %d passes %q late %q %q novector %v frame %d\n",
		triple, cpu, features, o.OptLevel, o.Passes, o.InlineLate, o.LatePasses, o.NoVector, o.MaxFrame)
}

// Key appends to b all that the code of a source depends on beside its text: the library,
// the target and the pipelines.
func (l *Lib) Key(b []byte, o Options) ([]byte, error) {
	id, err := l.Identity()
	if err != nil {
		return nil, err
	}
	b = append(b, id...)
	b = fmt.Appendf(b, " %q\n", l.version.mending())
	triple, cpu, features := l.target(o)
	return o.describe(b, triple, cpu, features), nil
}

// target returns the processor and features that code is for.
func (l *Lib) target(o Options) (triple, cpu, features string) {
	if triple = o.Triple; triple == "" {
		triple = l.triple
	}
	switch {
	case o.CPU != "":
		return triple, o.CPU, o.Features
	case o.Features != "":
		return triple, l.cpu, o.Features
	}
	return triple, l.cpu, l.attrs
}
