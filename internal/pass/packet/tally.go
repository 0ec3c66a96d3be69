package packet

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
)

// This file vectorises tallies. Histograms are updated one lane at a time, since several lanes may have the same bucket.

// tally writes the tallies of a store by the lanes of a mask. The other lanes have a NaN as their number, which no part but the histograms
// counts. Histograms are updated for the lanes of the mask only.
func (p *packer) tally(o *ir.Op, mask *ir.Value) {
	var of []*ir.Value
	for _, v := range o.Args {
		of = append(of, p.splat(p.value(v)))
	}
	b := p.b
	if mask != nil {
		of[0] = b.Op(ir.OpSelect, mask, of[0], b.Float(of[0].Type, math.NaN()))
	}
	var parts []ir.TallyPart
	var buckets []*ir.Value
	tally.Parts(b, of, func(part ir.TallyPart, args ...*ir.Value) {
		switch part {
		case ir.TallyNumbers, ir.TallyErrors:
			parts, buckets = append(parts, part), append(buckets, args[0])
		case ir.TallyClamped, ir.TallyFlushed, ir.TallyAbsorbed:
			bits := b.OpOf(ir.OpBits, ir.Scalar(ir.U64), p.and(mask, args[0]))
			tally.Emit(b, o.Aux, part, b.Convert(b.Op(ir.OpPopcount, bits), ir.I64))
		default:
			tally.Emit(b, o.Aux, part, args[0])
		}
	})
	w := &laneWriter{packer: p, used: map[ir.Kind]int{}}
	var places []*ir.Value
	for _, v := range buckets {
		places = append(places, w.room(v.Type.Kind))
		b.Store(places[len(places)-1], v)
	}
	p.eachLane(mask, func(lane *ir.Value) {
		w.lane = lane
		for i, part := range parts {
			kind := buckets[i].Type.Kind
			tally.Emit(b, o.Aux, part, b.Load(ir.Scalar(kind), w.at(places[i], kind)), b.Int(ir.Scalar(ir.I64), 1), lane)
		}
	})
}
