package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// fillText is a kernel that fills rows of a field, in elements of so many bytes.
func fillText(stride int) string {
	return fmt.Sprintf(`kernel Fill() {
	int i32
	field @Y [f32] [4096 4096]
	bases [0]
	frame 0 done -1
	task 0 "for i, j := range Y" loop 1 i32 [1, 4095), i32 [1, 4095) independent {
		prologue {
			%%0 = base 0 : ptr
			%%1 = const 16384 : i64
			%%2 = const %d : i64
			yield
		}
		body(%%3: i32, %%4: i32) {
			%%5 = convert %%3 : i64
			%%6 = mul.nowrap %%5, %%1 : i64
			%%7 = offset %%0, %%6 : ptr
			%%8 = convert %%4 : i64
			%%9 = mul.nowrap %%8, %%2 : i64
			%%10 = offset %%7, %%9 : ptr
			%%11 = convert %%4 : f32
			store.streamed %%10, %%11 alias 1
			continue
		}
		epilogue {
			yield
		}
	}
}
`, stride)
}

// TestWindows looks for stores past the caches, of the width of the machine's vectors, and for the
// order of what comes after them.
func TestWindows(t *testing.T) {
	has := target.CPU | target.Streams
	for _, c := range []struct {
		name    string
		stride  int
		without option.Switches
		traits  target.Traits
		want    int // vectors that a line is
	}{
		{"vectors of 16 bytes", 4, 0, target.Traits{VectorBits: 128, Has: has}, 4},
		{"vectors of 32 bytes", 4, 0, target.Traits{VectorBits: 256, Has: has}, 2},
		{"vectors of 64 bytes", 4, 0, target.Traits{VectorBits: 512, Has: has}, 1},
		{"places apart", 8, 0, target.Traits{VectorBits: 256, Has: has}, 0},
		{"left out", 4, option.Stream, target.Traits{VectorBits: 256, Has: has}, 0},
		{"without vectors", 4, 0, target.Traits{Has: has}, 0},
		{"not on this target", 4, 0, target.Traits{VectorBits: 256, Has: target.CPU}, 0},
	} {
		text := sources(t, parse(t, fillText(c.stride)), Options{Options: option.Options{Without: c.without}, Traits: c.traits})[0].Text
		if got := strings.Count(text, "!nontemporal"); got != c.want {
			t.Errorf("%s: %d stores past the caches, want %d in\n%s", c.name, got, c.want, text)
		}
		pieces := 0 // of lines, at both ends of a row
		if c.want > 0 {
			pieces = 2
		}
		if got := strings.Count(text, "i32 1, i32 3, i32 1)"); got != pieces {
			t.Errorf("%s: %d lines asked for before they are stored to, want %d", c.name, got, pieces)
		}
		if got := strings.Contains(text, "call void @llvm.x86.sse.sfence()"); got != (c.want > 0) {
			t.Errorf("%s: a fence: %v", c.name, got)
		}
	}
	for _, l := range libraries(t) {
		text := sources(t, parse(t, fillText(4)), Options{Traits: target.Traits{Version: l.Version().Major, VectorBits: 256, Has: has}})
		o := Pipeline(3)
		o.Triple, o.CPU = "x86_64-unknown-linux-gnu", "znver3"
		windowCode(t, l, o, text)
	}
}

// meanText is a kernel that fills rows of Y with the mean of three places of X, whose elements have so many bytes: in the
// row above, in the one below, and beside.
func meanText(stride int) string {
	text := strings.Replace(fillText(4), "bases [0]", "field @X [f32] [4096 4096]\n\tbases [0 1]", 1)
	text = strings.Replace(text, "\t\t\t%11 = convert %4 : f32\n\t\t\tstore.streamed %10, %11", fmt.Sprintf(`			%%11 = base 1 : ptr
			%%12 = const %d : i64
			%%13 = mul.nowrap %%5, %%1 : i64
			%%14 = mul.nowrap %%8, %%12 : i64
			%%15 = offset %%11, %%13 : ptr
			%%16 = offset %%15, %%14 : ptr
			%%17 = const -16384 : i64
			%%18 = offset %%16, %%17 : ptr
			%%19 = load %%18 : f32 alias 2
			%%20 = offset %%16, %%1 : ptr
			%%21 = load %%20 : f32 alias 2
			%%22 = const 4 : i64
			%%23 = offset %%16, %%22 : ptr
			%%24 = load %%23 : f32 alias 2
			%%25 = add %%19, %%21 : f32
			%%26 = add %%25, %%24 : f32
			store.streamed %%10, %%26`, stride), 1)
	return text
}

// TestLinesAhead looks for what the copying of a window asks for: one line of X for each that it copies, though three
// rows are read, and none where several lines of X belong to one.
func TestLinesAhead(t *testing.T) {
	for _, c := range []struct {
		name    string
		stride  int
		without option.Switches
		helper  string
		asked   int
	}{
		{"elements as wide", 4, 0, "@stream1(", 1},
		{"elements of a byte", 1, 0, "@stream1(", 1},
		{"wider elements", 12, 0, "@stream(", 0},
		{"left out", 4, option.Prefetch, "@stream(", 0},
	} {
		text := sources(t, parse(t, meanText(c.stride)), Options{Options: option.Options{Without: c.without},
			Traits: target.Traits{VectorBits: 512, Has: target.CPU | target.Streams}})[0].Text
		if !strings.Contains(text, "call void "+c.helper) {
			t.Errorf("%s: no call of %s in\n%s", c.name, c.helper, text)
		}
		if got := strings.Count(text, "i32 0, i32 3, i32 1)"); got != c.asked {
			t.Errorf("%s: %d lines asked for while one is copied, want %d", c.name, got, c.asked)
		}
		if step := fmt.Sprintf("i64 %d)", 64*c.stride/4); c.asked > 0 && !strings.Contains(text, step) {
			t.Errorf("%s: no step of %q in\n%s", c.name, step, text)
		}
	}
}

// windowCode looks at the code of a loop that streams: vectors to the window, and whole ones past the caches.
func windowCode(t *testing.T, l *llvm.Lib, o llvm.Options, text []llvm.Source) {
	code, err := l.Assembly(o, text...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"vmovntps\t%ymm", "sfence", "vcvtdq2ps"} {
		if !strings.Contains(code, want) {
			t.Errorf("%s: no %q in\n%s", l.Version(), want, code)
		}
	}
}

// linesText is a kernel that stores vectors of so many lanes, from so many bytes behind the begin of a line on.
func linesText(lanes, from int) string {
	return fmt.Sprintf(`kernel Lines() {
	int i32
	field @Y [f32] [1048576]
	bases [0]
	frame 0 done -1
	task 0 "for i := range Y" loop 1 i32 [0, 4096) independent {
		prologue {
			%%0 = base 0 : ptr
			%%1 = const 128 : i64
			%%2 = const %d : i64
			%%3 = const 0x1p1 : f32x%d
			yield
		}
		body(%%4: i32) {
			%%5 = convert %%4 : i64
			%%6 = mul.nowrap %%5, %%1 : i64
			%%7 = offset %%0, %%6 : ptr
			%%8 = offset %%7, %%2 : ptr
			store.streamed %%8, %%3 alias 1
			continue
		}
		epilogue {
			yield
		}
	}
}
`, from, lanes)
}

// TestStoreLines looks for vectors of whole lines stored past the caches as they are.
func TestStoreLines(t *testing.T) {
	traits := target.Traits{VectorBits: 512, Has: target.CPU | target.Streams}
	for _, c := range []struct {
		name        string
		lanes, from int
		without     target.Features
		want        bool
	}{
		{"one line", 16, 64, 0, true},
		{"two lines", 32, 0, 0, true},
		{"half a line", 8, 0, 0, false},
		{"a line from its middle on", 16, 32, 0, false},
		{"not on this target", 16, 64, target.Streams, false},
	} {
		o := Options{Traits: traits}
		o.Has &^= c.without
		text := sources(t, parse(t, linesText(c.lanes, c.from)), o)[0].Text
		if got := strings.Contains(text, "align 64, !nontemporal"); got != c.want {
			t.Errorf("%s: past the caches: %v, in\n%s", c.name, got, text)
		}
		if got := strings.Contains(text, "call void @llvm.x86.sse.sfence()"); got != c.want {
			t.Errorf("%s: a fence: %v", c.name, got)
		}
	}
}
