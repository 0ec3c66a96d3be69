package script

import (
	"bytes"
	"fmt"
	"go/constant"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/typed"
)

// A call is one launch that -call asks for.
type call struct {
	text   string
	kernel *ti.Kernel
	args   []any
	slices []sliceArg
	Times  int
}

// A sliceArg is a field that stands for a slice parameter: its elements are
// copied before the launch and back after it. A field given twice is one slice.
type sliceArg struct {
	field *Field
	slice reflect.Value
}

// newCall makes the call of a statement, with the loop variables as they are in env.
func (s *Session) newCall(st *Statement, env map[string]constant.Value) (*call, error) {
	c := &call{text: st.text, Times: 1, kernel: s.Program.Kernel(st.kernel.Name)}
	values := slices.Clone(st.args)
	changed := false
	for i, v := range values {
		var err error
		if values[i], err = v.eval(env); err != nil {
			return nil, err
		}
		changed = changed || values[i].String() != v.String()
	}
	if changed { // tell the calls of a loop from each other
		parts := make([]string, len(values))
		for i, v := range values {
			parts[i] = v.String()
		}
		c.text = st.kernel.Name + "(" + strings.Join(parts, ", ") + ")"
	}
	return c, s.arguments(c, st.kernel, values)
}

func wrongCount(k *check.KernelDecl, n int) error {
	s := "s"
	if len(k.Params) == 1 {
		s = ""
	}
	return fmt.Errorf("%s takes %d argument%s, not %d", k.Name, len(k.Params), s, n)
}

// arguments converts values to the parameters of a kernel.
func (s *Session) arguments(c *call, k *check.KernelDecl, values []value) error {
	if len(values) != len(k.Params) {
		return wrongCount(k, len(values))
	}
	for i, p := range k.Params {
		a, err := s.argument(c, values[i], p.Type)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		c.args = append(c.args, a)
	}
	return nil
}

// argument converts a value to a parameter of type t.
func (s *Session) argument(c *call, v value, t typed.Type) (any, error) {
	switch u := t.(type) {
	case typed.View:
		return s.viewArgument(c, v, u)
	case typed.TemplateType, typed.FuncType:
		return s.staticArgument(v, t)
	}
	if IsBundle(t) { // or a field or node
		return s.staticArgument(v, t)
	}
	gt, _, err := GoType(t)
	if err != nil {
		return nil, err
	}
	var x reflect.Value
	if gt.Kind() == reflect.Slice {
		x, err = s.sliceArgument(c, v, gt)
	} else {
		x, err = v.goValue(gt)
	}
	if err != nil {
		return nil, err
	}
	return x.Interface(), nil
}

func (s *Session) sliceArgument(c *call, v value, t reflect.Type) (reflect.Value, error) {
	f := s.Fields[v.text]
	if f == nil {
		return reflect.Value{}, fmt.Errorf("it is a slice; give it the name of a bound field of rank 1, not %s", v)
	}
	return s.copyOf(c, v.text, f, t.Elem(), 1)
}

// copyOf is a slice for the elements of a field, which are copied before the launch and back
// after it.
func (s *Session) copyOf(c *call, name string, f *Field, elem reflect.Type, rank int) (reflect.Value, error) {
	if f.Elem() != elem || f.rank != rank {
		return reflect.Value{}, fmt.Errorf("it needs a field of rank %d with elements of type %s; %s has rank %d and elements of type %s",
			rank, kernelName(elem), name, f.rank, kernelName(f.Elem()))
	}
	if i := slices.IndexFunc(c.slices, func(a sliceArg) bool { return a.field == f }); i >= 0 {
		return c.slices[i].slice, nil
	}
	if err := fits("a copy of "+name, numbers(f.Shape()...), float64(elem.Size())); err != nil {
		return reflect.Value{}, err
	}
	n := int(numbers(f.Shape()...))
	a := sliceArg{f, reflect.MakeSlice(reflect.SliceOf(elem), n, n)}
	c.slices = append(c.slices, a)
	return a.slice, nil
}

// launch runs the call. The error of a launch is in the report; one that is
// returned is of the command itself.
func (c *call) launch(r *Runner) (Report, error) {
	out := Report{Call: c.text, Results: []any{}, Kernel: c.kernel.Name()}
	for _, a := range c.slices {
		var buf bytes.Buffer
		if _, err := a.field.WriteTo(&buf); err != nil {
			return out, err
		}
		copy(bytesOf(a.slice), buf.Bytes())
	}
	var took []time.Duration
	for range c.Times {
		start := time.Now()
		results, err := c.kernel.Launch(r.Ctx, c.args...)
		took = append(took, time.Since(start))
		out.Results = out.Results[:0]
		for _, v := range results {
			out.Results = append(out.Results, jsonValue(reflect.ValueOf(v)))
		}
		if err != nil {
			out.Err, out.Error, out.Excerpt = err, err.Error(), excerptOf(err)
			break
		}
	}
	r.Launched()
	for _, a := range c.slices {
		if _, err := a.field.ReadFrom(bytes.NewReader(bytesOf(a.slice))); err != nil {
			return out, err
		}
	}
	if c.Times > 1 {
		slices.Sort(took)
		fmt.Fprintf(r.Notes, "%s: %s, median %v, minimum %v\n", c.text, launches(len(took)), took[len(took)/2], took[0])
	}
	return out, nil
}

func launches(n int) string {
	if n == 1 {
		return "1 launch"
	}
	return fmt.Sprintf("%d launches", n)
}

// Listed is names for a message.
func Listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
