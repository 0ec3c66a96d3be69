package wgsl

import "strings"

// A helper is a function that shaders have if they use it.
type helper struct {
	name string
	uses []string // others
	text string
}

// helpers are all of them, each behind those that it uses.
var helpers = []helper{
	{"isNaN", nil, "fn isNaN(v: f32) -> bool {\n\treturn (bitcast<u32>(v) & 2147483647u) > 2139095040u;\n}"},
	{"toI32", []string{"isNaN"}, "fn toI32(v: f32) -> i32 {\n\tif (isNaN(v)) { return 0i; }\n\tif (v >= 2147483648.0f) { return 2147483647i; }\n\tif (v < -2147483648.0f) { return bitcast<i32>(2147483648u); }\n\treturn i32(v);\n}"},
	{"toU32", nil, "fn toU32(v: f32) -> u32 {\n\tif (v >= 4294967296.0f) { return 4294967295u; }\n\tif (v > 0.0f) { return u32(v); }\n\treturn 0u;\n}"},
	{"divI", nil, "fn divI(a: i32, b: i32) -> i32 {\n\tif (b == 0i) { return 0i; }\n\tif (b == -1i) { return -a; }\n\treturn a / b;\n}"},
	{"remI", nil, "fn remI(a: i32, b: i32) -> i32 {\n\tif (b == 0i || b == -1i) { return 0i; }\n\treturn a % b;\n}"},
	{"divU", nil, "fn divU(a: u32, b: u32) -> u32 {\n\tif (b == 0u) { return 0u; }\n\treturn a / b;\n}"},
	{"remU", nil, "fn remU(a: u32, b: u32) -> u32 {\n\tif (b == 0u) { return 0u; }\n\treturn a % b;\n}"},
	{"floorDivI", []string{"divI", "remI"}, "fn floorDivI(a: i32, b: i32) -> i32 {\n\tlet r: i32 = remI(a, b);\n\tif (r != 0i && (r ^ b) < 0i) { return divI(a, b) - 1i; }\n\treturn divI(a, b);\n}"},
	{"modI", []string{"remI"}, "fn modI(a: i32, b: i32) -> i32 {\n\tlet r: i32 = remI(a, b);\n\tif (r != 0i && (r ^ b) < 0i) { return r + b; }\n\treturn r;\n}"},
	{"shiftLeft", nil, "fn shiftLeft(v: u32, n: u32) -> u32 {\n\tif (n >= 32u) { return 0u; }\n\treturn v << n;\n}"},
	{"shiftRight", nil, "fn shiftRight(v: u32, n: u32) -> u32 {\n\tif (n >= 32u) { return 0u; }\n\treturn v >> n;\n}"},
	{"signF", nil, "fn signF(v: f32) -> f32 {\n\tif (v > 0.0f) { return 1.0f; }\n\tif (v < 0.0f) { return -1.0f; }\n\treturn v;\n}"},
	{"roundAway", nil, "fn roundAway(v: f32) -> f32 {\n\tlet whole: f32 = trunc(v);\n\tlet rest: f32 = v - whole;\n\tif (rest >= 0.5f) { return whole + 1.0f; }\n\tif (rest <= -0.5f) { return whole - 1.0f; }\n\treturn whole;\n}"},
	{"minF", []string{"isNaN"}, "fn minF(a: f32, b: f32) -> f32 {\n\tif (isNaN(a)) { return a; }\n\tif (a == b) { return bitcast<f32>(bitcast<u32>(a) | bitcast<u32>(b)); }\n\treturn select(b, a, a < b);\n}"},
	{"maxF", []string{"isNaN"}, "fn maxF(a: f32, b: f32) -> f32 {\n\tif (isNaN(a)) { return a; }\n\tif (a == b) { return bitcast<f32>(bitcast<u32>(a) & bitcast<u32>(b)); }\n\treturn select(b, a, a > b);\n}"},
	{"claims", nil, "fn claims(site: u32) -> bool {\n\tvar first: bool = false;\n\tloop {\n\t\tlet tried = atomicCompareExchangeWeak(&errs[1], 0u, site);\n\t\tif (tried.exchanged) {\n\t\t\tfirst = true;\n\t\t\tbreak;\n\t\t}\n\t\tif (tried.old_value != 0u) { break; }\n\t}\n\treturn first;\n}"},
}

// helper notes that a helper is used, and returns its name.
func (p *printer) helper(name string) string {
	p.used[name] = true
	return name
}

// helperTexts are the helpers that are used, with those that they use.
func helperTexts(used map[string]bool) string {
	all := map[string]bool{}
	for i := len(helpers) - 1; i >= 0; i-- {
		h := &helpers[i]
		if all[h.name] = all[h.name] || used[h.name]; all[h.name] {
			for _, n := range h.uses {
				all[n] = true
			}
		}
	}
	var w strings.Builder
	for _, h := range helpers {
		if all[h.name] {
			w.WriteString("\n" + h.text + "\n")
		}
	}
	return w.String()
}
