package doctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/document"
	"github.com/gotaichi/ti/internal/typed"
)

// configure takes what the comment above a block says: what is bound, by path, the trees, and words
// that change how it runs.
func configure(b *document.Block, cfg *ti.Config) (binds map[string]string, trees []string, err error) {
	bound, err := b.Bound()
	if err != nil {
		return nil, nil, err
	}
	binds = map[string]string{}
	for _, bind := range bound.Binds {
		binds[bind.Path] = bind.What
	}
	for _, word := range bound.Words {
		switch word {
		case "debug":
			cfg.Debug = true
		case "nan":
			cfg.CheckNaN = true
		case "wide":
			cfg.Int, cfg.Float = 64, 64
		case "strict":
			cfg.StrictMath = true
		}
	}
	return binds, bound.Trees, nil
}

// A binder makes what a document's source is bound to.
type binder struct {
	rt     *ti.Runtime
	binds  map[string]string
	fields map[string]ti.AnyField
	nodes  map[string]*ti.Node // of trees
	used   map[string]bool
}

// bindAll binds all vars of a package.
func bindAll(rt *ti.Runtime, pkg *check.Package, binds map[string]string, trees []string) (ti.Bindings, error) {
	b := &binder{rt, binds, map[string]ti.AnyField{}, map[string]*ti.Node{}, map[string]bool{}}
	if err := b.plant(pkg, trees); err != nil {
		return nil, err
	}
	host := ti.Bindings{}
	for _, nodes := range []bool{false, true} { // nodes are those of fields
		for _, v := range pkg.Vars {
			if _, isNode := v.Type.(typed.NodeType); isNode != nodes {
				continue
			}
			value, err := b.bind(v.Name, v.Type)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
			host[v.Name] = value.Interface()
		}
	}
	for _, path := range slices.Sorted(maps.Keys(binds)) {
		if !b.used[path] {
			return nil, fmt.Errorf("the comment above binds %s, which the source does not have", path)
		}
	}
	return host, nil
}

// bind makes the value for the part of a var at path.
func (b *binder) bind(path string, t typed.Type) (reflect.Value, error) {
	text, given := b.binds[path]
	b.used[path] = true
	switch t := t.(type) {
	case typed.FieldType:
		if f := b.fields[path]; f != nil {
			return reflect.ValueOf(f), nil
		}
		f, err := b.field(t, text)
		b.fields[path] = f
		return reflect.ValueOf(f), err
	case typed.NodeType:
		if n := b.nodes[path]; n != nil {
			return reflect.ValueOf(n), nil
		}
		f := b.fields[strings.TrimSuffix(text, ":")]
		if f == nil {
			return reflect.Value{}, fmt.Errorf("%q is no field; bind the node %s by the name of a field and a colon", text, path)
		}
		return reflect.ValueOf(f.Node()), nil
	}
	if given {
		gt, err := goType(t)
		if err != nil {
			return reflect.Value{}, err
		}
		v := reflect.New(gt)
		return v.Elem(), json.Unmarshal([]byte(text), v.Interface())
	}
	switch t := t.(type) {
	case typed.Array:
		if !typed.HasStruct(t) && typed.ScalarOf(t) != typed.Unknown {
			break // a vector
		}
		return b.array(path, t)
	case *typed.Struct:
		return b.structure(path, t)
	}
	return reflect.Value{}, fmt.Errorf("nothing is bound to it; write <!-- bind %s=VALUE --> above the block", path)
}

// field makes a field of the extents in text.
func (b *binder) field(t typed.FieldType, text string) (ti.AnyField, error) {
	elem, err := goType(t.Elem)
	if err != nil {
		return nil, err
	}
	shape := []int{}
	switch text {
	case "scalar":
	case "":
		for range max(t.Rank, -t.Rank) { // a rank of -1 is any
			shape = append(shape, 8)
		}
	default:
		for s := range strings.SplitSeq(text, "x") {
			n, err := strconv.Atoi(s)
			if err != nil {
				return nil, fmt.Errorf("%q is not a shape, such as 8 or 4x4", text)
			}
			shape = append(shape, n)
		}
	}
	return ti.NewFieldOf(b.rt, elem, shape...), nil
}

func (b *binder) array(path string, t typed.Array) (v reflect.Value, err error) {
	for i := range t.Len {
		e, err := b.bind(fmt.Sprintf("%s[%d]", path, i), t.Elem)
		if err != nil {
			return v, err
		}
		if i == 0 {
			v = reflect.New(reflect.ArrayOf(t.Len, e.Type())).Elem()
		}
		v.Index(i).Set(e)
	}
	return v, nil
}

func (b *binder) structure(path string, t *typed.Struct) (v reflect.Value, err error) {
	var values []reflect.Value
	var fields []reflect.StructField
	for i, f := range t.Fields {
		e, err := b.bind(path+"."+f.Name, f.Type)
		if err != nil {
			return v, err
		}
		values = append(values, e)
		fields = append(fields, member(i, f.Name, e.Type()))
	}
	v = reflect.New(reflect.StructOf(fields)).Elem()
	for i, e := range values {
		v.Field(i).Set(e)
	}
	return v, nil
}

// member is a field of a Go struct for the member called name.
func member(i int, name string, t reflect.Type) reflect.StructField {
	return reflect.StructField{Name: "M" + strconv.Itoa(i), Type: t, Tag: reflect.StructTag(`ti:"` + name + `"`)}
}

// goType is the Go type of elements and constants.
func goType(t typed.Type) (reflect.Type, error) {
	switch t := t.(type) {
	case typed.Scalar:
		if g, ok := goScalars[t]; ok {
			return g, nil
		}
	case typed.Array:
		elem, err := goType(t.Elem)
		if err != nil {
			return nil, err
		}
		return reflect.ArrayOf(t.Len, elem), nil
	case *typed.Struct:
		var fields []reflect.StructField
		for i, f := range t.Fields {
			elem, err := goType(f.Type)
			if err != nil {
				return nil, err
			}
			fields = append(fields, member(i, f.Name, elem))
		}
		return reflect.StructOf(fields), nil
	}
	return nil, fmt.Errorf("%v has no type of Go known here", t)
}

var goScalars = map[typed.Scalar]reflect.Type{
	typed.Bool: reflect.TypeFor[bool](),
	typed.I8:   reflect.TypeFor[int8](), typed.I16: reflect.TypeFor[int16](),
	typed.I32: reflect.TypeFor[int32](), typed.I64: reflect.TypeFor[int64](),
	typed.U8: reflect.TypeFor[uint8](), typed.U16: reflect.TypeFor[uint16](),
	typed.U32: reflect.TypeFor[uint32](), typed.U64: reflect.TypeFor[uint64](),
	typed.F16: reflect.TypeFor[ti.Float16](), typed.F32: reflect.TypeFor[float32](), typed.F64: reflect.TypeFor[float64](),
}
