package conformance

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/treetext"
)

// A grove is sparse trees, as package treetext describes them, and the declarations of
// what is in them.
type grove struct {
	trees []string
	decl  string
	elems map[string]reflect.Type // of fields whose elements are no i32
}

// sparseRules runs the kernels of all rows on the trees of g, in which nothing is active
// when a kernel starts: one program, one kernel a row, which returns an i32.
func sparseRules(t *testing.T, g grove, rows []rule) {
	var src strings.Builder
	src.WriteString("package conform\n" + g.decl + "\n")
	for i, row := range rows {
		fmt.Fprintf(&src, "\nfunc Row%d() i32 {\n%s\n}\n", i, row.body)
	}
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunIn(t, rts, turns(t), func(r *runtest.Run) {
		host := g.plant(r)
		p, err := r.RT.Compile(ti.Text("conform.ti", src.String()), host)
		runtest.OK(r, err)
		for i, row := range rows {
			r.TB.(*testing.T).Run(row.name, func(t *testing.T) {
				for _, tree := range r.Trees {
					tree.Clear()
				}
				got, err := p.Kernel(fmt.Sprint("Row", i)).Launch(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if got[0] != int32(row.want.(int)) {
					t.Errorf("%s\ngives %v, want %v", row.body, got[0], row.want)
				}
			})
		}
	})
}

// plant makes the trees, and returns what is in them by name.
func (g grove) plant(r *runtest.Run) ti.Bindings {
	r.Helper()
	host := ti.Bindings{}
	for _, text := range g.trees {
		tree, err := treetext.Parse(text)
		runtest.OK(r, err)
		b, err := tree.Build(r.RT, func(path string) (ti.AnyField, error) {
			name, member, _ := strings.Cut(path, ".")
			if host[name] == nil {
				elem := g.elems[name]
				if elem == nil {
					elem = reflect.TypeFor[int32]()
				}
				host[name] = ti.FieldOf(name, elem)
			}
			f := host[name].(ti.AnyField)
			if member == "" {
				return f, nil
			}
			for _, m := range ti.Members(f) {
				if strings.HasSuffix(m.Name(), "."+member) {
					return m, nil
				}
			}
			return nil, fmt.Errorf("%s has no member %s", name, member)
		})
		runtest.OK(r, err)
		for _, n := range tree.Named() {
			host[n.Name] = b.Nodes[n]
		}
		r.Trees = append(r.Trees, b.Tree)
	}
	return host
}
