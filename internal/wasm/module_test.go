package wasm

import "github.com/gotaichi/ti/internal/launch"

// leb is a number as modules have it, with a sign.
func leb(v int64) (b []byte) {
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if v == 0 && low&0x40 == 0 || v == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

// size is a number as modules have it, without a sign.
func size(v int) (b []byte) {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

func join(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func named(name string) []byte { return append(size(len(name)), name...) }

func section(id byte, content []byte) []byte { return join([]byte{id}, size(len(content)), content) }

// module is one with a function task(ctx i32, begin i64, end i64, stack i32) of these instructions, and a local i64.
func module(body ...[]byte) []byte {
	return moduleOf(launch.ModulePages, launch.ModuleEntry, body...)
}

func moduleOf(pages int, name string, body ...[]byte) []byte {
	code := join([]byte{1, 1, 0x7e}, join(body...), []byte{0x0b})
	exported := func(name string, kind, number byte) []byte { return join(named(name), []byte{kind, number}) }
	return join([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{2, 0x60, 4, 0x7f, 0x7e, 0x7e, 0x7f, 0, 0x60, 0, 0}),
		section(2, join([]byte{1}, named(launch.ModuleHost), named(launch.ModuleYield), []byte{0, 1})),
		section(3, []byte{1, 0}),
		section(5, join([]byte{1, 1}, size(pages), size(pages))),
		section(7, join([]byte{2}, exported("memory", 2, 0), exported(name, 0, 1))),
		section(10, join([]byte{1}, size(len(code)), code)))
}

// The instructions of the tests.
var (
	getCtx, getBegin, getEnd = []byte{0x20, 0}, []byte{0x20, 1}, []byte{0x20, 2}
	setBegin                 = []byte{0x21, 1}
	unreachable              = []byte{0x00}
	callItself               = join(getCtx, getBegin, getEnd, []byte{0x20, 3, 0x10, 1})
	wrap                     = []byte{0xa7}
	one                      = []byte{0x42, 1}
	loadWord                 = []byte{0x29, 3, 0}       // i64.load
	addWord                  = []byte{0xfe, 0x1f, 3, 0} // i64.atomic.rmw.add
	drop                     = []byte{0x1a}
)

// slot is word n of the task, as an address.
func slot(n int) []byte {
	return join(getCtx, loadWord, wrap, []byte{0x29, 3}, size(8*n), wrap)
}

// each runs instructions for each iteration, whose number is in the parameter begin.
func each(body ...[]byte) []byte {
	step := join(getBegin, one, []byte{0x7c}, setBegin) // begin++
	return join([]byte{0x02, 0x40, 0x03, 0x40},         // block loop
		getBegin, getEnd, []byte{0x59, 0x0d, 1}, // leave if begin >= end
		join(body...), step, []byte{0x0c, 0, 0x0b, 0x0b})
}
