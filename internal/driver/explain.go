package driver

import (
	"fmt"
	"time"

	"github.com/gotaichi/ti/internal/explain"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/typed"
)

// Explain compiles a kernel and says what has become of it.
func Explain(p *typed.Program, name string, lay Layout, o Options) (r *explain.Report, err error) {
	defer guard(name, &err)
	began := time.Now()
	o.notes = &note.Notes{}
	u, err := Prepare(p, name, lay, o)
	if err != nil {
		return nil, err
	}
	return u.explain(o.notes, began)
}

// Explain compiles a kernel and says what has become of it.
func (u *Unit) Explain() (r *explain.Report, err error) {
	defer guard(u.k.Name, &err)
	return u.explain(&note.Notes{}, time.Now())
}

// explain adds the notes of the passes to those of lowering.
func (u *Unit) explain(notes *note.Notes, began time.Time) (*explain.Report, error) {
	with := *u
	with.notes = notes
	b := with.begin()
	t, err := b.translate()
	if err != nil {
		return nil, err
	}
	m, err := t.Measure()
	if err != nil {
		return nil, b.stackTooLarge(err)
	}
	var code *explain.Code
	if m != nil {
		code = &explain.Code{LLVM: m.Text, Sizes: m.Sizes, Total: m.Total, Name: m.Function}
	}
	r := explain.Analyse(b.k, notes.List, code)
	r.Took = time.Since(began).Round(time.Millisecond).String()
	return r, nil
}

// WhyApart says why loops of linked launches were not fused, each with its place.
func (u *Unit) WhyApart() (all []string, err error) {
	defer guard(u.k.Name, &err)
	with := *u
	with.notes = &note.Notes{}
	b := with.begin()
	if err := b.passes(nil, "loopfusion"); err != nil {
		return nil, err
	}
	for _, n := range with.notes.List {
		if n.Is(note.LaunchesApart) {
			at := placeOf(b.k, n.Pos)
			all = append(all, fmt.Sprintf("%s:%d:%d: %s", at.File, at.Line, at.Column, n.Text))
		}
	}
	return all, nil
}
