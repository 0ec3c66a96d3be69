package mathlib

import "github.com/gotaichi/ti/internal/ir"

// A machine runs a function of the library, of any number of lanes, op by op. It takes the values of ops from the
// same place as Eval, and nothing else.
// Values are in regs, with contiguous lanes, in the bits of ir.Const.
type machine struct {
	f     *ir.Func
	lanes int
	regs  []uint64
	calls map[*ir.Func]*machine
	does  map[*ir.Op]operation
}

func newMachine(f *ir.Func) *machine {
	lanes := int(f.Params[0].Lanes)
	return &machine{f, lanes, make([]uint64, ir.NumberBlock(f.Body, 0)*lanes), map[*ir.Func]*machine{}, map[*ir.Op]operation{}}
}

func (m *machine) reg(v *ir.Value) []uint64 {
	return m.regs[v.ID*m.lanes : v.ID*m.lanes+int(v.Type.Lanes)]
}

// call runs the function; args and the result hold the bits of every lane.
func (m *machine) call(args ...[]uint64) []uint64 {
	for i, p := range m.f.Body.Params {
		copy(m.reg(p), args[i])
	}
	return m.reg(m.block(m.f.Body).Args[0])
}

// block runs the ops of b and returns the terminator.
func (m *machine) block(b *ir.Block) *ir.Op {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpYield, ir.OpReturn:
			return o
		case ir.OpIf:
			region := o.Regions[1]
			if m.reg(o.Args[0])[0] != 0 {
				region = o.Regions[0]
			}
			y := m.block(region)
			for i, r := range o.Results {
				copy(m.reg(r), m.reg(y.Args[i]))
			}
		case ir.OpCall:
			c := m.calls[o.Func]
			if c == nil {
				c = newMachine(o.Func)
				m.calls[o.Func] = c
			}
			for i, p := range c.f.Body.Params {
				copy(c.reg(p), m.reg(o.Args[i]))
			}
			y := c.block(c.f.Body)
			for i, r := range o.Results {
				copy(m.reg(r), c.reg(y.Args[i]))
			}
		case ir.OpAny:
			var any uint64
			for _, v := range m.reg(o.Args[0]) {
				any |= v
			}
			m.reg(o.Results[0])[0] = any
		default:
			m.lanewise(o)
		}
	}
	panic("block without a terminator")
}

func (m *machine) lanewise(o *ir.Op) {
	out := m.reg(o.Results[0])
	var in [3][]uint64
	for i, a := range o.Args {
		in[i] = m.reg(a)
	}
	for l := range out {
		var a [3]uint64
		for i := range o.Args {
			a[i] = in[i][l]
		}
		if o.Code == ir.OpConst {
			out[l] = o.Bits
			continue
		}
		if m.does[o] == nil {
			m.does[o] = primitive(o)
		}
		out[l] = m.does[o](a[0], a[1], a[2])
	}
}
