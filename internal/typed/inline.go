package typed

import (
	"slices"
)

// MaxUnrolled is the number of components up to which a value is taken apart into scalars.
// Larger values are computed by loops. The limit is above the 144 of a 12×12 matrix, which
// finite elements use. It is below the 256 of a 16×16 matrix, whose sum compiles several
// times as fast as a loop.
const MaxUnrolled = 160

// largeValue is the reason why a function with large values is inlined.
const largeValue = "has a value of many components, which is memory"

// AlwaysInlined says why f is inlined even if it is marked //ti:noinline, as the rest of
// a sentence that begins with its name. It returns "" if f can be kept out of line. Such
// a function works on its arguments alone: it uses no field, memory or random number,
// prints nothing, cannot fail at an index or assertion, and has no value of more than
// maxUnrolled components, which would lie in memory.
func AlwaysInlined(f *Func, maxUnrolled int) string {
	if len(f.Fields) > 0 {
		return "uses field " + f.Fields[0].Name
	}
	for _, p := range f.Params {
		switch p.Type.(type) {
		case Slice, View:
			return "takes " + p.Name + ", which is memory of the host"
		case Ref:
			return "takes " + p.Name + ", which refers to a variable or element of its caller"
		}
		if p.Indexed || p.Reduced {
			return "indexes " + p.Name + " with values known at run time only"
		}
	}
	why := ""
	for _, v := range slices.Concat(f.Params, f.Results) {
		if Components(v.Type) > maxUnrolled {
			return largeValue
		}
	}
	Visit(f.Body.List, func(s Stmt) {
		if d, ok := s.(*Define); ok && Components(d.Var.Type) > maxUnrolled {
			why = largeValue
		}
		for _, e := range Expressions(s) {
			if why == "" {
				why = leavesArguments(e, maxUnrolled)
			}
		}
	})
	return why
}

// leavesArguments is AlwaysInlined for an expression.
func leavesArguments(e Expr, maxUnrolled int) string {
	if e == nil {
		return ""
	}
	if Components(e.Type()) > maxUnrolled {
		return largeValue
	}
	switch e := e.(type) {
	case *Element, *SliceElement, *Extent, *CellOp:
		return "uses a field or slice"
	case *Index:
		return "has an index that is known at run time only"
	case *Output:
		return "prints"
	case *Assert:
		return "has an assertion"
	case *Builtin:
		if e.Fn == Random || e.Fn == Randn {
			return "draws random numbers"
		}
	case *Call:
		if why := AlwaysInlined(e.Func, maxUnrolled); why != "" {
			return "calls " + e.Func.Name + ", which " + why
		}
	}
	for _, x := range Operands(e) {
		if why := leavesArguments(x, maxUnrolled); why != "" {
			return why
		}
	}
	return ""
}
