package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/npy"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A Session is a source with what is bound to it.
type Session struct {
	Runtime *ti.Runtime
	Package *check.Package
	Fields  map[string]*Field
	Nodes   map[string]*TreeNode // with names, of the trees of -tree
	Trees   []*BoundTree
	sizes   map[string]int // of trees that leave some open
	Host    ti.Bindings
	Parts   map[string]any // of bundles, by path
	Program *ti.Program

	Imported []LibraryFile
}

// A Field is a field of the session.
type Field struct {
	ti.AnyField
	rank int
	elem []int       // lengths of the axes within an element
	kind layout.Kind // of the numbers in an element; not of structs
	home *TreeNode   // of a field in a tree of -tree; nil for others

	Sparse bool // elements may be inactive
}

// Options say what a session is made of.
type Options struct {
	Config    ti.Config
	Files     []string     // of the source
	Sources   []SourceText // in place of Files
	Libraries Libraries
	Trees     []string             // as -tree has them
	Binds     []string             // as -bind has them
	Sizes     map[string]int       // for those that trees leave open
	Place     func(*Session) error // is called before the source is compiled
}

// A SourceText is a file of a source, with the name that messages have for it.
type SourceText struct{ Name, Text string }

// texts reads the files of the source.
func (o *Options) texts() ([]SourceText, error) {
	if len(o.Sources) > 0 {
		return o.Sources, nil
	}
	var all []SourceText
	for _, name := range o.Files {
		text, err := ReadSource(name)
		if err != nil {
			return nil, err
		}
		all = append(all, SourceText{Display(name), string(text)})
	}
	return all, nil
}

// folder is where libraries are looked for.
func (o *Options) folder() string {
	if len(o.Files) == 0 {
		return "."
	}
	return filepath.Dir(o.Files[0])
}

// Open reads and checks a source, and binds it.
func Open(o Options) (*Session, error) {
	given, err := o.texts()
	if err != nil {
		return nil, err
	}
	var texts []ti.Source
	var plain []string
	var files []*syntax.File
	var errs syntax.ErrorList
	for _, g := range given {
		parsed, more := syntax.Parse(g.Name, g.Text, token.Position{})
		if errs = append(errs, more...); parsed != nil {
			files = append(files, parsed)
		}
		texts, plain = append(texts, ti.Text(g.Name, g.Text)), append(plain, g.Text)
	}
	if len(files) < len(given) {
		return nil, errs.Sort()
	}
	imported, more, wrong, err := o.Libraries.Read(files, o.folder())
	if err != nil {
		return nil, err
	}
	errs, files = append(errs, wrong...), append(files, more...)
	pkg, wrong := check.DeclareWith(files, typed.WidthsOf(o.Config.Int, o.Config.Float))
	if len(errs)+len(wrong) > 0 {
		return nil, append(errs, check.Mistakes(files)...).Sort()
	}
	pkg = DeclareBound(pkg, o.Binds)
	rt, err := ti.New(o.Config)
	if err != nil {
		return nil, err
	}
	s := &Session{Runtime: rt, Package: pkg, Fields: map[string]*Field{}, Nodes: map[string]*TreeNode{}, sizes: o.Sizes, Host: ti.Bindings{}, Parts: map[string]any{}, Imported: imported}
	err = cmp.Or(s.buildTrees(o.Trees), s.bindAll(o.Binds))
	if err == nil && o.Place != nil {
		err = o.Place(s)
	}
	if err == nil {
		err = s.placeNamed(plain)
	}
	if err != nil {
		return nil, errors.Join(err, rt.Close())
	}
	if s.Program, err = rt.Compile(joined(texts, imported), s.Host); err != nil {
		s.forCommandLine(err, files)
		return nil, errors.Join(err, rt.Close())
	}
	return s, nil
}

// forCommandLine rewrites errors of binding, which speak to the author of a host
// program, for the author of a command line.
func (s *Session) forCommandLine(err error, files []*syntax.File) {
	var list ti.SourceErrors
	if !errors.As(err, &list) {
		return
	}
	for _, e := range list {
		if !slices.ContainsFunc(files, func(f *syntax.File) bool { return f.Name == e.Pos.Filename }) { // a place in this program
			e.Pos = token.Position{Filename: "-bind"}
		}
		if e.Code != syntax.NotBound {
			continue
		}
		for _, v := range s.Package.Vars {
			if v.Pos.Line != e.Pos.Line || v.Pos.Column != e.Pos.Column {
				continue
			}
			if f, isField := v.Type.(typed.FieldType); isField {
				rank := f.Rank
				if rank < 0 { // any will do
					rank = 1
				}
				e.Help = fmt.Sprintf("give it a shape, as in -bind %s=%s, an .npy file or a picture", v.Name, ShapeText(rank))
			} else if _, isNode := v.Type.(typed.NodeType); isNode {
				e.Help = "describe its tree, as in " + treeExample(v.Name)
			} else if IsBundle(v.Type) {
				e.Help = fmt.Sprintf("bind each of its parts, as in -bind %s=…", firstPart(v.Type, v.Name))
			} else if value, err := ConstGuess(v.Type); err == nil {
				e.Help = fmt.Sprintf("give it a value, as in -bind %s=%s", v.Name, value)
			}
		}
	}
}

// bindAll binds names as in "Pixels=1024x512".
func (s *Session) bindAll(binds []string) error {
	for _, b := range binds {
		name, what, ok := strings.Cut(b, "=")
		if !ok {
			return fmt.Errorf("-bind %s has no value; write -bind %s=1024x512 for a field, -bind %s=1.5 for a constant", b, name, name)
		}
		if isPart, err := s.bindPart(name, what); isPart {
			if err != nil {
				return fmt.Errorf("-bind %s: %w", b, err)
			}
			continue
		}
		i := s.VarNamed(name)
		if i < 0 {
			whole, _, _ := strings.Cut(strings.ReplaceAll(name, "[", "."), ".")
			if i = s.VarNamed(whole); i >= 0 {
				if err := DependsOnConstants(s.Package, s.Package.Vars[i].Type); err != nil {
					return fmt.Errorf("-bind %s: %w", name, err)
				}
				if why := Unbindable(whole, s.Package.Vars[i].Type); why != "" {
					return fmt.Errorf("-bind %s: %s is %s", name, whole, why)
				}
			}
			return fmt.Errorf("-bind %s: the source has no var %s; it has %s", b, name, s.VarNames())
		}
		if f := s.Fields[name]; f != nil && f.home != nil {
			if err := f.load(what); err != nil {
				return fmt.Errorf("-bind %s: %w", b, err)
			}
			continue
		}
		if n := s.Nodes[name]; n != nil {
			if !isTreeFile(what) {
				return fmt.Errorf("-bind %s: -tree describes the node; what can be bound to it is a saved tree (%s)", b, TreeEnding)
			}
			if err := loadTree(n.Tree.Tree, what); err != nil {
				return fmt.Errorf("-bind %s: %w", b, err)
			}
			continue
		}
		if _, twice := s.Host[name]; twice {
			return fmt.Errorf("-bind %s is given twice", name)
		}
		var err error
		switch t := s.Package.Vars[i].Type.(type) {
		case typed.FieldType:
			err = s.bindField(name, t, what)
		default:
			if why := Unbindable(name, t); why != "" {
				return fmt.Errorf("-bind %s: it is %s", name, why)
			}
			err = s.bindConst(name, t, what)
		}
		if err != nil {
			return fmt.Errorf("-bind %s: %w", name, err)
		}
	}
	return s.bundles()
}

// Unbindable says what a var of that name and type is if the command line cannot bind it, and
// else nothing.
func Unbindable(name string, t typed.Type) string {
	switch t.(type) {
	case typed.FieldType:
		return ""
	case typed.NodeType:
		return "a node; describe its tree, as in " + treeExample(name)
	}
	if IsBundle(t) {
		return "a bundle of several things; bind each of its parts, as in -bind " + firstPart(t, name) + "=…"
	}
	return ""
}

// VarNamed is the number of the var of that name, -1 if there is none.
func (s *Session) VarNamed(name string) int {
	return slices.IndexFunc(s.Package.Vars, func(v *check.VarDecl) bool { return v.Name == name })
}

// VarNames lists the vars of the source.
func (s *Session) VarNames() string {
	var names []string
	for _, v := range s.Package.Vars {
		names = append(names, v.Name)
	}
	return Listed(names)
}

func (s *Session) bindConst(name string, t typed.Type, text string) error {
	if err := DependsOnConstants(s.Package, t); err != nil {
		return err
	}
	v, err := constValue(t, text)
	if err != nil {
		return err
	}
	s.Host[name] = v.Interface()
	return nil
}

// constValue reads a value of a type.
func constValue(t typed.Type, text string) (v reflect.Value, err error) {
	gt, _, err := GoType(t)
	if err != nil {
		return v, err
	}
	vs, err := parseValues(text)
	if err != nil {
		return v, err
	}
	if len(vs) != 1 {
		return v, fmt.Errorf("%q is not one value; a vector is written [1, 2, 3]", text)
	}
	if vs[0], err = vs[0].eval(nil); err != nil {
		return v, err
	}
	return vs[0].goValue(gt)
}

// bindField makes a field of the shape, or with the contents, that text names.
func (s *Session) bindField(name string, f typed.FieldType, text string) error {
	if err := DependsOnConstants(s.Package, f); err != nil {
		return err
	}
	gt, elem, err := elemType(f.Elem)
	if err != nil {
		return err
	}
	b := &Field{elem: elem, kind: kindOf(gt)}
	shape, isShape := ParseShape(text)
	var data *tensor
	switch {
	case isShape:
	case isStruct(gt):
		data = &tensor{}
		if shape, data.data, err = b.readStructs(text, gt); err != nil {
			return err
		}
	default:
		if data, err = b.read(text, f.Elem); err != nil {
			return err
		}
		shape = data.shape[:len(data.shape)-len(elem)]
	}
	b.rank = len(shape)
	b.AnyField = ti.NewFieldOf(s.Runtime, gt, shape...)
	s.Fields[name], s.Host[name] = b, b.AnyField
	if data == nil {
		return nil
	}
	_, err = b.ReadFrom(bytes.NewReader(data.data))
	return err
}

// readStructs reads a file with structs of type t.
func (b *Field) readStructs(name string, t reflect.Type) (shape []int, data []byte, err error) {
	if !strings.EqualFold(filepath.Ext(name), ".npy") || t.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("%q is no shape, such as 1024, and its elements are structs, which only a file of structs holds (.npy)", name)
	}
	return readRecords(name, t)
}

// read reads a file with elements of type t.
func (b *Field) read(name string, t any) (*tensor, error) {
	data, err := readTensor(name, b.kind, b.elem)
	if err != nil {
		return nil, err
	}
	if data.kind != b.kind {
		return nil, fmt.Errorf("%s holds %v, but the field's elements are %s", name, data.kind, t)
	}
	outer := len(data.shape) - len(b.elem)
	if outer < 0 || !slices.Equal(data.shape[outer:], b.elem) {
		return nil, fmt.Errorf("%s has shape %v; for elements of type %s the last axes have to be %v", name, data.shape, t, b.elem)
	}
	return data, nil
}

// ParseShape reads "scalar", "1024" or "1024x512".
func ParseShape(text string) (shape []int, ok bool) {
	if text == "scalar" {
		return []int{}, true
	}
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, true
}

// readTensor reads a file by the ending of its name.
func readTensor(name string, kind layout.Kind, elem []int) (*tensor, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".npy":
		return readNPY(name)
	case ".png", ".jpg", ".jpeg", ".gif":
		return readImage(name, kind, elem)
	}
	return nil, fmt.Errorf("%q is neither a shape (scalar, 1024, 1024x512) nor a file of a known kind (.npy, .png, .jpg, .gif)", name)
}

// tensor returns the contents of a field.
func (b *Field) tensor() (*tensor, error) {
	if err := fits("all of it", numbers(append(slices.Clone(b.Shape()), b.elem...)...), float64(b.kind.Size())); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if _, err := b.WriteTo(&buf); err != nil {
		return nil, err
	}
	return &tensor{b.kind, append(slices.Clone(b.Shape()), b.elem...), buf.Bytes()}, nil
}

// Savable says what stands against writing the field to a file of that name.
func (b *Field) Savable(name string) error {
	if isStruct(b.Elem()) {
		switch {
		case !strings.EqualFold(filepath.Ext(name), ".npy"):
			return fmt.Errorf("its elements are structs, which only .npy holds; save a member, such as %s", ti.Members(b.AnyField)[0].Name())
		case b.Elem().Kind() != reflect.Struct:
			return fmt.Errorf("its elements are arrays of structs, which no file holds")
		}
		return b.writable()
	}
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".npy":
		return b.writable()
	case ".png":
		return cmp.Or(canBePicture(b.kind, b.rank, b.elem), b.writable(), fits("the picture", numbers(b.Shape()...), 8))
	default:
		return fmt.Errorf("files end in .npy or .png, or for a whole tree in %s, not in %q", TreeEnding, ext)
	}
}

// Save writes a field to a file by the ending of its name; of a file that could
// not be written whole nothing stays.
func (b *Field) Save(name string) error {
	write := b.writeNPY
	if !strings.EqualFold(filepath.Ext(name), ".npy") {
		buf, err := b.encodePNG()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		write = buf.WriteTo
	}
	if err := fillFile(name, write); err != nil {
		return fmt.Errorf("the result is not saved: %w; make room, or name another file", err)
	}
	return nil
}

// writeNPY writes all elements, and the header of the format before them.
func (b *Field) writeNPY(w io.Writer) (int64, error) {
	start := []byte(nil)
	if isStruct(b.Elem()) {
		descr, _ := npyRecord(b.Elem())
		start = npy.Start(descr, b.Shape())
	} else {
		start = npy.Start("'"+npy.Code(b.kind)+"'", append(slices.Clone(b.Shape()), b.elem...))
	}
	if _, err := w.Write(start); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}

// WriteFile is os.WriteFile that leaves no half of a file behind.
func WriteFile(name string, data []byte) error {
	return fillFile(name, bytes.NewReader(data).WriteTo)
}

// fillFile makes a file of what write writes; if that fails, no half of it stays.
func fillFile(name string, write func(w io.Writer) (int64, error)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	info, statErr := f.Stat()
	_, err = write(f)
	if err = errors.Join(err, f.Close()); err != nil && statErr == nil && info.Mode().IsRegular() {
		os.Remove(name) // its error says nothing that err does not
	}
	return err
}

// Field finds a bound field.
func (s *Session) Field(name string) (*Field, error) {
	if f := s.Fields[name]; f != nil {
		return f, nil
	}
	if f := s.member(name); f != nil {
		return f, nil
	}
	var names []string
	for _, v := range s.Package.Vars {
		if s.Fields[v.Name] != nil {
			names = append(names, v.Name)
		}
	}
	return nil, fmt.Errorf("the source has no field %s; it has %s", name, Listed(names))
}
