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
	notes := &note.Notes{}
	o.notes = notes
	u, err := start(p, name, lay, o)
	if err != nil {
		return nil, err
	}
	u.notes = notes
	t, err := u.translate()
	if err != nil {
		return nil, err
	}
	m, err := t.Measure()
	if err != nil {
		return nil, u.stackTooLarge(err)
	}
	var code *explain.Code
	if m != nil {
		code = &explain.Code{LLVM: m.Text, Sizes: m.Sizes, Total: m.Total, Name: m.Function}
	}
	r = explain.Analyse(u.k, notes.List, code)
	r.Took = time.Since(began).Round(time.Millisecond).String()
	return r, nil
}
