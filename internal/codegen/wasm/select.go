package wasm

// choose leaves the first of two numbers of a type on the stack where the word on top of them is not 0, or else the second.
//
// In wazero 1.12.0 on amd64, a selection of floats or of vectors gives its first operand whatever the condition, if that operand has been spilled (its pull request 2535). Selections of integers are right. So
// floats are selected by their bits, and vectors by a mask.
func (f *function) choose(t valType) {
	switch t {
	case f32:
		f.chooseBits(i32, f32)
	case f64:
		f.chooseBits(i64, f64)
	case v128:
		f.do("i32.eqz")
		f.word(1)
		f.do("i32.sub") // all bits, or none
		f.do("i32x4.splat")
		f.do("v128.bitselect")
	default:
		f.do("select")
	}
}

// chooseBits is choose for floats of a type, by integers.
func (f *function) chooseBits(bits, t valType) {
	condition := f.keep(i32)
	f.do(bits.String() + ".reinterpret_" + t.String())
	second := f.keep(bits)
	f.do(bits.String() + ".reinterpret_" + t.String())
	f.put(second)
	f.put(condition)
	f.do("select")
	f.do(t.String() + ".reinterpret_" + bits.String())
}
