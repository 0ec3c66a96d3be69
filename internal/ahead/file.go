package ahead

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/binform"
	"github.com/gotaichi/ti/internal/launch"
)

// ABI is the interface between code and what runs it: the context and the records of tasks, the
// memory of trees, the stack of a task, the descriptors. It changes with any of these, which TestABI checks, and where
// kernels compute something else, such as other random numbers.
const ABI = 19

const format = "ti code 1"

// Ending is that of the names of files.
const Ending = ".ticode"

// ErrFormat is what errors about files wrap, and ErrVersion those about files that are whole
// and belong to another runtime.
var (
	ErrFormat  = errors.New("not a file of kernels compiled ahead of time, or a damaged one")
	ErrVersion = errors.New("compiled by another version of ti")
)

// A Key identifies a kernel: equal keys, equal results.
type Key [sha256.Size]byte

// A Builder collects the kernels of a level. Its methods may be called at once.
type Builder struct {
	mu       sync.Mutex
	level    Level
	about    About
	kernels  map[Key]kernel
	sources  map[Key]int // parts with the declarations of sources
	outlines map[Key]outline
	parts    []string
	at       map[string]int
}

// A Kernel says what code is of.
type Kernel struct {
	Key    Key
	Source Key // of the text that it stands in
	Name   string

	// Free has the fields whose extents the code reads at launch, in the order of their names.
	// The extents of all others are in it.
	Free []Free
}

// A Free is a field whose extents are read at launch. It has those of the field Like, which
// may be the field itself.
type Free struct{ Field, Like string }

// An Outline says what an outline is of: a source that was checked against a host, or an instance of one of its kernels.
type Outline struct {
	Key    Key
	Source Key
	Kernel string   // "" for the source
	Free   []string // fields and arguments whose extents it leaves open
}

// An outline has the number of the part too.
type outline struct {
	Outline
	part int
}

// A source is one whose declarations are in the file.
type source struct {
	key  Key
	part int
}

// A kernel is the code too: what is known of it, its descriptor and its pieces, by number among the parts of
// the file.
type kernel struct {
	Kernel
	about  int
	launch int
	pieces []int
}

// About describes a file to users.
type About struct {
	Version string // of the compiler
	Command string // that made it
}

// NewBuilder begins a file.
func NewBuilder(level Level, about About) *Builder {
	return &Builder{level: level, about: about, kernels: map[Key]kernel{}, sources: map[Key]int{}, outlines: map[Key]outline{}, at: map[string]int{}}
}

// AddPackage adds the declarations of a source.
func (b *Builder) AddPackage(key Key, data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, twice := b.sources[key]; !twice {
		b.sources[key] = b.part(data)
	}
}

// AddOutline adds an outline. One that is there already stays.
func (b *Builder) AddOutline(what Outline, data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, twice := b.outlines[what.Key]; !twice {
		b.outlines[what.Key] = outline{what, b.part(data)}
	}
}

// Add adds a kernel, with what is to be known of it beside its code. One that is there already stays.
func (b *Builder) Add(what Kernel, about []byte, k *launch.Kernel, pieces []launch.Piece) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, twice := b.kernels[what.Key]; twice {
		return
	}
	n := kernel{Kernel: what, about: b.part(about), launch: b.part(k.Append(nil))}
	for _, p := range pieces {
		n.pieces = append(n.pieces, b.part(launch.AppendPieces(nil, []launch.Piece{p})))
	}
	b.kernels[what.Key] = n
}

// Has reports whether there is a kernel of that key.
func (b *Builder) Has(key Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, has := b.kernels[key]
	return has
}

// part returns the number of bytes that the file is to have.
func (b *Builder) part(data []byte) int {
	n, again := b.at[string(data)]
	if !again {
		n = len(b.parts)
		b.at[string(data)] = n
		b.parts = append(b.parts, string(data))
	}
	return n
}

// A table is what stands before the parts.
type table struct {
	sources  []source  // by key
	outlines []outline // by key
	kernels  []kernel  // by key
	sizes    []int     // of parts
}

// AddFile adds the kernels of a file of the same level.
func (b *Builder) AddFile(data string) error {
	f, err := Open(data)
	if err != nil {
		return err
	}
	if f.Level != b.level {
		return fmt.Errorf("it is for %v, not for %v", f.Level, b.level)
	}
	for i := range f.kernels {
		k, pieces, err := f.Find(f.kernels[i].Key)
		if err != nil {
			return err
		}
		b.Add(f.kernels[i].Kernel, []byte(f.parts[f.kernels[i].about]), k, pieces)
	}
	for _, s := range f.sources {
		b.AddPackage(s.key, []byte(f.parts[s.part]))
	}
	for _, o := range f.outlines {
		b.AddOutline(o.Outline, []byte(f.parts[o.part]))
	}
	return nil
}

// Level is what the code is for.
func (b *Builder) Level() Level { return b.level }

// Bytes returns the file.
func (b *Builder) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.table()
	head := binform.Append(nil, t.code)
	body := append(fmt.Appendf(nil, "table %d\n", len(head)), head...)
	for _, p := range t.order {
		body = append(body, b.parts[p]...)
	}
	sum := sha256.Sum256(body)
	out := fmt.Appendf(nil, "%s\nabi %d\nfor %s\nby %q\nwith %q\nsha256 %x\n", format, ABI, b.level, b.about.Version, b.about.Command, sum)
	return append(out, body...)
}

// ordered is a table whose parts are numbered as the kernels need them.
type ordered struct {
	table
	order []int // parts of the builder
}

// table makes the table, in an order that does not depend on that in which kernels were added:
// they are compiled side by side.
func (b *Builder) table() *ordered {
	t := &ordered{}
	for _, k := range b.kernels {
		t.kernels = append(t.kernels, k)
	}
	for key, part := range b.sources {
		t.sources = append(t.sources, source{key, part})
	}
	for _, o := range b.outlines {
		t.outlines = append(t.outlines, o)
	}
	slices.SortFunc(t.sources, func(a, b source) int { return slices.Compare(a.key[:], b.key[:]) })
	slices.SortFunc(t.outlines, func(a, b outline) int { return slices.Compare(a.Key[:], b.Key[:]) })
	slices.SortFunc(t.kernels, func(a, b kernel) int { return slices.Compare(a.Key[:], b.Key[:]) })
	number := map[int]int{}
	place := func(p int) int {
		n, again := number[p]
		if !again {
			n = len(t.order)
			number[p], t.order, t.sizes = n, append(t.order, p), append(t.sizes, len(b.parts[p]))
		}
		return n
	}
	for i := range t.sources {
		t.sources[i].part = place(t.sources[i].part)
	}
	for i := range t.outlines {
		t.outlines[i].part = place(t.outlines[i].part)
	}
	for i := range t.kernels {
		k := &t.kernels[i]
		k.about = place(k.about)
		k.launch, k.pieces = place(k.launch), slices.Clone(k.pieces)
		for j, p := range k.pieces {
			k.pieces[j] = place(p)
		}
	}
	return t
}

func (t *table) code(c *binform.Codec) {
	binform.List(c, &t.sources, func(c *binform.Codec, s *source) {
		codeKey(c, &s.key)
		binform.Number(c, &s.part)
	})
	binform.List(c, &t.outlines, func(c *binform.Codec, o *outline) {
		codeKey(c, &o.Key)
		codeKey(c, &o.Source)
		c.Text(&o.Kernel)
		binform.List(c, &o.Free, func(c *binform.Codec, s *string) { c.Text(s) })
		binform.Number(c, &o.part)
	})
	binform.List(c, &t.kernels, func(c *binform.Codec, k *kernel) {
		codeKey(c, &k.Key)
		codeKey(c, &k.Source)
		c.Text(&k.Name)
		binform.List(c, &k.Free, func(c *binform.Codec, f *Free) {
			c.Text(&f.Field)
			c.Text(&f.Like)
		})
		binform.Number(c, &k.about)
		binform.Number(c, &k.launch)
		binform.List(c, &k.pieces, binform.Number[int])
	})
	binform.List(c, &t.sizes, binform.Number[int])
}

func codeKey(c *binform.Codec, key *Key) {
	text := string(key[:])
	if c.Text(&text); len(text) != len(key) {
		c.Fail("a key has the wrong length")
		return
	}
	copy(key[:], text)
}

// A File is the kernels of one level.
type File struct {
	Level Level
	About
	Size int
	table
	parts []string
}

// Open reads what [Builder.Bytes] wrote.
func Open(data string) (*File, error) {
	f := &File{Size: len(data)}
	var abi, level, version, command, sum string
	rest := data
	for _, line := range []struct {
		prefix string
		to     *string
	}{{format, new(string)}, {"abi ", &abi}, {"for ", &level}, {"by ", &version}, {"with ", &command}, {"sha256 ", &sum}} {
		text, after, ok := strings.Cut(rest, "\n")
		value, is := strings.CutPrefix(text, line.prefix)
		if !ok || !is {
			return nil, ErrFormat
		}
		*line.to, rest = value, after
	}
	var err, bad error
	f.Version, err = strconv.Unquote(version)
	f.Command, bad = strconv.Unquote(command)
	if err != nil || bad != nil {
		return nil, ErrFormat
	}
	if abi != fmt.Sprint(ABI) {
		return nil, fmt.Errorf("%w: %s, whose code has interface %s, and this one has %d", ErrVersion, f.Version, abi, ABI)
	}
	if f.Level, err = ParseLevel(level); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if now := sha256.Sum256([]byte(rest)); hex.EncodeToString(now[:]) != sum {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrFormat)
	}
	return f, f.read(rest)
}

// read reads what the checksum is of.
func (f *File) read(body string) error {
	var t table
	line, rest, _ := strings.Cut(body, "\n")
	var size int
	if _, err := fmt.Sscanf(line, "table %d", &size); err != nil || size < 0 || size > len(rest) {
		return fmt.Errorf("%w: it has no table", ErrFormat)
	}
	if err := binform.Read([]byte(rest[:size]), ErrFormat, t.code); err != nil {
		return err
	}
	rest = rest[size:]
	for _, n := range t.sizes {
		if n < 0 || n > len(rest) {
			return fmt.Errorf("%w: it is cut off", ErrFormat)
		}
		f.parts, rest = append(f.parts, rest[:n]), rest[n:]
	}
	var used []int
	for _, s := range t.sources {
		used = append(used, s.part)
	}
	for _, o := range t.outlines {
		used = append(used, o.part)
	}
	for _, k := range t.kernels {
		used = append(append(used, k.pieces...), k.about, k.launch)
	}
	for _, p := range used {
		if p < 0 || p >= len(f.parts) {
			return fmt.Errorf("%w: there is no part %d", ErrFormat, p)
		}
	}
	f.table = t
	return nil
}

// index is the number of the kernel of a key, and whether there is one.
func (f *File) index(key Key) (int, bool) {
	return slices.BinarySearchFunc(f.kernels, key, func(k kernel, key Key) int { return slices.Compare(k.Key[:], key[:]) })
}

// Find returns the kernel of a key; a nil descriptor if there is none.
func (f *File) Find(key Key) (*launch.Kernel, []launch.Piece, error) {
	i, found := f.index(key)
	if !found {
		return nil, nil, nil
	}
	n := &f.kernels[i]
	k, err := launch.Read([]byte(f.parts[n.launch]))
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var pieces []launch.Piece
	for _, p := range n.pieces {
		one, err := launch.ReadPieces([]byte(f.parts[p]))
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		pieces = append(pieces, one...)
	}
	return k, pieces, nil
}

// find returns the part that one of a list, in the order of keys, has; "" if none has the key.
func find[T any](f *File, all []T, key Key, of func(*T) (Key, int)) (part string, ok bool) {
	i, found := slices.BinarySearchFunc(all, key, func(e T, key Key) int { k, _ := of(&e); return slices.Compare(k[:], key[:]) })
	if !found {
		return "", false
	}
	_, n := of(&all[i])
	return f.parts[n], true
}

// Package returns the declarations of a source.
func (f *File) Package(key Key) (data string, ok bool) {
	return find(f, f.sources, key, func(s *source) (Key, int) { return s.key, s.part })
}

// Outline returns an outline.
func (f *File) Outline(key Key) (data string, ok bool) {
	return find(f, f.outlines, key, func(o *outline) (Key, int) { return o.Key, o.part })
}

// Known returns what is known of a kernel beside its code.
func (f *File) Known(key Key) (data string, ok bool) {
	return find(f, f.kernels, key, func(k *kernel) (Key, int) { return k.Key, k.about })
}

// Kernels lists what there is code of, by key.
func (f *File) Kernels() []Kernel {
	var all []Kernel
	for i := range f.kernels {
		all = append(all, f.kernels[i].Kernel)
	}
	return all
}
