package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/script"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

type irCmd struct {
	Files   []string         `arg:"" type:"path" name:"file" help:"The source: its file, or all of them."`
	Kernel  string           `help:"The kernel; all of them by default."`
	Stage   string           `default:"ir" help:"The stage: lower, a pass by its name, strategy (what is decided of loops), ir (the end of the passes), llvm, opt or asm; 'list' lists them."`
	Tree    []string         `sep:"none" placeholder:"TREE" help:"As for run."`
	Bind    []string         `sep:"none" placeholder:"NAME=WHAT" help:"As for run; what is not bound gets a small shape or value."`
	Call    []string         `sep:"none" placeholder:"CALL" help:"Launch a kernel before, as for run; one with compile-time parameters has code for what it was launched with last."`
	Full    bool             `name:"functions" help:"Show the bodies of the maths functions too."`
	Time    bool             `help:"Print how long each pass, module and task takes, and what comes out, instead of a stage."`
	HTML    string           `name:"html" type:"path" placeholder:"FILE" help:"Write a page with the source beside every stage."`
	Explain string           `placeholder:"KERNEL" help:"Say in words, beside the lines of the source, what the compiler has made of a kernel."`
	Grad    []string         `placeholder:"NAME,…" help:"Place the adjoints of fields, and show the adjoints of kernels."`
	Dual    []string         `placeholder:"NAME,…" help:"Place the tangents of fields, and show the kernels with tangents; with -grad, the adjoints with tangents, by which a Hessian is multiplied."`
	Library script.Libraries `embed:""`
	Device  deviceFlags      `embed:""`
}

// stages lists what -stage takes: those of the target that the kernels would be compiled for. Where no flag names it, a
// runtime says which one that is.
func (c *irCmd) stages() ([]string, error) {
	if c.Device.Arch != ti.CPU {
		return script.Stages(c.Device.Arch)
	}
	rt, err := ti.New(c.Device.config())
	if err != nil {
		return nil, err
	}
	defer rt.Close()
	return script.Stages(rt.Device().Arch)
}

// Run prints a stage of one kernel or all of them, or writes the page.
func (c *irCmd) Run(std *stdio) error {
	if c.Stage == "list" {
		all, err := c.stages()
		if err != nil {
			return err
		}
		for _, s := range all {
			fmt.Fprintln(std.out, s)
		}
		return nil
	}
	if listed, err := c.Device.leaveOut(std); listed || err != nil {
		return err
	}
	binds, err := c.binds(std)
	if err != nil {
		return sourceError(std, err)
	}
	s, err := script.Open(script.Options{Config: c.Device.config(), Files: c.Files, Libraries: c.Library, Trees: c.Tree, Binds: binds, Place: func(s *script.Session) error { return s.PlaceDerivatives(c.Grad, c.Dual) }})
	if err != nil {
		return sourceError(std, err)
	}
	defer s.Runtime.Close()
	kernels, err := c.kernels(std, s)
	if err != nil {
		return err
	}
	if c.Explain != "" {
		return kernels[0].Dump(std.out, c.ofMode("explain"))
	}
	if c.HTML != "" {
		return c.page(std, s.Runtime.Device().Arch, kernels)
	}
	for _, k := range kernels {
		stage := c.Stage
		if c.Time {
			stage = "time"
		}
		text, err := c.dump(k, stage)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(std.out, text); err != nil {
			return err
		}
	}
	return nil
}

// kernels makes the calls of -call and returns the kernels to be shown. What has
// compile-time parameters can be shown once it has been launched.
func (c *irCmd) kernels(std *stdio, s *script.Session) ([]*ti.Kernel, error) {
	launched := map[string]bool{}
	run := &script.Runner{Ctx: context.Background(), Session: s, Notes: std.err, Launched: newMeter(std.err).clear}
	run.Report = func(r script.Report, _ bool) {
		if r.Error != "" { // there is code of it nevertheless, unless it does not compile
			printCall(std, r)
		}
		launched[r.Kernel] = true
	}
	for _, text := range c.Call {
		script, err := s.ParseScript(text)
		if err != nil {
			return nil, err
		}
		if err := run.Run(script, false); err != nil {
			return nil, err
		}
	}
	name := cmp.Or(c.Explain, c.Kernel)
	if name != "" && s.Program.Kernel(name) == nil {
		return nil, fmt.Errorf("the source has no kernel %s; it has %s", name, kernelNames(s.Program.Kernels()))
	}
	var shown []*ti.Kernel
	for _, d := range s.Package.Kernels {
		switch {
		case name != "" && d.Name != name:
		case hasStatic(d) && !launched[d.Name]:
			err := fmt.Errorf("%s has compile-time parameters; launch it, as in -call '%s(%s)'", s.Program.Kernel(d.Name), d.Name, paramNames(d))
			if name != "" {
				return nil, err
			}
			fmt.Fprintf(std.err, "not shown: %v\n", err)
		default:
			shown = append(shown, s.Program.Kernel(d.Name))
		}
	}
	return shown, nil
}

// hasStatic reports whether a kernel has compile-time parameters.
func hasStatic(d *check.KernelDecl) bool {
	return slices.ContainsFunc(d.Params, func(p check.ParamDecl) bool {
		switch p.Type.(type) {
		case typed.TemplateType, typed.FuncType:
			return true
		}
		return typed.HoldsFields(p.Type)
	})
}

func paramNames(d *check.KernelDecl) string {
	var names []string
	for _, p := range d.Params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// dump returns a stage of a kernel as it is to be shown.
func (c *irCmd) dump(k *ti.Kernel, stage string) (string, error) {
	var buf bytes.Buffer
	if err := k.Dump(&buf, c.ofMode(stage)); err != nil {
		return "", err
	}
	if c.Full {
		return buf.String(), nil
	}
	return fold(buf.String()), nil
}

// ofMode is a stage of the kernel, or of the derivative that is asked for.
func (c *irCmd) ofMode(stage string) string {
	switch {
	case len(c.Grad) > 0 && len(c.Dual) > 0:
		return "grad/dual/" + stage
	case len(c.Grad) > 0:
		return "grad/" + stage
	case len(c.Dual) > 0:
		return "dual/" + stage
	}
	return stage
}

func kernelNames(kernels []*ti.Kernel) string {
	var names []string
	for _, k := range kernels {
		names = append(names, k.Name())
	}
	return script.Listed(names)
}

// page writes the HTML page, with the stages of an architecture.
func (c *irCmd) page(std *stdio, arch ti.Arch, kernels []*ti.Kernel) error {
	if len(c.Files) > 1 {
		return fmt.Errorf("-html is for a source of one file, and this has %d", len(c.Files))
	}
	text, err := script.ReadSource(c.Files[0])
	if err != nil {
		return err
	}
	stages, err := script.Stages(arch)
	if err != nil {
		return err
	}
	p := page{Title: script.Display(c.Files[0]), Source: strings.Split(strings.TrimRight(string(text), "\n"), "\n")}
	for _, k := range kernels {
		kp := kernelPage{Name: k.String()}
		last := ""
		for _, stage := range stages {
			text, err := c.dump(k, stage)
			if err != nil {
				return err
			}
			if text == last {
				continue // this pass changed nothing
			}
			last = text
			kp.Stages = append(kp.Stages, stagePage{stage, linkLines(last)})
		}
		p.Kernels = append(p.Kernels, kp)
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return err
	}
	if err := script.WriteFile(c.HTML, out.Bytes()); err != nil {
		return fmt.Errorf("the page is not written: %w; make room, or name another file", err)
	}
	fmt.Fprintf(std.err, "wrote %s\n", script.Display(c.HTML))
	return nil
}

// binds completes -bind: a kernel can be looked at without saying what it is for.
func (c *irCmd) binds(std *stdio) ([]string, error) {
	sources, errs, err := readSources(c.Files, &c.Library)
	if err != nil {
		return nil, err
	}
	switch len(sources) {
	case 0:
		return nil, errs
	case 1:
	default:
		return nil, severalSources(len(sources))
	}
	pkg, more := check.DeclareWith(sources[0], typed.WidthsOf(c.Device.Int, c.Device.Float))
	if len(errs)+len(more) > 0 {
		return nil, append(errs, check.Mistakes(sources[0])...).Sort()
	}
	bound := map[string]string{}
	for _, b := range c.Bind {
		name, what, _ := strings.Cut(b, "=")
		bound[name] = what
	}
	trees, err := script.ParseTrees(c.Tree)
	if err != nil {
		return nil, err
	}
	pkg, extra := guessConsts(script.DeclareBound(pkg, c.Bind), bound, c.Bind)
	more2, err := guess(pkg, bound, trees)
	if err != nil {
		return nil, err
	}
	extra = append(extra, more2...)
	if len(extra) > 0 {
		fmt.Fprintf(std.err, "not bound, so assumed: %s\n", strings.Join(extra, " "))
	}
	return append(slices.Clone(c.Bind), extra...), nil
}

// guessConsts binds constants that are not bound to 1, those on which types depend before the others, and adds them to
// bound. It returns the source declared with all of them.
func guessConsts(pkg *check.Package, bound map[string]string, binds []string) (*check.Package, []string) {
	var extra []string
	for {
		before := len(extra)
		for _, v := range pkg.Vars {
			if _, ok := bound[v.Name]; ok || script.IsBundle(v.Type) || script.PartsBound(bound, v.Name) {
				continue
			}
			if value, err := script.ConstGuess(v.Type); err == nil {
				bound[v.Name] = value
				extra = append(extra, v.Name+"="+value)
			}
		}
		if len(extra) == before {
			return pkg, extra
		}
		pkg = script.DeclareBound(pkg, append(slices.Clone(binds), extra...))
	}
}

// guess binds what is not bound: constants to 1, fields to 16 along each axis,
// with the ranks that the source has no errors for, the lowest first.
func guess(pkg *check.Package, bound map[string]string, trees map[string]check.HostField) ([]string, error) {
	var consts, open []string
	shapes := map[string]int{}
	for _, v := range pkg.Vars {
		if _, ok := bound[v.Name]; ok {
			continue
		}
		if _, ok := trees[v.Name]; ok {
			continue
		}
		f, isField := v.Type.(typed.FieldType)
		if !isField && script.PartsBound(bound, v.Name) {
			continue // whoever binds a part binds all
		}
		switch {
		case !isField:
			if why := script.Unbindable(v.Name, v.Type); why != "" {
				return nil, fmt.Errorf("%s is %s", v.Name, why)
			}
			value, err := script.ConstGuess(v.Type)
			if err != nil {
				return nil, fmt.Errorf("var %s: %w; give it with -bind", v.Name, err)
			}
			consts = append(consts, v.Name+"="+value)
		case f.Rank >= 0:
			shapes[v.Name] = f.Rank
		default:
			open = append(open, v.Name)
			shapes[v.Name] = 1
		}
	}
	if len(open) > 0 {
		if err := guessRanks(pkg, bound, trees, open, shapes); err != nil {
			return nil, err
		}
	}
	out := consts
	for _, v := range pkg.Vars {
		if rank, ok := shapes[v.Name]; ok {
			out = append(out, v.Name+"="+script.ShapeText(rank))
		}
	}
	return out, nil
}

// guessRanks tries ranks from 1 to 3 for the open fields until the source has no
// errors.
func guessRanks(pkg *check.Package, bound map[string]string, trees map[string]check.HostField, open []string, shapes map[string]int) error {
	const most = 6 // 729 tries
	if len(open) > most {
		return fmt.Errorf("the ranks of %s are open; give them with -bind, or as in field[f32, D2]", strings.Join(open, ", "))
	}
	var first syntax.ErrorList
	for try := range pow(3, len(open)) {
		for i, name := range open {
			shapes[name] = 1 + try/pow(3, i)%3
		}
		_, errs := pkg.Check(checkHost(pkg, bound, trees, shapes))
		if len(errs) == 0 {
			return nil
		}
		if try == 0 || len(errs) < len(first) {
			first = errs
		}
	}
	return errors.Join(first, errors.New("no ranks of "+strings.Join(open, ", ")+" fit; give them with -bind"))
}

func pow(b, n int) int {
	p := 1
	for range n {
		p *= b
	}
	return p
}

// checkHost describes to the checker what would be bound.
func checkHost(pkg *check.Package, bound map[string]string, trees map[string]check.HostField, shapes map[string]int) *check.Host {
	h := &check.Host{Fields: map[string]check.HostField{}, Consts: map[string]check.HostConst{}}
	for _, v := range pkg.Vars {
		f, isField := v.Type.(typed.FieldType)
		if t, ok := trees[v.Name]; ok {
			if isField {
				t.Elem = f.Elem
			}
			h.Fields[v.Name] = withDerivatives(t)
			continue
		}
		if !isField {
			if k, ok := pkg.Const(v.Name); ok {
				h.Consts[v.Name] = k
			} else if _, dims, err := script.GoType(v.Type); err == nil {
				h.Consts[v.Name] = check.HostConst{Vals: ones(v.Type, dims), Dims: dims}
			}
			continue
		}
		rank, ok := shapes[v.Name]
		if !ok {
			shape, _ := script.ParseShape(bound[v.Name])
			rank = len(shape)
		}
		h.Fields[v.Name] = withDerivatives(check.HostField{Elem: f.Elem, Shape: slices.Repeat([]int{16}, rank)})
	}
	return h
}

// ones returns the components of a constant whose scalars are all 1.
func ones(t typed.Type, dims []int) []typed.Num {
	n := 1
	for _, d := range dims {
		n *= d
	}
	for {
		a, ok := t.(typed.Array)
		if !ok {
			break
		}
		t = a.Elem
	}
	one := typed.IntNum(1)
	switch s := t.(typed.Scalar); {
	case s == typed.Bool:
		one = typed.BoolNum(true)
	case s.IsFloat():
		one = typed.FloatNum(1)
	}
	return slices.Repeat([]typed.Num{one}, n)
}

// linkLines turns positions at the ends of lines into links to the source.
func linkLines(text string) []codeLine {
	var out []codeLine
	for line := range strings.Lines(text) {
		l := codeLine{Text: strings.TrimRight(line, "\n")}
		if m := position.FindStringSubmatchIndex(l.Text); m != nil {
			if row, err := strconv.Atoi(l.Text[m[2]:m[3]]); err == nil {
				// What stands behind the position opens a region.
				l.Row, l.Text = row, l.Text[:m[0]]+l.Text[m[1]:]
			}
		}
		out = append(out, l)
	}
	return out
}

// position is a place in the first file of a source, as the IR prints it.
var position = regexp.MustCompile(` @0:([0-9]+):[0-9]+`)
