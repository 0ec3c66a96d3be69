package ir

// Strides finds by how much values of a task's body change from one iteration of its innermost dim
// to the next.
type Strides struct {
	index   *Value
	inside  map[*Op]bool // what may change from one iteration to the next
	strides map[*Value]int64
}

// StridesOf returns the strides of t, a task with dims.
func StridesOf(t *Task) *Strides {
	s := &Strides{index: t.Body.Params[len(t.Dims)-1], inside: make(map[*Op]bool, len(t.Body.Ops)), strides: map[*Value]int64{}}
	for _, o := range t.Body.Ops {
		s.inside[o] = true
	}
	return s
}

// Inside reports whether o is an op of the body itself.
func (s *Strides) Inside(o *Op) bool { return s.inside[o] }

// Of returns the change of v, which the body itself or the prologue computes, if that is constant
// and v follows from the index by arithmetic that does not wrap.
func (s *Strides) Of(v *Value) (stride int64, ok bool) {
	o := v.Def
	switch {
	case v == s.index:
		return 1, true
	case !s.inside[o]: // an index of an outer dim, or a value of the prologue
		return 0, true
	}
	if d, known := s.strides[v]; known {
		return d, true
	}
	if !o.Code.Is(Pure) || len(o.Regions) > 0 || len(o.Args) > 2 {
		return 0, false
	}
	var d [2]int64
	for i, a := range o.Args {
		if d[i], ok = s.Of(a); !ok {
			return 0, false
		}
	}
	if d != [2]int64{} && mayWrap(o) {
		return 0, false
	}
	switch o.Code {
	case OpAdd, OpOffset:
		stride = d[0] + d[1]
	case OpSub:
		stride = d[0] - d[1]
	case OpConvert:
		stride = d[0]
	case OpMul:
		n, constant := IntOf(o.Args[1])
		if d[1] != 0 || d[0] != 0 && !constant {
			return 0, false
		}
		stride = d[0] * n
	default:
		if d != [2]int64{} {
			return 0, false
		}
	}
	s.strides[v] = stride
	return stride, true
}

// mayWrap reports whether o, which computes an address or part of one, may give another number
// than it would with more bits. In 64 bits it does not matter: addresses wrap in the same way.
func mayWrap(o *Op) bool {
	kind := o.Result().Type.Kind
	switch {
	case kind == Ptr || o.Flags.Has(NoWrap):
		return false
	case o.Code == OpConvert:
		from := o.Args[0].Type.Kind
		return !from.IsInt() || !kind.IsInt() || kind.Size() < from.Size() || kind.Size() == from.Size() && kind != from ||
			kind.IsUnsigned() && from.IsSigned()
	}
	return kind.Size() < 8
}

// FixedOffset takes the constants that are added to an address apart from it.
func FixedOffset(p *Value) (root *Value, off int64) {
	for p.Def != nil && p.Def.Code == OpOffset {
		n, constant := IntOf(p.Def.Args[1])
		if !constant {
			break
		}
		off += n
		p = p.Def.Args[0]
	}
	return p, off
}

// MemoryOf returns the op that an address is computed from, such as the base of a tree, an
// argument or a local array; nil if it is chosen or read.
func MemoryOf(p *Value) *Op {
	for p.Def != nil && p.Def.Code == OpOffset {
		p = p.Def.Args[0]
	}
	return p.Def
}
