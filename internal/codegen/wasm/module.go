package wasm

import (
	"encoding/binary"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/sparsert"
)

// imported is how many functions a module imports, which have the first numbers.
const imported = 1

// A valType is the type of a value on the operand stack or in a local.
type valType byte

const (
	i32  valType = 0x7f
	i64  valType = 0x7e
	f32  valType = 0x7d
	f64  valType = 0x7c
	v128 valType = 0x7b
)

func (t valType) String() string {
	return map[valType]string{i32: "i32", i64: "i64", f32: "f32", f64: "f64", v128: "v128"}[t]
}

// A module is one under construction: that of a task, with the functions that it calls.
type module struct {
	task  *ir.Task
	sites []*ir.Site

	signatures []signature
	functions  []*compiled
	numbers    map[*ir.Func]int
	plans      map[*ir.Func]*plan
	needs      map[*ir.Func]needs
	helpers    map[string]int
	runtime    map[sparsert.Function]*ir.Func
	remainders map[ir.Kind]*ir.Func

	tables      map[*ir.Table]int64 // where constant tables lie on the stack, from the address of all of them on
	tableOrder  []*ir.Table
	tablesBytes int64
	err         error
}

// A signature is the type of a function.
type signature struct{ params, results []valType }

func (s signature) equal(o signature) bool {
	return slices.Equal(s.params, o.params) && slices.Equal(s.results, o.results)
}

// A compiled function has its code. Frame is how many bytes of the stack it uses, together with its callees.
type compiled struct {
	name      string
	signature int
	locals    []valType // behind the parameters
	code      []byte
	frame     int64
}

func newModule(t *ir.Task, sites []*ir.Site) *module {
	return &module{
		task: t, sites: sites, numbers: map[*ir.Func]int{}, plans: map[*ir.Func]*plan{}, needs: map[*ir.Func]needs{}, helpers: map[string]int{},
		runtime: map[sparsert.Function]*ir.Func{}, remainders: map[ir.Kind]*ir.Func{}, tables: map[*ir.Table]int64{},
	}
}

// declare makes a function without code yet, and returns its number.
func (m *module) declare(name string, s signature) int {
	n := slices.IndexFunc(m.signatures, s.equal)
	if n < 0 {
		n = len(m.signatures)
		m.signatures = append(m.signatures, s)
	}
	m.functions = append(m.functions, &compiled{name: name, signature: n})
	return len(m.functions) - 1
}

// bytes is the module in its binary form.
func (m *module) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, body []byte) {
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	signatures := append(slices.Clone(m.signatures), signature{}) // the last is that of the imported function
	types := binary.AppendUvarint(nil, uint64(len(signatures)))
	for _, s := range signatures {
		types = append(types, 0x60)
		types = appendTypes(types, s.params)
		types = appendTypes(types, s.results)
	}
	section(1, types)
	imports := appendName(appendName([]byte{1}, launch.ModuleHost), launch.ModuleYield)
	section(2, binary.AppendUvarint(append(imports, 0), uint64(len(m.signatures))))
	of := binary.AppendUvarint(nil, uint64(len(m.functions)))
	code := slices.Clone(of)
	for _, f := range m.functions {
		of = binary.AppendUvarint(of, uint64(f.signature))
		body := append(appendLocals(nil, f.locals), f.code...)
		code = binary.AppendUvarint(code, uint64(len(body)))
		code = append(code, body...)
	}
	section(3, of)
	memory := []byte{1, 1} // one, which has a limit
	memory = binary.AppendUvarint(memory, launch.ModulePages)
	section(5, binary.AppendUvarint(memory, launch.ModulePages))
	exports := []byte{2}
	exports = append(appendName(exports, launch.ModuleMemory), 2, 0)
	section(7, append(appendName(exports, launch.ModuleEntry), 0, imported))
	section(10, code)
	return out
}

func appendTypes(b []byte, types []valType) []byte {
	b = binary.AppendUvarint(b, uint64(len(types)))
	for _, t := range types {
		b = append(b, byte(t))
	}
	return b
}

func appendName(b []byte, name string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(name))), name...)
}

// appendLocals writes the types of locals, in runs of equal ones.
func appendLocals(b []byte, types []valType) []byte {
	var runs []byte
	n := 0
	for i := 0; i < len(types); n++ {
		j := i
		for j < len(types) && types[j] == types[i] {
			j++
		}
		runs = append(binary.AppendUvarint(runs, uint64(j-i)), byte(types[i]))
		i = j
	}
	return append(binary.AppendUvarint(b, uint64(n)), runs...)
}

// appendSigned writes a signed number in LEB128.
func appendSigned(b []byte, n int64) []byte {
	for {
		low := byte(n & 0x7f)
		n >>= 7
		if n == 0 && low&0x40 == 0 || n == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
