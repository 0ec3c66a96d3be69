package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// An updateWriter writes kernels with parallel loops, most of them with inner loops that lanes of a packet leave at different times, as
// those that end by a condition are, and that update elements several times in an iteration, which other iterations update too. All numbers
// are small and whole, so that sums are exact in any order.
type updateWriter struct {
	r     *rand.Rand
	out   strings.Builder
	tabs  int
	names int
	fuel  int
	loops int
	cols  int

	together bool   // the loop that each iteration begins with is one of known length
	even     bool   // and what is updated lies in one place for all lanes, or side by side
	count    string // the variable of that loop, inside of it

	indices []string          // variables and expressions of i32
	ops     map[string]string // how the loop updates each target
	last    string            // the place that was updated last, "" for none
	lastOf  target
}

// A target is a field of which elements are updated.
type target struct {
	name  string
	elem  string   // the type of what is updated
	n     int      // elements along the axis
	parts []string // what is updated of an element; "" for all of it
	kinds string   // s for sums, e for extrema, b for operations on bits
}

// manyTargets is the number of elements of targets that have one for each iteration, and more.
const manyTargets = 160

var targets = []target{
	{"Ti", "i32", 8, []string{""}, "seb"}, {"Tu", "u32", 16, []string{""}, "seb"},
	{"Tl", "i64", 13, []string{""}, "seb"}, {"Tk", "u64", 8, []string{""}, "seb"},
	{"Tb", "u8", 8, []string{""}, "seb"}, {"Ts", "i16", 11, []string{""}, "seb"},
	{"Tf", "f32", 8, []string{""}, "se"}, {"Td", "f64", 9, []string{""}, "se"}, {"Th", "f16", 8, []string{""}, "e"},
	{"V", "f32", 8, []string{".x", ".y", ".z"}, "se"}, {"W", "i32", 8, []string{".x", ".y"}, "seb"},
	{"S", "f32", 8, []string{".a", ".b", ".v.x", ".v.y"}, "se"},
	{"U", "i32", 8, []string{".n", ".k"}, "seb"}, {"U", "f32", 8, []string{".a"}, "se"},
	{"Q", "i32", 16, []string{".a", ".b"}, "s"}, {"B", "i32", 64, []string{""}, "s"},
	{"R", "i32", manyTargets, []string{""}, "seb"}, {"RV", "f32", manyTargets, []string{".x", ".y"}, "se"},
	{"RF", "f32", manyTargets, []string{""}, "se"},
}

const updateVars = `package random

type both struct {
	a, b f32
	v    vec2
}

type mixed struct {
	n, k i32
	a    f32
}

type small struct{ a, b i32 }

var (
	X, Y   field[f32]
	N, Own field[i32]
	Low    field[u16]

	Ti field[i32]
	Tu field[u32]
	Tl field[i64]
	Tk field[u64]
	Tb field[u8]
	Ts field[i16]
	Tf field[f32]
	Td field[f64]
	Th field[f16]
	V  field[vec3]
	W  field[ivec2]
	S  field[both]
	U  field[mixed]
	Q  field[small]
	B  field[i32]
	R  field[i32]
	RV field[vec2]
	RF field[f32]
)

func twice(p *i32, v i32) {
	*p += v
	*p -= 3
}

func half(p *f32, v f32) {
	*p += v
	if v > 3 { *p += 2 }
}

func step(v i32) i32 {
	if v > 4 { return v - 3 }
	return v + 1
}

`

// updateKernel returns a source with a kernel Run, whose loops have cols iterations along the innermost axis.
func updateKernel(seed uint64) (src string, cols int) {
	w := &updateWriter{r: rand.New(rand.NewPCG(seed, 31))}
	w.cols = []int{16, 33, 64, 64, 100, 129}[w.r.IntN(6)]
	if seed%3 == 1 { // lanes stay together, in rows that may be shorter than a vector
		w.together, w.even = true, seed%2 == 0
		w.cols = []int{5, 14, 14, 16, 64, 129}[w.r.IntN(6)]
	}
	w.out.WriteString(updateVars)
	w.line("func Run() (sum i32) {")
	w.tabs++
	for range 1 + w.r.IntN(2) {
		w.loop()
	}
	w.line("return")
	w.tabs--
	w.line("}")
	return w.out.String(), w.cols
}

func (w *updateWriter) line(format string, args ...any) {
	w.out.WriteString(strings.Repeat("\t", w.tabs))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

func (w *updateWriter) pick(s ...string) string { return s[w.r.IntN(len(s))] }

func (w *updateWriter) chance(percent int) bool { return w.r.IntN(100) < percent }

// loop writes a parallel loop.
func (w *updateWriter) loop() {
	w.ops, w.last, w.indices = map[string]string{}, "", []string{"j"}
	head := w.r.IntN(4)
	if w.even { // of many iterations, so that threads have copies of what they add to
		head = 4
	}
	switch head {
	case 0:
		w.line("for j := range %d {", w.cols)
	case 1:
		w.line("for j := range X {")
	default:
		rows := 2 + w.r.IntN(4)
		if w.even {
			rows = 60
		}
		w.line("for i, j := range ndrange(%d, %d) {", rows, w.cols)
		w.indices = append(w.indices, "i")
	}
	w.tabs++
	if head > 1 {
		w.line("_ = i")
	}
	w.line("acc := N[j]")
	w.fuel = 6 + w.r.IntN(16)
	if w.chance(20) {
		w.block(1)
	}
	if w.together {
		w.counted()
	} else {
		w.while()
	}
	for n := range 2 + w.r.IntN(2) {
		k := fmt.Sprintf("k%d", n)
		w.line("%s := %s", k, w.index())
		w.line("_ = %s", k)
		w.indices = append(w.indices, k)
	}
	for w.fuel > 0 {
		w.block(2)
	}
	w.line("%s", w.pick("sum += acc & 7", "sum += acc", "_ = acc"))
	if head < 2 {
		w.line("Own[j] += acc")
	}
	w.tabs--
	w.line("}")
}

// counted writes a loop that all iterations leave at the same time.
func (w *updateWriter) counted() {
	w.names++
	v := fmt.Sprintf("c%d", w.names)
	w.count = v
	w.line("for %s := range %s {", v, w.pick("3", "serial(2)", "9", "23"))
	w.tabs++
	w.line("_ = %s", v)
	w.indices = append(w.indices, v)
	w.loops++
	w.block(1)
	w.line("acc += %s", w.pick("1", "i32(X["+v+"&3])", v))
	w.loops--
	w.tabs--
	w.line("}")
	w.indices, w.last, w.count = w.indices[:len(w.indices)-1], "", ""
}

// while writes a loop that iterations leave at different times.
func (w *updateWriter) while() {
	w.names++
	k := fmt.Sprintf("w%d", w.names)
	w.line("%s := 0", k)
	w.line("for %s {", w.pick("X[j] > f32("+k+")", k+" < N[j]&7 && X[j] < 9", "X[j] < 5 && "+k+" < 3", k+" < acc&3"))
	w.tabs++
	w.line("%s++", k)
	w.loops++
	switch {
	case w.chance(30):
		w.block(1)
	case w.chance(30):
		w.line("acc += %s", w.number("i32"))
	}
	if w.chance(20) {
		w.line("if %s { break }", w.condition())
	}
	w.loops--
	w.tabs--
	w.line("}")
	w.indices = append(w.indices, k)
}

// block writes statements; what they declare goes out of scope.
func (w *updateWriter) block(depth int) {
	indices := len(w.indices)
	for range 1 + w.r.IntN(4) {
		if w.fuel--; w.fuel < 0 {
			break
		}
		w.statement(depth)
	}
	w.indices = w.indices[:indices]
}

func (w *updateWriter) statement(depth int) {
	switch k := w.r.IntN(20); {
	case k < 12 || depth == 0:
		w.update()
	case k == 12:
		w.line("acc %s %s", w.pick("+=", "-=", "^="), w.number("i32"))
	case k == 13:
		if w.even {
			w.line("acc += i32(%s) & step(acc & 7)", w.pick("X[j]", "Low[j]", "Y[i&3]"))
			return
		}
		w.line("acc += i32(%s) + step(acc & 7)", w.pick("X[(j*3)%"+fmt.Sprint(w.cols)+"]", "Y[j]", "Low[mod(acc, "+fmt.Sprint(w.cols)+")]&7"))
	case k == 14 && w.loops == 0 && depth > 1 && !w.together:
		w.while()
	case k == 15 && w.loops < 2:
		w.names++
		v := fmt.Sprintf("c%d", w.names)
		w.line("for %s := range %s {", v, w.pick("2", "3", "serial(2)", "static(2)", "N[j]&3"))
		w.tabs++
		w.line("_ = %s", v)
		w.loops++
		w.block(depth - 1)
		w.loops--
		w.tabs--
		w.line("}")
	default:
		w.line("if %s {", w.condition())
		w.tabs++
		w.block(depth - 1)
		w.tabs--
		if w.chance(30) {
			w.line("} else {")
			w.tabs++
			w.block(depth - 1)
			w.tabs--
		}
		w.line("}")
	}
}

func (w *updateWriter) condition() string {
	return w.pick("X[j] > 4", "acc&1 == 0", "N[j]&3 == 1", "j%3 != 0", "Y[j] < 2", "Low[j]&1 == 1", "acc > 40")
}

// index returns a number that is not below 0.
func (w *updateWriter) index() string {
	v := w.indices[w.r.IntN(len(w.indices))]
	return w.pick(v, v+"&7", v+"/2", "N[j]", "i32(Low[mod(j*5, "+fmt.Sprint(w.cols)+")])&15", "mod(acc, 11)", "min("+v+", 6)", "clamp(acc, 0, 7)", "5")
}

// update writes an update of an element, of the one of before in a third of the cases.
func (w *updateWriter) update() {
	if w.last != "" && w.chance(40) {
		w.change(w.last, w.lastOf)
		return
	}
	t := targets[w.r.IntN(len(targets))]
	if w.chance(40) && w.last != "" {
		t = w.lastOf
	}
	if w.even {
		w.last, w.lastOf = w.evenPlace()
		w.change(w.last, w.lastOf)
		return
	}
	place := t.name
	switch i := w.index(); {
	case t.n == manyTargets && w.chance(40):
		place += "[" + w.pick("j", "j", "j+1", "j+9", "2*(j/2)") + "]"
	case t.n == manyTargets || w.chance(80):
		place += fmt.Sprintf("[mod(%s, %d)]", i, min(t.n, 16))
	case t.n == 8 || t.n == 16 || t.n == 64:
		place += fmt.Sprintf("[%s&%d]", i, t.n-1)
	default:
		place += fmt.Sprintf("[min(%s, %d)]", i, t.n-1)
	}
	if t.elem == "f32" && t.name == "V" && w.op(t) == "+=" && w.chance(25) {
		w.line("%s %s vec3(%s, 1, 2)", place, w.pick("+=", "-="), w.number("f32"))
		return
	}
	place += t.parts[w.r.IntN(len(t.parts))]
	w.last, w.lastOf = place, t
	w.change(place, t)
}

// evenPlace returns a place that all lanes have, or that lies beside those of the other lanes.
func (w *updateWriter) evenPlace() (string, target) {
	t := targets[len(targets)-1]
	if w.chance(50) {
		t = targets[len(targets)-3] // R
	}
	if w.ops[t.name] == "" && w.chance(80) {
		w.ops[t.name] = "+="
	}
	i := w.pick("j", "j", "j+9", "5")
	switch {
	case w.count != "" && w.chance(75):
		i = strings.ReplaceAll(w.pick("c", "c+2", "30-c", "c/2", "2*c", "j+c"), "c", w.count)
	case slices.Contains(w.indices, "i"):
		i = w.pick(i, "i", "i+7")
	}
	return t.name + "[" + i + "]" + t.parts[w.r.IntN(len(t.parts))], t
}

// op returns how the loop updates a target: it is the same for all updates of it but a few.
func (w *updateWriter) op(t target) string {
	if w.ops[t.name] == "" {
		ops := map[byte][]string{'s': {"+=", "+="}, 'e': {"min", "max"}, 'b': {"|=", "&=", "^="}}[t.kinds[w.r.IntN(len(t.kinds))]]
		if t.name == "U" { // which has components of which there are no bits
			ops = []string{"+=", "max"}
		}
		w.ops[t.name] = ops[w.r.IntN(len(ops))]
	}
	return w.ops[t.name]
}

func (w *updateWriter) change(place string, t target) {
	switch op := w.op(t); {
	case op == "min" || op == "max":
		w.line("%s = %s(%s, %s)", place, op, place, w.number(t.elem))
	case op != "+=":
		w.line("%s %s %s", place, op, w.number(t.elem))
	case t.elem == "i32" && t.name != "Q" && t.name != "B" && w.chance(20):
		w.line("twice(&%s, %s)", place, w.number("i32"))
	case t.elem == "f32" && w.chance(20):
		w.line("half(&%s, %s)", place, w.number("f32"))
	case w.chance(15):
		w.line("%s%s", place, w.pick("++", "--"))
	default:
		w.line("%s %s %s", place, w.pick("+=", "+=", "-="), w.number(t.elem))
	}
}

// number returns a small whole number of a type.
func (w *updateWriter) number(typ string) string {
	v := w.indices[w.r.IntN(len(w.indices))]
	v = w.pick("1", "2", v+"&15", v+"%7", "N[j]", "acc&7", "i32(X[j])", "i32(Y[j])+1", "i32(Low[j])&3", "step("+v+"&7)")
	if w.even && w.count != "" && w.chance(60) { // another one in each iteration of the loop
		v = "(" + v + ")*(" + w.count + "+1)"
	}
	if typ == "i32" {
		return v
	}
	return typ + "(" + v + ")"
}
