package random

import "fmt"

// A randomType is a type of a variable of a random kernel: a number, a vector of n
// of them, or a matrix of n rows and m columns.
type randomType struct {
	name, elem string
	n, m       int
}

// randomTypes lists them; the names that the language does not have are in randomPrelude.
var randomTypes = []randomType{
	{"i32", "i32", 0, 0}, {"f32", "f32", 0, 0}, {"bool", "bool", 0, 0},
	{"i64", "i64", 0, 0}, {"u32", "u32", 0, 0}, {"u8", "u8", 0, 0}, {"i8", "i8", 0, 0}, {"i16", "i16", 0, 0},
	{"u16", "u16", 0, 0}, {"u64", "u64", 0, 0}, {"f64", "f64", 0, 0}, {"f16", "f16", 0, 0},
	{"ivec2", "i32", 2, 0}, {"vec2", "f32", 2, 0}, {"vec3", "f32", 3, 0}, {"ivec3", "i32", 3, 0}, {"dvec2", "f64", 2, 0},
	{"half2", "f16", 2, 0}, {"bytes3", "u8", 3, 0}, {"long2", "i64", 2, 0}, {"bool2", "bool", 2, 0}, {"vec5", "f32", 5, 0},
	{"long20", "i64", 20, 0}, {"half11", "f16", 11, 0}, {"bool20", "bool", 20, 0}, {"vec13", "f32", 13, 0}, {"imat7", "i32", 7, 7},
	{"mat2", "f32", 2, 2}, {"mat3", "f32", 3, 3}, {"mat23", "f32", 2, 3}, {"imat2", "i32", 2, 2}, {"dmat2", "f64", 2, 2},
}

// randomAliases declares the names of types that the language does not have.
const randomAliases = `type (
	half2  = [2]f16
	bytes3 = [3]u8
	long2  = [2]i64
	bool2  = [2]bool
	vec5   = [5]f32
	long20 = [20]i64
	half11 = [11]f16
	bool20 = [20]bool
	vec13  = [13]f32
	imat7  = [7][7]i32
	mat23  = [2][3]f32
	imat2  = [2][2]i32
)

`

func typeOf(name string) randomType {
	for _, t := range randomTypes {
		if t.name == name {
			return t
		}
	}
	panic("no type " + name)
}

// vectorOf returns the type of a vector, if random kernels have it.
func vectorOf(elem string, n int) (randomType, bool) {
	for _, t := range randomTypes {
		if t.elem == elem && t.n == n && t.m == 0 {
			return t, true
		}
	}
	return randomType{}, false
}

func (t randomType) float() bool { return t.elem[0] == 'f' }

// size is the number of components.
func (t randomType) size() int { return max(t.n, 1) * max(t.m, 1) }

// chooseTypes chooses the types of the kernel's variables: with a few there is more
// that goes together.
func (g *generator) chooseTypes() {
	few := g.chance(50)
	for _, t := range randomTypes {
		if t.name == "i32" || t.name == "f32" || !few || g.chance(25) {
			g.types = append(g.types, t.name)
		}
	}
}

// scalars returns the types of the kernel that are numbers or bool.
func (g *generator) scalars() []string {
	all := []string{"i32", "f32"}
	for _, t := range g.types {
		if typeOf(t).n == 0 {
			all = append(all, t)
		}
	}
	return all
}

// atom returns a variable of type t, or something as simple that is no constant.
func (g *generator) atom(t string) string {
	var can []string
	for _, v := range g.vars {
		if v.typ == t {
			can = append(can, v.name)
		}
	}
	if len(can) > 0 {
		return g.pick(can...)
	}
	typ := typeOf(t)
	base := "i32"
	if typ.float() {
		base = "f32"
	}
	for _, v := range g.vars {
		if v.typ == base {
			can = append(can, v.name)
		}
	}
	from := g.pick(can...)
	switch {
	case t == "bool":
		return fmt.Sprintf("(%s > 2)", from)
	case typ.elem == "bool":
		return fmt.Sprintf("%s(%s > 2)", t, from)
	case typ.m > 0 && typ.n != typ.m:
		return fmt.Sprintf("outer(vec2(%s), vec3(%s))", from, from)
	case typ.m > 0:
		return fmt.Sprintf("%s(%s(%s))", t, typ.elem, from)
	}
	return fmt.Sprintf("%s(%s)", t, from)
}
