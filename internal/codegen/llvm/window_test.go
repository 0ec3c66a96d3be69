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
