package dist

import (
	"encoding/binary"
	"math"
)

// fold combines numbers of all ranks in the order of ranks. It panics if another rank has failed, as there is no error to return.
func (w *World) fold(v float64, f func(a, b float64) float64) float64 {
	all, err := w.comm.AllGather(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	if err != nil {
		panic(diverged(err))
	}
	at := func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	folded := at(all[0])
	for _, b := range all[1:] {
		folded = f(folded, at(b))
	}
	return folded
}
