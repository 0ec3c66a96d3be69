package check

import (
	"strings"
	"testing"
)

// What no number of axes of a field allows is an error without a host, and nothing else.
func TestOpenRanks(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"for p := range X { X[p].foo = 1 }", "vec4 has no member foo"},
		{"for p := range X { X[p] = 1 }", "X[p] is of type vec4"},
		{"for p := range X { X[p].x = 1 }", ""},
		{"for i, j := range X { X[i][j].u = 1 }", "vec4 has no member u"},
		{"for p := range X { Y[p] = X[p] }", ""},
		{"for p := range X { Y[p] = X[p].x }", "Y[p] is of type vec4"},
		{"for p := range X { S[p.x][p.y] = X[p].y }", ""},
		{"for p := range X { S[p.x][p.y] = X[p].k }", "vec4 has no member k"},
		{"S[0] = 1; S[0][1] = 1", "none fits all its uses"},
		{"S[0] = 1; S[1] = 2", ""},
		{"S = 1", ""},
		{"S = 1; S[1] = 2", "none fits all its uses"},
		{"for p := range L[1] { L[1][p].z = 1 }", "vec2 has no member z"},
		{"for l := range static(2) { for p := range L[l] { L[l][p].z = 1 } }", "vec2 has no member z"},
		{"for p := range B.V { B.V[p].w = 1; B.N = 3 }", "vec3 has no member w"},
		{"g(X)", "vec4 has no member foo"},
		{"for p := range S { S[p] = f32(S.shape[0]) + f32(len(S)) }", ""},
		{"a, b := S.shape; S[a][b] = 1", ""},
		{"a, b, c := S.shape; S[a][b] = f32(c)", "none fits"},
	} {
		text := "package p\n\nvar X, Y field[vec4]\nvar S field[f32]\nvar L [2]field[vec2]\nvar B struct {\n\tV field[vec3]\n\tN field[i32, D0]\n}\n\n" +
			"func F() {\n\t" + c.body + "\n}\n\nfunc g(q field[vec4]) {\n\tfor p := range q {\n\t\tq[p].foo = 1\n\t}\n}\n"
		if c.body != "g(X)" {
			text = text[:strings.Index(text, "\nfunc g(")]
		}
		errs, _ := mistakes(text)
		got := errs.Error()
		if (c.want == "") != (len(errs) == 0) || !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q, have\n%s", c.body, c.want, got)
		}
	}
}

// Kernels with a bundle as a parameter are checked before anything is bound to it.
func TestOpenBundles(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"for i, j := range l.W { l.W[i][j] = l.B[i] }", ""},
		{"for i, j := range l.W { l.W[i][j] = l.Q[i] }", "l has no member Q"},
		{"for i := range l.B { l.W[i] = 1 }", "l.W has 2 axes, and this gives 1"},
		{"for i := range l.B { l.B[i] = vec2(1) }", "l.B[i] is of type f32"},
		{"for p := range l.V { l.V[p].w = 1 }", "vec3 has no member w"},
		{"for p := range l.V { l.V[p] = vec3(l.K) }", ""},
		{"l.V[0].x = 1; l.V[0][1].x = 2", "none fits all its uses"},
		{"for n := range static(len(l.S)) { for i := range l.S[n] { l.S[n][i] = 1 } }", ""},
		{"for i := range l.S[2] { l.S[2][i] = 1 }", "index 2 is out of range"},
		{"helper(l)", "not in the outermost scope"},
		{"for c := range l.C { deactivate(l.C, c) }", ""},
		{"l.K = 3", "l.K"},
		{"l.first(2)", ""},
		{"l.first(2, 3)", "lay.first does not take"},
	} {
		text := "package p\n\ntype lay struct {\n\tW field[f32, D2]\n\tB field[f32, D1]\n\tV field[vec3]\n\tS [2]field[f32, D1]\n\tC node\n\tK i32\n}\n\n" +
			"func F(l lay) {\n\t" + c.body + "\n}\n\nfunc (l lay) first(x f32) { l.B[0] = x }\n"
		if c.body == "helper(l)" {
			text += "\nfunc helper(l lay) {\n\tfor i := range l.B {\n\t\tl.B[i] = 1\n\t}\n}\n"
		}
		errs, _ := mistakes(text)
		got := errs.Error()
		if (c.want == "") != (len(errs) == 0) || !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q, have\n%s", c.body, c.want, got)
		}
	}
}
