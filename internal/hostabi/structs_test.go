package hostabi_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// Link and Particle have padding inside and at their ends.
type Link struct {
	To  int32
	Cut bool
}

type Particle struct {
	Alive bool
	Pos   ti.Vec3
	Mass  float64
	Links [2]Link
	Tag   uint16
}

func particle(i int) Particle {
	return Particle{
		Alive: i%2 == 0, Pos: ti.Vec3{float32(i), 1, 2}, Mass: float64(i) / 4,
		Links: [2]Link{{To: int32(i), Cut: true}, {To: -1}}, Tag: uint16(i),
	}
}

// placings lays a field of particles out in several ways.
var placings = map[string]func(rt *ti.Runtime, f *ti.Field[Particle], shape ti.Shape){
	"structures": func(rt *ti.Runtime, f *ti.Field[Particle], shape ti.Shape) { rt.Place(shape, f) },
	"arrays":     func(rt *ti.Runtime, f *ti.Field[Particle], shape ti.Shape) { rt.Place(shape, ti.Members(f)...) },
	"mixed": func(rt *ti.Runtime, f *ti.Field[Particle], shape ti.Shape) {
		t := rt.NewTree()
		t.Dense(ti.IJ, shape...).Place(ti.Member[ti.Vec3](f, "Pos"), ti.Member[int32](f, "Links[1].To"))
		t.Dense(ti.JI, shape[1], shape[0]).Place(ti.Member[bool](f, "Alive"), f)
	},
}

func TestStructElements(t *testing.T) {
	const n, m = 5, 3
	for name, place := range placings {
		t.Run(name, func(t *testing.T) {
			rt := titest.New(t, ti.Config{})
			var f ti.Field[Particle]
			place(rt, &f, ti.Shape{n, m})
			want := make([]Particle, n*m)
			for i := range want {
				want[i] = particle(i)
				f.Set(want[i], i/m, i%m)
			}
			got := make([]Particle, n*m)
			if err := f.CopyTo(got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("CopyTo: %v\n%v", err, got)
			}
			for i, w := range want {
				if v := f.At(i/m, i%m); v != w {
					t.Errorf("element %d is %v", i, v)
				}
				if v := ti.Member[Link](&f, "Links[1]").At(i/m, i%m); v != w.Links[1] {
					t.Errorf("Links[1] of element %d is %v", i, v)
				}
				if v := ti.Member[float32](&f, "Pos[2]").At(i/m, i%m); v != w.Pos[2] {
					t.Errorf("Pos[2] of element %d is %v", i, v)
				}
			}
			count := 0
			for idx, v := range f.All() {
				if v != want[idx[0]*m+idx[1]] {
					t.Errorf("element %v is %v", idx[:2], v)
				}
				count++
			}
			if count != n*m {
				t.Errorf("%d elements", count)
			}

			// A stream has no padding.
			var buf bytes.Buffer
			if w, err := f.WriteTo(&buf); err != nil || w != int64(buf.Len()) || w != n*m*(1+12+8+2*5+2) {
				t.Errorf("%d bytes written, %v", w, err)
			}
			f.Fill(Particle{})
			if v := f.At(4, 2); v != (Particle{}) {
				t.Errorf("after Fill: %v", v)
			}
			if _, err := f.ReadFrom(&buf); err != nil {
				t.Error(err)
			}
			if v := f.At(4, 2); v != want[14] {
				t.Errorf("after ReadFrom: %v", v)
			}
			mem, err := f.Slice()
			if (err == nil) != (name == "structures" && titest.Shares(rt)) {
				t.Errorf("Slice: %v", err)
			}
			if err == nil && (uintptr(len(mem)) != n*m || mem[14] != want[14]) {
				t.Errorf("Slice has %v", mem)
			}
		})
	}
}

// TestStructPadding: setting an element writes its padding too, which must be its
// own even when something smaller is placed beside it.
func TestStructPadding(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var l ti.Field[Link]
	var b ti.Field[bool]
	rt.NewTree().Dense(ti.I, 4).Place(&l, &b)
	b.Fill(true)
	for i := range 4 {
		l.Set(Link{To: -1, Cut: true}, i)
		l.Set(Link{}, i)
	}
	for i := range 4 {
		if !b.At(i) {
			t.Errorf("neighbour %d was overwritten", i)
		}
	}
	if unsafe.Sizeof(Link{}) != 8 {
		t.Error("a Link has no padding")
	}
}

func TestMembersOfStructs(t *testing.T) {
	var f ti.Field[Particle]
	var names []string
	for _, m := range ti.Members(&f) {
		names = append(names, m.Elem().String())
	}
	want := "bool [3]float32 float64 [2]hostabi_test.Link uint16"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("members %s, want %s", got, want)
	}
	if _, ok := ti.Members(&f)[2].(*ti.Field[float64]); !ok {
		t.Error("a scalar member is no Field[float64]")
	}
	var h ti.Field[struct{ H, G ti.Float16 }]
	if _, ok := ti.Members(&h)[1].(*ti.Field[ti.Float16]); !ok {
		t.Error("a half-precision member is no Field[Float16]")
	}
	if n := ti.Member[int32](&f, "Links[1].To").Name(); !strings.HasSuffix(n, ".Links[1].To") {
		t.Errorf("the member is called %s", n)
	}
}

func TestMemberPathErrors(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	tests := []struct {
		make func(f *ti.Field[Particle]) ti.AnyField
		want string
	}{
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[int32](f, "Massive") }, `has no member "Massive"; a hostabi_test.Particle has Alive, Pos, Mass, Links, Tag`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[float32](f, "Pos[3]") }, `has no member "Pos[3]"; a [3]float32 has [0] to [2]`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[float32](f, "Pos.x") }, `has no member "Pos.x"`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[float32](f, "[0]") }, `has no member "[0]"`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[int32](f, "Links[0]To") }, `has no member "Links[0]To"`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[int32](f, "Links[0].") }, `has no member "Links[0]."`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[int32](f, "Links[") }, `has no member "Links["`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[float32](f, "Mass") }, `member "Mass" of hostabi_test.Particle is a float64, not a float32`},
		{func(f *ti.Field[Particle]) ti.AnyField { return ti.Member[Particle](f, "Links[0]") }, `is a hostabi_test.Link, not a hostabi_test.Particle`},
	}
	for _, tt := range tests {
		var f ti.Field[Particle]
		tree := rt.NewTree()
		tree.Dense(ti.I, 4).Place(tt.make(&f))
		err := tree.Err()
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ti.ErrLayout) {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
}
