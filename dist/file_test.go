package dist_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
	"github.com/gotaichi/ti/internal/titest"
)

// TestFiles: ranks write one file side by side, which is that of one rank, and any number of ranks reads it.
func TestFiles(t *testing.T) {
	type vec = ti.Vec3
	dir := t.TempDir()
	value := func(i, j int) vec { return vec{float32(i), float32(j), float32(i*j) / 3} }
	world := func(w *dist.World, f func(rt *ti.Runtime, a, b *ti.Field[vec]) error) error {
		rt, err := w.New(ti.Config{Threads: 1})
		if err != nil {
			return err
		}
		defer rt.Close()
		var a, b ti.Field[vec]
		w.Grid(ti.IJ, 13, 5).Tile(2, 5).Divide(rt.NewTree()).Dense(ti.IJ, 13, 5).Place(&a)
		rt.Place(ti.Shape{4}, &b)
		return f(rt, &a, &b)
	}
	var first []byte
	for _, ranks := range []int{1, 2, 5} {
		name := filepath.Join(dir, fmt.Sprintf("a%d.npy", ranks))
		titest.Must(t, dist.Local(ranks, func(w *dist.World) error {
			return world(w, func(rt *ti.Runtime, a, b *ti.Field[vec]) error {
				for i := range 13 {
					for j := range 5 {
						a.Set(value(i, j), i, j)
					}
				}
				b.Fill(vec{1, 2, 3})
				return errors.Join(w.WriteFile(name, a), w.WriteFile(filepath.Join(dir, "b.raw"), b))
			})
		}))
		got, err := os.ReadFile(name)
		titest.Must(t, err)
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) || !bytes.Contains(got, []byte("'shape': (13, 5, 3)")) || (len(got)-13*5*12)%64 != 0 {
			t.Errorf("%d ranks write %q", ranks, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a5.npy.part")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part of a file is left: %v", err)
	}
	titest.Must(t, dist.Local(3, func(w *dist.World) error {
		return world(w, func(rt *ti.Runtime, a, b *ti.Field[vec]) error {
			titest.Must(t, errors.Join(w.ReadFile(filepath.Join(dir, "a2.npy"), a), w.ReadFile(filepath.Join(dir, "b.raw"), b)))
			all := a.Values()
			for i := range 13 {
				for j := range 5 {
					if all[i*5+j] != value(i, j) {
						t.Errorf("element %d, %d is %v", i, j, all[i*5+j])
					}
				}
			}
			if !slices.Equal(b.Values(), slices.Repeat([]vec{{1, 2, 3}}, 4)) {
				t.Errorf("b is %v", b.Values())
			}
			mem, lo, n, err := dist.Window(a)
			titest.Must(t, err)
			if len(mem) != n[0]*5 || mem[1] != value(lo[0], 1) {
				t.Errorf("rank %d has the window %v from %v, %v", w.Rank(), mem, lo, n)
			}
			if _, err := a.Slice(); !errors.Is(err, ti.ErrLayout) {
				t.Errorf("Slice: %v", err)
			}
			for name, want := range map[string]error{"none.npy": fs.ErrNotExist, "b.raw": ti.ErrArgs} {
				if err := w.ReadFile(filepath.Join(dir, name), a); !errors.Is(err, want) && !(w.Rank() > 0 && errors.Is(err, dist.ErrRank)) {
					t.Errorf("%s: %v, want %v", name, err, want)
				}
			}
			if err := w.ReadFile(filepath.Join(dir, "a2.npy"), b); err == nil {
				t.Error("a file of another shape was read")
			}
			if err := w.WriteFile(filepath.Join(dir, "missing", "a.npy"), a); err == nil {
				t.Error("a file in no folder was written")
			}
			return nil
		})
	}))
}
