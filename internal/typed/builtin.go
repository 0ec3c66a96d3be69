package typed

// Fn is a builtin function that is left in the tree as a Builtin node.
type Fn uint8

// The builtins, by what they take and give. "Elementwise" means: all arguments and
// the result have one type, a scalar, vector or matrix.
const (
	NoFn Fn = iota

	// Elementwise on floats, one argument.
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Exp
	Exp2
	Log
	Log2
	Sqrt
	Rsqrt
	Cbrt
	Floor
	Ceil
	Round // half away from zero, as math.Round
	Trunc
	Fract
	Radians
	Degrees
	// Elementwise on floats, more arguments.
	Atan2
	Hypot // hypot(x, y) = √(x²+y²), which no square makes overflow
	Pow
	Mix  // mix(a, b, t) = a + (b-a)*t
	Step // step(edge, x) = x < edge ? 0 : 1
	Smoothstep
	Fma
	// Elementwise on any numbers.
	Abs
	Sign
	Sqr
	Mod      // rounds down
	FloorDiv // rounds down
	MinFn    // two arguments; the checker nests longer ones
	MaxFn
	Clamp // clamp(x, lo, hi)
	// Elementwise on integers; the result has the argument's type.
	Popcount
	Clz
	IntPow // the exponent may have another integer type than base and result
	// Elementwise float to bool.
	IsNaN
	IsInf

	// Vector to scalar (Length to Distance on floats); also accept scalars.
	Dot
	Length
	Length2
	Distance
	Normalize // vector to vector
	Reflect   // reflect(d, n), vectors
	Refract   // refract(d, n, eta): two vectors and a scalar
	Cross     // two 3-vectors to a vector, two 2-vectors to a scalar
	Outer2    // outer(a, b): matrix of len(a) rows and len(b) columns
	Sum       // components of a vector or matrix, to a scalar
	Product
	MinOf
	MaxOf
	All // bool array (or scalar) to bool
	Any

	// Matrices.
	Transpose
	Determinant
	Inverse
	Trace
	Diag     // vector to diagonal matrix; matrix to its diagonal, a vector
	Diagonal // scalar to a square matrix of the result's type: mat3(s)
	Col      // col(m, j): column j of matrix m, a vector; a constant j is in range
	Cols     // equal vectors to the matrix that has them as columns
	// Transformations; the last three are homogeneous, with a row and a column more.
	Rotation2   // of an angle, 2×2
	Rotation    // of an axis of length 1 and an angle, 3×3
	Translate   // by a vector
	Scale       // by a vector
	Homogeneous // of a 2×2 or 3×3 matrix

	// Others.
	IfElse  // ifelse(c, a, b): c is bool or has bools in the shape of a; a, b alike
	Bitcast // one argument, same width per component, same shape
	Random  // no argument; the result's type says what is drawn, per component
	Randn   // likewise, normal, floats
	LenFn   // of a slice: one VarRef; of type int
	RGBA    // one vector of 4 floats, 0..1 (clamped), to u32 0xAABBGGRR
	AssumeInRange
	LoopUnique
	StopGrad // the last three are their first argument

	numFns
)
