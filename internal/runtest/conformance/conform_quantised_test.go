package conformance

import (
	"reflect"
	"testing"

	"github.com/gotaichi/ti"
)

// What packed fields hold: integers, multiples of a step, numbers with an exponent of their own or in common.
//
//conform:theme quantised types
func TestConformQuantised(t *testing.T) {
	float := reflect.TypeFor[float32]()
	sparseRules(t, grove{
		trees: []string{
			"dense(i,8).{bitstruct(64).place(I,int(5)).place(U,int(5).unsigned()).place(W,int(5).wrap()).place(B,int(1).unsigned()).place(F,fixed(10,8)); bitstruct(64).place(P,fixed(10,8).unsigned()).place(E,float(5,9)); bitstruct(32).placeshared(float(8,8),V)}",
			"dense(i,4).bitarray(32,i,32).place(N,int(1).unsigned())",
			"pointer(i,4).dense(i,4).bitstruct(32).place(S,int(5)).place(R,int(7))",
		},
		decl:  "var I, U, W, N, S, R field[i32]\nvar B field[bool]\nvar F, P, E field[f32]\nvar V field[vec3]",
		elems: map[string]reflect.Type{"B": reflect.TypeFor[bool](), "F": float, "P": float, "E": float, "V": reflect.TypeFor[ti.Vec3]()},
	}, []rule{
		{"an integer that fits", "I[3] = -16; I[4] = 15; return 100*I[3] + I[4]", -1585},
		{"an integer saturates", "I[3] = 16; I[4] = -100; return 100*I[3] + I[4]", 1484},
		{"an unsigned integer saturates", "U[3] = 40; U[4] = -1; return 100*U[3] + U[4]", 3100},
		{"an integer wraps where it is asked for", "W[3] = 16; W[4] = 33; return 100*W[3] + W[4]", -1599},
		{"a bool", "B[2] = true; B[3] = false; n := 0; for i := range B { if B[i] { n += i } }; return n", 2},
		{"neighbours in a word stay", "I[3] = 7; U[3] = 9; W[3] = -3; B[3] = true; F[3] = -1.5; I[3] = -1; n := 0; if B[3] { n = 1 }; return n*10000 + U[3]*100 + W[3]*10 + I[3] + i32(2*F[3])", 10866},
		{"a real number is a multiple of the step", "F[1] = 0.3; return i32(64 * F[1] * 1000)", 19000},
		{"ties go to even", "F[1] = 0.0234375; F[2] = 0.0390625; return i32(64*F[1])*10 + i32(64*F[2])", 22},
		{"a real number saturates", "F[1] = 100; F[2] = -100; return i32(64*F[1])*1000 + i32(64*F[2])", 510488},
		{"an unsigned real number has twice the precision", "P[1] = 0.3; P[2] = -1; return i32(128*P[1])*10 + i32(P[2])", 380},
		{"NaN is stored as 0", "F[1] = 1; F[1] = nan; E[1] = nan; return i32(F[1]+E[1]) + 3", 3},
		{"a number with an exponent keeps its first bits", "E[1] = 1000.5; E[2] = 0.0078125; return i32(E[1]) + i32(E[2]*1024)", 1008},
		{"numbers that share an exponent", "V[1] = vec3(64, 1, 0.25); return i32(V[1].x)*100 + i32(V[1].y*4)*10 + i32(V[1].z*4)", 6440},
		{"a smaller exponent makes room", "V[1] = vec3(64, 1, 0.25); V[1].x = 1; V[1].z = 0.25; return i32(V[1].x*4)*100 + i32(V[1].y*4)*10 + i32(V[1].z*4)", 441},
		{"a load gives what was stored", "x := f32(0.3); F[1] = x; if F[1] == x { return 0 }; return i32(F[1]*64)", 19},
		{"an atomic operation", "for i := range 100 { I[2] += ifelse(i%2 == 0, 1, -1); U[2] += ifelse(i < 20, 1, 0) }; return 100*U[2] + I[2]", 2000},
		{"a minimum over iterations", "I[2] = 15; for i := range 8 { I[2] = min(I[2], i-3) }; return I[2]", -3},
		{"bits of an array", "for i := range N { N[i] = i%3/2 }; n := 0; for i := range N { n += N[i]*i }; return n + N[127]*1000 + N[2]", 2668},
		{"a loop over a sparse tree", "S[5] = 3; R[5] = -20; n := 0; for i := range S { n += S[i] + R[i] + 100 }; return n", 383},
		{"what is inactive is 0", "S[5] = 3; return S[12] + R[4] + S[5]", 3},
	})
}
