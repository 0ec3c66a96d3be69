package check

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/typed"
)

const loopSource = `package p

var X field[f32, D2]
var N, M i32
var On bool

func Kernel(n i32, s []f32, v vec3) (total f32) {
	sum := 0.0
	other := 1
	var local [3]f32
	for p := range X {
		X[p] += 1
		sum += X[p]
		total = max(total, 2)
		X[p] = f32(other)
		a := vec2(p)
		a[n] = 3
		a += 1
		for range 3 {
			X[p] -= 1
		}
		device(p)
	}
	for range serial(2) {
		X[0][0] += 1
		other += 1
	}
	local[0] = sum
	if n > 2 {
		for i := range n {
			local[i] += 1
		}
	}
	Other()
	device(ivec2(n))
	for i := range span(0, n) {
		s[i] += local[1] + f32(other)
	}
	for i, e := range v {
		s[i] = e
	}
	return total + sum
}

func Other() {
	for i, j := range X {
		X[i][j] *= 2
	}
	if static(On) {
		for range N {
			X[0][0]++
		}
	}
}

func device(p ivec2) {
	for i := range 4 {
		X[p][i-i] += 1
	}
}
`

// Loops are parallel in the outermost scope only, updates atomic in parallel code
// only, and variables are marked by what is done to them.
func TestLoops(t *testing.T) {
	_, errs := checkSource("l.ti", strings.Replace(loopSource, "X[p][i-i]", "X[p]", 1), true)
	if len(errs) == 0 {
		t.Error("the unused loop variable is not reported")
	}
	prog, errs := checkSource("l.ti", strings.Replace(loopSource, "X[p][i-i]", "X[p.x][p.y+i]", 1), true)
	if errs != nil {
		t.Fatal(errs)
	}
	if err := verify(prog); err != nil {
		t.Fatal(err)
	}
	k := prog.Kernel("Kernel")
	if got := strings.Join(k.Consts, " "); got != "N On" {
		t.Errorf("Kernel depends on %s", got)
	}
	if len(k.Fields) != 1 || k.Fields[0].Name != "X" {
		t.Errorf("Kernel uses %v", k.Fields)
	}
	d := &describer{vars: map[string]*typed.Var{}}
	d.block(k.Body)
	want := "field:par{atomic atomic atomic range{atomic} Inside} range{plain plain} if{range{plain}} Outermost Serial range:par{atomic} range{}"
	if got := strings.Join(strings.Fields(d.text), " "); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	d.vars["total"] = k.Results[0]
	for _, c := range []struct{ name, want string }{
		{"sum", "assigned reduced outer"}, {"total", "assigned reduced outer"}, {"other", "assigned outer"},
		{"local", "indexed assigned outer"}, {"a", "indexed assigned"},
	} {
		v := d.vars[c.name]
		var got []string
		for _, f := range []struct {
			set  bool
			name string
		}{{v.Indexed, "indexed"}, {v.Assigned, "assigned"}, {v.Reduced, "reduced"}, {v.Outer, "outer"}} {
			if f.set {
				got = append(got, f.name)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s is %s, want %s", c.name, s, c.want)
		}
	}
}

// A describer writes down loops, updates of shared memory and calls.
type describer struct {
	text string
	vars map[string]*typed.Var
}

func (d *describer) loop(name string, parallel bool, b *typed.Block) {
	if parallel {
		name += ":par"
	}
	d.text += " " + name + "{"
	d.block(b)
	d.text = strings.TrimSpace(d.text) + "}"
}

func (d *describer) block(b *typed.Block) {
	for _, s := range b.List {
		switch s := s.(type) {
		case *typed.Define:
			d.vars[s.Var.Name] = s.Var
		case *typed.FieldFor:
			d.loop("field", s.Parallel, s.Body)
		case *typed.RangeFor:
			d.loop("range", s.Parallel, s.Body)
		case *typed.If:
			d.loop("if", false, s.Then)
		case *typed.Update:
			if v := rootVar(s.Place); s.Atomic {
				d.text += " atomic"
			} else if v == nil || v.Outer {
				d.text += " plain"
			}
		case *typed.ExprStmt:
			if call, ok := s.X.(*typed.Call); ok {
				d.text += []string{" Outermost", " Serial", " Inside"}[call.Func.Context]
			}
		}
		d.text = strings.ReplaceAll(d.text, "{ ", "{")
	}
}
