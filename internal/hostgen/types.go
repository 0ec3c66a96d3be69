package hostgen

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gotaichi/ti/internal/typed"
)

// scalars are the Go types of scalars.
var scalars = map[typed.Scalar]string{
	typed.Bool: "bool", typed.I8: "int8", typed.I16: "int16", typed.I32: "int32", typed.I64: "int64",
	typed.U8: "uint8", typed.U16: "uint16", typed.U32: "uint32", typed.U64: "uint64",
	typed.F16: "ti.Float16", typed.F32: "float32", typed.F64: "float64",
}

// arrays begin the names that package ti has for vectors and matrices of 2 to 4.
var vectors, matrices = map[typed.Scalar]string{typed.F32: "Vec", typed.F64: "DVec", typed.I32: "IVec", typed.U32: "UVec"},
	map[typed.Scalar]string{typed.F32: "Mat", typed.F64: "DMat"}

// A writer collects the types of a package while it writes them.
type writer struct {
	structs []*typed.Struct // that need a declaration, in the order of their first use
}

// typ is a type in Go. It fails for one that depends on what is not known.
func (w *writer) typ(t typed.Type) (string, error) {
	switch t := t.(type) {
	case typed.FieldType:
		elem, err := w.typ(t.Elem)
		return "ti.Field[" + elem + "]", err
	case typed.NodeType:
		return "*ti.Node", nil
	case typed.Slice:
		elem, err := w.typ(t.Elem)
		return "[]" + elem, err
	case typed.View:
		elem, err := w.typ(t.Elem)
		return "ti.Array[" + elem + "]", err
	case typed.Array:
		if name := alias(t); name != "" {
			return "ti." + name, nil
		}
		elem, err := w.typ(t.Elem)
		return fmt.Sprintf("[%d]%s", t.Len, elem), err
	case *typed.Struct:
		if t.Name == "" {
			return w.body(t)
		}
		if !slices.ContainsFunc(w.structs, func(s *typed.Struct) bool { return s.Name == t.Name }) {
			w.structs = append(w.structs, t)
		}
		return w.structName(t), nil
	case typed.Scalar:
		if name, ok := scalars[t]; ok {
			return name, nil
		}
	}
	return "", fmt.Errorf("its type depends on constants of the host, so this command cannot write it")
}

// alias is the name that package ti has for a vector or matrix; "" if it has none.
func alias(t typed.Array) string {
	if typed.HasStruct(t) {
		return ""
	}
	dims, s := typed.Dims(t), typed.ScalarOf(t)
	square := len(dims) == 2 && dims[0] == dims[1]
	switch names := (map[bool]map[typed.Scalar]string{false: vectors, true: matrices})[square]; {
	case len(dims) > 2 || len(dims) == 2 && !square || dims[0] < 2 || dims[0] > 4 || names[s] == "":
		return ""
	default:
		return fmt.Sprint(names[s], dims[0])
	}
}

// structName is the Go name of a struct of the source, or of a library: RngState for rng.State. Of two that would be
// the same the later one ends in an underscore.
func (w *writer) structName(s *typed.Struct) string {
	taken := map[string]bool{}
	for _, other := range w.structs {
		name := ""
		for part := range strings.FieldsFuncSeq(other.Name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if name == "" || !unicode.IsDigit(rune(part[0])) {
				part = exported(part)
			}
			name += part
		}
		for taken[name] {
			name += "_"
		}
		if other.Name == s.Name {
			return name
		}
		taken[name] = true
	}
	return exported(s.Name) // which is not asked for: typ adds the struct first
}

// body is the type of a struct with its fields written out.
func (w *writer) body(s *typed.Struct) (string, error) {
	var b strings.Builder
	b.WriteString("struct {\n")
	for i, f := range s.Fields {
		t, err := w.typ(f.Type)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.Name, err)
		}
		fmt.Fprintf(&b, "%s %s%s\n", FieldName(s, i), t, tag(FieldName(s, i), f.Name))
	}
	b.WriteString("}")
	return b.String(), nil
}

// FieldName is the Go name of a field of a struct of the source. Two that differ in their first
// letter only are distinguished.
func FieldName(s *typed.Struct, i int) string {
	name := exported(s.Fields[i].Name)
	for _, f := range s.Fields[:i] {
		if exported(f.Name) == name {
			return name + "_"
		}
	}
	return name
}

func tag(name, of string) string {
	if name == of {
		return ""
	}
	return " `ti:\"" + of + "\"`"
}

// exported is a name as Go exports it.
func exported(name string) string {
	if ast.IsExported(name) {
		return name
	}
	r, n := utf8.DecodeRuneInString(name)
	if upper := unicode.ToUpper(r); upper != r {
		return string(upper) + name[n:]
	}
	return "X" + name
}
