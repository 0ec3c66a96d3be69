package main

import (
	"github.com/gotaichi/ti/internal/script"

	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/syntax"
)

// deviceFlags choose what kernels run on.
type deviceFlags struct {
	Arch      ti.Arch `default:"cpu" help:"What kernels run on: cpu, llvm, wasm, vulkan or oracle."`
	Device    int     `help:"Which device of it, by the number that ti doctor says; 0 is the first graphics processor."`
	Threads   int     `help:"Threads that share a loop; 0 for all processors."`
	Unchecked bool    `help:"Drop index checks."`
	Debug     bool    `help:"Check arithmetic and look for races; slow."`
	CheckNaN  bool    `name:"check-nan" help:"Fail where an operation on numbers gives none."`
	Strict    bool    `help:"Keep floating-point operations in source order."`
	Same      bool    `name:"deterministic" help:"Give the same bits whatever the number of threads."`
	Seed      uint64  `help:"Start of the random numbers."`
	Int       int     `default:"32" enum:"32,64" help:"Width of int."`
	Float     int     `default:"32" enum:"32,64" help:"Width of float."`
	Batch     int     `help:"Tasks that are collected before they run together; 0 runs each launch at once."`
	Memory    size    `placeholder:"BYTES" help:"What all trees may have in use, such as 512M or 2G."`
	Without   string  `placeholder:"PART,…" help:"Leave parts of the compiler out; 'list' lists them. Results are the same."`
}

// A size is a number of bytes on the command line.
type size int64

// UnmarshalText reads 4096, 64K, 512M or 2G.
func (s *size) UnmarshalText(text []byte) error {
	n, err := memory.ParseSize(string(text))
	*s = size(n)
	return err
}

// leaveOut takes -without to where the runtime looks for it. It reports whether the list
// of parts was asked for, and printed.
func (d *deviceFlags) leaveOut(std *stdio) (listed bool, err error) {
	switch d.Without {
	case "":
		return false, nil
	case "list":
		_, err := io.WriteString(std.out, option.DescribeSwitches())
		return true, err
	}
	if _, err := option.ParseSwitches(d.Without); err != nil {
		return false, fmt.Errorf("-without %s: %w", d.Without, err)
	}
	return false, os.Setenv("TI_WITHOUT", d.Without)
}

func (d *deviceFlags) config() ti.Config {
	return ti.Config{Arch: d.Arch, Device: d.Device, Threads: d.Threads, Unchecked: d.Unchecked, StrictMath: d.Strict, Deterministic: d.Same, Debug: d.Debug,
		CheckNaN: d.CheckNaN, Seed: d.Seed, Batch: d.Batch, MemoryLimit: int64(d.Memory), Int: d.Int, Float: d.Float}
}

type runCmd struct {
	Files   []string      `arg:"" optional:"" type:"path" name:"file" help:"The source: its file, or all of them."`
	Scene   string        `type:"path" placeholder:"FILE" help:"Show a scene in a window: a file that names its source, and says what is bound, launched and shown."`
	Listen  string        `placeholder:"ADDRESS" help:"Where the window of -scene is served, as on 127.0.0.1:8080; without it, on a port of this machine that the system chooses."`
	Tree    []string      `sep:"none" placeholder:"TREE" help:"Describe a tree of nodes and the fields in it, as in 'B=pointer(ij,256).dense(ij,16).place(X,Y)'."`
	Bind    []string      `sep:"none" placeholder:"NAME=WHAT" help:"Bind a field to a shape (1024x512, scalar), an .npy file or a picture; a constant to a value (1.5, [1,2,3]); a part of a bundle by its path (L.X=64); a field of -tree to a file with its values, or a saved tree (.titree)."`
	Call    []string      `sep:"none" placeholder:"CALL" help:"Launch kernels: 'Paint(0.3)', or several, as in 'for i := range 100 { Step(); Paint(0.03*i) }; Sum()'. Arguments are numbers, bools, vectors and, for slices, arrays and compile-time parameters, names of fields."`
	Repeat  int           `default:"1" help:"How often the last call is launched."`
	Timeout time.Duration `placeholder:"TIME" help:"End the launches that are not done after so long, all together, such as 10s or 1m30s."`
	Save    []string      `sep:"none" placeholder:"NAME=FILE" help:"Save a field, or a member of one (P.Pos), as .npy or .png; the whole tree of a field or node, as .titree; which cells of a tree are active (a node, X.topology), as .png."`
	Print   []string      `sep:"none" placeholder:"NAME" help:"Print a field, or a member of one; of a sparse field the active elements."`
	Words   []string      `sep:"none" placeholder:"NAME" help:"Print the words that a field is packed in by -tree."`
	JSON    bool          `name:"json" help:"Print one JSON object."`

	Describe bool `help:"Print the trees as they are in the end: nodes, active cells, memory."`

	Profile bool   `help:"Print on standard error how long each task took."`
	Trace   string `type:"path" placeholder:"FILE" help:"Write what each thread ran and when, for chrome://tracing or ui.perfetto.dev."`
	Graph   string `type:"path" placeholder:"FILE" help:"Write the state-flow graph of the launches, for Graphviz: dot -Tsvg FILE."`
	Cover   string `type:"path" placeholder:"FILE" help:"Add to a profile of how often each line was executed, for go tool cover -html=FILE."`

	Quant       rangeFlags       `embed:""`
	Derivatives derivativeFlags  `embed:""`
	Library     script.Libraries `embed:""`
	Device      deviceFlags      `embed:""`
}

// report is what -json prints.
type report struct {
	Calls  []script.Report `json:"calls"`
	Fields map[string]any  `json:"fields"`
	Trees  []string        `json:"trees,omitempty"` // with -describe

	Words  map[string][]string `json:"words,omitempty"`  // with -words, in hexadecimal
	Ranges []rangeReport       `json:"ranges,omitempty"` // with -ranges

	Dropped int `json:"dropped_calls,omitempty"` // calls in loops that are not listed
}

// Run executes the calls in order, then saves and prints fields. What is wrong
// with the command line is said before anything runs. A launch that fails does not
// stop the others, nor does a file that cannot be written.
func (c *runCmd) Run(std *stdio) (result error) {
	if c.Repeat < 1 {
		return fmt.Errorf("-repeat is %d; it has to be at least 1", c.Repeat)
	}
	if c.Timeout < 0 {
		return fmt.Errorf("-timeout is %v; it has to be longer than nothing", c.Timeout)
	}
	if listed, err := c.Device.leaveOut(std); listed || err != nil {
		return err
	}
	if c.Scene != "" {
		return c.scene(std)
	}
	if len(c.Files) == 0 {
		return errors.New("an argument is missing: <file> ..., or -scene; ti run --help tells what can be written")
	}
	if c.Listen != "" {
		return errors.New("-listen is for the window of -scene")
	}
	cfg := c.Device.config()
	cfg.Cover = c.Cover
	meter := newMeter(std.err)
	cfg.Progress = meter.show
	if cfg.Stdout = std.out; c.JSON {
		cfg.Stdout = std.err // so that standard output is one JSON object
	}
	s, err := c.open(cfg)
	if err != nil {
		return sourceError(std, err)
	}
	defer func() {
		if err := s.Runtime.Close(); err != nil { // of the coverage
			fmt.Fprintln(std.err, err)
			result = cmp.Or(result, errReported)
		}
	}()
	actions, err := c.actions(std.args)
	if err != nil {
		return err
	}
	saves, err := c.plan(s, actions)
	if err != nil {
		return err
	}
	out := report{Calls: []script.Report{}, Fields: map[string]any{}}
	failed, late := false, false
	if err := c.measured(std, s.Runtime, func() error {
		return c.counted(std, s, &out, func() (err error) {
			failed, late, err = c.launch(std, s, actions, meter, &out)
			return cmp.Or(err, s.Runtime.Sync()) // with -batch, launches fail later
		})
	}); err != nil {
		return err
	}
	for _, f := range saves {
		if err := f.save(); err != nil {
			failed = true
			fmt.Fprintf(std.err, "ti: -save %s=%s: %v\n", f.name, f.file, err)
		}
	}
	if err := c.printWords(std, s, &out); err != nil {
		return err
	}
	if err := c.print(std, s, &out); err != nil {
		return err
	}
	switch {
	case late:
		return errLate
	case failed:
		return errReported
	}
	return nil
}

// mostReports is how many calls in loops a report of -json lists.
const mostReports = 100_000

// launch executes the script, all of it within -timeout, and adds the calls to the
// report: those in loops if they have a result or an error. It says whether a launch failed,
// and whether one ended late.
func (c *runCmd) launch(std *stdio, s *script.Session, actions []action, meter *meter, out *report) (failed, late bool, err error) {
	ctx := context.Background()
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	run := &script.Runner{Ctx: ctx, Session: s, Notes: std.err, Launched: meter.clear}
	run.Report = func(r script.Report, inLoop bool) {
		failed = failed || r.Error != ""
		if r.Error != "" && ctx.Err() != nil {
			late = true
			r.Error = fmt.Sprintf("not done when the time was over, -timeout %v (%s)", c.Timeout, r.Error)
		}
		switch {
		case !c.JSON:
			printCall(std, r)
		case inLoop && r.Error == "" && len(r.Results) == 0:
		case inLoop && len(out.Calls) >= mostReports:
			out.Dropped++
		default:
			out.Calls = append(out.Calls, r)
		}
	}
	for _, a := range actions {
		if err = c.derive(run, a); err != nil {
			break
		}
	}
	return failed, late, err
}

// measured makes the launches of f, and with -profile and -trace says how long
// they took.
func (c *runCmd) measured(std *stdio, rt *ti.Runtime, f func() error) error {
	if c.Graph != "" {
		return c.drawn(rt, f)
	}
	if !c.Profile && c.Trace == "" {
		return f()
	}
	var trace bytes.Buffer
	var p ti.Profile
	var err error
	if c.Trace != "" {
		p, err = rt.Trace(&trace, f)
	} else {
		p, err = rt.Profile(f)
	}
	if err != nil {
		return err
	}
	if c.Profile {
		fmt.Fprint(std.err, p)
	}
	if c.Trace == "" {
		return nil
	}
	if err := script.WriteFile(c.Trace, trace.Bytes()); err != nil {
		return fmt.Errorf("-trace %s: %w", script.Display(c.Trace), err)
	}
	return nil
}

// drawn makes the launches of f, and writes their graph.
func (c *runCmd) drawn(rt *ti.Runtime, f func() error) error {
	var dot bytes.Buffer
	if err := rt.WriteGraph(&dot, f); err != nil {
		return err
	}
	if err := script.WriteFile(c.Graph, dot.Bytes()); err != nil {
		return fmt.Errorf("-graph %s: %w", script.Display(c.Graph), err)
	}
	return nil
}

// A savedThing is what -save names.
type savedThing struct {
	name, file string
	save       func() error
}

// open opens the session, with adjoints and tangents.
func (c *runCmd) open(cfg ti.Config) (*script.Session, error) {
	var plain, derivatives []string
	for _, b := range c.Bind {
		if script.IsDerivative(b) {
			derivatives = append(derivatives, b)
		} else {
			plain = append(plain, b)
		}
	}
	return script.Open(script.Options{Config: cfg, Files: c.Files, Libraries: c.Library, Trees: c.Tree, Binds: plain, Place: func(s *script.Session) error {
		return cmp.Or(s.PlaceDerivatives(c.Derivatives.Grad, c.Derivatives.Dual), s.BindDerivatives(derivatives))
	}})
}

// plan reads what the command line wants of the session, and the scripts of the actions.
func (c *runCmd) plan(s *script.Session, actions []action) (saves []savedThing, err error) {
	for i := range actions {
		if actions[i].script, err = s.ParseScript(actions[i].text); err != nil {
			return nil, err
		}
	}
	if err := c.planTapes(s, actions); err != nil {
		return nil, err
	}
	if n := len(actions); n > 0 && c.Repeat > 1 {
		statements := actions[n-1].script
		last := statements[len(statements)-1]
		if last.Loop {
			return nil, fmt.Errorf("-repeat is for a call, and the last thing of -call is a loop; write how often into that")
		}
		last.Planned.Times = c.Repeat
	}
	for _, text := range c.Save {
		name, file, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("-save %s names no file; write -save %s=%s.npy", text, name, strings.ToLower(name))
		}
		save, err := saverOf(s, name, file)
		if err != nil {
			return nil, fmt.Errorf("-save %s: %w", text, err)
		}
		saves = append(saves, savedThing{name, file, save})
	}
	for _, name := range c.Words {
		if _, _, err := wordNodeOf(s, name); err != nil {
			return nil, fmt.Errorf("-words %s: %w", name, err)
		}
	}
	for _, name := range c.Print {
		f, err := s.Field(name)
		if err == nil {
			err = f.Printable()
		}
		if err != nil {
			return nil, fmt.Errorf("-print %s: %w", name, err)
		}
	}
	return saves, nil
}

// saverOf checks what -save says, and returns what does it.
func saverOf(s *script.Session, name, file string) (func() error, error) {
	f, err := s.Field(name)
	node := s.TreeNode(strings.TrimSuffix(name, ".topology"))
	painted := f == nil && node != nil
	switch ext := strings.ToLower(filepath.Ext(file)); {
	case ext == script.TreeEnding && s.Nodes[name] != nil:
		return func() error { return script.SaveTree(node.Tree.Tree, file) }, nil
	case ext == script.TreeEnding && s.Fields[name] != nil:
		return func() error { return script.SaveTree(f.Tree(), file) }, nil
	case ext == script.TreeEnding:
		return nil, fmt.Errorf("a whole tree is saved by the name of a field or node in it")
	case painted && ext != ".png":
		return nil, fmt.Errorf("which cells are active is saved as .png, and the whole tree as %s", script.TreeEnding)
	case painted:
		return func() error { return node.SaveTopology(file) }, node.HasTopology()
	case err != nil && strings.HasSuffix(name, ".topology") && s.Fields[strings.TrimSuffix(name, ".topology")] != nil:
		return nil, fmt.Errorf("its cells are all active, since no -tree places it")
	case err != nil:
		return nil, err
	}
	return func() error { return f.Save(file) }, f.Savable(file)
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

func printCall(std *stdio, r script.Report) {
	switch {
	case r.Error != "":
		fmt.Fprintf(std.err, "%s: %s\n", r.Call, r.Error)
		if r.Excerpt != "" {
			fmt.Fprintln(std.err, r.Excerpt)
		}
	case len(r.Results) > 0:
		fmt.Fprintf(std.out, "%s = %s\n", r.Call, script.PlainList(r.Results))
	}
}

// print prints the fields that -print names, or the whole report.
func (c *runCmd) print(std *stdio, s *script.Session, out *report) error {
	if c.Describe {
		var err error
		if out.Trees, err = s.Descriptions(); err != nil {
			return err
		}
	}
	for _, name := range c.Print {
		f, err := s.Field(name)
		if err != nil {
			return err
		}
		if !c.JSON {
			text, err := f.Text(name)
			if err != nil {
				return err
			}
			fmt.Fprintln(std.out, text)
			continue
		}
		if out.Fields[name], err = f.Contents(true); err != nil {
			return err
		}
	}
	if !c.JSON {
		for _, t := range out.Trees {
			fmt.Fprint(std.out, t)
		}
		return nil
	}
	enc := json.NewEncoder(std.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
