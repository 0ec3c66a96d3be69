package driver_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/loader"
)

// TestRuntimePieces: the functions that make and find blocks are pieces behind those of the
// tasks, which all kernels share, and without which tasks cannot be linked.
func TestRuntimePieces(t *testing.T) {
	for kind, want := range map[string][]string{"pointer": {"ti.grow"}, "hash": {"ti.enter.2"}} {
		h := newSparseHarness(t, kind, 1)
		o := driver.TestOptions(t, 3)
		compile := func(name string) *driver.Compiled {
			u, err := driver.Prepare(&h.p.Program, name, h.lay, o)
			if err != nil {
				t.Fatal(err)
			}
			c, err := u.Compile()
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := compile("Ring")
		tasks := len(c.Launch.Tasks)
		code := machineCode(t, c)
		var names []string
		for _, p := range code[tasks:] {
			names = append(names, p.Name)
		}
		if !slices.Equal(names, want) || len(c.Keys) != len(c.Pieces) {
			t.Fatalf("%s: the tasks call %v, want %v; there are %d keys", kind, names, want, len(c.Keys))
		}
		again := compile("Spread")
		behind := len(again.Launch.Tasks)
		for i, p := range machineCode(t, again)[behind:] {
			at := tasks + slices.Index(names, p.Name)
			if at < tasks {
				continue
			}
			if !reflect.DeepEqual(p, code[at]) || again.Keys[behind+i] != c.Keys[at] {
				t.Errorf("%s: a second kernel has code of its own for %s, or another key", kind, p.Name)
			}
		}
		linked, err := loader.Link(code)
		if err != nil {
			t.Fatal(err)
		}
		if err := linked.Close(); err != nil {
			t.Error(err)
		}
		if _, err := loader.Link(code[:tasks]); err == nil || !strings.Contains(err.Error(), want[0]) {
			t.Errorf("%s: tasks without what they call: error %v", kind, err)
		}
	}
}

// machineCode reads the pieces of a kernel, as the machine does.
func machineCode(t *testing.T, c *driver.Compiled) (code []*loader.Piece) {
	for _, p := range c.Pieces {
		read, err := loader.Read(p.Code)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, read)
	}
	return code
}
