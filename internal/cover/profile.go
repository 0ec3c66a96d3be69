package cover

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Profile is how often blocks of files were executed.
type Profile struct {
	files map[string]map[span]*total
}

// A span is a block within its file.
type span struct{ line, col, endLine, endCol int }

type total struct {
	stmts int
	count uint64
}

// Add adds the counts of a block; the file is a name that go tool cover finds. A
// Position's offset is of no account.
func (p *Profile) Add(file string, b Block, count uint64) {
	p.add(file, span{b.From.Line, b.From.Column, b.To.Line, b.To.Column}, b.Stmts, count)
}

func (p *Profile) add(file string, s span, stmts int, count uint64) {
	if p.files == nil {
		p.files = map[string]map[span]*total{}
	}
	blocks := p.files[file]
	if blocks == nil {
		blocks = map[span]*total{}
		p.files[file] = blocks
	}
	t := blocks[s]
	if t == nil {
		t = &total{stmts: stmts}
		blocks[s] = t
	}
	if t.count += count; t.count < count {
		t.count = ^uint64(0)
	}
}

const modeLine = "mode: count"

// Write writes p in the format of go tool cover.
func (p *Profile) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, modeLine)
	for _, file := range sortedKeys(p.files, cmp.Compare[string]) {
		for _, s := range sortedKeys(p.files[file], compareSpans) {
			t := p.files[file][s]
			fmt.Fprintf(out, "%s:%d.%d,%d.%d %d %d\n", file, s.line, s.col, s.endLine, s.endCol, t.stmts, t.count)
		}
	}
	return out.Flush() // which remembers the first failure
}

func compareSpans(a, b span) int {
	return cmp.Or(a.line-b.line, a.col-b.col, a.endLine-b.endLine, a.endCol-b.endCol)
}

func sortedKeys[K comparable, V any](m map[K]V, less func(a, b K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, less)
	return keys
}

// Read reads what Write has written.
func Read(r io.Reader) (*Profile, error) {
	in := bufio.NewScanner(r)
	p := &Profile{}
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		if n == 1 {
			if line != modeLine {
				return nil, fmt.Errorf("line 1 is not %q", modeLine)
			}
			continue
		}
		i := strings.LastIndexByte(line, ':')
		var s span
		var stmts int
		var count uint64
		if i >= 0 {
			if _, err := fmt.Sscanf(line[i+1:], "%d.%d,%d.%d %d %d", &s.line, &s.col, &s.endLine, &s.endCol, &stmts, &count); err != nil {
				i = -1
			}
		}
		if i < 0 {
			return nil, fmt.Errorf("line %d is no block of a coverage profile", n)
		}
		p.add(line[:i], s, stmts, count)
	}
	return p, in.Err()
}

// Save adds p to the profile in a file, or makes the file. Of a source that p
// knows, blocks that p has not are dropped: the source has changed.
func (p *Profile) Save(name string) error {
	old, err := load(name)
	if err != nil {
		return err
	}
	for file, blocks := range old.files {
		for s, t := range blocks {
			if known := p.files[file]; known == nil || known[s] != nil {
				p.add(file, s, t.stmts, t.count)
			}
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(p.Write(tmp), tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(tmp.Name()))
	}
	return err
}

// mostProfile is the size in bytes of the largest profile that is read, far beyond any real one.
const mostProfile = 256 << 20

// load reads a profile; a file that does not exist, or is empty, holds none.
func load(name string) (*Profile, error) {
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Profile{}, nil
	case err != nil:
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // Save would replace it by a file
		return nil, fmt.Errorf("%s is a folder, device or pipe, and is left as it is; name a file", name)
	case info.Size() == 0:
		return &Profile{}, nil
	}
	in := &io.LimitedReader{R: f, N: mostProfile}
	p, err := Read(in)
	if err == nil && in.N == 0 {
		err = fmt.Errorf("it has %d bytes or more", mostProfile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no coverage profile in mode count, and is left as it is: %w; name another file", name, err)
	}
	return p, nil
}

// FileName is the name of a source's file as go tool cover takes it for a file:
// absolute. Relative names are looked up in the given folders, the working
// directory being "". ok is false if there is no such file with that text.
func FileName(name string, matches func(text string) bool, dirs ...string) (path string, ok bool) {
	if filepath.IsAbs(name) {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		abs, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil || name == "" {
			continue
		}
		if data, err := os.ReadFile(abs); err == nil && matches(string(data)) {
			return abs, true
		}
	}
	return "", false
}
