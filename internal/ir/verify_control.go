package ir

// control checks the operands of ops with regions; regions checks the inside.
func (v *verifier) control(o *Op) {
	switch o.Code {
	case OpIf:
		if o.Args[0].Type != Scalar(Bool) {
			v.op(o, "the condition is %s", o.Args[0].Type)
		}
	case OpFor:
		lo, hi := o.Args[0].Type, o.Args[1].Type
		if lo != hi || !lo.Kind.IsInt() || lo.Lanes != 1 {
			v.op(o, "the bounds are %s and %s", lo, hi)
		}
		v.sameTypes(o, "result", typesOf(o.Results), typesOf(o.Args[2:]))
	case OpParFor, OpFieldFor:
		v.parallel(o)
	}
}

func (v *verifier) parallel(o *Op) {
	if !v.scope.kernel {
		v.op(o, "%s stands outside the outermost scope of a kernel", o.Code)
	}
	if o.Aux < 1 {
		v.op(o, "the loop has ordinal %d; they count from 1", o.Aux)
	}
	v.hinted(o)
	if o.Code == OpFieldFor {
		if o.Field == nil || !v.fields[o.Field] {
			v.op(o, "the field is not the kernel's")
		}
		return
	}
	if len(o.Args)%2 != 0 {
		v.op(o, "a bound is missing")
		return
	}
	for i := 0; i < len(o.Args); i += 2 {
		if o.Args[i].Type != o.Args[i+1].Type || o.Args[i].Type.Lanes != 1 {
			v.op(o, "the bounds of dimension %d are %s and %s", i/2, o.Args[i].Type, o.Args[i+1].Type)
		}
	}
}

// regionParams returns the types that the parameters of o's regions must have.
func (v *verifier) regionParams(o *Op) []Type {
	switch o.Code {
	case OpFor:
		if len(o.Args) >= 2 && o.Args[0] != nil {
			return append([]Type{o.Args[0].Type}, typesOf(o.Args[2:])...)
		}
	case OpLoop:
		return typesOf(o.Args)
	case OpParFor:
		var ts []Type
		for i := 0; i < len(o.Args); i += 2 {
			ts = append(ts, typesOf(o.Args[i:i+1])...)
		}
		return ts
	case OpFieldFor:
		var ts []Type
		for range o.Field.Rank() {
			ts = append(ts, Scalar(v.k.Int))
		}
		return ts
	}
	return nil
}

// regions checks the blocks of o.
func (v *verifier) regions(o *Op) {
	if len(o.Regions) != o.Code.Info().Regions {
		v.op(o, "%s has %d regions", o.Code, len(o.Regions))
		return
	}
	if len(o.Regions) == 0 || o.Code == OpFieldFor && o.Field == nil {
		return
	}
	saved := v.scope
	v.scope.kernel = false
	v.scope.parent = o
	switch o.Code {
	case OpParFor, OpFieldFor:
		v.scope.loop, v.scope.targets = o, []*Op{o}
	case OpFor, OpLoop, OpBlock:
		v.scope.targets = append(saved.targets[:len(saved.targets):len(saved.targets)], o)
	}
	jumps := 0
	for _, r := range o.Regions {
		if r == nil {
			v.op(o, "a region is missing")
			continue
		}
		v.open(r, o)
		v.sameTypes(o, "parameter of the region", typesOf(r.Params), v.regionParams(o))
		v.ops(r)
		v.close(r)
		if t := r.Terminator(); t != nil && t.Code != OpYield {
			jumps++
		}
	}
	if o.Code == OpIf && jumps == 2 && len(o.Results) > 0 {
		v.op(o, "both regions jump, so the if has no results")
	}
	v.scope = saved
}

// jump checks a terminator.
func (v *verifier) jump(o *Op) {
	s := v.scope
	switch o.Code {
	case OpYield:
		switch {
		case s.parent != nil && (s.parent.Code == OpIf || s.parent.Code == OpBlock):
			v.sameTypes(o, "value", typesOf(o.Args), typesOf(s.parent.Results))
		case s.parent == nil && s.task != nil && s.section != "body":
			v.sameTypes(o, "value", typesOf(o.Args), nil)
		default:
			v.op(o, "yield ends the region of an if or block, or a prologue or epilogue")
		}
	case OpContinue, OpBreak:
		v.target(o)
	case OpReturn:
		v.ret(o)
	}
}

func (v *verifier) target(o *Op) {
	t := o.Target
	if t == nil {
		if o.Code == OpBreak || v.scope.task == nil || v.scope.section != "body" || len(v.scope.task.Dims) == 0 {
			v.op(o, "the jump has no target")
		}
		v.sameTypes(o, "value", typesOf(o.Args), nil)
		return
	}
	found := false
	for _, e := range v.scope.targets {
		found = found || e == t
	}
	switch {
	case !found:
		v.op(o, "the target is no op around the jump, or lies beyond a parallel loop")
	case o.Code == OpBreak && !t.Code.Is(Breakable):
		v.op(o, "%s cannot be left by break", t.Code)
	case o.Code == OpBreak:
		v.sameTypes(o, "value", typesOf(o.Args), typesOf(t.Results))
	case !t.Code.Is(Loop):
		v.op(o, "%s cannot be continued", t.Code)
	case t.Code == OpFor:
		v.sameTypes(o, "value", typesOf(o.Args), typesOf(t.Args[min(2, len(t.Args)):]))
	case t.Code == OpLoop:
		v.sameTypes(o, "value", typesOf(o.Args), typesOf(t.Args))
	default:
		v.sameTypes(o, "value", typesOf(o.Args), nil)
	}
}

func (v *verifier) ret(o *Op) {
	s := v.scope
	switch {
	case s.fn != nil:
		v.sameTypes(o, "result", typesOf(o.Args), s.fn.Results)
	case s.loop != nil:
		v.op(o, "return inside a parallel loop")
	case s.task != nil:
		if len(s.task.Dims) > 0 {
			v.op(o, "return in a parallel task")
		}
		v.sameTypes(o, "result", typesOf(o.Args), nil) // results lie in the frame
	default:
		var ts []Type
		for _, k := range v.k.Results {
			ts = append(ts, Scalar(k))
		}
		v.sameTypes(o, "result", typesOf(o.Args), ts)
	}
}

func typesOf(vs []*Value) []Type {
	ts := make([]Type, len(vs))
	for i, x := range vs {
		if x != nil {
			ts[i] = x.Type
		}
	}
	return ts
}

func (v *verifier) sameTypes(o *Op, what string, have, want []Type) {
	if len(have) != len(want) {
		v.op(o, "%d of %d %ss", len(have), len(want), what)
		return
	}
	for i := range have {
		if have[i] != want[i] {
			v.op(o, "%s %d is %s where %s is needed", what, i, have[i], want[i])
		}
	}
}
