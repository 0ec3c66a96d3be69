package typed

import "slices"

// IsReal reports whether t is made of real numbers only.
func IsReal(t Type) bool {
	switch t.(type) {
	case Slice, View, Ref:
		return false
	}
	return !slices.ContainsFunc(Leaves(t), func(s Scalar) bool { return !s.IsFloat() })
}

// HasReal reports whether there are real numbers in t.
func HasReal(t Type) bool {
	switch t.(type) {
	case Slice, View, Ref:
		return false
	}
	return slices.ContainsFunc(Leaves(t), Scalar.IsFloat)
}

// Impure says what f does besides computing results from its arguments, or needs besides these, as the rest of a sentence
// that begins with its name; "" for nothing.
func Impure(f *Func) string {
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
	}
	why := ""
	Visit(f.Body.List, func(s Stmt) {
		for _, e := range Expressions(s) {
			if why == "" {
				why = impure(e)
			}
		}
	})
	return why
}

func impure(e Expr) string {
	if e == nil {
		return ""
	}
	switch e := e.(type) {
	case *Element, *SliceElement, *Extent, *CellOp:
		return "uses a field or slice"
	case *Builtin:
		if e.Fn == Random || e.Fn == Randn {
			return "draws random numbers"
		}
	case *Call:
		if why := Impure(e.Func); why != "" {
			return "calls " + e.Func.Name + ", which " + why
		}
	}
	for _, x := range Operands(e) {
		if why := impure(x); why != "" {
			return why
		}
	}
	return ""
}
