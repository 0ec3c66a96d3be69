package syntax

// Mistakes in metaprogramming: generic functions, compile-time parameters, bundles.
const (
	RunTimeArg    Code = 520
	WrongKind     Code = 521
	FuncArg       Code = 522
	CannotInfer   Code = 523
	TypeArgs      Code = 524
	Constraint    Code = 525
	InstanceDepth Code = 526
	BundleIndex   Code = 527
	CaptureWrite  Code = 528
	FuncLiteral   Code = 529

	TooManyInstances Code = 530
)

var metaCodes = []Explanation{
	{RunTimeArg, "compile-time parameter given a run-time value",
		"A template parameter takes what the compiler knows: a field, node, type, function or constant. A value that is known only at run time is passed to a parameter with the type of a value.",
		"var X field[f32]\n\nfunc F(n i32) {\n\tfor i := range X {\n\t\tscale(i, n)\n\t}\n}\n\nfunc scale(i i32, n template) {\n\tX[i] *= f32(n)\n}",
		"var X field[f32]\n\nfunc F(n i32) {\n\tfor i := range X {\n\t\tscale(i, n)\n\t\tdouble(i, 2)\n\t}\n}\n\nfunc scale(i, n i32) {\n\tX[i] *= f32(n)\n}\n\nfunc double(i i32, n template) {\n\tX[i] *= n\n}"},
	{WrongKind, "argument of another kind",
		"A parameter of type field[T] takes a field with elements of type T, field[T, D2] one of two axes, node a node, func(…) a function.",
		"var X field[f32, D1]\n\nfunc F() {\n\tfor i := range X {\n\t\tX[i] = mean(vec2(1, 2))\n\t}\n}\n\nfunc mean(q field[f32]) f32 {\n\treturn q[0]\n}",
		"var X field[f32, D1]\n\nfunc F() {\n\tfor i := range X {\n\t\tX[i] = mean(X)\n\t}\n}\n\nfunc mean(q field[f32]) f32 {\n\treturn q[0]\n}"},
	{FuncArg, "function of another type",
		"A function that is given for a parameter of a function type has exactly these parameters and results. Of a generic function, the instance is chosen that fits; a builtin must work with these types.",
		"func F(x f32) f32 {\n\treturn twice(x, sum2)\n}\n\nfunc sum2(a, b f32) f32 {\n\treturn a + b\n}\n\nfunc twice(x f32, f func(f32) f32) f32 {\n\treturn f(f(x))\n}",
		"func F(x f32) f32 {\n\treturn twice(x, sqrt)\n}\n\nfunc twice(x f32, f func(f32) f32) f32 {\n\treturn f(f(x))\n}"},
	{CannotInfer, "type parameter not known",
		"What a type parameter stands for follows from the arguments whose types it occurs in. Where it occurs in none of them, write it in brackets.",
		"func F() f32 {\n\treturn one()\n}\n\nfunc one[T any]() T {\n\treturn T(1)\n}",
		"func F() f32 {\n\treturn one[f32]()\n}\n\nfunc one[T any]() T {\n\treturn T(1)\n}"},
	{TypeArgs, "wrong type arguments",
		"Type arguments in brackets belong to a generic function, at most as many as it has type parameters.",
		"func F() f32 {\n\treturn half[f32](1)\n}\n\nfunc half(v f32) f32 {\n\treturn v / 2\n}",
		"func F() f32 {\n\treturn half[f32](1)\n}\n\nfunc half[T any](v T) T {\n\treturn v / 2\n}"},
	{Constraint, "type not allowed by the constraint",
		"A constraint says what a type parameter may stand for: any; number, integer or real, which look at the components and so hold for vectors too; a type, or a union such as f32 | f64.",
		"func F(n i32) i32 {\n\treturn half(n)\n}\n\nfunc half[T real](v T) T {\n\treturn v / 2\n}",
		"func F(n f64) f64 {\n\treturn half(n)\n}\n\nfunc half[T real](v T) T {\n\treturn v / 2\n}"},
	{InstanceDepth, "compile-time recursion without end",
		"A function may call itself with other compile-time arguments, and is instantiated anew each time. if static(…) has to end this.",
		"func F() i32 {\n\treturn sumTo(3)\n}\n\nfunc sumTo(n template) i32 {\n\treturn n + sumTo(n-1)\n}",
		"func F() i32 {\n\treturn sumTo(3)\n}\n\nfunc sumTo(n template) i32 {\n\tif static(n <= 0) {\n\t\treturn 0\n\t}\n\treturn n + sumTo(n-1)\n}"},
	{BundleIndex, "field chosen at run time",
		"Which of several fields is meant must be known at compile time: index an array of fields with a constant, with the variable of a static loop, or with a template parameter.",
		"var Levels [3]field[f32, D0]\n\nfunc F() {\n\tfor l := range 3 {\n\t\tLevels[l] += 1\n\t}\n}",
		"var Levels [3]field[f32, D0]\n\nfunc F() {\n\tfor l := range static(3) {\n\t\tLevels[l] += 1\n\t}\n}"},
	{CaptureWrite, "function literal changes an outer variable",
		"A function literal may read the variables of the place where it stands: it gets their values. What it computes it returns, or writes to a field.",
		"func F() f32 {\n\ts := 0.0\n\teach(func(x f32) { s += x })\n\treturn s\n}\n\nfunc each(f func(f32)) {\n\tf(1)\n}",
		"func F() f32 {\n\ts := 2.0\n\treturn each(func(x f32) f32 { return s * x })\n}\n\nfunc each(f func(f32) f32) f32 {\n\treturn f(1) + f(2)\n}"},
	{FuncLiteral, "function literal that is no argument",
		"Functions are known at compile time, so no variable holds one. A function literal is the argument of a template parameter, or of one with a function type; f := func… gives it a name, which is not assigned anew.",
		"func F() {\n\tvar f f32 = func(x f32) f32 { return 2 * x }\n\t_ = f\n}",
		"func F() f32 {\n\treturn call(func(x f32) f32 { return 2 * x })\n}\n\nfunc call(f func(f32) f32) f32 {\n\treturn f(1)\n}"},
	{TooManyInstances, "too many instances",
		"A generic function or type, and a function with compile-time parameters, is instantiated for each combination of these that the source needs, at most 10000 times in all. A function that calls itself twice, with different arguments, doubles the number at each level.",
		"func F() i32 {\n\treturn tree(60, 0)\n}\n\nfunc tree(level, n template) i32 {\n\tif static(level == 0) {\n\t\treturn n\n\t}\n\treturn tree(level-1, 2*n) + tree(level-1, 2*n+1)\n}",
		"func F() i32 {\n\treturn tree(60, 0)\n}\n\nfunc tree(level template, n i32) i32 {\n\tif static(level == 0) {\n\t\treturn n\n\t}\n\treturn tree(level-1, 2*n+n%2)\n}"},
}
