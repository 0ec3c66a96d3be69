package launch

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/site"
)

// sample has something in every place.
func sample() *Kernel {
	return &Kernel{
		Name: "Step", Args: 5, Results: 2, Frame: 40, Done: 32, Bases: []int{0, 1, -1, -1}, Sums: []Sums{{3, 64}}, Ranges: []int{1, 4}, Records: true, Prints: true, Deterministic: true,
		Tasks: []Task{
			{},
			{
				Loop: 1, Part: 1, Parts: 7, Threads: 3, BlockDim: 4, Steps: 9, Heavy: true, Uneven: true,
				Dims: []Dim{
					{Lo: Bound{Const: -3}, Hi: Bound{From: Frame, At: 16, Const: 1}},
					{Lo: Bound{From: Arg, At: 2, Bits: 32, Signed: true}, Hi: Bound{From: Arg, At: 4, Bits: 64}, Unsigned: true},
					{Hi: Bound{From: Entries}},
				},
				Rows:  Rows{Low: -3, Step: 16},
				Slots: []Slot{{At: 4}, {BaseSlot, 3}, {FrameSlot, 32}},
				Sites: []int{2, 0},
				States: []State{
					{Field: 0, Values: []Values{{0, 2, Writes, true, true, Reach{Known: true}, Reach{}, Reach{}, None}, {3, 1, Reads | Writes, false, false, Reach{-9, 9, true}, Reach{3, 4, true}, Reach{-2, 1, true}, Max}}},
					{2, nil, Reads, Writes, Reads, true},
				},
				Lists:   []List{{Base: 1, Node: 1, Outer: 2, Masks: true}},
				Private: []Private{{Base: 0, Scratch: 2, Size: 8, Identity: math.Float64bits(math.Inf(-1)), Merge: 2}},
				Partial: &Partial{Scratch: 3, Words: 4, Merge: 2},
			},
			{Helper: true, Dims: []Dim{{Hi: Bound{Const: math.MaxInt64}}}},
		},
		Names:  []Name{{Task: "serial code"}, {Task: "for p := range X", Place: Place{"a.ti", 3, 2}}, {Task: "merge"}},
		Fields: []Field{{Name: "X", Extents: []int{3, -1}}, {Name: "v", Memory: true}, {Name: "B"}},
		Parts:  []Part{{"A", 0, -1, -1}, {"B", 3, 4, 8}},
		Sites: []Site{
			{Site: site.Site{What: "X", Shape: []int64{-1, 3}, Low: []int64{0, -2}}, Axes: 1, Lengths: []int{3, -1}, Field: -1},
			{Site: site.Site{Kind: site.Print, Text: []site.Piece{{Text: "x is "}, {Verb: "%d", Kind: scalar.I32}}}, Place: Place{"a.ti", 4, 1}, Field: -1},
			{Site: site.Site{Kind: site.Deactivate, What: "v"}, Field: 1},
		},
	}
}

func TestBinaryRoundTrip(t *testing.T) {
	for _, k := range []*Kernel{{Done: -1}, sample()} {
		data := k.Append(nil)
		got, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, k) {
			t.Errorf("read %+v, want %+v", got, k)
		}
	}
}

// TestEveryField changes one number, text or flag of a descriptor after the other: each
// change is in the binary form.
func TestEveryField(t *testing.T) {
	want := string(sample().Append(nil))
	visited := map[string]bool{want: true}
	n := leaves(reflect.ValueOf(sample()), func(reflect.Value) {})
	for i := range n {
		k, at := sample(), 0
		leaves(reflect.ValueOf(k), func(v reflect.Value) {
			if at++; at != i+1 {
				return
			}
			switch v.Kind() {
			case reflect.Bool:
				v.SetBool(!v.Bool())
			case reflect.String:
				v.SetString(v.String() + "'")
			case reflect.Uint64, reflect.Uint8:
				v.SetUint(v.Uint() ^ 1)
			default:
				v.SetInt(v.Int() ^ 1)
			}
		})
		if encoded := string(k.Append(nil)); visited[encoded] {
			t.Errorf("change %d of %d is not in the binary form: %+v", i, n, k)
		} else {
			visited[encoded] = true
		}
	}
}

// leaves calls f for what v holds that has no parts, and returns how much that is.
func leaves(v reflect.Value, f func(reflect.Value)) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			n = leaves(v.Elem(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += leaves(v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += leaves(v.Index(i), f)
		}
	default:
		f(v)
		n = 1
	}
	return n
}

func TestDamaged(t *testing.T) {
	data := sample().Append(nil)
	for n := range data {
		if _, err := Read(data[:n]); !errors.Is(err, ErrFormat) {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	if _, err := Read(append(data, 0)); !errors.Is(err, ErrFormat) {
		t.Errorf("a byte too many: %v", err)
	}
	other := append([]byte{}, data...)
	other[len(magic)] += 2
	if _, err := Read(other); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("its version is %d, and this program has %d", Version+1, Version)) {
		t.Errorf("another version: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		change func(k *Kernel)
		want   string
	}{
		{func(k *Kernel) { k.Names = nil }, "3 tasks have 0 names"},
		{func(k *Kernel) { k.Done = 40 }, "impossible sizes"},
		{func(k *Kernel) { k.Ranges[1] = 5 }, "ranges of Step follow from slot 5 of 5"},
		{func(k *Kernel) { k.Ranges[0] = 4 }, "out of order"},
		{func(k *Kernel) { k.Parts[0].Done = -2 }, "the flag of part A is at -2"},
		{func(k *Kernel) { k.Parts[1].Done = 37 }, "the flag of part B is at 37 in a frame of 40 bytes"},
		{func(k *Kernel) { k.Sums[0].Base = 4 }, "sums of 64 bytes have base 4"},
		{func(k *Kernel) { k.Sums[0].Bytes = 0 }, "sums of 0 bytes"},
		{func(k *Kernel) { k.Tasks[1].Dims[0].Hi.At = 36 }, "a bound"},
		{func(k *Kernel) { k.Tasks[1].Dims[1].Lo.At = 5 }, "a bound"},
		{func(k *Kernel) { k.Tasks[1].Dims[1].Lo.Bits = 0 }, "a bound"},
		{func(k *Kernel) { k.Tasks[1].Lists = nil }, "a bound"},
		{func(k *Kernel) { k.Tasks[1].Dims[0].Hi.From = 17 }, "a bound"},
		{func(k *Kernel) { k.Tasks[1].Lists[0].Base = 4 }, "the list"},
		{func(k *Kernel) { k.Tasks[1].Private[0].Merge = 0 }, "the private copy"},
		{func(k *Kernel) { k.Tasks[1].Private[0].Scratch = -1 }, "the private copy"},
		{func(k *Kernel) { k.Tasks[1].Partial.Words = 0 }, "the partial results"},
		{func(k *Kernel) { k.Deterministic = false }, "the partial results"},
		{func(k *Kernel) { k.Tasks[1].Lists[0].Node = 3 }, "the list"},
		{func(k *Kernel) { k.Tasks[1].Slots[0].At = 5 }, "the slot"},
		{func(k *Kernel) { k.Tasks[1].Slots[1].From = RootSlot + 1 }, "the slot"},
		{func(k *Kernel) { k.Tasks[1].Sites[0] = 3 }, "no site 3"},
		{func(k *Kernel) { k.Tasks[1].States[1].Field = 0 }, "out of order"},
		{func(k *Kernel) { k.Tasks[1].States[1].Field = 3 }, "is of no field"},
		{func(k *Kernel) { k.Tasks[1].States[1].Field = 1 }, "is of no field"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].First = 1 }, "out of order"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[0].Reach.Hi = 1 }, "impossible reach"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].Reach.Hi = -10 }, "impossible reach"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].Index.Hi = 2 }, "impossible indices"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].Ring.Known = false }, "impossible indices"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].Sum = Xor + 1 }, "impossible indices or sums"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[0].Sum = Add }, "impossible indices or sums"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].Reach.Known = false }, "impossible reach"},
		{func(k *Kernel) { k.Tasks[1].Rows.Step = -1 }, "rows"},
		{func(k *Kernel) { k.Tasks[1].Rows.Step = 0 }, "rows"},
		{func(k *Kernel) { k.Tasks[0].Rows.Step = 1 }, "rows"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].Comps = 0 }, "of no component"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[0].Use = Reads }, "of no component"},
		{func(k *Kernel) { k.Tasks[1].States[0].Values[1].Use = 4 }, "of no component"},
		{func(k *Kernel) { k.Tasks[1].States[1].List = 4 }, "the state"},
		{func(k *Kernel) { k.Fields[0].Extents[0] = 5 }, "an extent of field X"},
		{func(k *Kernel) { k.Memory = []Memory{{Slot: 5, Size: 4}} }, "the memory"},
		{func(k *Kernel) { k.Memory = []Memory{{Size: 4, Shape: []int64{-1}, Extents: []int{-1}}} }, "the memory"},
		{func(k *Kernel) {
			k.Memory = []Memory{{Size: 4, Shape: []int64{3}, Extents: []int{-1}, Strides: []int{0}}}
		}, "the memory"},
		{func(k *Kernel) { k.Sites[0].Lengths = k.Sites[0].Lengths[:1] }, "do not fit its shape"},
		{func(k *Kernel) { k.Sites[0].Axes = 3 }, "do not fit its shape"},
		{func(k *Kernel) { k.Sites[0].Lengths[0] = 5 }, "in no argument"},
		{func(k *Kernel) { k.Sites[1].Text[1].Kind = scalar.Ptr }, "a value of no kind"},
		{func(k *Kernel) { k.Sites[2].Field = 3 }, "is none"},
	} {
		k := sample()
		c.change(k)
		if err := k.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q was expected: %v", c.want, err)
		}
	}
}

func TestBoundValue(t *testing.T) {
	args, frame, entries := []uint64{0xffff_ffff_ffff_fffb}, []uint64{0, 100}, []int64{33}
	for _, c := range []struct {
		b    Bound
		want int64
	}{
		{Bound{Const: -7}, -7},
		{Bound{From: Frame, At: 8, Const: -1}, 99},
		{Bound{From: Arg, Bits: 32, Signed: true, Const: 10}, 5},
		{Bound{From: Arg, Bits: 8}, 251},
		{Bound{From: Arg, Bits: 64}, -5},
		{Bound{From: Entries}, 33},
	} {
		if got := c.b.Value(args, frame, entries); got != c.want {
			t.Errorf("%+v is %d, want %d", c.b, got, c.want)
		}
	}
}

// FuzzRead reads damaged descriptors: an error, or one that is written as it was read.
func FuzzRead(f *testing.F) {
	f.Add(sample().Append(nil))
	f.Add((&Kernel{Done: -1}).Append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := Read(data)
		if err != nil {
			return
		}
		again, err := Read(k.Append(nil))
		if err != nil || !reflect.DeepEqual(k, again) {
			t.Errorf("%+v was read as %+v: %v", k, again, err)
		}
	})
}

// TestPieces writes pieces and reads them back, whole and cut off.
func TestPieces(t *testing.T) {
	pieces := []Piece{{Size: 3, Code: []byte("code")}, {}, {Size: 1, Code: []byte{0}}}
	data := AppendPieces([]byte("before"), pieces)[len("before"):]
	again, err := ReadPieces(data)
	if err != nil || len(again) != len(pieces) {
		t.Fatalf("read back as %v, error %v", again, err)
	}
	for i, p := range pieces {
		if again[i].Size != p.Size || !bytes.Equal(again[i].Code, p.Code) {
			t.Errorf("piece %d is %v, want %v", i, again[i], p)
		}
	}
	for n := range data {
		if _, err := ReadPieces(data[:n]); !errors.Is(err, ErrPieces) {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	if _, err := ReadPieces(append(data, 0)); !errors.Is(err, ErrPieces) {
		t.Errorf("a byte too many: %v", err)
	}
}

// TestMemory: the runs of an array with gaps between its rows, and of ones without.
func TestMemory(t *testing.T) {
	args := []uint64{0, 3, 2, 10}
	for _, c := range []struct {
		m    Memory
		want string
	}{
		{Memory{Size: 4, Shape: []int64{-1}, Extents: []int{1}}, "[0+12]"},
		{Memory{Size: 4, Shape: []int64{-1, -1}, Extents: []int{1, 2}}, "[0+24]"},
		{Memory{Size: 4, Shape: []int64{-1, -1}, Extents: []int{1, 2}, Strides: []int{3}}, "[0+8 40+8 80+8]"},
		{Memory{Size: 8, Shape: []int64{2, -1, 5}, Extents: []int{-1, 2, -1}, Strides: []int{3, 1}}, "[0+40 24+40 80+40 104+40]"},
		{Memory{Size: 8, Shape: []int64{2, -1}, Extents: []int{-1, 0}, Strides: []int{3}}, "[]"},
		{Memory{Size: 8, Shape: []int64{-1, 4}, Extents: []int{0, -1}, Strides: []int{3}}, "[]"},
	} {
		var runs []string
		end := int64(0)
		c.m.Runs(args, func(offset, bytes int64) {
			runs = append(runs, fmt.Sprintf("%d+%d", offset, bytes))
			end = offset + bytes
		})
		if got := fmt.Sprint(runs); got != c.want || c.m.Bytes(args) != end {
			t.Errorf("%+v has the runs %s, and %d bytes; want %s", c.m, got, c.m.Bytes(args), c.want)
		}
	}
}
