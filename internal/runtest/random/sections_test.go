package random

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var sectionSeeds = randtest.New("sections", "firstsection", "random kernels that give sections of fields to functions", 16, 40)

var sectionVariants = []runtest.Variant{
	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
	{Label: "O3/two threads, blocked", Arch: ti.LLVM, Opt: "3", Threads: 2, Layout: runtest.Blocked},
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 2},
	{Label: "O3/extents at launch", Arch: ti.LLVM, Opt: "3", Threads: 1, Layout: runtest.AtLaunch},
	{Label: "O3/bitmasked", Arch: ti.LLVM, Opt: "3", Threads: 1, Layout: runtest.Bitmasked},
	{Label: "O3/64 bits", Arch: ti.LLVM, Opt: "3", Threads: 1, Wide: true},
	{Label: "debug", Arch: ti.Oracle, Threads: 1, Debug: true},
	{Label: "O3/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 1, Unchecked: true},
}

// TestRandomSections compares what functions do to random sections of a field, and to sections of these, with what a
// model of them does in Go, on the oracle and through LLVM: which elements they read and write, how long they are, and
// whether a launch fails.
func TestRandomSections(t *testing.T) { sectionSeeds.Each(t, compareSections) }

type sectionsHost struct{ X, Out ti.Field[int32] }

func compareSections(t *testing.T, seed uint64) {
	w := newSectionWriter(seed)
	src := w.source()
	for _, v := range []runtest.Variant{runtest.OracleVariant, sectionVariants[seed%8]} {
		if v.Unchecked && w.fails > 0 {
			continue
		}
		if err := w.run(t, v, src); err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, v.Label, err, src)
		}
	}
}

// run runs the kernel twice, and compares with the model.
func (w *sectionWriter) run(t *testing.T, v runtest.Variant, src string) error {
	x := &runtest.Run{TB: t, Variant: v}
	x.RT, x.Out = v.StrictRuntime(t)
	defer x.RT.Close()
	h := &sectionsHost{}
	x.PlaceAt(w.origin[:], ti.Shape(w.shape[:]), &h.X)
	x.Place(ti.Shape{w.shape[0]}, &h.Out)
	p := x.Load(src, h)
	args := []any{int32(1), int32(2), int32(3)}
	if v.Wide {
		args = []any{int64(1), int64(2), int64(3)}
	}
	for n := range w.size() {
		h.X.Set(int32(n), w.place(n)...)
	}
	for k := range w.shape[0] {
		h.Out.Set(0, k)
	}
	_, err := p.Kernel("Run").Launch(t.Context(), args...)
	if failed := errors.Is(err, ti.ErrRange); failed != (w.fails > 0) || err != nil && !failed {
		return fmt.Errorf("the launch gives %v, and %d accesses and sections are out of range", err, w.fails)
	}
	for n := range w.size() {
		if got := h.X.At(w.place(n)...); got != w.x[n] {
			return fmt.Errorf("X%v is %d, want %d", w.place(n), got, w.x[n])
		}
	}
	if w.fails > 0 && v.Layout == runtest.Bitmasked {
		return nil // a loop over a row that is missing reports that and passes over it, since none of its cells is active
	}
	for k := range w.shape[0] {
		if got := h.Out.At(k); got != w.out[k] {
			return fmt.Errorf("Out[%d] is %d, want %d", k, got, w.out[k])
		}
	}
	return nil
}

// A sectionWriter writes a kernel and does in Go what it does. A, b and c in the source are 1, 2 and 3.
type sectionWriter struct {
	*rand.Rand
	shape, origin [3]int
	wild          bool // bounds and indices may be wrong
	text          strings.Builder
	funcs         int

	x, out []int32
	fails  int
}

func newSectionWriter(seed uint64) *sectionWriter {
	w := &sectionWriter{Rand: rand.New(rand.NewPCG(seed, 41))}
	w.wild = w.IntN(2) == 0
	for i := range w.shape {
		w.shape[i] = 4 + w.IntN(9)
		if w.IntN(2) == 0 {
			w.origin[i] = w.IntN(7) - 3
		}
	}
	w.x, w.out = make([]int32, w.size()), make([]int32, w.shape[0])
	for n := range w.x {
		w.x[n] = int32(n)
	}
	return w
}

func (w *sectionWriter) size() int { return w.shape[0] * w.shape[1] * w.shape[2] }

// place is the index of element n of the field.
func (w *sectionWriter) place(n int) []int {
	return []int{n/(w.shape[1]*w.shape[2]) + w.origin[0], n/w.shape[2]%w.shape[1] + w.origin[1], n%w.shape[2] + w.origin[2]}
}

// A view is a section in the model, with an axis for each of the field; index 0 is the lowest of the field.
type view []viewAxis

// A viewAxis is an index, or the kept indices begin, begin+step, … of number size.
type viewAxis struct {
	kept, limited     bool
	at                int
	begin, step, size int
}

// kept lists the axes that a section has.
func (v view) kept() (axes []int) {
	for i, a := range v {
		if a.kept {
			axes = append(axes, i)
		}
	}
	return axes
}

func (v view) limited() bool {
	return slices.ContainsFunc(v, func(a viewAxis) bool { return a.limited })
}

// source writes loops and statements that call functions with sections, and does what they do.
func (w *sectionWriter) source() string {
	var body strings.Builder
	for range 8 + w.IntN(8) {
		whole := view{}
		for _, n := range w.shape {
			whole = append(whole, viewAxis{kept: true, step: 1, size: n})
		}
		name := fmt.Sprintf("f%d", w.funcs)
		if w.IntN(2) == 0 { // each iteration has a row
			row := view{{at: 0}, whole[1], whole[2]}
			do := w.function(row, 1+w.IntN(4), false)
			fmt.Fprintf(&body, "\tfor i := range %d { %s(X[i%+d], i, a, b, c) }\n", w.shape[0], name, w.origin[0])
			for i := range w.shape[0] {
				row[0].at = i
				do(row, i)
			}
			continue
		}
		do, i := w.function(whole, 1+w.IntN(4), true), w.IntN(w.shape[0])
		fmt.Fprintf(&body, "\t%s(X, %d, a, b, c)\n", name, i)
		do(whole, i)
	}
	return "package p\n\nvar X field[i32, D3]\nvar Out field[i32, D1]\n\nfunc Run(a, b, c int) {\n" + body.String() + "}\n" + w.text.String()
}

// function writes a function of a section like v that cuts it and calls another one, or accesses elements. It returns
// what that does. Field says that the argument is the field itself.
func (w *sectionWriter) function(v view, depth int, field bool) (do func(v view, out int)) {
	n := w.funcs
	w.funcs++
	var body string
	if depth == 0 {
		body, do = w.access(v, field)
	} else {
		brackets, cuts := w.brackets(v, field)
		next := fmt.Sprintf("f%d", w.funcs)
		inner := w.function(w.cut(w.quiet(), v, cuts), depth-1, false)
		body = fmt.Sprintf("%s(x%s, i, a, b, c)", next, brackets)
		do = func(v view, out int) { inner(w.cut(&w.fails, v, cuts), out) }
	}
	fmt.Fprintf(&w.text, "\nfunc f%d(x template, i, a, b, c int) {\n\t%s\n}\n", n, body)
	return do
}

// quiet counts what does not count, where a view is made for its sizes.
func (w *sectionWriter) quiet() *int { return new(int) }

// A sectionCut is a bracket, with numbers that count from the lowest index: one of them, or bounds and a step.
type sectionCut struct {
	index        bool
	lo, hi, step int
	bounds       bool // none of these: the axis is whole
}

// brackets writes brackets that leave an axis at least.
func (w *sectionWriter) brackets(v view, field bool) (text string, cuts []sectionCut) {
	axes := v.kept()
	left := len(axes)
	for _, axis := range axes[:w.IntN(len(axes)+1)] {
		size, low := v[axis].size, 0
		if field {
			low = w.origin[axis]
		}
		if left > 1 && w.IntN(2) == 0 {
			left--
			k, _ := w.within(size, 0)
			cuts = append(cuts, sectionCut{index: true, lo: k})
			text += "[" + w.number(k+low, k < 0) + "]"
			continue
		}
		c := sectionCut{hi: size, step: 1}
		switch w.IntN(5) {
		case 0:
			text += "[:]"
		default:
			text += "["
			wrong := false
			if w.IntN(3) > 0 {
				c.bounds = true
				c.lo, wrong = w.within(min(size, 3), 1)
				text += w.number(c.lo+low, wrong)
			}
			text += ":"
			if step := w.IntN(2) == 0; step || w.IntN(3) > 0 {
				c.bounds = true
				c.hi = max(c.lo, size-w.IntN(3))
				bad := w.wild && w.IntN(16) == 0
				if bad {
					c.hi = size + 1 - w.IntN(3)
				}
				text += w.number(c.hi+low, bad || wrong)
				if step {
					c.step = 1 + w.IntN(3)
					if bad = w.wild && w.IntN(20) == 0; bad {
						c.step = -w.IntN(2)
					}
					text += ":" + w.number(c.step, bad)
				}
			}
			text += "]"
		}
		cuts = append(cuts, c)
	}
	for len(cuts) < len(axes) {
		cuts = append(cuts, sectionCut{step: 1})
	}
	if text == "" {
		return "[:]", cuts
	}
	return text, cuts
}

// within returns a number from 0 to below size+more, or now and then another one.
func (w *sectionWriter) within(size, more int) (n int, wrong bool) {
	if wrong = size+more == 0 || w.wild && w.IntN(16) == 0; wrong {
		return w.IntN(size+3) - 1, true
	}
	if w.IntN(3) == 0 {
		return (size + more - 1) * w.IntN(2), false // at an end
	}
	return w.IntN(size + more), false
}

// number writes an integer, as a constant or a sum with what the kernel is given. One of which the compiler would say
// that it is wrong is no constant.
func (w *sectionWriter) number(n int, wrong bool) string {
	switch k := w.IntN(4); {
	case k == 0 || wrong && k == 3:
		return fmt.Sprintf("a%+d", n-1)
	case k == 1:
		return fmt.Sprintf("c%+d", n-3)
	case k == 2:
		return fmt.Sprintf("i64(b)%+d", n-2)
	}
	return fmt.Sprint(n)
}

// cut is a section of a section. It counts one that does not fit. Where it is the first with bounds, the indices that have taken axes away
// have to be those of the field.
func (w *sectionWriter) cut(fails *int, v view, cuts []sectionCut) view {
	part := slices.Clone(v)
	ok, derived := true, false
	if !v.limited() && slices.ContainsFunc(cuts, func(c sectionCut) bool { return c.bounds }) {
		for i, a := range v {
			ok = ok && (a.kept || 0 <= a.at && a.at < w.shape[i])
		}
	}
	for i, axis := range v.kept() {
		a, c := v[axis], cuts[i]
		switch {
		case c.index:
			ok = ok && 0 <= c.lo && c.lo < a.size
			derived = derived || a.limited
			part[axis] = viewAxis{at: a.begin + c.lo*a.step}
		case c.bounds:
			ok = ok && 0 <= c.lo && c.lo <= c.hi && c.hi <= a.size && c.step >= 1
			if ok {
				part[axis] = viewAxis{kept: true, limited: true, begin: a.begin + c.lo*a.step, step: a.step * c.step, size: (c.hi - c.lo + c.step - 1) / c.step}
			} else {
				part[axis] = viewAxis{kept: true, limited: true}
			}
		}
	}
	if ok || !derived && !part.limited() {
		return part
	}
	*fails++
	for axis := range part {
		if part[axis].limited {
			part[axis].size = 0
		} else if v[axis].limited {
			part[axis].at = -1
		}
	}
	return part
}

// element is the number of an element of the field, -1 if there is none, which counts.
func (w *sectionWriter) element(v view, index []int) int {
	n := 0
	in := true
	for i, a := range v {
		at := a.at
		if a.kept {
			if v.limited() && (index[0] < 0 || index[0] >= a.size) {
				in = false
			}
			at, index = a.begin+index[0]*a.step, index[1:]
		}
		in = in && 0 <= at && at < w.shape[i]
		n = n*w.shape[i] + at
	}
	if !in {
		w.fails++
		return -1
	}
	return n
}

// each calls f with all indices of a section.
func (v view) each(f func(index []int)) {
	var next func(index, axes []int)
	next = func(index, axes []int) {
		if len(axes) == 0 {
			f(index)
			return
		}
		for k := range v[axes[0]].size {
			next(append(slices.Clip(index), k), axes[1:])
		}
	}
	next(nil, v.kept())
}

// access writes an access of an element, or of all.
func (w *sectionWriter) access(v view, field bool) (text string, do func(v view, out int)) {
	var index []int
	var brackets string
	axes := v.kept()
	for _, axis := range axes {
		k, _ := w.within(v[axis].size, 0)
		if w.wild && w.IntN(16) == 0 {
			k = v[axis].size // the first that is out of range
		}
		low := 0
		if field {
			low = w.origin[axis]
		}
		index = append(index, k)
		brackets += "[" + w.number(k+low, k < 0) + "]"
	}
	change := func(f func(x int32) int32) func(view, int) {
		return func(v view, _ int) {
			if n := w.element(v, index); n >= 0 {
				w.x[n] = f(w.x[n])
			}
		}
	}
	read := func(v view, index []int) int32 {
		if n := w.element(v, index); n >= 0 {
			return w.x[n]
		}
		return 0
	}
	k := int32(1 + w.IntN(9))
	switch w.IntN(8) {
	case 6, 7:
		if len(axes) == 1 {
			return w.neighbours(v)
		}
	case 0:
		return fmt.Sprintf("x%s = %d", brackets, k), change(func(int32) int32 { return k })
	case 1:
		return fmt.Sprintf("x%s += %d", brackets, k), change(func(x int32) int32 { return x + k })
	case 2:
		return fmt.Sprintf("p := &x%s\n\t*p = *p*2 + %d", brackets, k), change(func(x int32) int32 { return (x*2 + k) })
	case 3:
		return fmt.Sprintf("Out[i] += x%s", brackets), func(v view, out int) { w.out[out] += read(v, index) }
	case 4:
		d := w.IntN(len(axes))
		return fmt.Sprintf("Out[i] += i32(x.shape[%d] * %d + len(x))", d, k), func(v view, out int) {
			w.out[out] += int32(v[v.kept()[d]].size)*k + int32(v[v.kept()[0]].size)
		}
	}
	return "for p := range serial(x) {\n\t\tOut[i] = (Out[i]*3 + x[p]) % 10007\n\t\tx[p] += 1\n\t}", func(v view, out int) {
		v.each(func(index []int) {
			w.out[out] = (w.out[out]*3 + read(v, index)) % 10007
			if n := w.element(v, index); n >= 0 {
				w.x[n]++
			}
		})
	}
}

// neighbours writes a loop that reads elements beside that of its index.
func (w *sectionWriter) neighbours(v view) (text string, do func(v view, out int)) {
	d, lo, less := w.IntN(5)-2, w.IntN(3), w.IntN(3)
	if !w.wild { // all are there
		lo, less = max(lo, -d), max(less, d)
	}
	return fmt.Sprintf("for k := range span(%d, len(x)-%d) {\n\t\tOut[i] = (Out[i]*3 + x[k%+d]) %% 10007\n\t}", lo, less, d), func(v view, out int) {
		for k := lo; k < v[v.kept()[0]].size-less; k++ {
			x := int32(0)
			if n := w.element(v, []int{k + d}); n >= 0 {
				x = w.x[n]
			}
			w.out[out] = (w.out[out]*3 + x) % 10007
		}
	}
}
