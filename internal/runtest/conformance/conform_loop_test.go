package conformance

import "testing"

// Serial loops: every form, and the ways out of them.
//
//conform:theme serial loops
func TestConformLoops(t *testing.T) {
	i := func(v int32) any { return v }
	ab := func(a, b int32) []any { return []any{a, b} }
	conformRoutines(t, `
func count(p *i32) i32 { *p += 1; return 3 }
func firstOver(n i32) i32 {
	for k := range 100 {
		for m := range k {
			if k*m > n { return k*100 + m }
		}
	}
	return -1
}
`, []routine{
		{"range of a number starts at 0", "s := 0\nfor k := range a { s = s*10 + k }\nreturn s", ab(4, 0), i(123)},
		{"range of 0 runs never", "s := 7\nfor range a { s++ }\nreturn s", ab(0, 0), i(7)},
		{"range of a negative number runs never", "s := 7\nfor range a - 9 { s++ }\nreturn s", ab(1, 0), i(7)},
		{"range without a variable", "s := 0\nfor range a { s += 2 }\nreturn s", ab(3, 0), i(6)},
		{"a range of a literal", "s := 0\nfor k := range 5 { s += k }\nreturn s", ab(0, 0), i(10)},
		{"the bound is evaluated once", "n := 0\ns := 0\nfor range count(&n) { s++ }\nreturn s*10 + n", ab(0, 0), i(31)},
		{"changing the bound does not matter", "n := a\ns := 0\nfor range n { n = 0; s++ }\nreturn s", ab(3, 0), i(3)},
		{"a change of the variable lasts for the iteration", "s := 0\nfor k := range 4 { s += k; k += 10; s += k }\nreturn s", ab(0, 0), i(52)},
		{"span", "s := 0\nfor k := range span(a, b) { s = s*10 + k }\nreturn s", ab(2, 5), i(234)},
		{"an empty span", "s := 1\nfor k := range span(a, b) { s += k }\nreturn s", ab(9, 2), i(1)},
		{"a span of negative numbers", "s := 0\nfor k := range span(a, b) { s += k }\nreturn s", ab(-3, -1), i(-5)},
		{"the type of the variable is that of the bound", "s := i64(0)\nfor k := range i64(a) { s += k << 32 }\nreturn i32(s >> 32)", ab(4, 0), i(6)},
		{"u8 as a bound", "s := 0\nfor k := range u8(a) { s += i32(k) }\nreturn s", ab(4, 0), i(6)},
		{"u8 up to its largest", "n := 0\nfor k := range span(u8(250), u8(255)) { n += i32(k) }\nreturn n", ab(0, 0), i(1260)},
		{"three clauses", "s := 0\nfor k := 0; k < a; k++ { s += k }\nreturn s", ab(4, 0), i(6)},
		{"a step of two", "s := 0\nfor k := 0; k < 10; k += 2 { s = s + k }\nreturn s", ab(0, 0), i(20)},
		{"downwards", "s := 0\nfor k := a; k > 0; k-- { s = s*10 + k }\nreturn s", ab(3, 0), i(321)},
		{"doubling", "n := 0\nfor k := 1; k < 100; k *= 2 { n++ }\nreturn n", ab(0, 0), i(7)},
		{"a condition that is false at first", "s := 1\nfor k := 9; k < 3; k++ { s = 0 }\nreturn s", ab(0, 0), i(1)},
		{"two variables", "s := 0\nfor p, q := 0, 10; p < q; p, q = p+1, q-2 { s += q - p }\nreturn s", ab(0, 0), i(22)},
		{"no first clause", "k := 0\nfor ; k < a; k++ { }\nreturn k", ab(5, 0), i(5)},
		{"no last clause", "s := 0\nfor k := 0; k < a; { s += k; k += 2 }\nreturn s", ab(6, 0), i(6)},
		{"no condition", "s := 0\nfor k := 0; ; k++ { if k == a { break }; s += k }\nreturn s", ab(4, 0), i(6)},
		{"a floating-point variable", "n := 0\nfor x := 0.0; x < 1; x += 0.25 { n++ }\nreturn n", ab(0, 0), i(4)},
		{"while", "n := a\ns := 0\nfor n > 0 { s += n; n /= 2 }\nreturn s", ab(10, 0), i(18)},
		{"while with two conditions", "n := 0\nfor n < a && n*n < b { n++ }\nreturn n", ab(100, 20), i(5)},
		{"for ever with break", "n := 0\nfor { n++; if n*n > a { break } }\nreturn n", ab(30, 0), i(6)},
		{"for ever with return", "n := 0\nfor { n++; if n > a { return n * 10 } }", ab(3, 0), i(40)},
		{"break ends the inner loop", "s := 0\nfor range 3 { for q := range 3 { if q == a { break }; s += 1 }; s += 10 }\nreturn s", ab(1, 0), i(33)},
		{"continue goes on with the inner loop", "s := 0\nfor range 3 { for q := range 3 { if q == a { continue }; s += 1 }; s += 10 }\nreturn s", ab(1, 0), i(36)},
		{"break with a label", "s := 0\nouter: for p := range 3 { for q := range 3 { if p*q == a { break outer }; s += 1 }; s += 10 }\nreturn s", ab(2, 0), i(15)},
		{"continue with a label", "s := 0\nouter: for range 3 { for q := range 3 { if q == a { continue outer }; s += 1 }; s += 10 }\nreturn s", ab(2, 0), i(6)},
		{"three loops and a label in the middle", "s := 0\nfor range 2 { mid: for q := range 3 { for r := range 3 { if r == 1 && q == 1 { break mid }; s++ } }; s += 100 }\nreturn s", ab(0, 0), i(208)},
		{"continue runs the last clause", "s := 0\nfor k := 0; k < 6; k++ { if k%2 == a { continue }; s += k }\nreturn s", ab(1, 0), i(6)},
		{"continue tests the condition of a while", "n, s := 0, 0\nfor n < 5 { n++; if n == 3 { continue }; s += n }\nreturn s", ab(0, 0), i(12)},
		{"break in an if in an if", "n := 0\nfor { n++; if n > a { if n > b { break } } }\nreturn n", ab(3, 6), i(7)},
		{"break in else", "n := 0\nfor { if n < a { n += 2 } else { break } }\nreturn n", ab(5, 0), i(6)},
		{"continue in else", "s := 0\nfor k := range 6 { if k < a { s += 1 } else { continue }; s += 10 }\nreturn s", ab(2, 0), i(22)},
		{"what stands after break does not run", "s := 0\nfor k := range 5 { if k == a { s += 100; break }; s += k }\nreturn s", ab(3, 0), i(103)},
		{"return from two loops deep", "return firstOver(a)", ab(20, 0), i(604)},
		{"return out of a while in a range", "for k := range 10 { n := k; for n > 0 { if n == a { return k*10 + n }; n -= 3 } }\nreturn -1", ab(4, 0), i(44)},
		{"triangular loops", "s := 0\nfor p := range a { for q := range p { for range q { s++ } } }\nreturn s", ab(5, 0), i(10)},
		{"the inner bound depends on the outer variable", "s := 0\nfor p := range a { for q := range span(p, p+2) { s += q } }\nreturn s", ab(3, 0), i(9)},
		{"a loop in a branch", "s := 0\nif a > 1 { for k := range a { s += k } } else { for k := range b { s -= k } }\nreturn s", ab(4, 3), i(6)},
		{"loops behind each other", "s := 0\nfor k := range a { s += k }\nfor k := range b { s *= k + 1 }\nreturn s", ab(4, 3), i(36)},
		{"a variable declared in a loop starts anew", "s := 0\nfor k := range 3 { t := 0; t += k; s += t }\nreturn s", ab(0, 0), i(3)},
		{"var in a loop is zero each time", "s := 0\nfor k := range 3 { var t i32; t += k + 1; s = s*10 + t }\nreturn s", ab(0, 0), i(123)},
		{"var of an array in a loop is zero each time", "s := 0\nfor k := range 3 { var t [2]i32; t[k%2] += 1; s = s*10 + t[0] + 2*t[1] }\nreturn s", ab(0, 0), i(121)},
		{"a value carried around", "x, y := 0, 1\nfor range a { x, y = y, x+y }\nreturn x", ab(10, 0), i(55)},
		{"gcd", "for b != 0 { a, b = b, a%b }\nreturn a", ab(48, 18), i(6)},
		{"the bits of a number", "n := 0\nfor a != 0 { n += a & 1; a >>= 1 }\nreturn n", ab(0x2d, 0), i(4)},
		{"counting steps of Collatz", "n := 0\nfor a > 1 { if a%2 == 0 { a /= 2 } else { a = 3*a + 1 }; n++ }\nreturn n", ab(6, 0), i(8)},
		{"an exponent by squaring", "r, x, n := 1, a, b\nfor n > 0 { if n%2 == 1 { r *= x }; x *= x; n /= 2 }\nreturn r", ab(3, 5), i(243)},
		{"is it prime", "for k := 2; k*k <= a; k++ { if a%k == 0 { return 0 } }\nreturn 1", ab(97, 0), i(1)},

		{"over a vector", "s := 0\nfor k, e := range ivec3(a, b, 7) { s += k * e }\nreturn s", ab(4, 5), i(19)},
		{"over a vector, elements only", "s := 0\nfor _, e := range ivec3(a, b, 7) { s += e }\nreturn s", ab(4, 5), i(16)},
		{"over an array, indices only", "t := [4]i32{1, 2, 3, 4}\nfor k := range t { t[k] *= k }\nreturn t[3]", ab(0, 0), i(12)},
		{"over the rows of a matrix", "s := 0\nfor k, r := range ([2][2]i32{{a, b}, {3, 4}}) { s += k * (r.x - r.y) + r.x }\nreturn s", ab(4, 5), i(6)},
		{"over an array that changes meanwhile", "t := [3]i32{1, 2, 3}\ns := 0\nfor k, e := range t { t[2] = 50; s += e + k }\nreturn s", ab(0, 0), i(9)},
		{"nested arrays", "t := [2][3]i32{{1, 2, 3}, {4, 5, 6}}\ns := 0\nfor _, r := range t { for k, e := range r { s += k * e } }\nreturn s", ab(0, 0), i(25)},
		{"serial of a range", "s := 0\nfor k := range serial(a) { if k == 3 { break }; s += k }\nreturn s", ab(9, 0), i(3)},
		{"ndrange grouped", "s := ivec2(0)\nfor p := range ndrange(2, 3) { s += p }\nreturn s.x*10 + s.y", ab(0, 0), i(36)},
		{"ndrange with two variables", "s := 0\nfor p, q := range ndrange(2, a) { s = s*10 + p*3 + q }\nreturn s", ab(3, 0), i(12345)},
		{"ndrange of spans", "s := 0\nfor p, q := range ndrange(span(1, 3), span(a, b)) { s = s*10 + p + q }\nreturn s", ab(2, 4), i(3445)},
		{"ndrange of three, the last is the fastest", "s := 0\nfor p := range ndrange(2, 2, 2) { s = s*10 + p.x*4 + p.y*2 + p.z }\nreturn s", ab(0, 0), i(1234567)},
		{"ndrange of a vector", "s := 0\nfor p := range ndrange(ivec2(a, b)) { s += p.x * p.y }\nreturn s", ab(3, 4), i(18)},
		{"ndrange of a vector and a number", "n := 0\nfor p := range ndrange(ivec2(a, b), 2) { n += p.z }\nreturn n", ab(3, 4), i(12)},
		{"ndrange with an empty axis", "n := 0\nfor range ndrange(a, 0, 3) { n++ }\nreturn n", ab(3, 0), i(0)},
		{"ndrange with a negative axis", "n := 0\nfor range ndrange(a-5, 3) { n++ }\nreturn n", ab(1, 0), i(0)},
		{"ndrange of one axis", "n := 0\nfor p := range ndrange(a) { n += p }\nreturn n", ab(4, 0), i(6)},
		{"ndrange of four axes", "n := 0\nfor p := range ndrange(2, 2, 3, a) { n += p.w + p.z }\nreturn n", ab(2, 0), i(36)},
		{"ndrange of a span of vectors", "n := 0\nfor p := range ndrange(span(ivec2(a, 1), ivec2(3, b))) { n += p.x*10 + p.y }\nreturn n", ab(1, 3), i(66)},
		{"break out of ndrange leaves all of it", "n := 0\nfor p, q := range ndrange(3, 3) { if p == 1 && q == 1 { break }; n++ }\nreturn n", ab(0, 0), i(4)},
		{"continue in ndrange", "n := 0\nfor p, q := range ndrange(3, 3) { if p == q { continue }; n++ }\nreturn n", ab(0, 0), i(6)},

		{"static is unrolled", "s := 0\nfor k := range static(4) { s = s*10 + k + a }\nreturn s", ab(1, 0), i(1234)},
		{"static of a span", "s := 0\nfor k := range static(span(2, 5)) { s = s*10 + k }\nreturn s", ab(0, 0), i(234)},
		{"static in static", "s := 0\nfor p := range static(2) { for q := range static(p + 1) { s = s*10 + p + q } }\nreturn s", ab(0, 0), i(12)},
		{"static of ndrange", "s := 0\nfor p, q := range static(ndrange(2, 2)) { s = s*10 + p*2 + q }\nreturn s", ab(0, 0), i(123)},
		{"break in static", "s := 0\nfor k := range static(5) { if k == a { break }; s = s*10 + k }\nreturn s", ab(3, 0), i(12)},
		{"continue in static", "s := 0\nfor k := range static(4) { if k == a { continue }; s = s*10 + k }\nreturn s", ab(2, 0), i(13)},
		{"break with a label out of static loops", "s := 0\nouter: for p := range static(3) { for q := range static(3) { if p + q == a { break outer }; s++ } }\nreturn s", ab(3, 0), i(5)},
		{"return from static", "for k := range static(4) { if k*k > a { return k } }\nreturn -1", ab(3, 0), i(2)},
		{"a serial loop in static", "s := 0\nfor p := range static(3) { for q := range a { if q > p { break }; s += q } }\nreturn s", ab(5, 0), i(4)},
		{"static in a serial loop", "s := 0\nfor p := range a { for q := range static(3) { if q > p { continue }; s += q } }\nreturn s", ab(3, 0), i(4)},
		{"static of an array's elements", "s := 0\nfor k, e := range static([3]i32{5, 6, 7}) { s += k * e }\nreturn s", ab(0, 0), i(20)},
		{"static 0 runs never", "s := 3\nfor k := range static(0) { s += k }\nreturn s", ab(0, 0), i(3)},
	})
}
