package random

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// formatArgs are the names of what FuzzFormat prints, the parameters of the kernel and
// two strings, o and p; a byte b of its list means the one at b%16.
const formatArgs = "pabcdefghijklmno"

const formatSource = `package p

type Pair struct {
	N i32
	X f32
	H f16
	V [2]i64
	B bool
}

func Run(a i8, b i32, c i64, d u8, e u64, f f32, g f64, h f16, i bool, j ivec2, k mat2, l [3]u8, m Pair, n [2]f16) {
	printf(%s)
}
`

// ownFormat matches formats that fmt takes and the language does not: widths from
// arguments, %#v, those beyond 1000, flags of a percent sign, and arguments in
// another order, among which one may be left out.
var ownFormat = regexp.MustCompile(`\*|%[-+ 0]*#[-+# 0]*[0-9.]*(\[[0-9]*\])?v|[0-9]{4}|%[-+# 0-9.]+%|\[`)

// formatPair is Pair as the host hands it over, and formatted what package fmt is
// to make of it.
type (
	formatPair struct {
		N int32
		X float32
		H ti.Float16
		V [2]int64
		B bool
	}
	formatted struct {
		N int32
		X float32
		H fmtHalf
		V [2]int64
		B bool
	}
)

// fmtHalf is a half-precision number for package fmt, which has none: by verbs for
// the shortest text that identifies a float among those of its type, that of the number
// with the fewest digits.
type fmtHalf struct{ ti.Float16 }

func (h fmtHalf) Format(f fmt.State, verb rune) {
	v := float64(h.Float32())
	if _, given := f.Precision(); !given && strings.ContainsRune("vgG", verb) {
		for digits := range 8 {
			short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
			if ti.ToFloat16(float32(short)) == h.Float16 {
				v = short
				break
			}
		}
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), v)
}

// formatValues makes the arguments from bits: as a launch takes them, and as package
// fmt does.
func formatValues(x, y uint64) (launch []any, args map[string]any) {
	f, g, h := math.Float32frombits(uint32(x>>7)), math.Float64frombits(y), ti.Float16(y>>11)
	bytes := [3]uint8{uint8(x), uint8(x >> 9), uint8(y)}
	mat := ti.Mat2{{f, float32(x % 100)}, {-f, float32(y%64) / 8}}
	pair := formatPair{int32(y), f, h, [2]int64{int64(x), -7}, x&4 > 0}
	halves := [2]ti.Float16{h, ti.Float16(x)}
	launch = []any{int8(x), int32(x), int64(y), uint8(y), x, f, g, h, x&1 > 0, ti.IVec2{int32(y >> 3), 5}, mat, bytes, pair, halves}
	args = map[string]any{}
	for i, v := range launch {
		args[formatArgs[i+1:i+2]] = v
	}
	args["h"] = fmtHalf{h}
	args["l"] = [3]uint16{uint16(bytes[0]), uint16(bytes[1]), uint16(bytes[2])} // by %x too as numbers: bytes are no text
	args["m"] = formatted{pair.N, pair.X, fmtHalf{h}, pair.V, pair.B}
	args["n"] = [2]fmtHalf{{h}, {halves[1]}}
	args["o"], args["p"] = "text", "%d ä\n\x00"
	return launch, args
}

// FuzzFormat compares printf with package fmt: what is printed, and which formats
// there are. Each byte of list chooses an argument.
func FuzzFormat(f *testing.F) {
	for _, verb := range "vdboOcqxXUeEfFgGtspwz!" {
		for _, size := range []string{"", "9", "+", "#", "-12.3", "07.1", "+.2", " ", "# 014", "."} {
			spec := "%" + size + string(verb) + "|"
			for i, list := range []string{"abcdejl", "fghkn", "i", "m", "op"} {
				f.Add(strings.Repeat(spec, len(list)), list, uint64(i+1)*0x0123_4567_89ab_cdef, math.Float64bits(-1e9/float64(verb))+uint64(len(size)))
			}
		}
	}
	for _, format := range []string{
		"", "%", "%% %v %5%", "%[2]v %[1]v", "%[1]d %[1]x", "%[2]*d", "%2000d", "%[9]d", "%[0]d", "%[", "\xff%d\x80", "%\xff", "%T %T",
	} {
		f.Add(format, "b", uint64(0x7f80_0000)<<7, math.Float64bits(math.NaN()))
		f.Add(format, "bh", ^uint64(0), uint64(1)<<63)
	}
	f.Fuzz(func(t *testing.T, format, list string, x, y uint64) {
		if len(format) > 200 || len(list) > 8 {
			return
		}
		launch, values := formatValues(x, y)
		code, args := strconv.Quote(format), []any{}
		for _, b := range []byte(list) {
			name := formatArgs[b%16 : b%16+1]
			args = append(args, values[name])
			if s, is := values[name].(string); is {
				name = strconv.Quote(s)
			}
			code += ", " + name
		}
		got, err := printedBy(t, fmt.Sprintf(formatSource, code), launch)
		want := fmt.Sprintf(format, args...)
		switch {
		case err != nil && !strings.Contains(want, "%!") && !ownFormat.MatchString(format):
			t.Errorf("printf(%s): %v\nfmt prints %q", code, err, want)
		case err == nil && !strings.Contains(format, "T") && got != want: // %T prints types of the language
			t.Errorf("printf(%s) prints\n%q, want\n%q", code, got, want)
		}
	})
}

// printedBy runs a source on the oracle and returns what it prints, or why it cannot
// be compiled.
func printedBy(t *testing.T, src string, args []any) (string, error) {
	t.Helper()
	r := &runtest.Run{TB: t, Variant: runtest.OracleVariant}
	r.RT, r.Out = runtest.OracleVariant.NewRuntime(t)
	defer r.RT.Close()
	p, err := r.RT.Compile(ti.Text("format.ti", src), nil)
	if err != nil {
		return "", err
	}
	if _, err := p.Kernel("Run").Launch(context.Background(), args...); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return r.Out.String(), nil
}
