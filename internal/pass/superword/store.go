package superword

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// A job is the ops written at one position of the block, right before the op there.
type job struct {
	at     int
	stores run // the stores that the vector replaces
	value  *pack
	sums   []*group
}

// store plans the vector for a run of stores, at the last of them, if the others may move there.
func (w *worker) store(row run) *job {
	j := &job{stores: row}
	for _, o := range row {
		j.at = max(j.at, w.at[o])
	}
	for _, o := range row {
		if !w.moves(w.refs[o], true, w.at[o], j.at, nil) {
			return nil
		}
	}
	return j
}

// values are the lanes that a job stores.
func (j *job) values() []*ir.Value {
	var lanes []*ir.Value
	for _, o := range j.stores {
		lanes = append(lanes, o.Args[1])
	}
	return lanes
}

var negativeZero = math.Copysign(0, -1)

// A constant is one of a kind, by its bits.
type constant struct {
	t    ir.Type
	bits uint64
}

// neutral returns the constant with which a lane of an operation is padded.
func (w *worker) neutral(code ir.Code, t ir.Type) *ir.Value {
	k := constant{t, ir.FloatBits(t.Kind, neutral[code])}
	v := w.constants[k]
	if v == nil {
		o := ir.NewOp(ir.OpConst, w.b.Ops[0].Pos, []ir.Type{t})
		o.Bits = k.bits
		v = o.Results[0]
		w.constants[k] = v
		w.fresh = append(w.fresh, o)
	}
	return v
}
