package session

import (
	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
)

// Compile checks a source, binds it to host, a pointer to a struct or [bind.Bindings], and fills in
// the kernel functions of the struct.
func (rt *Runtime) Compile(source bind.Source, host any) (*Program, error) {
	if err := rt.usable("loading a source"); err != nil {
		return nil, err
	}
	texts := source.Files(front.Locate)
	if errs := source.Mistakes(); len(errs) > 0 {
		if _, more := front.Parse(texts); front.Linked {
			errs = append(errs, more...)
		}
		return nil, errs.Sort()
	}
	at := diag.User()
	p, err := rt.newProgram(texts, source.IsAside(), host, at)
	if err != nil {
		return nil, err
	}
	if err := p.startCoverage(at.Filename); err != nil {
		return nil, err
	}
	if err := rt.adopt(p); err != nil {
		return nil, err
	}
	p.compileAhead()
	return p, nil
}
