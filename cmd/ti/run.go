package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
)

// deviceFlags choose what kernels run on.
type deviceFlags struct {
	Arch      ti.Arch `default:"cpu" help:"What kernels run on: cpu, llvm or oracle."`
	Threads   int     `help:"Threads that share a loop; 0 for all processors."`
	Unchecked bool    `help:"Drop index checks."`
	Strict    bool    `help:"Keep floating-point operations in source order."`
	Seed      uint64  `help:"Start of the random numbers."`
	Int       int     `default:"32" enum:"32,64" help:"Width of int."`
	Float     int     `default:"32" enum:"32,64" help:"Width of float."`
}

func (d *deviceFlags) config() ti.Config {
	return ti.Config{Arch: d.Arch, Threads: d.Threads, Unchecked: d.Unchecked, StrictMath: d.Strict,
		Seed: d.Seed, Int: d.Int, Float: d.Float}
}

type runCmd struct {
	File   string      `arg:"" type:"path" help:"The source."`
	Bind   []string    `sep:"none" placeholder:"NAME=WHAT" help:"Bind a field to a shape (1024x512, scalar), an .npy file or a picture; a constant to a value (1.5, [1,2,3])."`
	Call   []string    `sep:"none" placeholder:"CALL" help:"Launch a kernel, as in 'Paint(0.3)'; arguments are numbers, bools, vectors and, for slices, names of fields."`
	Repeat int         `default:"1" help:"How often the last call is launched."`
	Save   []string    `sep:"none" placeholder:"NAME=FILE" help:"Save a field as .npy or .png."`
	Print  []string    `sep:"none" placeholder:"NAME" help:"Print a field."`
	JSON   bool        `name:"json" help:"Print one JSON object."`
	Device deviceFlags `embed:""`
}

// report is what -json prints.
type report struct {
	Calls  []callReport   `json:"calls"`
	Fields map[string]any `json:"fields"`
}

type callReport struct {
	Call    string `json:"call"`
	Results []any  `json:"results"`
	Error   string `json:"error,omitempty"`
}

// Run executes the calls in order, then saves and prints fields. A launch that
// fails does not stop the others.
func (c *runCmd) Run(std *stdio) error {
	if c.Repeat < 1 {
		return fmt.Errorf("-repeat is %d; it has to be at least 1", c.Repeat)
	}
	cfg := c.Device.config()
	cfg.Progress = progress(std.err)
	s, err := open(cfg, c.File, c.Bind)
	if err != nil {
		return sourceError(std, err)
	}
	defer s.rt.Close()
	out := report{Calls: []callReport{}, Fields: map[string]any{}}
	failed := false
	for i, text := range c.Call {
		times := 1
		if i == len(c.Call)-1 {
			times = c.Repeat
		}
		r, err := s.call(std, text, times)
		if err != nil {
			return err
		}
		failed = failed || r.Error != ""
		out.Calls = append(out.Calls, r)
		if !c.JSON {
			printCall(std, r)
		}
	}
	if err := c.save(s); err != nil {
		return err
	}
	if err := c.print(std, s, &out); err != nil {
		return err
	}
	if failed {
		return errReported
	}
	return nil
}

// sourceError prints errors of a source as a compiler does.
func sourceError(std *stdio, err error) error {
	var list ti.SourceErrors
	var own syntax.ErrorList
	switch {
	case errors.As(err, &list):
		fmt.Fprintln(std.err, list)
	case errors.As(err, &own):
		fmt.Fprintln(std.err, own)
	default:
		return err
	}
	return errReported
}

func printCall(std *stdio, r callReport) {
	switch {
	case r.Error != "":
		fmt.Fprintf(std.err, "%s: %s\n", r.Call, r.Error)
	case len(r.Results) > 0:
		parts := make([]string, len(r.Results))
		for i, v := range r.Results {
			parts[i] = plain(v)
		}
		fmt.Fprintf(std.out, "%s = %s\n", r.Call, strings.Join(parts, ", "))
	}
}

// call launches a kernel as text says. An error that it returns is one of the
// command line; that of a launch is in the report.
func (s *session) call(std *stdio, text string, times int) (callReport, error) {
	r := callReport{Call: text, Results: []any{}}
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	args, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return r, fmt.Errorf("-call %q is not a call; write 'Name()' or 'Name(1, 2)'", text)
	}
	i := slices.IndexFunc(s.pkg.Kernels, func(k *check.KernelDecl) bool { return k.Name == name })
	if i < 0 {
		var names []string
		for _, k := range s.pkg.Kernels {
			names = append(names, k.Name)
		}
		return r, fmt.Errorf("the source has no kernel %s; it has %s", name, strings.Join(names, ", "))
	}
	values, err := parseValues(args)
	if err != nil {
		return r, fmt.Errorf("-call %q: %w", text, err)
	}
	goArgs, borrowed, err := s.arguments(s.pkg.Kernels[i], values)
	if err != nil {
		return r, fmt.Errorf("-call %q: %w", text, err)
	}
	kernel := s.prog.Kernel(name)
	var took []time.Duration
	for range times {
		start := time.Now()
		results, err := kernel.Launch(context.Background(), goArgs...)
		took = append(took, time.Since(start))
		r.Results = r.Results[:0]
		for _, v := range results {
			r.Results = append(r.Results, jsonValue(reflect.ValueOf(v)))
		}
		if err != nil {
			r.Error = err.Error()
			break
		}
	}
	if err := writeBack(borrowed); err != nil {
		return r, err
	}
	if times > 1 {
		slices.Sort(took)
		fmt.Fprintf(std.err, "%s: %d launches, median %v, minimum %v\n", text, len(took), took[len(took)/2], took[0])
	}
	return r, nil
}

// A sliceArg is a field that stands for a slice parameter: its elements are
// copied before the launch and back after it.
type sliceArg struct {
	field *boundField
	slice reflect.Value
}

// arguments converts values to the parameters of a kernel.
func (s *session) arguments(k *check.KernelDecl, values []value) (args []any, borrowed []sliceArg, err error) {
	if len(values) != len(k.Params) {
		return nil, nil, fmt.Errorf("%s takes %d arguments, not %d", k.Name, len(k.Params), len(values))
	}
	for i, p := range k.Params {
		gt, _, err := goType(p.Type)
		if err != nil {
			return nil, nil, err
		}
		if gt.Kind() == reflect.Slice {
			a, err := s.sliceArgument(p.Name, values[i], gt)
			if err != nil {
				return nil, nil, err
			}
			borrowed = append(borrowed, a)
			args = append(args, a.slice.Interface())
			continue
		}
		v, err := values[i].goValue(gt)
		if err != nil {
			return nil, nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		args = append(args, v.Interface())
	}
	return args, borrowed, nil
}

func (s *session) sliceArgument(param string, v value, t reflect.Type) (sliceArg, error) {
	f := s.fields[v.text]
	if f == nil {
		return sliceArg{}, fmt.Errorf("parameter %s is a slice; give it the name of a bound field, not %s", param, v)
	}
	if f.Elem() != t.Elem() || f.rank != 1 {
		return sliceArg{}, fmt.Errorf("parameter %s: %s has rank %d and elements %v; a field of rank 1 and elements %v is needed", param, v.text, f.rank, f.Elem(), t.Elem())
	}
	var buf bytes.Buffer
	if _, err := f.WriteTo(&buf); err != nil {
		return sliceArg{}, err
	}
	n := f.Shape()[0]
	a := sliceArg{f, reflect.MakeSlice(t, n, n)}
	copy(bytesOf(a.slice), buf.Bytes())
	return a, nil
}

func writeBack(borrowed []sliceArg) error {
	for _, a := range borrowed {
		if _, err := a.field.ReadFrom(bytes.NewReader(bytesOf(a.slice))); err != nil {
			return err
		}
	}
	return nil
}

// save writes the fields that -save names.
func (c *runCmd) save(s *session) error {
	for _, text := range c.Save {
		name, file, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("-save %s names no file; write -save %s=x.npy", text, name)
		}
		f, err := s.field(name)
		if err != nil {
			return fmt.Errorf("-save %s: %w", text, err)
		}
		if err := f.save(file); err != nil {
			return err
		}
	}
	return nil
}

// field finds a bound field.
func (s *session) field(name string) (*boundField, error) {
	if f := s.fields[name]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("no field %s is bound; the source has %s", name, s.varNames())
}

// print prints the fields that -print names, or the whole report.
func (c *runCmd) print(std *stdio, s *session, out *report) error {
	for _, name := range c.Print {
		f, err := s.field(name)
		if err != nil {
			return fmt.Errorf("-print %s: %w", name, err)
		}
		t, err := f.tensor()
		if err != nil {
			return err
		}
		out.Fields[name] = t.nested()
		if !c.JSON {
			fmt.Fprintf(std.out, "%s = %s\n", name, plain(out.Fields[name]))
		}
	}
	if !c.JSON {
		return nil
	}
	return json.NewEncoder(std.out).Encode(out)
}

// progress reports long compilations and launches: on a terminal in one line
// that changes, elsewhere a line every ten seconds.
func progress(w io.Writer) func(ti.Progress) {
	f, ok := w.(interface{ Fd() uintptr })
	terminal := ok && term.IsTerminal(int(f.Fd()))
	var last time.Time
	return func(p ti.Progress) {
		what := "running"
		if p.Compile {
			what = "compiling"
		}
		line := fmt.Sprintf("%s %s, %.0f s", what, p.Kernel, p.Elapsed.Seconds())
		if p.Total > 0 {
			line += fmt.Sprintf(", task %d of %d, %d%%", p.Task+1, p.Tasks, 100*p.Done/p.Total)
		}
		if terminal {
			fmt.Fprintf(w, "\r\x1b[K%s\r", line)
		} else if time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Fprintln(w, line)
		}
	}
}
