package wasm

import "github.com/gotaichi/ti/internal/ir"

// A laneOf is a lane of one of several operands.
type laneOf struct{ operand, lane int }

// permuteOp translates the ops that put lanes of vectors into other places.
func (f *function) permuteOp(o *ir.Op) {
	r := o.Results[0]
	n, size := int(r.Type.Lanes), f.laneBytes(r)
	if o.Code == ir.OpPack {
		f.pack(o, n, size)
		return
	}
	args := f.operands(o, size)
	from := make([]laneOf, n)
	for i := range from {
		lane := 0
		if o.Code == ir.OpSlide {
			lane = slideLane(o, i, n)
		} else {
			lane = shuffleLane(int(o.Aux), i, n)
		}
		from[i] = laneOf{lane / n, lane % n}
	}
	f.permute(r, args, from, size)
}

// shuffleLane is the lane of two vectors of n side by side that lane i of a shuffle is.
func shuffleLane(kind, i, n int) int {
	switch kind {
	case ir.ShuffleEven:
		return 2 * i
	case ir.ShuffleOdd:
		return 2*i + 1
	case ir.ShuffleLow:
		return i/2 + i%2*n
	}
	return n/2 + i/2 + i%2*n
}

// slideLane is that of a slide.
func slideLane(o *ir.Op, i, n int) int {
	apart, row := int(o.Stride), int(o.Bits)
	lane := i + int(o.Aux)*apart
	if i/apart%row+int(o.Aux) >= row { // behind the end of its row
		lane += n - row*apart
	}
	return lane
}

// permute makes a result of lanes of operands. A shuffle takes them from two parts; what comes from more takes one more each.
func (f *function) permute(r *ir.Value, args []lanes, from []laneOf, size int) {
	per := perPart(size)
	f.each(r, func(i int) {
		wanted := from[i*per : min((i+1)*per, len(from))]
		var sources []laneOf // parts
		for _, l := range wanted {
			if s := (laneOf{l.operand, l.lane / per}); indexOf(sources, s) < 0 {
				sources = append(sources, s)
			}
		}
		put := func(s laneOf) { f.putPart(args[s.operand], s.lane) }
		put(sources[0])
		if len(sources) == 1 && inOrder(wanted, per) {
			return
		}
		if len(sources) == 1 {
			sources = append(sources, sources[0])
		}
		for n, s := range sources[1:] {
			put(s)
			var pick [4]int
			for lane := range per {
				pick[lane] = lane // what is there already, or means nothing
				if lane >= len(wanted) {
					continue
				}
				switch at := indexOf(sources, laneOf{wanted[lane].operand, wanted[lane].lane / per}); {
				case at == n+1:
					pick[lane] = per + wanted[lane].lane%per
				case n == 0 && at == 0:
					pick[lane] = wanted[lane].lane % per
				}
			}
			f.shuffle(pick, size)
		}
	})
}

func indexOf(all []laneOf, x laneOf) int {
	for i, y := range all {
		if x == y {
			return i
		}
	}
	return -1
}

// inOrder reports whether lanes of a part are where they are in it.
func inOrder(wanted []laneOf, per int) bool {
	for i, l := range wanted {
		if l.lane%per != i {
			return false
		}
	}
	return true
}

// pack makes a vector of numbers. Those that are lanes of vectors are permuted, as long as all are.
func (f *function) pack(o *ir.Op, n, size int) {
	r := o.Results[0]
	k := r.Type.Kind
	if args, from, ok := f.packedLanes(o, size); ok {
		f.permute(r, args, from, size)
		return
	}
	f.each(r, func(i int) {
		per := perPart(size)
		args := o.Args[i*per : min((i+1)*per, n)]
		var constants [16]byte
		for lane, v := range args {
			if bits, ok := ir.ConstOf(f.resolve(v)); ok {
				b := fill(k, bits, size)
				copy(constants[lane*size:(lane+1)*size], b[:])
			}
		}
		f.bytes(constants)
		for lane, v := range args {
			if ir.IsConst(f.resolve(v)) {
				continue
			}
			if f.pushAs(f.typeOfLane(k, size), v); k == ir.Bool {
				f.maskWord()
			}
			f.replace(k, size, lane)
		}
	})
}

// packedLanes returns the vectors whose lanes a pack is of.
func (f *function) packedLanes(o *ir.Op, size int) (args []lanes, from []laneOf, ok bool) {
	var vectors []*ir.Value
	for _, v := range o.Args {
		d := f.resolve(v).Def
		if d == nil || d.Code != ir.OpLane || f.laneBytes(d.Args[0]) != size || !f.later[d.Results[0]] {
			return nil, nil, false
		}
		at := 0
		for at < len(vectors) && vectors[at] != d.Args[0] {
			at++
		}
		if at == len(vectors) {
			vectors = append(vectors, d.Args[0])
		}
		from = append(from, laneOf{at, int(d.Aux)})
	}
	if len(vectors) > 2 {
		return nil, nil, false
	}
	held := make([]bool, len(vectors))
	args = make([]lanes, len(vectors))
	for i := range o.Args {
		at := from[i].operand
		x := f.holdLanes(vectors[at]) // one use each
		if !held[at] {
			held[at], args[at] = true, x
		}
	}
	return args, from, true
}
