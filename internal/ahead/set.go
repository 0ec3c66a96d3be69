package ahead

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/launch"
)

// A Set is the files that a program has, as far as its machine can use them.
type Set struct {
	files    []*File  // the highest level first
	runs     []Level  // levels that the machine runs
	other    []Level  // of files for other machines
	commands []string // that made the files
}

// NewSet opens files for a machine that runs code of some levels, the best first.
func NewSet(files []string, here []Level) (*Set, error) {
	s := &Set{runs: here}
	for _, data := range files {
		f, err := Open(data)
		if err != nil {
			return nil, err
		}
		if f.Command != "" && !slices.Contains(s.commands, f.Command) {
			s.commands = append(s.commands, f.Command)
		}
		if !slices.Contains(here, f.Level) {
			if !slices.Contains(s.other, f.Level) {
				s.other = append(s.other, f.Level)
			}
			continue
		}
		s.files = append(s.files, f)
	}
	slices.SortStableFunc(s.files, func(a, b *File) int { return slices.Index(here, a.Level) - slices.Index(here, b.Level) })
	return s, nil
}

// Find returns the kernel of a key from the file of the highest level that has it; a nil descriptor
// if none has.
func (s *Set) Find(key Key) (k *launch.Kernel, pieces []launch.Piece, err error) {
	for _, f := range s.files {
		if k, pieces, err = f.Find(key); k != nil || err != nil {
			return k, pieces, err
		}
	}
	return nil, nil, nil
}

// Has reports whether there is a kernel of that key.
func (s *Set) Has(key Key) bool {
	return slices.ContainsFunc(s.files, func(f *File) bool { _, has := f.index(key); return has })
}

// Package returns the declarations of a source, as the file of the highest level has them.
func (s *Set) Package(key Key) (data []byte, ok bool) {
	return s.first(func(f *File) (string, bool) { return f.Package(key) })
}

// Outline returns an outline, as the file of the highest level has it.
func (s *Set) Outline(key Key) (data []byte, ok bool) {
	return s.first(func(f *File) (string, bool) { return f.Outline(key) })
}

// About returns what is known of a kernel beside its code, as [Set.Find] finds it.
func (s *Set) About(key Key) (data []byte, ok bool) {
	return s.first(func(f *File) (string, bool) { return f.Known(key) })
}

func (s *Set) first(of func(*File) (string, bool)) (data []byte, ok bool) {
	for _, f := range s.files {
		if text, ok := of(f); ok {
			return []byte(text), true
		}
	}
	return nil, false
}

// Outlines returns what is left open in the outlines of a source, or of instances of a kernel, each possibility once.
func (s *Set) Outlines(source Key, kernel string) (all [][]string) {
	for _, f := range s.files {
		for i := range f.outlines {
			o := &f.outlines[i]
			if o.Source == source && o.Outline.Kernel == kernel && !slices.ContainsFunc(all, func(v []string) bool { return slices.Equal(v, o.Free) }) {
				all = append(all, o.Free)
			}
		}
	}
	return all
}

// Variants returns what the extents read at launch are in the kernels of that name in a source,
// each possibility once. It is empty for a kernel that no file has.
func (s *Set) Variants(source Key, name string) (all [][]Free) {
	for _, f := range s.files {
		for i := range f.kernels {
			k := &f.kernels[i].Kernel
			if k.Source == source && k.Name == name && !slices.ContainsFunc(all, func(v []Free) bool { return slices.Equal(v, k.Free) }) {
				all = append(all, k.Free)
			}
		}
	}
	return all
}

// Commands are those that made the files, each once.
func (s *Set) Commands() []string { return s.commands }

// Level is the highest level of the files; "" without one for this machine.
func (s *Set) Level() string {
	if len(s.files) == 0 {
		return ""
	}
	return s.files[0].Level.String()
}

// For reports whether there is a file for a level, whether this machine runs it or not.
func (s *Set) For(l Level) bool {
	return slices.Contains(s.other, l) || slices.ContainsFunc(s.files, func(f *File) bool { return f.Level == l })
}

// Unfit says why no file fits this machine; "" if one does.
func (s *Set) Unfit() string {
	if len(s.files) > 0 || len(s.other) == 0 {
		return ""
	}
	machine := "is " + Machine()
	if slices.Contains(s.runs, Wasm) {
		machine = "runs WebAssembly"
	}
	var names []string
	for _, l := range s.other {
		names = append(names, l.String())
	}
	return fmt.Sprintf("this machine %s, and the code is for %s", machine, strings.Join(names, ", "))
}
