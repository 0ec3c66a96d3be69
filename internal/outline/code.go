package outline

import (
	"errors"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/binform"
	"github.com/gotaichi/ti/internal/typed"
)

// ErrFormat is the error for bytes that are no outline.
var ErrFormat = errors.New("no outline of this version, or a damaged one")

const (
	magic   = "ti outline "
	version = 1
)

// Append appends the binary form of p to b.
func (p *Package) Append(b []byte) []byte { return binform.Append(b, p.code) }

// ReadPackage reads what [Package.Append] wrote.
func ReadPackage(data []byte) (*Package, error) {
	p := &Package{}
	if err := binform.Read(data, ErrFormat, p.code); err != nil {
		return nil, err
	}
	return p, nil
}

// Append appends the binary form of p to b.
func (p *Program) Append(b []byte) []byte { return binform.Append(b, p.code) }

// Read reads what [Program.Append] wrote.
func Read(data []byte) (*Program, error) {
	p := &Program{}
	if err := binform.Read(data, ErrFormat, p.code); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Package) code(c *binform.Codec) {
	c.Header(magic, version)
	t := &types{}
	c.Text(&p.Name)
	pointers(c, &p.Vars, func(c *binform.Codec, v *VarDecl) {
		c.Text(&v.Name)
		codePosition(c, &v.Pos)
		t.code(c, &v.Type)
	})
	params := func(c *binform.Codec, d *ParamDecl) {
		c.Text(&d.Name)
		t.code(c, &d.Type)
	}
	pointers(c, &p.Kernels, func(c *binform.Codec, k *KernelDecl) {
		c.Text(&k.Name)
		codePosition(c, &k.Pos)
		c.Text(&k.Text)
		binform.List(c, &k.Params, params)
		binform.List(c, &k.Results, params)
	})
}

func (p *Program) code(c *binform.Codec) {
	c.Header(magic, version)
	t := &types{}
	fields := p.all() // none when reading
	pointers(c, &fields, t.field)
	some := func(list *[]*typed.Field) {
		binform.List(c, list, func(c *binform.Codec, f **typed.Field) {
			n := slices.Index(fields, *f) // -1 for nil
			if binform.Number(c, &n); n >= len(fields) {
				c.Fail("there is no such field")
			} else if n >= 0 {
				*f = fields[n]
			}
		})
	}
	vars := func(list *[]*typed.Var) {
		pointers(c, list, func(c *binform.Codec, v *typed.Var) {
			c.Text(&v.Name)
			t.code(c, &v.Type)
			codePosition(c, &v.Pos)
			c.Flags(&v.Indexed, &v.Assigned, &v.Reduced, &v.Outer, &v.Param)
		})
	}
	some(&p.Fields)
	some(&p.Args)
	pointers(c, &p.Kernels, func(c *binform.Codec, k *Kernel) {
		c.Text(&k.Name)
		codePosition(c, &k.Pos)
		vars(&k.Params)
		vars(&k.Results)
		binform.List(c, &k.Consts, func(c *binform.Codec, s *string) { c.Text(s) })
		some(&k.Fields)
		some(&k.Fixed)
		some(&k.Extrema)
		c.Flags(&k.Accumulates, &k.OldValues)
	})
	binform.List(c, &p.Prints, func(c *binform.Codec, p *Print) {
		codePosition(c, &p.Pos)
		c.Text(&p.Text)
	})
}

// pointers is a list of what is pointed to.
func pointers[T any](c *binform.Codec, s *[]*T, element func(*binform.Codec, *T)) {
	binform.List(c, s, func(c *binform.Codec, e **T) {
		if *e == nil {
			*e = new(T)
		}
		element(c, *e)
	})
}

func codePosition(c *binform.Codec, p *token.Position) {
	c.Text(&p.Filename)
	binform.Number(c, &p.Offset)
	binform.Number(c, &p.Line)
	binform.Number(c, &p.Column)
}

// types has the structs of one outline, which are the same type where they are the same pointer.
type types struct{ structs []*typed.Struct }

// scalars are all that a type can be.
var scalars = append(typed.Scalars(), typed.Unknown, typed.UntypedInt, typed.UntypedFloat)

// The kinds of types, and none.
const (
	noType = iota
	scalarType
	arrayType
	structType
	sliceType
	viewType
	refType
	fieldType
	nodeType
	funcType
	templateType
)

func kindOf(t typed.Type) int {
	switch t.(type) {
	case typed.Scalar:
		return scalarType
	case typed.Array:
		return arrayType
	case *typed.Struct:
		return structType
	case typed.Slice:
		return sliceType
	case typed.View:
		return viewType
	case typed.Ref:
		return refType
	case typed.FieldType:
		return fieldType
	case typed.NodeType:
		return nodeType
	case typed.FuncType:
		return funcType
	case typed.TemplateType:
		return templateType
	}
	return noType
}

// code is a type. When it is read, t is nil before.
func (ts *types) code(c *binform.Codec, t *typed.Type) {
	kind := kindOf(*t)
	binform.Number(c, &kind)
	switch kind {
	case noType:
	case scalarType:
		s, _ := (*t).(typed.Scalar)
		binform.Number(c, &s)
		if !slices.Contains(scalars, s) {
			c.Fail("there is no such type")
			s = typed.Unknown
		}
		*t = s
	case arrayType:
		a, _ := (*t).(typed.Array)
		ts.code(c, &a.Elem)
		binform.Number(c, &a.Len)
		*t = a
	case structType:
		s, _ := (*t).(*typed.Struct)
		*t = ts.structure(c, s)
	case sliceType:
		s, _ := (*t).(typed.Slice)
		ts.code(c, &s.Elem)
		*t = s
	case viewType:
		v, _ := (*t).(typed.View)
		ts.code(c, &v.Elem)
		binform.Number(c, &v.Rank)
		*t = v
	case refType:
		r, _ := (*t).(typed.Ref)
		ts.code(c, &r.Elem)
		*t = r
	case fieldType:
		f, _ := (*t).(typed.FieldType)
		ts.code(c, &f.Elem)
		binform.Number(c, &f.Rank)
		*t = f
	case nodeType:
		*t = typed.NodeType{}
	case funcType:
		f, _ := (*t).(typed.FuncType)
		c.Text(&f.Params)
		c.Text(&f.Results)
		*t = f
	case templateType:
		*t = typed.TemplateType{}
	default:
		c.Fail("there is no such kind of type")
	}
}

// structure is a struct, or the number of one that was met before.
func (ts *types) structure(c *binform.Codec, s *typed.Struct) *typed.Struct {
	n := len(ts.structs)
	if i := slices.Index(ts.structs, s); i >= 0 {
		n = i
	}
	if binform.Number(c, &n); n >= 0 && n < len(ts.structs) {
		return ts.structs[n]
	}
	if s == nil {
		s = &typed.Struct{}
	}
	if n != len(ts.structs) {
		c.Fail("there is no such struct")
		return s
	}
	ts.structs = append(ts.structs, s)
	c.Text(&s.Name)
	binform.Number(c, &s.Nesting)
	binform.List(c, &s.Fields, func(c *binform.Codec, f *typed.StructField) {
		c.Text(&f.Name)
		ts.code(c, &f.Type)
		binform.Number(c, &f.First)
	})
	return s
}

func (ts *types) field(c *binform.Codec, f *typed.Field) {
	c.Text(&f.Name)
	codePosition(c, &f.Pos)
	binform.Number(c, &f.Index)
	ts.code(c, &f.Elem)
	binform.Number(c, &f.Rank)
	binform.List(c, &f.Shape, binform.Number[int])
	binform.List(c, &f.Origin, binform.Number[int])
	binform.Number(c, &f.Node)
	c.Flags(&f.Sparse, &f.List, &f.Unbounded, &f.Symbolic)
	binform.List(c, &f.Comps, binform.Number[int])
}
