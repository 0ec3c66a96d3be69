package scene

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/script"
)

// Options say what a scene runs with.
type Options struct {
	Config    ti.Config
	Sources   []script.SourceText // in place of the files that the scene names
	Name      string              // of the scene's file, beside which its sources are; "" with Sources
	Libraries script.Libraries
	Out       io.Writer // for results, and for what kernels print
	Frames    int       // after so many the scene ends; 0 for no limit
}

// A Player launches and shows the frames of a scene.
type Player struct {
	scene   *Scene
	session *script.Session
	runner  *script.Runner
	out     io.Writer
	frames  int // that it has at most; 0 for no limit
	start   []calls
	loud    bool // results are printed
	steps   []frameStep
	shapes  []drawing
	results []any // of the last call
	failed  error
}

// calls are statements of a line.
type calls struct {
	line
	list []*script.Statement
}

// A frameStep is a step with its calls.
type frameStep struct {
	step
	calls calls
}

// Open compiles the source of a scene and binds it. Mistakes of the scene are Errors.
func (sc *Scene) Open(o Options) (*Player, error) {
	o.Config.Stdout = cmp.Or(o.Config.Stdout, o.Out)
	files := sc.Files(o.Name)
	if len(files) == 1 && len(o.Sources) == 0 { // which may be what a page has saved
		if text, err := script.ReadSource(files[0]); err == nil && script.Joined(string(text)) {
			of := script.Split(files[0], string(text))
			o.Sources, o.Libraries = of.Sources, script.OnlyThese(of.Libraries)
		}
	}
	for _, set := range sc.settings {
		set(&o.Config)
	}
	s, err := script.Open(script.Options{
		Config: o.Config, Files: files, Sources: o.Sources, Libraries: o.Libraries, Trees: texts(sc.trees), Binds: texts(sc.binds),
		Place: func(s *script.Session) error { return s.PlaceDerivatives(sc.adjoints(s), nil) },
	})
	if err != nil {
		return nil, sc.located(err)
	}
	p := &Player{scene: sc, session: s, out: o.Out, frames: o.Frames}
	p.runner = &script.Runner{Session: s, Notes: io.Discard, Launched: func() {}, Report: p.report}
	if err := p.plan(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Files are those of the source, of a scene in a file of that name.
func (sc *Scene) Files(name string) (files []string) {
	if name == "" {
		return nil
	}
	if len(sc.Sources) == 0 {
		return []string{strings.TrimSuffix(name, filepath.Ext(name)) + ".ti"}
	}
	for _, f := range sc.Sources {
		if !filepath.IsAbs(f) {
			f = filepath.Join(filepath.Dir(name), f)
		}
		files = append(files, f)
	}
	return files
}

// adjoints are the fields that get adjoints: those that the scene names, and the losses of tapes. Those that the source names get them besides.
func (sc *Scene) adjoints(s *script.Session) []string {
	names := texts(sc.grads)
	for _, st := range sc.steps {
		if st.word == "tape" && s.Fields[st.name] != nil && s.Fields[st.name+".grad"] == nil && !slices.Contains(names, st.name) {
			names = append(names, st.name)
		}
	}
	return names
}

func texts(lines []line) (all []string) {
	for _, l := range lines {
		all = append(all, l.text)
	}
	return all
}

// located finds the line of an error that names what -bind or -tree say.
func (sc *Scene) located(err error) error {
	var list ti.SourceErrors
	if errors.As(err, &list) {
		return sc.bound(list, err)
	}
	text := inWords(err)
	for _, l := range slices.Concat(sc.binds, sc.trees, sc.grads) {
		name, _, _ := strings.Cut(l.text, "=")
		if strings.HasPrefix(text, "bind "+l.text+":") || strings.HasPrefix(text, "bind "+l.text+" ") || strings.HasPrefix(text, "bind "+name+":") || strings.HasPrefix(text, "tree "+l.text) || strings.HasPrefix(text, "grad "+l.text) || strings.HasPrefix(text, fmt.Sprintf("tree %q", l.text)) {
			return Errors{{l.number, text}}
		}
	}
	return Errors{{0, text}}
}

// bound finds the lines of errors that are of no place in the source, since what is bound is wrong: a size, or too many of them for the memory. What else is wrong may follow from that, and is said once it is right.
func (sc *Scene) bound(list ti.SourceErrors, err error) error {
	var found Errors
	for _, e := range list {
		name, what, _ := strings.Cut(strings.TrimPrefix(e.Msg, "var "), ": ")
		for _, l := range sc.binds {
			if of, _, _ := strings.Cut(l.text, "="); e.Pos.Line == 0 && of == name && what != "" {
				if e.Help != "" {
					what += "; " + e.Help
				}
				found = append(found, &Error{l.number, fmt.Sprintf("bind %s: %s", l.text, what)})
			}
		}
	}
	if len(found) == 0 {
		return err
	}
	return &bindError{found, err}
}

// A bindError is that of a binding, with the line of the scene.
type bindError struct {
	list Errors
	err  error
}

func (e *bindError) Error() string        { return e.list.Error() }
func (e *bindError) Unwrap() error        { return e.list }
func (e *bindError) Is(target error) bool { return errors.Is(e.err, target) }

// inWords is the text of an error of package script, which has flags where a scene has words.
func inWords(err error) string {
	return shortened(strings.NewReplacer("-bind ", "bind ", "-tree ", "tree ", "-call ", "call ", "-grad ", "grad ").Replace(err.Error()))
}

// shortened leaves out the middle of a text that nobody would read to its end: that of a line without end.
func shortened(text string) string {
	const most, first = 2000, 500
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:first], "") + " … " + strings.ToValidUTF8(text[len(text)-first:], "")
}

// plan reads the calls, and what is shown.
func (p *Player) plan() error {
	var errs Errors
	wrong := func(number int, err error) { errs = append(errs, &Error{number, inWords(err)}) }
	names := slices.Clone(variables)
	for _, c := range p.scene.controls {
		names = append(names, c.name)
	}
	read := func(l line) calls {
		list, err := p.session.ParseScript(l.text, names...)
		if err != nil {
			wrong(l.number, err)
		}
		return calls{l, list}
	}
	for _, l := range p.scene.start {
		p.start = append(p.start, read(l))
	}
	for _, st := range p.scene.steps {
		if st.word == "plot" && p.session.Fields[st.text] != nil { // of which the element is drawn
			p.steps = append(p.steps, frameStep{st, calls{}})
			continue
		}
		p.steps = append(p.steps, frameStep{st, read(st.line)})
		if st.word == "tape" {
			if _, err := p.session.Field(st.name); err != nil {
				wrong(st.number, fmt.Errorf("tape %s: %w", st.name, err))
			}
		}
	}
	(&board{}).set(p.runner, 0, gui.Mouse{})
	for _, c := range p.scene.controls {
		p.runner.Set(c.name, c.at, c.whole || c.kind != "slider")
	}
	if _, err := p.image(); err != nil {
		wrong(p.scene.show.number, err)
	}
	for _, l := range p.scene.prints {
		f, err := p.session.Field(l.text)
		if err == nil {
			err = f.Printable()
		}
		if err != nil {
			wrong(l.number, fmt.Errorf("print %s: %w", l.text, err))
		}
	}
	for _, s := range p.scene.shapes {
		d, err := p.drawing(s)
		if err != nil {
			wrong(s.number, fmt.Errorf("%s %s: %w", s.word, s.field, err))
		}
		p.shapes = append(p.shapes, d)
	}
	if len(errs) == 0 {
		return nil
	}
	if errs = inOrder(errs); len(errs) > mostErrors {
		errs = append(errs[:mostErrors], &Error{0, fmt.Sprintf("and there are %d more mistakes", len(errs)-mostErrors)})
	}
	return errs
}

// inOrder sorts mistakes by their lines.
func inOrder(errs Errors) Errors {
	slices.SortStableFunc(errs, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	return errs
}

// Close frees what the scene has.
func (p *Player) Close() error { return p.session.Runtime.Close() }

// report takes what became of a call.
func (p *Player) report(r script.Report, _ bool) {
	p.results = r.Results
	if p.loud && len(r.Results) > 0 && p.out != nil {
		fmt.Fprintf(p.out, "%s = %s\n", r.Call, script.PlainList(r.Results))
	}
	if r.Error != "" && p.failed == nil {
		p.failed = &launchError{strings.TrimRight(r.Call+": "+r.Error+"\n"+r.Excerpt, "\n"), r.Err}
	}
}

// A launchError is that of a launch, with the line of the source.
type launchError struct {
	text string
	err  error
}

func (e *launchError) Error() string { return e.text }
func (e *launchError) Unwrap() error { return e.err }

// run launches calls.
func (p *Player) run(ctx context.Context, c calls) error {
	p.runner.Ctx = ctx
	err := p.runner.Run(c.list, true)
	if ctx.Err() != nil { // a launch that ended early has not failed
		p.failed = nil
		return ctx.Err()
	}
	if p.failed != nil {
		err, p.failed = p.failed, nil
		return err
	}
	if err != nil {
		return Errors{{c.number, inWords(err)}}
	}
	return nil
}

// Run shows the scene in a window until that ends, or the context does. A scene without a picture needs no window: it prints.
func (p *Player) Run(ctx context.Context, c gui.Config) error {
	if !p.scene.shows() {
		return p.once(ctx)
	}
	img, err := p.image()
	if err != nil {
		return err
	}
	width, height := p.scene.window.width, p.scene.window.height
	switch {
	case width > 0:
	case img != nil:
		width, height = img.Bounds().Dx(), img.Bounds().Dy()
	default:
		width, height = windowSize, windowSize
	}
	c.Picture, c.Picture.XY = p.scene.show.config, p.scene.xy()
	c.Background = p.scene.window.background
	w, err := c.Open(cmp.Or(p.scene.Title, "Taichi"), width, height)
	if err != nil {
		return err
	}
	err = p.play(ctx, w)
	if closed := w.Close(); err == nil { // else it may be the same
		err = closed
	}
	return err
}

// play plays in a window.
func (p *Player) play(ctx context.Context, w *gui.Window) error {
	board := p.board(w)
	board.set(p.runner, 0, gui.Mouse{})
	if c := p.scene.camera; c.number > 0 {
		if err := w.Camera(c.Camera); err != nil {
			return err
		}
	}
	if err := p.once(ctx); err != nil {
		return err
	}
	for n := range w.Frames(ctx) {
		board.set(p.runner, n, w.Mouse())
		for i, st := range p.steps {
			if err := p.step(ctx, w, board, i, st); err != nil {
				return err
			}
		}
		if err := p.draw(w); err != nil {
			return err
		}
		if n+1 == p.frames {
			return w.Sync(ctx)
		}
	}
	return w.Err()
}

// step launches what a step has for this frame.
func (p *Player) step(ctx context.Context, w *gui.Window, b *board, i int, st frameStep) error {
	switch st.word {
	case "drag":
		if !w.Mouse().Left {
			return nil
		}
	case "key":
		if !slices.Contains(w.Typed(), st.name) {
			return nil
		}
	case "button":
		if !b.buttons[i].Pressed() {
			return nil
		}
	case "tape":
		loss := p.session.Fields[st.name]
		var failed error
		err := p.session.Runtime.Tape(loss.AnyField, func() error {
			failed = p.run(ctx, st.calls)
			return failed
		})
		return cmp.Or(failed, err)
	}
	if err := p.run(ctx, st.calls); err != nil || st.word != "plot" {
		return err
	}
	x, err := p.point(st)
	if err != nil {
		return Errors{{st.number, fmt.Sprintf("plot %s: %v", st.name, err)}}
	}
	b.plots[i].Add(x)
	return nil
}

// point is the number that a plot adds in this frame.
func (p *Player) point(st frameStep) (float64, error) {
	f := p.session.Fields[st.text]
	if f == nil {
		return number(p.results)
	}
	v, err := f.Contents(false)
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(script.Plain(v), 64)
	if err != nil {
		return 0, fmt.Errorf("the field %s is no single number; a plot needs one", st.text)
	}
	return x, nil
}

// number is the first result of a call as a number.
func number(results []any) (float64, error) {
	if len(results) > 0 {
		if x, err := strconv.ParseFloat(script.Plain(results[0]), 64); err == nil {
			return x, nil
		}
	}
	return 0, fmt.Errorf("the last call has no number as its first result; a plot needs one")
}
