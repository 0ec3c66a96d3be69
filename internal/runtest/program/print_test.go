package program

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// wantText compares what has been printed since the last time.
func wantText(r *runtest.Run, want string) {
	r.Helper()
	if got := r.Out.String(); got != want {
		r.Errorf("printed\n%q, want\n%q", got, want)
	}
	r.Out.Reset()
}

// wantAssert checks that err is a failed assertion with that message.
func wantAssert(r *runtest.Run, err error, msg string, count, line int) {
	r.Helper()
	var e *ti.RuntimeError
	switch {
	case !errors.As(err, &e) || !errors.Is(err, ti.ErrAssert):
		r.Errorf("the error is %v, not a failed assertion", err)
	case e.Msg != msg && msg != "" || e.Count != count || e.Pos.Line != line:
		r.Errorf("the error is %q, line %d, %d times, not %q, line %d, %d times", e.Msg, e.Pos.Line, e.Count, msg, line, count)
	}
}

var printed = []program{
	{"print and printf of every type", `
func Run(b bool, i8v i8, u i64, x f32, y f64) {
	v := vec3(1, 2.5, x)
	m := mat2(1, 2, 3, 4)
	print("all", b, i8v, u, x, y, v, m, ivec2(3, 4), 1<<3, 0.5)
	print()
	printf("%5d|%-6.2f|%t|%x|%+.1e|%v%%\n", i8v, x, b, u, y, v.xy)
	printf("%[2]d %[1]d %[3]s %q\n", 1, 2, "text", "quoted")
	printf("no end")
	printf(" of line\n")
	printf("%c%c %U %08b %T\n", 72, 105, 955, u8(5), m)
	print(x/0, -x/0, sqrt(-x), u32(4294967295), bitcast[i32](u32(4294967295)))
}`, func(r *runtest.Run, src string) {
		var h struct {
			Run func(bool, int8, int64, float32, float64) error
		}
		r.Load(src, &h)
		runtest.OK(r, h.Run(true, -7, 1<<40, 0.1, 1e100))
		wantText(r, "all true -7 1099511627776 0.1 1e+100 [1 2.5 0.1] [[1 2] [3 4]] [3 4] 8 0.5\n\n"+
			"   -7|0.10  |true|10000000000|+1.0e+100|[1 2.5]%\n"+
			"2 1 text \"quoted\"\nno end of line\nHi U+03BB 00000101 mat2\n+Inf -Inf NaN 4294967295 -1\n")
	}},
	{"printing in order", `
var X field[i32, D2]
func fill(n i32) {
	for i := range n { print("serial", i) }
}
func Run(n i32) {
	print("start", n)
	fill(3)
	for i, j := range X {
		X[i][j] = 10*i + j
		if (i+j)%5 == 0 { print(i, j, X[i][j]) }
	}
	for i := range n {
		printf("%d ", i)
		for k := range i%3 { printf("<%d>", k) }
		print()
	}
	print("end")
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func(int32) error
		}
		r.Place(ti.Shape{40, 12}, &h.X)
		r.Load(src, &h)
		for _, n := range []int32{0, 3, 5000} {
			runtest.OK(r, h.Run(n))
			var w strings.Builder
			fmt.Fprintf(&w, "start %d\nserial 0\nserial 1\nserial 2\n", n)
			for i := range 40 {
				for j := range 12 {
					if (i+j)%5 == 0 {
						fmt.Fprintln(&w, i, j, 10*i+j)
					}
				}
			}
			for i := range int(n) {
				fmt.Fprintf(&w, "%d %s\n", i, []string{"", "<0>", "<0><1>"}[i%3])
			}
			w.WriteString("end\n")
			wantText(r, w.String())
		}
	}},
	{"printing from blocks and functions", `
var X field[vec2]
func show(p i32, v vec2) { if v.x > 3 { printf("%d: %.1f\n", p, v) } }
func Run() (s f32) {
	for p := range X { X[p] = vec2(p, -p) }
	for p := range span(1, len(X)-1) {
		show(p, X[p-1] + X[p+1])
		s += X[p].x
	}
	return s
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[ti.Vec2]
			Run func() (float32, error)
		}
		r.Place(ti.Shape{24}, &h.X)
		r.Load(src, &h)
		s, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "s", s, 22*23/2)
		var w strings.Builder
		for p := 2; p < 23; p++ {
			fmt.Fprintf(&w, "%d: [%.1f %.1f]\n", p, float32(2*p), float32(-2*p))
		}
		wantText(r, w.String())
	}},
	{"assertions", `
var X field[f32]
func Run(n i32, lim f32) (s f32) {
	assert(n > 0)
	assert(n > 1, "n is only %d", n)
	for i := range X {
		X[i] = 0.5 * i
		assert(X[i] < lim, "X[%d] is %.1f, beyond %v", i, X[i], vec2(lim, 0))
		s += X[i]
	}
	return s
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[float32]
			Run func(int32, float32) (float32, error)
		}
		r.Place(ti.Shape{16}, &h.X)
		r.Load(src, &h)
		s, err := h.Run(2, 100)
		runtest.OK(r, err)
		runtest.Eq(r, "s", s, 60)
		_, err = h.Run(0, 100)
		wantAssert(r, err, "assertion failed: n > 0", 2, 5)
		_, err = h.Run(1, 100)
		wantAssert(r, err, "assertion failed: n is only 1", 1, 6)
		h.X.Fill(-1)
		_, err = h.Run(2, 7.5)
		wantAssert(r, err, "assertion failed: X[15] is 7.5, beyond [7.5 0]", 1, 9)
		var e *ti.RuntimeError
		if errors.As(err, &e) {
			runtest.Eq(r, "loop", fmt.Sprint(e.Loop), "[15]")
		}
		runtest.Eq(r, "X[15] after the failure", h.X.At(15), 7.5)
		_, err = h.Run(2, 4)
		wantAssert(r, err, "", 8, 9)
		_, err = h.Run(2, 100)
		runtest.OK(r, err)
	}},
	{"assertions in loops within loops", `
var X field[i32, D2]
func check(v i32) i32 { assert(v >= 0 && v != 13, "v is %d", v); return v }
func Run(n i32) (s i32) {
	for i, j := range ndrange(8, 6) {
		t := 0
		for k := range n { t += check(i*k - j) * 0 + 1 }
		s += t
	}
	return s
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func(int32) (int32, error)
		}
		r.Place(ti.Shape{8, 6}, &h.X)
		r.Load(src, &h)
		want := 0
		for i := range 8 {
			for j := range 6 {
				for k := range 4 {
					if v := i*k - j; v < 0 || v == 13 {
						want++
					}
				}
			}
		}
		_, err := h.Run(4)
		wantAssert(r, err, "", want, 4)
	}},
	{"an assertion of a function called in and out of loops", `
var X field[i32, D2]
func check(v i32) i32 { assert(v != 3, "never three"); return v }
func Run(a, b, c i32) {
	check(a)
	for i := range 4 { X[i][0] = check(b + i) }
	for i, j := range X { X[i][j] = check(c + 10*i + j) }
	check(a - b)
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func(a, b, c int32) error
		}
		r.Place(ti.Shape{4, 6}, &h.X)
		r.Load(src, &h)
		for _, tt := range []struct {
			a, b, c int32
			loop    string // of the only failure
		}{{3, 10, 10, "[]"}, {50, 1, 10, "[2]"}, {50, 10, -19, "[2 2]"}, {53, 50, 60, "[]"}} {
			err := h.Run(tt.a, tt.b, tt.c)
			wantAssert(r, err, "assertion failed: never three", 1, 4)
			var e *ti.RuntimeError
			if errors.As(err, &e) {
				runtest.Eq(r, fmt.Sprintf("the loop of Run(%d, %d, %d)", tt.a, tt.b, tt.c), fmt.Sprint(e.Loop), tt.loop)
			}
		}
		runtest.OK(r, h.Run(50, 10, 20))
	}},
}
