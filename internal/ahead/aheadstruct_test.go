package ahead_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
)

const aheadStructSource = `
package grains

type Link struct {
	To    i32
	Force f32
}

type Grain struct {
	Pos   vec2
	M     f32
	Links [2]Link
}

var Grains field[Grain]

func Step(by f32) (sum f32) {
	for i := range Grains {
		Grains[i].Pos += by * Grains[i].M
		Grains[i].Links[1].Force += 1
		sum += Grains[i].Pos.y
	}
	return sum
}
`

// Types as a program may have them; those of the command ti have no names at all.
type (
	aheadLink = struct {
		To    int32
		Force float32
	}
	aheadGrain = struct {
		Pos   ti.Vec2
		M     float32
		Links [2]aheadLink
	}
	grainLink struct {
		To    int32
		Force float32
	}
	grain struct {
		Pos   ti.Vec2
		M     float32
		Links [2]grainLink
	}
)

// Code that was compiled ahead of time for elements that are structs is that of any host whose structs have the same members,
// whatever Go calls them, in any layout.
func TestAheadStructs(t *testing.T) {
	here := ahead.Here()
	if len(here) == 0 {
		t.Skip("no code is compiled ahead of time for this machine")
	}
	llvmtest.Code(t)
	for layout := range 3 {
		t.Run(strconv.Itoa(layout), func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TI_CACHE", "off")
			t.Setenv("TI_RECORD", dir)
			t.Setenv("TI_RECORD_FOR", here[0].String())
			if err := stepGrains[aheadGrain](t, layout).Close(); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TI_RECORD", "")
			t.Setenv("TI_CODE", filepath.Join(dir, here[0].String()+ahead.Ending))
			if rt := stepGrains[grain](t, layout); rt.Stats().Compiled > 0 || rt.Stats().CacheHits != 1 {
				t.Errorf("from code compiled ahead of time: %+v", rt.Stats())
			}
		})
	}
}

// stepGrains launches a kernel on grains of type T: in an array of structs, one of some members and one of the others, or
// with an array for each number.
func stepGrains[T any](t *testing.T, layout int) *ti.Runtime {
	t.Helper()
	rt, err := ti.New(ti.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close() })
	var s struct {
		Grains ti.Field[T]
		Step   func(by float32) (float32, error)
	}
	switch layout {
	case 0:
		rt.Place(ti.Shape{10}, &s.Grains)
	case 1:
		tree := rt.NewTree()
		tree.Dense(ti.I, 10).Place(ti.Member[ti.Vec2](&s.Grains, "Pos"))
		rest := ti.Members(&s.Grains)[1:]
		tree.Dense(ti.I, 10).Place(rest[0], rest[1])
	case 2:
		tree := rt.NewTree()
		for _, m := range ti.Members(&s.Grains) {
			tree.Dense(ti.I, 10).Place(m)
		}
	}
	if err := rt.Load(aheadStructSource, &s); err != nil {
		t.Fatal(err)
	}
	ti.Member[float32](&s.Grains, "M").Fill(2)
	if sum, err := s.Step(0.5); err != nil || sum != 10 {
		t.Fatalf("the sum is %v, error %v", sum, err)
	}
	return rt
}
