package check

import (
	"go/token"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// TestQuotientsOfHostConstants checks that whether a quotient is refused does not
// depend on the values that the host gives.
func TestQuotientsOfHostConstants(t *testing.T) {
	for _, q := range []struct {
		body string
		code syntax.Code // 0: accepted
	}{
		{"return N / 4", 0},
		{"return N % 4", 0},
		{"return 4 / N", 0},
		{"return 4 % N", 0},
		{"return 1 % N", 0},
		{"return (N + 1) / 4", 0},
		{"return (N + 1) / 4 / 2 + K", 0},
		{"return i32(i64(N) / 4)", 0},
		{"return N / M", 0},
		{"return M / N", 0},
		{"return (V / 4).x", 0},
		{"s := 0\n\tfor i := range static(N / 4) {\n\t\ts += i\n\t}\n\treturn s", 0},
		{"return 1 / N", syntax.ZeroQuotient},
		{"return -1 / N", syntax.ZeroQuotient},
		{"return 1 / (N + 1)", syntax.ZeroQuotient},
		{"return 1 / i32(N)", syntax.ZeroQuotient},
		{"return (1 / V).x", syntax.ZeroQuotient},
		{"return 1 / 4", syntax.ZeroQuotient},
		{"return N / 0", syntax.DivisionByZero},
	} {
		text := "package p\nvar (\n\tN i32\n\tM i32\n\tV ivec2\n)\n\nconst K = (N + 2) / 8\n\nfunc F() i32 {\n\t" + q.body + "\n}\n"
		for _, n := range []int64{-9, -1, 0, 1, 3, 8} {
			f, errs := syntax.Parse("q.ti", text, token.Position{})
			if errs != nil {
				t.Fatal(errs)
			}
			p, _ := Declare([]*syntax.File{f})
			v := typed.IntNum(n)
			_, errs = p.Check(&Host{Consts: map[string]HostConst{
				"N": {Vals: []typed.Num{v}}, "M": {Vals: []typed.Num{typed.IntNum(5)}}, "V": {Dims: []int{2}, Vals: []typed.Num{v, v}},
			}})
			if q.code == 0 && len(errs) != 0 || q.code != 0 && (len(errs) != 1 || errs[0].Code != q.code) {
				t.Errorf("%q with N = %d: %v, want code %v", q.body, n, errs, q.code)
			}
		}
	}
}
