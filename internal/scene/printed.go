package scene

import (
	"context"
	"fmt"
)

// A scene without a picture prints: its start is launched, without a window, and its fields are printed.

// shows reports whether a scene has a picture or shapes, and so frames.
func (sc *Scene) shows() bool { return sc.show.field != "" || len(sc.shapes) > 0 }

// unseen are the mistakes of a scene without a picture.
func (sc *Scene) unseen() (errs Errors) {
	if sc.shows() {
		return nil
	}
	const remedy = "write show or points and the name of a field, as in: show Pixels"
	if len(sc.start)+len(sc.prints) == 0 {
		return Errors{{0, "the scene shows nothing; " + remedy + "; or print a field"}}
	}
	for _, c := range sc.controls {
		errs = append(errs, &Error{c.number, fmt.Sprintf("a %s is in a window, and this scene has none; %s", c.kind, remedy)})
	}
	for _, st := range sc.steps {
		errs = append(errs, &Error{st.number, fmt.Sprintf("%s belongs to frames, and this scene has none; %s; start launches without one", st.word, remedy)})
	}
	return inOrder(errs)
}

// once launches the start, and prints.
func (p *Player) once(ctx context.Context) error {
	p.loud = true
	for _, c := range p.start {
		if err := p.run(ctx, c); err != nil {
			return err
		}
	}
	p.loud = false
	return p.print()
}

// print prints fields, as -print of ti run does.
func (p *Player) print() error {
	for _, l := range p.scene.prints {
		f, err := p.session.Field(l.text)
		if err != nil {
			return Errors{{l.number, inWords(err)}}
		}
		text, err := f.Text(l.text)
		if err != nil {
			return Errors{{l.number, inWords(err)}}
		}
		if p.out != nil {
			fmt.Fprintln(p.out, text)
		}
	}
	return nil
}
