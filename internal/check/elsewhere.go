package check

import (
	"go/ast"
	"strings"
	"unicode"
)

// This file has names of other languages and libraries: Taichi in Python, NumPy, GLSL,
// HLSL, CUDA, C and Go's own packages. The error of an undefined name that is in a table
// says what to write instead.

// elsewhere has names of functions, types and constants, separated by spaces, and what to
// write instead.
var elsewhere = []struct{ names, help string }{
	{"double", "the type is f64"}, {"half", "the type is f16"}, {"long", "the type is i64"}, {"short", "the type is i16"},
	{"char", "the type is i8"}, {"unsigned", "the type is u32"}, {"boolean", "the type is bool"}, {"size_t usize", "the type is u64"},
	{"float2 vec2f Vec2", "the type is vec2"}, {"float3 vec3f Vec3", "the type is vec3"}, {"float4 vec4f Vec4", "the type is vec4"},
	{"int2 vec2i", "the type is ivec2"}, {"int3 vec3i", "the type is ivec3"}, {"int4 vec4i", "the type is ivec4"},
	{"uint2", "the type is uvec2"}, {"uint3", "the type is uvec3"}, {"uint4", "the type is uvec4"},
	{"double2", "the type is dvec2"}, {"double3", "the type is dvec3"}, {"double4", "the type is dvec4"},
	{"bvec2 bvec3 bvec4", "write [2]bool, [3]bool, [4]bool"},
	{"mat2x2 float2x2", "the type is mat2"}, {"mat3x3 float3x3", "the type is mat3"}, {"mat4x4 float4x4", "the type is mat4"},
	{"make_float2", "write vec2(a, b)"}, {"make_float3", "write vec3(a, b, c)"}, {"make_float4", "write vec4(a, b, c, d)"},
	{"mat matrix Matrix", "write mat2(…), mat3(…) or a literal [2][3]f32{…}"},
	{"vector Vector array list tuple", "write vec2(a, b), vec3(a, b, c) or a literal [5]f32{…}"},
	{"string str String", "strings occur only in print, printf, assert and staticAssert"},

	{"lerp", "the function is mix(a, b, t)"}, {"saturate", "write clamp(x, 0, 1)"}, {"frac", "the function is fract(x)"}, {"clip", "write clamp(x, lo, hi)"},
	{"norm magnitude mag", "the function is length(v)"}, {"norm_sqr norm2 length_squared dot2", "the function is length2(v)"}, {"normalized", "the function is normalize(v)"},
	{"select where iif cond", "the function is ifelse(c, a, b)"}, {"rand rand01 randf uniform", "the function is random()"}, {"normal gauss", "the function is randn()"},
	{"randint", "write i32(random() * f32(n))"}, {"swap", "write a, b = b, a"}, {"power", "the function is pow(a, b)"}, {"square pow2", "the function is sqr(x)"},
	{"fabs fabsf absf", "the function is abs(x)"}, {"sqrtf", "the function is sqrt(x)"}, {"sinf", "the function is sin(x)"}, {"cosf", "the function is cos(x)"},
	{"tanf", "the function is tan(x)"}, {"expf", "the function is exp(x)"}, {"logf ln", "the function is log(x)"}, {"powf", "the function is pow(a, b)"},
	{"floorf", "the function is floor(x)"}, {"ceilf ceiling", "the function is ceil(x)"}, {"rint roundf", "the function is round(x)"}, {"truncate fix", "the function is trunc(x)"},
	{"fmin fminf minimum", "the function is min(a, b)"}, {"fmax fmaxf maximum", "the function is max(a, b)"}, {"fmod fmodf remainder", "the function is mod(a, b)"},
	{"inversesqrt rsqrtf", "the function is rsqrt(x)"}, {"arcsin", "the function is asin(x)"}, {"arccos", "the function is acos(x)"},
	{"arctan", "the function is atan(x)"}, {"arctan2 atan2f", "the function is atan2(y, x)"}, {"log10", "write log(x) / log(10.0)"}, {"exp10", "write pow(10.0, x)"},
	{"log1p", "write log(1 + x)"}, {"expm1", "write exp(x) - 1"}, {"sgn signum", "the function is sign(x)"},
	{"deg2rad", "the function is radians(x)"}, {"rad2deg", "the function is degrees(x)"}, {"isNaN IsNaN", "the function is isnan(x)"}, {"isInf IsInf", "the function is isinf(x)"},
	{"isfinite", "write !isnan(x) && !isinf(x)"}, {"popcnt bitcount", "the function is popcount(x)"}, {"floordiv floor_div", "the function is floorDiv(a, b)"},
	{"matmul mul", "write a * b, which is the product with a matrix"}, {"det", "the function is determinant(m)"}, {"inv", "the function is inverse(m)"},
	{"rotation2d rotate2d", "the function is rotation2(angle)"}, {"rot_by_axis rotation3d rotate rotateAxis", "the function is rotation(axis, angle)"},
	{"column getColumn", "the function is col(m, j)"}, {"outer_product", "the function is outer(a, b)"}, {"eye identity", "write mat3(1)"}, {"zeros", "write vec3(0), or var a [5]f32"}, {"ones full", "write vec3(1)"},
	{"cast static_cast astype", "convert by the name of the type: f32(x), i32(x)"}, {"bit_cast reinterpret_cast", "write bitcast[u32](x)"},
	{"logical_and", "write a && b"}, {"logical_or", "write a || b"}, {"logical_not", "write !a"}, {"bit_and", "write a & b"}, {"bit_or", "write a | b"}, {"bit_xor", "write a ^ b"},
	{"atomic_add atomicInc", "write x[i] += v, which is atomic in a parallel loop; atomicAdd(&x[i], v) gives the old value"},
	{"atomic_sub atomicDec", "write x[i] -= v, which is atomic in a parallel loop"},
	{"atomic_min", "write x[i] = min(x[i], v), which is atomic in a parallel loop"}, {"atomic_max", "write x[i] = max(x[i], v), which is atomic in a parallel loop"},
	{"atomic_and", "write x[i] &= v"}, {"atomic_or", "write x[i] |= v"}, {"atomic_xor", "write x[i] ^= v"},
	{"atomic_load", "the function is atomicLoad(&x[i])"}, {"atomic_store", "the function is atomicStore(&x[i], v)"}, {"atomicExch", "the function is atomicXchg(&x[i], v)"}, {"is_active", "the function is isActive(x, i)"}, {"rescale_index", "the function is rescaleIndex(a, b, i)"},
	{"static_assert", "the function is staticAssert(c, \"message\")"}, {"static_print", "the function is staticPrint(x)"}, {"println Println puts cout console", "the function is print(a, b)"},
	{"Printf sprintf", "the function is printf(\"%v\\n\", x)"},
	{"xrange arange", "write for i := range n"}, {"enumerate", "write for i, v := range x"}, {"grouped", "write for p := range x: one variable is the grouped index"},
	{"static_range", "write range static(n)"}, {"loop_config", "write range config(x, threads(8))"}, {"zip", "use one index for both: for i := range x"},
	{"threadIdx blockIdx blockDim gridDim gl_GlobalInvocationID get_global_id", "write a loop, for p := range x: it runs in parallel, and p is the index"},
	{"__syncthreads syncthreads barrier sync", "write two loops: the second starts when the first has ended"},
	{"PI Pi M_PI", "the constant is pi"}, {"TAU Tau tau", "write 2 * pi"}, {"M_E Euler", "write exp(1.0)"}, {"INFINITY Inf Infinity", "the constant is inf"}, {"NaN NAN", "the constant is nan"},
	{"None nil null NULL nullptr", "there is no such value"}, {"True", "write true"}, {"False", "write false"}, {"self this", "name the receiver: func (b Body) f()"},
	{"make", "declare an array, var a [4]f32"}, {"new", "declare a variable, var a f32"}, {"cap", "a slice does not grow; its length is len(s)"},
	{"copy", "assign element by element, in a loop"}, {"delete", "write deactivate(x, i) for a cell, clear(x) for a list"},
	{"panic raise throw exit abort", "write assert(c, \"message\"), or to a field of one cell that the host reads"}, {"let auto", "write x := value"},
	{"pass", "leave the block empty"}, {"require", "write assert(c)"},
}

// methods has names of members that values have elsewhere; # stands for the value.
var methods = []struct{ names, help string }{
	{"norm length magnitude mag len", "write length(#)"}, {"norm_sqr length2 squared_norm norm2 length_squared", "write length2(#)"},
	{"norm_inv", "write 1 / length(#)"}, {"normalized normalize unit", "write normalize(#)"}, {"dot", "write dot(#, b)"}, {"cross", "write cross(#, b)"},
	{"outer_product outer", "write outer(#, b)"}, {"distance dist", "write distance(#, b)"}, {"sum", "write sum(#)"}, {"max", "write maxOf(#)"}, {"min", "write minOf(#)"},
	{"any", "write any(#)"}, {"all", "write all(#)"}, {"transpose T", "write transpose(#)"}, {"inverse inv", "write inverse(#)"}, {"determinant det", "write determinant(#)"},
	{"trace", "write trace(#)"}, {"diag diagonal", "write diag(#)"}, {"cast astype", "convert by the name of the type: ivec3(#), f32(#)"}, {"copy clone", "assignment copies: b := #"},
	{"fill", "assign to it: # = vec3(x)"}, {"u v uv", "the components are called x and y, or s and t: write #.st"}, {"rows shape size", "write #.n and, of a matrix, #.m"},
	{"sqrt", "write sqrt(#)"}, {"abs", "write abs(#)"}, {"floor", "write floor(#)"}, {"exp", "write exp(#)"},
}

// fieldMethods has names of members that fields have elsewhere; # stands for the field.
var fieldMethods = []struct{ names, help string }{
	{"fill", "write a loop: for p := range # { #[p] = x }"}, {"append push push_back", "write append(#, x)"}, {"length size len Len", "write len(#), or #.shape"},
	{"deactivate deactivate_all", "write deactivate(#, i), or let the host clear it"}, {"activate", "write activate(#, i)"}, {"is_active", "write isActive(#, i)"},
	{"n m", "write #.shape[0]"}, {"element elem", "the type of its elements is #.dtype"}, {"copy_from", "write a loop: for p := range # { #[p] = y[p] }"},
	{"to_numpy from_numpy to_torch", "the host reads and writes fields: CopyTo and CopyFrom"}, {"parent", "name the node: var B node"},
}

// wordHelp returns the help for a word in a table, "" if it is not there.
func wordHelp(table []struct{ names, help string }, word string) string {
	for _, row := range table {
		for n := range strings.FieldsSeq(row.names) {
			if n == word {
				return row.help
			}
		}
	}
	return ""
}

// knownElsewhere returns what to write here for a name of another language, "" if it is
// unknown.
func (c *checker) knownElsewhere(name string) string { return wordHelp(elsewhere, name) }

// packages are names of packages and modules, which this language does not have.
const packages = " math cmath ti tm taichi np numpy jnp torch wp glm std rand random fmt "

// qualified returns the help for a name like math.Sqrt; "" if no package of that name is
// known.
func (c *checker) qualified(e *ast.SelectorExpr) string {
	id, ok := e.X.(*ast.Ident)
	if !ok || !strings.Contains(packages, " "+id.Name+" ") {
		return ""
	}
	name := e.Sel.Name
	switch h := c.knownElsewhere(name); {
	case h != "":
		return h
	case id.Name == "rand" || id.Name == "random":
		return "the functions are random() and randn()"
	case id.Name == "ti" && (name == "kernel" || name == "func"):
		return "an exported func is a kernel, others are device functions"
	}
	for _, n := range []string{name, lowerFirst(name), strings.ToLower(name), camel(name)} {
		o := c.predeclared.names[n]
		switch {
		case o == nil:
		case o.kind == objBuiltin:
			return "the functions are predeclared: write " + n + "(…)"
		case o.kind == objType:
			return "the types are predeclared: write " + n
		default:
			return "the constants are predeclared: write " + n
		}
	}
	return "there are no packages; the functions are predeclared: sin(x), random(), print(x)"
}

func lowerFirst(s string) string {
	r := []rune(s)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

// camel returns floor_div as floorDiv.
func camel(s string) string {
	parts := strings.Split(s, "_")
	for i, p := range parts {
		if i > 0 && p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// memberHelp returns the help for a member that values elsewhere have.
func (c *checker) memberHelp(table []struct{ names, help string }, e *ast.SelectorExpr) string {
	return strings.ReplaceAll(wordHelp(table, e.Sel.Name), "#", c.shortText(e.X))
}
