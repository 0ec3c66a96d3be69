package quanttest_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

func TestQuantCodes(t *testing.T) {
	for _, c := range []struct {
		q    ti.Quant
		v    float64
		code uint64
		back float64
	}{
		{ti.QuantInt(4), 9, 7, 7},
		{ti.QuantInt(4), -9, 8, -8},
		{ti.QuantInt(4).Wrap(), 9, 9, -7},
		{ti.QuantInt(4).Unsigned(), -1, 0, 0},
		{ti.QuantInt(64).Unsigned(), math.Inf(1), math.MaxUint64, 1 << 64},
		{ti.QuantInt(64), -1e30, 1 << 63, -1 << 63},
		{ti.QuantInt(8), math.NaN(), 0, 0},
		{ti.QuantFixed(10, 8), 8, 511, 8 - 1.0/64},
		{ti.QuantFixed(10, 8), math.Inf(-1), 512, -8},
		{ti.QuantFixed(8, 1).Unsigned(), 0.5, 128, 0.5},
		{ti.QuantFloat(5, 11), 1, 0x3c00, 1},
		{ti.QuantFloat(5, 11), 1e-9, 0, 0},
		{ti.QuantFloat(5, 11), math.Inf(1), 0x7fff, 131008}, // the highest exponent is an ordinary one
		{ti.QuantFloat(8, 8), math.Copysign(0, -1), 0, 0},
		{ti.Quant{}, 1, 0, 0},
	} {
		code := c.q.Encode(c.v)
		if back := c.q.Decode(code); code != c.code || back != c.back {
			t.Errorf("%v: %v has code %#x, which is %v, not %#x and %v", c.q, c.v, code, back, c.code, c.back)
		}
	}
}

// TestBitStruct packs fields of several kinds in one word, beside plain ones.
func TestBitStruct(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var x ti.Field[ti.Vec3]
	var k ti.Field[bool]
	var plain ti.Field[float32]
	n := rt.NewTree().Dense(ti.I, 8)
	w := n.BitStruct(64).Place(&x, ti.QuantFixed(21, 8)).Place(&k, ti.QuantInt(1).Unsigned())
	n.Place(&plain)
	x.Set(ti.Vec3{1, -2.5, 100}, 3)
	k.Set(true, 3)
	plain.Fill(7)
	if got, want := x.At(3), (ti.Vec3{1, -2.5, 8 - 0x1p-17}); got != want || !k.At(3) || k.At(2) || plain.At(3) != 7 {
		t.Errorf("%v, %v, %v, %v", got, k.At(3), k.At(2), plain.At(3))
	}
	if _, err := ti.Words[uint64](w); !errors.Is(err, ti.ErrLayout) {
		t.Errorf("words beside a plain field: %v", err)
	}
	if _, err := x.Slice(); !errors.Is(err, ti.ErrLayout) || !strings.Contains(err.Error(), "CopyTo") || !strings.Contains(err.Error(), "Words") {
		t.Errorf("a slice of a packed field: %v", err)
	}
	all := make([]ti.Vec3, 8)
	if err := x.CopyTo(all); err != nil || all[3] != x.At(3) {
		t.Errorf("%v, %v", all, err)
	}
	all[5] = ti.Vec3{3, 4, 5}
	if err := x.CopyFrom(all); err != nil || x.At(5) != all[5] || !k.At(3) {
		t.Errorf("%v, %v, %v", x.At(5), k.At(3), err)
	}
	var stream bytes.Buffer
	if _, err := x.WriteTo(&stream); err != nil || stream.Len() != 8*12 {
		t.Errorf("%d bytes, %v", stream.Len(), err)
	}
	x.Fill(ti.Vec3{})
	if _, err := x.ReadFrom(&stream); err != nil || x.At(5) != all[5] {
		t.Errorf("%v, %v", x.At(5), err)
	}
	sum := float32(0)
	for _, v := range x.All() {
		sum += v[0]
	}
	if sum != 4 {
		t.Errorf("the elements sum up to %v", sum)
	}
}

// TestWords reads and writes the words themselves.
func TestWords(t *testing.T) {
	rt := titest.New(t, ti.Config{Arch: ti.LLVM})
	var h ti.Field[float32]
	var rgb ti.Field[ti.Vec3]
	var bit ti.Field[int32]
	ws := rt.NewTree().Dense(ti.I, 4).BitStruct(16).Place(&h, ti.QuantFloat(5, 11))
	cs := rt.NewTree().Dense(ti.IJ, 2, 3).BitStruct(32).PlaceShared(ti.QuantFloat(5, 9).Unsigned(), &rgb)
	bs := rt.NewTree().Dense(ti.IJ, 4, 2).BitArray(32, ti.J, 32).Place(&bit, ti.QuantInt(1).Unsigned())
	halves, err := ti.Words[uint16](ws)
	if err != nil {
		t.Fatal(err)
	}
	h.Set(-2, 1)
	halves[2] = 0x3555
	if halves[1] != 0xc000 || h.At(2) != 0x1.554p-2 {
		t.Errorf("%#x, %v", halves, h.At(2))
	}
	colours, err := ti.Words[uint32](cs)
	if err != nil {
		t.Fatal(err)
	}
	rgb.Set(ti.Vec3{1, 0.5, 0.25}, 1, 2)
	if want := uint32(256 | 128<<9 | 64<<18 | 16<<27); colours[5] != want {
		t.Errorf("%#x, not %#x", colours[5], want)
	}
	bits, err := ti.ArrayWords[uint32](bs)
	if err != nil {
		t.Fatal(err)
	}
	bit.Set(1, 2, 37)
	bit.Set(5, 2, 36) // saturates
	if len(bits) != 8 || bits[5] != 1<<5|1<<4 || bit.At(2, 37) != 1 || bit.At(2, 38) != 0 || !slicesEqual(bit.Shape(), ti.Shape{4, 64}) {
		t.Errorf("%#x, %v", bits, bit.Shape())
	}
	if _, err := ti.Words[uint64](ws); !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), "uint16") {
		t.Errorf("words of another size: %v", err)
	}
}

func slicesEqual(a, b ti.Shape) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestPackedSparse packs below sparse nodes.
func TestPackedSparse(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var v ti.Field[ti.Vec3]
	var c ti.Field[uint8]
	var b, list ti.Field[int32]
	voxel := rt.NewTree().Pointer(ti.IJK, 4).Bitmasked(ti.IJK, 4)
	voxel.BitStruct(64).Place(&v, ti.QuantFixed(21, 8))
	voxel.BitStruct(8).Place(&c, ti.QuantInt(2).Unsigned())
	rt.NewTree().Hash(ti.IJ, 64).Dense(ti.IJ, 16, 1).BitArray(16, ti.J, 16).Place(&b, ti.QuantInt(1).Unsigned())
	rt.NewTree().Pointer(ti.I, 4).Dynamic(ti.J, 100).BitStruct(16).Place(&list, ti.QuantInt(9))
	v.Set(ti.Vec3{1, 2, 3}, 5, 6, 7)
	c.Set(3, 5, 6, 7)
	b.Set(1, 100, 200)
	list.Set(-300, 2, 50)
	if v.At(5, 6, 7) != (ti.Vec3{1, 2, 3}) || c.At(5, 6, 7) != 3 || v.At(0, 0, 0) != (ti.Vec3{}) || b.At(100, 200) != 1 || b.At(100, 201) != 0 || list.At(2, 50) != -256 || list.Node().Len(2) != 51 {
		t.Errorf("%v %v %v %v %v", v.At(5, 6, 7), c.At(5, 6, 7), b.At(100, 200), list.At(2, 50), list.Node().Len(2))
	}
	count := 0
	for _, x := range v.All() {
		count++
		if x != (ti.Vec3{1, 2, 3}) {
			t.Errorf("%v", x)
		}
	}
	if count != 1 {
		t.Errorf("%d elements are active", count)
	}
	var saved bytes.Buffer
	if _, err := v.Tree().WriteTo(&saved); err != nil {
		t.Fatal(err)
	}
	file := saved.Bytes()
	v.Set(ti.Vec3{}, 5, 6, 7)
	if _, err := v.Tree().ReadFrom(bytes.NewReader(file)); err != nil || v.At(5, 6, 7)[1] != 2 {
		t.Errorf("%v, %v", v.At(5, 6, 7), err)
	}
	var other ti.Field[ti.Vec3]
	var oc ti.Field[uint8]
	voxel = rt.NewTree().Pointer(ti.IJK, 4).Bitmasked(ti.IJK, 4)
	voxel.BitStruct(64).Place(&other, ti.QuantFixed(21, 16))
	voxel.BitStruct(8).Place(&oc, ti.QuantInt(2).Unsigned())
	if _, err := other.Tree().ReadFrom(bytes.NewReader(file)); !errors.Is(err, ti.ErrLayout) || !strings.Contains(err.Error(), "fixed(21,8)") || !strings.Contains(err.Error(), "fixed(21,16)") {
		t.Errorf("another form: %v", err)
	}
	file[len(file)-9] ^= 1
	if _, err := v.Tree().ReadFrom(bytes.NewReader(file)); !errors.Is(err, ti.ErrLayout) {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestPackedCopies checks that a loop over blocks copies the words around each, and no numbers beside them, and that
// it reads what is there.
func TestPackedCopies(t *testing.T) {
	rt := titest.New(t, titest.OnProcessors(t, ti.Config{}))
	var host struct {
		V   ti.Field[ti.Vec3]
		Sum ti.Field[ti.Vec3]
	}
	block := rt.NewTree().Pointer(ti.IJK, 4)
	block.Dense(ti.IJK, 8).BitStruct(64).Place(&host.V, ti.QuantFixed(21, 64))
	block.Dense(ti.IJK, 8).Place(&host.Sum)
	program, err := rt.Compile(ti.Text("copies", `package copies

var V, Sum field[vec3, D3]

func Fill() {
	for p := range ndrange(span(8, 24), span(8, 24), span(8, 24)) {
		V[p] = vec3(p)
	}
}

func Add(far ivec3) {
	for p := range V {
		Sum[p] = V[p+clamp(far, -3, 3)] + V[p-unit(3, 0)]
	}
}
`), &host)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		name string
		args []any
	}{{"Fill", nil}, {"Add", []any{ti.IVec3{1, -2, 3}}}} {
		if _, err := program.Kernel(k.name).Launch(t.Context(), k.args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		at   [3]int
		want ti.Vec3
	}{{[3]int{15, 16, 12}, ti.Vec3{30, 30, 27}}, {[3]int{8, 8, 20}, ti.Vec3{}}, {[3]int{23, 10, 9}, ti.Vec3{22, 10, 9}}} {
		if got := host.Sum.At(c.at[:]...); got != c.want {
			t.Errorf("at %v the sum is %v; want %v", c.at, got, c.want)
		}
	}
	var explained bytes.Buffer
	if err := program.Kernel("Add").Explain(&explained); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(explained.String(), "copies of V.word0, filled") {
		t.Errorf("want copies of the words of V alone:\n%s", &explained)
	}
}

// TestPackedRaces sets members of one word from several goroutines.
func TestPackedRaces(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var a, b, c ti.Field[int32]
	n := rt.NewTree().Dense(ti.I, 2)
	n.BitStruct(8).Place(&a, ti.QuantInt(4)).Place(&b, ti.QuantInt(4))
	n.BitStruct(8).Place(&c, ti.QuantInt(8))
	var wg sync.WaitGroup
	for i, f := range []*ti.Field[int32]{&a, &b, &c} {
		f.Set(0, 0)
		wg.Go(func() {
			for k := range int32(20000) {
				f.Set(k%7, i&1)
				if got := f.At(i & 1); got != k%7 {
					t.Errorf("%d is stored, and %d read", k%7, got)
					return
				}
			}
		})
	}
	wg.Wait()
}

// says reports whether an error has the parts of a text that semicolons separate.
func says(err error, want string) bool {
	for part := range strings.SplitSeq(want, "; ") {
		if err == nil || !strings.Contains(err.Error(), part) {
			return false
		}
	}
	return true
}

// TestPackedBadInput checks that each mistake is reported, at the position of the call.
func TestPackedBadInput(t *testing.T) {
	var (
		f, g ti.Field[float32]
		v    ti.Field[ti.Vec3]
		i    ti.Field[int32]
	)
	for _, c := range []struct {
		name, want string
		build      func(n *ti.Node)
	}{
		{"no bits", "an integer of 0 bits; give 1 to 64", func(n *ti.Node) { n.BitStruct(32).Place(&i, ti.QuantInt(0)) }},
		{"65 bits", "an integer of 65 bits; give 1 to 64", func(n *ti.Node) { n.BitStruct(64).Place(&i, ti.QuantInt(65)) }},
		{"overfull", "(21), component 1 of; (21), component 2 of; (5) take 68 bits, and the word of the bit struct has 64",
			func(n *ti.Node) { n.BitStruct(64).Place(&v, ti.QuantFixed(21, 8)).Place(&f, ti.QuantFixed(5, 8)) }},
		{"overfull group", "their exponent (5) take 35 bits", func(n *ti.Node) { n.BitStruct(32).PlaceShared(ti.QuantFloat(5, 10), &v) }},
		{"a word of 24 bits", "a word of 24 bits; give it 8, 16, 32 or 64", func(n *ti.Node) { n.BitStruct(24) }},
		{"an array's word of 24 bits", "a word of 24 bits", func(n *ti.Node) { n.BitArray(24, ti.J, 4) }},
		{"limit 0", "a limit of 0", func(n *ti.Node) { n.BitStruct(32).Place(&f, ti.QuantFixed(8, 0)) }},
		{"limit NaN", "a limit of NaN", func(n *ti.Node) { n.BitStruct(32).Place(&f, ti.QuantFixed(8, math.NaN())) }},
		{"limit infinite", "a limit of +Inf", func(n *ti.Node) { n.BitStruct(32).Place(&f, ti.QuantFixed(8, math.Inf(1))) }},
		{"wide exponent", "wider than that of f32", func(n *ti.Node) { n.BitStruct(32).Place(&f, ti.QuantFloat(9, 8)) }},
		{"too precise", "f32 cannot hold fixed-point numbers of 33 bits", func(n *ti.Node) { n.BitStruct(64).Place(&f, ti.QuantFixed(33, 1)) }},
		{"wrong kind", "QuantInt is for integers, and the elements are f32; use QuantFixed or QuantFloat", func(n *ti.Node) { n.BitStruct(64).Place(&f, ti.QuantInt(8)) }},
		{"wrong kind of integers", "use QuantInt", func(n *ti.Node) { n.BitStruct(64).Place(&i, ti.QuantFixed(8, 1)) }},
		{"one signed bit", "one signed bit holds -1 and 0", func(n *ti.Node) { n.BitStruct(8).Place(&i, ti.QuantInt(1)) }},
		{"too few forms", "2 forms for; which has 3 components; give one form for all, or 3", func(n *ti.Node) { n.BitStruct(64).Place(&v, ti.QuantFixed(8, 1), ti.QuantFixed(8, 1)) }},
		{"no form", "0 forms", func(n *ti.Node) { n.BitStruct(64).Place(&v) }},
		{"zero form", "the zero Quant", func(n *ti.Node) { n.BitStruct(64).Place(&f, ti.Quant{}) }},
		{"float in an array", "a bit array has integers or fixed-point numbers", func(n *ti.Node) { n.BitArray(32, ti.J, 2).Place(&f, ti.QuantFloat(5, 9)) }},
		{"two fields in an array", "a bit array has one field", func(n *ti.Node) {
			n.BitArray(32, ti.J, 2).Place(&f, ti.QuantFixed(5, 9)).Place(&g, ti.QuantFixed(5, 9))
		}},
		{"vectors in an array", "a bit array has numbers", func(n *ti.Node) { n.BitArray(32, ti.J, 2).Place(&v, ti.QuantFixed(5, 9)) }},
		{"overfull array", "8 elements of 5 bits take 40 bits", func(n *ti.Node) { n.BitArray(32, ti.J, 8).Place(&f, ti.QuantFixed(5, 9)) }},
		{"empty struct", "a bit struct is empty", func(n *ti.Node) { n.BitStruct(32); n.Place(&f) }},
		{"empty array", "a bit array is empty", func(n *ti.Node) { n.BitArray(32, ti.J, 2); n.Place(&f) }},
		{"placed twice", "placed already", func(n *ti.Node) { n.BitStruct(32).Place(&f, ti.QuantFixed(8, 1)); n.Place(&f) }},
		{"placed twice in words", "placed already", func(n *ti.Node) { n.BitStruct(32).Place(&f, ti.QuantFixed(8, 1)).Place(&f, ti.QuantFixed(8, 1)) }},
		{"shared fixed", "has no exponent that could be shared", func(n *ti.Node) { n.BitStruct(32).PlaceShared(ti.QuantFixed(8, 1), &v) }},
		{"shared nothing", "there is nothing to share", func(n *ti.Node) { n.BitStruct(32).PlaceShared(ti.QuantFloat(5, 9)) }},
		{"shared stochastic", "Stochastic is not supported", func(n *ti.Node) { n.BitStruct(64).PlaceShared(ti.QuantFloat(5, 9).Stochastic(), &v) }},
		{"array in a list", "a bit array lies in a dynamic node", func(n *ti.Node) { n.Dynamic(ti.J, 100).BitArray(32, ti.J, 8).Place(&i, ti.QuantInt(4)) }},
		{"nil", "a nil field cannot be placed", func(n *ti.Node) { n.BitStruct(32).Place(nil, ti.QuantInt(3)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := titest.New(t, ti.Config{})
			f, g, v, i = ti.Field[float32]{}, ti.Field[float32]{}, ti.Field[ti.Vec3]{}, ti.Field[int32]{}
			tree := rt.NewTree()
			c.build(tree.Dense(ti.I, 4))
			err := tree.Err()
			if err == nil {
				_, err = f.WriteTo(new(bytes.Buffer))
			}
			var errs ti.SourceErrors
			if !errors.As(err, &errs) || len(errs) != 1 || !says(err, c.want) || !strings.Contains(errs[0].Pos.Filename, "quant_test.go") || errs[0].Pos.Line == 0 || !errors.Is(err, ti.ErrLayout) {
				t.Errorf("got %v", err)
			}
		})
	}
}
