package quanttest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// overflowCases are statements that store an integer in a form of fewer bits. Each starts from an element whose fields are
// of K and U 100, of L 100 and M 200, and of V 1, 2 and 3. Those that do not fit say what does not.
var overflowCases = []struct{ name, statement, want string }{
	{"store", "K[p] = 1000", "1000 does not fit int(10)"},
	{"store fits", "K[p] = 511", ""},
	{"add", "K[p] += 412", "512 does not fit int(10)"},
	{"add fits", "K[p] += 411", ""},
	{"sub", "K[p] -= 613", "-513 does not fit int(10)"},
	{"sub fits", "K[p] -= 612", ""},
	{"mul", "K[p] *= 10", "1000 does not fit int(10)"},
	{"mul fits", "K[p] *= 5", ""},
	{"mul down", "K[p] *= -6", "-600 does not fit int(10)"},
	{"div", "K[p] = -512; K[p] /= -1", "512 does not fit int(10)"},
	{"or", "K[p] |= 512", "612 does not fit int(10)"},
	{"or fits", "K[p] |= 256", ""},
	{"xor", "K[p] ^= -1024", "-924 does not fit int(10)"},
	{"and", "K[p] = -1; K[p] &= 1023", "1023 does not fit int(10)"},
	{"and fits", "K[p] &= 1023", ""},
	{"max", "K[p] = max(K[p], 900)", "900 does not fit int(10)"},
	{"atomicMax", "atomicMax(&K[p], 900)", "900 does not fit int(10)"},
	{"atomicMax fits", "atomicMax(&K[p], -900)", ""},
	{"atomicMin", "atomicMin(&K[p], -900)", "-900 does not fit int(10)"},
	{"atomicXchg", "atomicXchg(&K[p], 512)", "512 does not fit int(10)"},
	{"atomicCAS", "atomicCAS(&K[p], 100, 512)", "512 does not fit int(10)"},
	{"atomicCAS of another", "atomicCAS(&K[p], 101, 512)", ""},
	{"unsigned add", "U[p] += 28", "128 does not fit int(7).unsigned()"},
	{"unsigned add fits", "U[p] += 27", ""},
	{"unsigned sub", "U[p] -= 101", "-1 does not fit int(7).unsigned()"},
	{"unsigned add of all", "U[p] += 4294967295", "4294967395 does not fit int(7).unsigned()"},
	{"unsigned mul", "U[p] *= 2", "200 does not fit int(7).unsigned()"},
	{"64 add", "L[p] += 1000", "100 + 1000 does not fit int(8)"},
	{"64 add fits", "L[p] += 27", ""},
	{"64 sub", "L[p] -= 229", "100 - 229 does not fit int(8)"},
	{"64 sub fits", "L[p] -= 228", ""},
	{"64 add wraps", "L[p] += 9223372036854775807", "100 + 9223372036854775807 does not fit i64"},
	{"64 sub wraps", "L[p] = -100; L[p] -= 9223372036854775807", "-100 - 9223372036854775807 does not fit i64"},
	{"64 mul", "L[p] *= 3", "300 does not fit int(8)"},
	{"64 unsigned add", "M[p] += 56", "200 + 56 does not fit int(8).unsigned()"},
	{"64 unsigned add fits", "M[p] += 55", ""},
	{"64 unsigned add wraps", "M[p] += 18446744073709551615", "200 + 18446744073709551615 does not fit int(8).unsigned()"},
	{"64 unsigned sub", "M[p] -= 201", "200 - 201 does not fit int(8).unsigned()"},
	{"64 unsigned sub fits", "M[p] -= 200", ""},
	{"component", "V[p][p%3] = 1000", "1000 does not fit int(8)"},
	{"component fits", "V[p][p%3] = 127", ""},
	{"component add", "V[p][p%3] += 1000", "does not fit int(8)"},
	{"component add fits", "V[p][p%3] += 120", ""},
	{"component max", "atomicMax(&V[p][p%3], 1000)", "1000 does not fit int(8)"},
	// Of W the first component has 4 bits, the next wraps, and the last is stored as it is.
	{"component of a short form", "W[p][(p+2)%3] = 9", "9 does not fit int(4)"},
	{"component of a form that wraps", "W[p][(p+2)%3+1] = 9", ""},
	{"component that is not packed", "W[p][(p+2)%3+2] = 9", ""},
	{"component add of a short form", "W[p][(p+2)%3] += 8", "8 does not fit int(4)"},
	{"component add of a form that wraps", "W[p][(p+2)%3+1] += 9", ""},
	{"component add that is not packed", "W[p][(p+2)%3+2] += 9", ""},
}

// TestOverflowOps checks that debug mode reports integers that do not fit, for each way to store one.
func TestOverflowOps(t *testing.T) {
	var source strings.Builder
	source.WriteString("package o\n\nvar (\n\tK field[i32]\n\tU field[u32]\n\tL field[i64]\n\tM field[u64]\n\tV, W field[ivec3]\n)\n")
	for i, c := range overflowCases {
		fmt.Fprintf(&source, "\nfunc F%d() {\n\tfor p := range span(1, 2) {\n\t\t%s\n\t}\n}\n", i, c.statement)
	}
	for _, cfg := range []ti.Config{{Arch: ti.Oracle}, {}, {Threads: 2}} {
		cfg.Debug = true
		rt := newRuntime(t, cfg)
		var s struct {
			K    ti.Field[int32]
			U    ti.Field[uint32]
			L    ti.Field[int64]
			M    ti.Field[uint64]
			V, W ti.Field[ti.IVec3]
		}
		n := rt.NewTree().Dense(ti.I, 2)
		n.BitStruct(64).Place(&s.K, ti.QuantInt(10)).Place(&s.U, ti.QuantInt(7).Unsigned()).Place(&s.L, ti.QuantInt(8)).Place(&s.M, ti.QuantInt(8).Unsigned())
		w := ti.Members(&s.W)
		n.BitStruct(64).Place(&s.V, ti.QuantInt(8)).Place(w[0], ti.QuantInt(4)).Place(w[1], ti.QuantInt(3).Wrap())
		n.Place(w[2])
		p, err := rt.Compile(ti.Text("", source.String()), &s)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range overflowCases {
			s.K.Fill(100)
			s.U.Fill(100)
			s.L.Fill(100)
			s.M.Fill(200)
			s.V.Fill(ti.IVec3{1, 2, 3})
			s.W.Fill(ti.IVec3{})
			_, err := p.Kernel(fmt.Sprintf("F%d", i)).Launch(t.Context())
			var e *ti.RuntimeError
			switch {
			case c.want == "":
				if err != nil {
					t.Errorf("%+v: %s: %v", cfg, c.name, err)
				}
			case !errors.Is(err, ti.ErrOverflow) || !strings.Contains(err.Error(), c.want):
				t.Errorf("%+v: %s: %v, not %q", cfg, c.name, err, c.want)
			case !errors.As(err, &e) || e.Count != 1:
				t.Errorf("%+v: %s: %d failures: %v", cfg, c.name, e.Count, err)
			}
		}
	}
}
