package check

// AlwaysInlined says why a function is inlined although it is marked //ti:noinline,
// as the rest of a sentence that begins with its name; "" if it is kept out of line.
// A function of its own works on its arguments alone: it has no field, memory or
// random number, prints nothing, and cannot fail at an index or assertion.
func AlwaysInlined(f *Func) string {
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
	Walk(f.Body.List, func(s Stmt) {
		for _, e := range Expressions(s) {
			if why == "" {
				why = leavesArguments(e)
			}
		}
	})
	return why
}

// leavesArguments is AlwaysInlined for an expression.
func leavesArguments(e Expr) string {
	switch e := e.(type) {
	case nil:
		return ""
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
		if why := AlwaysInlined(e.Func); why != "" {
			return "calls " + e.Func.Name + ", which " + why
		}
	}
	for _, x := range Operands(e) {
		if why := leavesArguments(x); why != "" {
			return why
		}
	}
	return ""
}
