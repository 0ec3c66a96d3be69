package typed

import (
	"fmt"
	"strings"
)

// An FnInfo is a row of the table of builtins.
type FnInfo struct {
	Name string // as sources write it, or what sources write for it
	// Same says that all arguments and the result have one type, a scalar, a vector or a
	// matrix. A builtin that is elementwise in another way does not have it.
	Same bool

	// Of elementwise builtins. The checker has no other description of them.
	Class FnClass // the scalars that they take; 0 for all other builtins
	Args  int     // number of arguments; -1 for two or more, combined in pairs
	Usage string  // a call, as messages show it
}

// An FnClass says which scalars an elementwise builtin takes.
type FnClass uint8

// The classes.
const (
	OnFloats  FnClass = 1 + iota // floats; integers become floats
	OnNumbers                    // any numbers
	OnInts                       // integers
	OnTests                      // floats, giving bools
)

// each is the row of a builtin of a class; args names the arguments.
func each(class FnClass, name, args string) FnInfo {
	return FnInfo{Name: name, Same: class != OnTests, Class: class, Args: 1 + strings.Count(args, ","), Usage: name + "(" + args + ")"}
}

// Short names for the kinds of rows.
func ofFloats(name, args string) FnInfo  { return each(OnFloats, name, args) }
func ofNumbers(name, args string) FnInfo { return each(OnNumbers, name, args) }
func ofInts(name, args string) FnInfo    { return each(OnInts, name, args) }
func test(name string) FnInfo            { return each(OnTests, name, "x") }
func other(name string) FnInfo           { return FnInfo{Name: name} }

// pairwise is the row of a builtin that combines two or more arguments in pairs.
func pairwise(name string) FnInfo {
	r := ofNumbers(name, "a, b")
	r.Args = -1
	return r
}

var fnTable = [numFns]FnInfo{
	NoFn: other("none"),

	Sin: ofFloats("sin", "x"), Cos: ofFloats("cos", "x"), Tan: ofFloats("tan", "x"),
	Asin: ofFloats("asin", "x"), Acos: ofFloats("acos", "x"), Atan: ofFloats("atan", "x"),
	Sinh: ofFloats("sinh", "x"), Cosh: ofFloats("cosh", "x"), Tanh: ofFloats("tanh", "x"),
	Exp: ofFloats("exp", "x"), Exp2: ofFloats("exp2", "x"), Log: ofFloats("log", "x"), Log2: ofFloats("log2", "x"),
	Sqrt: ofFloats("sqrt", "x"), Rsqrt: ofFloats("rsqrt", "x"), Cbrt: ofFloats("cbrt", "x"),
	Floor: ofFloats("floor", "x"), Ceil: ofFloats("ceil", "x"), Round: ofFloats("round", "x"), Trunc: ofFloats("trunc", "x"),
	Fract: ofFloats("fract", "x"), Radians: ofFloats("radians", "x"), Degrees: ofFloats("degrees", "x"),
	Atan2: ofFloats("atan2", "y, x"), Hypot: ofFloats("hypot", "x, y"), Pow: {Name: "pow", Same: true},
	Mix: ofFloats("mix", "a, b, t"), Step: ofFloats("step", "edge, x"), Smoothstep: ofFloats("smoothstep", "lo, hi, x"),
	Fma: ofFloats("fma", "a, b, c"),

	Abs: ofNumbers("abs", "x"), Sign: ofNumbers("sign", "x"), Sqr: ofNumbers("sqr", "x"),
	Mod: ofNumbers("mod", "a, b"), FloorDiv: ofNumbers("floorDiv", "a, b"),
	MinFn: pairwise("min"), MaxFn: pairwise("max"), Clamp: ofNumbers("clamp", "x, lo, hi"),
	Popcount: ofInts("popcount", "x"), Clz: ofInts("clz", "x"), IntPow: other("pow of integers"),
	IsNaN: test("isnan"), IsInf: test("isinf"),

	Dot: other("dot"), Length: other("length"), Length2: other("length2"), Distance: other("distance"),
	Normalize: other("normalize"), Reflect: other("reflect"), Refract: other("refract"),
	Cross: other("cross"), Outer2: other("outer"),
	Sum: other("sum"), Product: other("product"), MinOf: other("minOf"), MaxOf: other("maxOf"), All: other("all"), Any: other("any"),

	Transpose: other("transpose"), Determinant: other("determinant"), Inverse: other("inverse"), Trace: other("trace"),
	Diag: other("diag"), Diagonal: other("mat3 of a number"), Col: other("col"), Cols: other("cols"),
	Rotation2: other("rotation2"), Rotation: other("rotation"), Translate: other("translate"), Scale: other("scale"),
	Homogeneous: other("homogeneous"),

	IfElse: other("ifelse"), Bitcast: other("bitcast"), Random: other("random"), Randn: other("randn"),
	LenFn: other("len of a slice"), RGBA: other("rgba"),
	AssumeInRange: other("assumeInRange"), LoopUnique: other("loopUnique"), StopGrad: other("stopGrad"),
}

// Info returns f's row of the table of builtins.
func (f Fn) Info() *FnInfo { return &fnTable[f] }

// String returns the name by which messages call f.
func (f Fn) String() string {
	if f >= numFns {
		return fmt.Sprintf("builtin(%d)", uint8(f))
	}
	return fnTable[f].Name
}

// Fns returns all builtins in the order of the table.
func Fns() []Fn {
	var all []Fn
	for f := NoFn + 1; f < numFns; f++ {
		all = append(all, f)
	}
	return all
}
