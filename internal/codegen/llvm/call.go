package llvm

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
)

// functionName is the name of the LLVM function of fn, without the sigil. It begins with
// the name of the task, with which it is made unique where tasks are compiled together. The
// functions of the sparse runtime have names of their own.
func (m *module) functionName(fn *ir.Func) string {
	if n, ok := m.numbers[fn]; ok {
		return fmt.Sprintf("%s.fn.%d", llvm.EntryName, n)
	}
	return fn.Name
}

// Functions returns the names in the source of the functions that t calls, by the numbers
// that they have in its text, which may have lane variants.
func Functions(t *ir.Task, variants bool) (names []string) {
	for _, fn := range called(t, variants) {
		names = append(names, fn.Name)
	}
	return names
}

// resultType is what an LLVM function with these results returns.
func resultType(types []ir.Type) string {
	switch len(types) {
	case 0:
		return "void"
	case 1:
		return typ(types[0])
	}
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = typ(t)
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// beginFunction translates the body of fn and returns the text of its parameters.
func (m *module) beginFunction(fn *ir.Func) (f *function, list string) {
	f = m.newFunction()
	f.ret = func(args []*ir.Value) { f.returnValues(fn.Results, args) }
	f.stop = func() {
		if t := resultType(fn.Results); t != "void" {
			f.do("ret %s zeroinitializer", t)
		} else {
			f.do("ret void")
		}
	}
	params := make([]string, len(fn.Params), len(fn.Params)+1)
	for i, p := range fn.Body.Params {
		f.values[p] = fmt.Sprintf("%%p%d", i)
		params[i] = fmt.Sprintf("%s %%p%d", typ(p.Type), i)
	}
	if m.takesContext(fn) {
		params = append(params, "ptr noundef nonnull align 8 %ctx")
	}
	f.ops(fn.Body)
	return f, strings.Join(params, ", ")
}

// mostInlined is how many ops a function with lane variants may have to be inlined. Fused products without an instruction for them
// have more, and a decomposition has a hundred of them.
const mostInlined = 160

// function writes a function that kernels call. It has no effects.
func (m *module) function(fn *ir.Func) error {
	f, params := m.beginFunction(fn)
	if f.err != nil {
		return f.err
	}
	// A call may be dropped, repeated or moved: that is what IR says of calls.
	attributes := "#0 willreturn readnone"
	if m.opts.Version >= 16 {
		attributes = "#0 willreturn memory(none)"
	}
	if m.polls(fn) { // it may not return, so LLVM must not hoist calls of it out of branches
		attributes = "#0 readonly"
		if m.opts.Version >= 16 {
			attributes = "#0 memory(read)"
		}
	}
	if fn.Scalar != nil || len(m.variants[fn]) > 0 {
		// Variants are called by nothing yet. An argument that is the same constant in all calls
		// must not be taken from the scalar function, since its variants still have it.
		m.kept = append(m.kept, "@"+m.functionName(fn))
		attributes += " noinline"
		if fn.Body.Size() <= mostInlined {
			attributes += fmt.Sprintf(" %q", Late)
		}
	}
	f.write(&m.functions, fmt.Sprintf("define internal %s @%s(%s) %s", resultType(fn.Results), m.functionName(fn), params, attributes))
	return nil
}

// returnValues returns args, of these types.
func (f *function) returnValues(types []ir.Type, args []*ir.Value) {
	switch t := resultType(types); len(args) {
	case 0:
		f.do("ret void")
	case 1:
		f.do("ret %s %s", t, f.use(args[0]))
	default:
		all := "poison"
		for i, a := range args {
			all = f.inst("insertvalue %s %s, %s %s, %d", t, all, typ(a.Type), f.use(a), i)
		}
		f.do("ret %s %s", t, all)
	}
}

// call calls a function. One with lane variants declares them to LLVM, in the form
// of the vector function ABI for variants that are in the module.
func (f *function) call(o *ir.Op) {
	text := f.callText(o.Func, f.uses(o.Args)...)
	switch len(o.Results) {
	case 0:
		f.do("%s", text)
	case 1:
		f.values[o.Results[0]] = f.inst("%s", text)
	default:
		all := f.inst("%s", text)
		for i, r := range o.Results {
			f.values[r] = f.inst("extractvalue %s %s, %d", resultType(o.Func.Results), all, i)
		}
	}
}

// callText is the instruction that calls fn with operands.
func (f *function) callText(fn *ir.Func, operands ...string) string {
	args := make([]string, len(operands), len(operands)+1)
	for i, a := range operands {
		args[i] = typ(fn.Params[i]) + " " + a
	}
	if f.m.takesContext(fn) {
		args = append(args, "ptr %ctx")
	}
	return fmt.Sprintf("call %s @%s(%s)%s", resultType(fn.Results), f.m.functionName(fn), strings.Join(args, ", "), f.m.variantList(fn))
}

// variantList is the attribute that names the lane variants of fn.
func (m *module) variantList(fn *ir.Func) string {
	var list []string
	for _, v := range m.variants[fn] {
		if len(v.Params) == 0 || len(v.Results) != 1 {
			continue
		}
		list = append(list, fmt.Sprintf("_ZGV_LLVM_N%d%s_%s(%s)", v.Params[0].Lanes, strings.Repeat("v", len(v.Params)), m.functionName(fn), m.functionName(v)))
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf(" \"vector-function-abi-variant\"=\"%s\"", strings.Join(list, ","))
}
