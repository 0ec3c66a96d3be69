package check

import (
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
)

func TestDev(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("TIFILES"))
	for _, name := range files {
		b, _ := os.ReadFile(name)
		f, errs := syntax.Parse(filepath.Base(name), string(b), token.Position{})
		if errs != nil {
			t.Errorf("%v", errs)
			continue
		}
		p, errs := Declare([]*syntax.File{f})
		if errs != nil {
			t.Errorf("declare\n%v", errs)
		}
		_, errs = p.Check(nil)
		if errs != nil {
			t.Errorf("%v", errs)
		}
		h := DefaultHost(p)
		prog, errs := p.Check(h)
		if errs != nil {
			t.Errorf("bound\n%v", errs)
		} else {
			t.Log(name, len(prog.Kernels))
		}
	}
}

func DefaultHost(p *Package) *Host {
	h := &Host{Fields: map[string]HostField{}, Consts: map[string]HostConst{}}
	for _, v := range p.Vars {
		switch t := v.Type.(type) {
		case FieldType:
			r := t.Rank
			if r < 0 {
				r = 2
				if len(v.Name) == 1 {
					r = 1
				}
			}
			s := []int{8, 4, 6, 3, 2}
			h.Fields[v.Name] = HostField{Elem: t.Elem, Shape: s[:r]}
		default:
			k := HostConst{Dims: Dims(t)}
			for range Components(t) {
				if ScalarOf(t) == Bool {
					k.Vals = append(k.Vals, BoolNum(true))
				} else {
					k.Vals = append(k.Vals, IntNum(8))
				}
			}
			h.Consts[v.Name] = k
		}
	}
	return h
}
