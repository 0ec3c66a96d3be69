//go:build !ti_ahead

package runtest

import (
	"fmt"
	"reflect"

	"github.com/gotaichi/ti"
)

// A Column is a field of any type of elements, set and read by reflection.
type Column interface {
	Field() ti.AnyField
	Set(i int, v reflect.Value)
	At(i int) any
}

type typedColumn[T any] struct{ f ti.Field[T] }

func (c *typedColumn[T]) Field() ti.AnyField         { return &c.f }
func (c *typedColumn[T]) Set(i int, v reflect.Value) { c.f.Set(v.Interface().(T), i) }
func (c *typedColumn[T]) At(i int) any               { return c.f.At(i) }

func columnOf[T any]() func() Column { return func() Column { return &typedColumn[T]{} } }

var columns = map[reflect.Type]func() Column{}

func register[T any](name string) struct{} {
	t := reflect.TypeFor[T]()
	columns[t] = columnOf[T]()
	typeNames[t] = name
	return struct{}{}
}

var typeNames = map[reflect.Type]string{}

var _ = []struct{}{
	register[bool]("bool"), register[int8]("i8"), register[int16]("i16"), register[int32]("i32"), register[int64]("i64"),
	register[uint8]("u8"), register[uint16]("u16"), register[uint32]("u32"), register[uint64]("u64"),
	register[ti.Float16]("f16"), register[[3]ti.Float16]("[3]f16"), register[[2][2]ti.Float16]("[2][2]f16"),
	register[float32]("f32"), register[float64]("f64"),
	register[ti.Vec2]("vec2"), register[ti.Vec3]("vec3"), register[ti.Vec4]("vec4"),
	register[ti.IVec2]("ivec2"), register[ti.IVec3]("ivec3"), register[ti.IVec4]("ivec4"),
	register[ti.UVec2]("uvec2"), register[ti.UVec3]("uvec3"), register[ti.DVec2]("dvec2"), register[ti.DVec3]("dvec3"),
	register[ti.Mat2]("mat2"), register[ti.Mat3]("mat3"), register[ti.DMat2]("dmat2"), register[ti.DMat3]("dmat3"),
	register[ti.Mat4]("mat4"), register[ti.DMat4]("dmat4"),
	register[[3]bool]("[3]bool"), register[[2]bool]("[2]bool"), register[[2][3]float32]("[2][3]f32"),
	register[[3][2]float32]("[3][2]f32"), register[[2][2]int32]("[2][2]i32"), register[[5]float32]("[5]f32"), register[[6]float64]("[6]f64"),
}

// NewColumn returns a field of elements of a Go type, or nil if kernels have no such type here.
func NewColumn(t reflect.Type) Column {
	if f := columns[t]; f != nil {
		return f()
	}
	return nil
}

// TypeName writes a Go type in the kernel language.
func TypeName(t reflect.Type) string {
	if name := typeNames[t]; name != "" {
		return name
	}
	return fmt.Sprintf("[%d]%s", t.Len(), TypeName(t.Elem()))
}
