package driver

import (
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
