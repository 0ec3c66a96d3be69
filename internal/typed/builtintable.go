package typed

import "fmt"

// An FnInfo is a row of the table of builtins.
type FnInfo struct {
	Name string // as sources write it, or what sources write for it
	// Same says that all arguments and the result have one type, a scalar, a vector or a
	// matrix. A builtin that is elementwise in another way does not have it.
	Same bool
}

// Short names for the two kinds of rows.
func same(name string) FnInfo  { return FnInfo{name, true} }
func other(name string) FnInfo { return FnInfo{name, false} }

var fnTable = [numFns]FnInfo{
	NoFn: other("none"),

	Sin: same("sin"), Cos: same("cos"), Tan: same("tan"),
	Asin: same("asin"), Acos: same("acos"), Atan: same("atan"),
	Sinh: same("sinh"), Cosh: same("cosh"), Tanh: same("tanh"),
	Exp: same("exp"), Exp2: same("exp2"), Log: same("log"), Log2: same("log2"),
	Sqrt: same("sqrt"), Rsqrt: same("rsqrt"), Cbrt: same("cbrt"),
	Floor: same("floor"), Ceil: same("ceil"), Round: same("round"), Trunc: same("trunc"), Fract: same("fract"),
	Radians: same("radians"), Degrees: same("degrees"),
	Atan2: same("atan2"), Hypot: same("hypot"), Pow: same("pow"), Mix: same("mix"), Step: same("step"), Smoothstep: same("smoothstep"), Fma: same("fma"),

	Abs: same("abs"), Sign: same("sign"), Sqr: same("sqr"), Mod: same("mod"), FloorDiv: same("floorDiv"),
	MinFn: same("min"), MaxFn: same("max"), Clamp: same("clamp"),
	Popcount: same("popcount"), Clz: same("clz"), IntPow: other("pow of integers"),
	IsNaN: other("isnan"), IsInf: other("isinf"),

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
