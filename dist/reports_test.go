package dist_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
)

// reportsSource has tasks that several ranks run alike, and that print and fail.
const reportsSource = `
package reports

var A field[i32]
var R field[i32]

func Border() {
	for k := range 2 {
		A[0][0] = 1
		A[15][0] = 2
		print("border", k)
		assert(k < 1, "border %d", k)
	}
}

func Order() {
	for k := range R {
		assert(k != 1, "entry %d", k)
	}
	for i, j := range A {
		assert(i != 14 || j > 0, "first row %d", i)
	}
	for i, j := range A {
		assert(i > 1 || j > 0, "second row %d", i)
	}
}

func Rows() {
	for i, j := range A {
		assert(i != 14 || j > 0, "first row %d", i)
		A[i][j] = i
	}
	for i, j := range A {
		assert(i > 1 || j > 0, "second row %d", i)
		A[i][j] = i
	}
	for k := range R {
		assert(k != 1, "entry %d", k)
	}
}
`

// TestReports: what several ranks run alike is printed once, and fails once; the failure of the first loop that has one is told.
func TestReports(t *testing.T) {
	for _, ranks := range []int{1, 2, 4} {
		said := results(t, ranks, func(w *dist.World) (string, error) {
			var printed bytes.Buffer
			rt, err := w.New(ti.Config{Threads: 1, Stdout: &printed})
			if err != nil {
				return "", err
			}
			defer func() { _ = rt.Close() }()
			var h struct {
				A, R                ti.Field[int32]
				Border, Order, Rows func() error
			}
			w.Grid(ti.IJ, 16, 3).Tile(4, 3).Divide(rt.NewTree()).Dense(ti.IJ, 16, 3).Place(&h.A)
			rt.Place(ti.Shape{3}, &h.R)
			if err := rt.Load(reportsSource, &h); err != nil {
				return "", err
			}
			text := fmt.Sprintf("%v\n%v\n%v\n", h.Border(), h.Order(), h.Rows())
			if w.Rank() == 0 && printed.String() != "border 0\nborder 1\n" {
				err = fmt.Errorf("printed: %q", printed.String())
			}
			return text, err
		})
		for n, want := range []string{
			"assertion failed: border 1, in iteration [1]\n",
			"assertion failed: entry 1, in iteration [1] (and 3 failures more)\n",
			"assertion failed: first row 14, in iteration [14 0] (and 3 failures more)\n",
		} {
			if line := strings.SplitAfter(said, "\n")[n]; !strings.HasSuffix(line, want) {
				t.Errorf("%d ranks: %s, want %s", ranks, line, want)
			}
		}
	}
}

// TestBeyond: iterations that touch no row of the field run once: those below it on the first rank, those above on the last one.
func TestBeyond(t *testing.T) {
	const source = `
package beyond

var A field[i32]

func K() i32 {
	count := 0
	for i := range ndrange(span(-3, A.shape[0]+4)) {
		if i >= 0 && i < A.shape[0] {
			A[i][0] = i
		} else {
			print("row", i)
			count += 1
		}
		assert(i != A.shape[0]+2, "row %d", i)
	}
	return count
}
`
	for _, ranks := range []int{1, 2, 4} {
		said := results(t, ranks, func(w *dist.World) (string, error) {
			var printed bytes.Buffer
			rt, err := w.New(ti.Config{Threads: 1, Stdout: &printed})
			if err != nil {
				return "", err
			}
			defer func() { _ = rt.Close() }()
			var h struct {
				A ti.Field[int32]
				K func() (int32, error)
			}
			w.Grid(ti.IJ, 16, 3).Tile(4, 3).Divide(rt.NewTree()).Dense(ti.IJ, 16, 3).Place(&h.A)
			if err := rt.Load(source, &h); err != nil {
				return "", err
			}
			n, failed := h.K()
			if w.Rank() == 0 && printed.String() != "row -3\nrow -2\nrow -1\nrow 16\nrow 17\nrow 18\nrow 19\n" {
				err = fmt.Errorf("printed: %q", printed.String())
			}
			return fmt.Sprint(n, failed), err
		})
		if !strings.HasSuffix(said, "assertion failed: row 18, in iteration [18]") {
			t.Errorf("%d ranks: %s", ranks, said)
		}
	}
}
