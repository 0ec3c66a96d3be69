package ir

// An Order says how an atomic access is ordered with other accesses of its thread, as other
// threads see them. The meaning is that of C++ and LLVM.
type Order uint8

const (
	// Plain is the order of a load or store that is not atomic. An atomic op of this order
	// is relaxed.
	Plain Order = iota
	// Relaxed accesses are indivisible and order nothing else.
	Relaxed
	// Acquire, on what reads: later accesses of the thread stay behind it, and see what was
	// stored before the release that it reads from.
	Acquire
	// Release, on what writes: earlier accesses of the thread stay before it.
	Release
	// AcqRel, on atomic ops, is both.
	AcqRel
)

var orderNames = [...]string{Plain: "", Relaxed: "relaxed", Acquire: "acquire", Release: "release", AcqRel: "acq_rel"}

// String returns the order as it follows an op's name: ".acquire", or nothing for Plain.
func (r Order) String() string {
	if r == Plain {
		return ""
	}
	return "." + orderNames[r]
}

// ParseOrder finds an order by its name, without the dot.
func ParseOrder(name string) (Order, bool) {
	for i, n := range orderNames {
		if n == name && n != "" {
			return Order(i), true
		}
	}
	return Plain, false
}

// orders lists, as a set of bits, the orders that an op may have.
var orders = map[Code]uint8{
	OpLoad:   1<<Plain | 1<<Relaxed | 1<<Acquire,
	OpStore:  1<<Plain | 1<<Relaxed | 1<<Release,
	OpAtomic: 1<<Plain | 1<<Acquire | 1<<Release | 1<<AcqRel,
}

// ordered checks the order of an access. The passes work on kernels and take every load and
// store there for a plain one, so other orders stand in functions alone.
func (v *verifier) ordered(o *Op) {
	switch {
	case o.Order == Plain:
	case int(o.Order) >= len(orderNames):
		v.op(o, "%d is no order", o.Order)
	case orders[o.Code]&(1<<o.Order) == 0:
		v.op(o, "%s cannot have the order %s", o.Code, orderNames[o.Order])
	case v.scope.fn == nil:
		v.op(o, "an access of order %s stands outside of a function", orderNames[o.Order])
	case o.Flags.Has(NonAtomic) || o.Args[0].Type.Lanes != 1 || len(o.Results) == 1 && o.Results[0].Type.Lanes != 1:
		v.op(o, "an access with an order is atomic, of one lane")
	case !orderedKind(o.Args[len(o.Args)-1].Type.Kind) || len(o.Results) == 1 && !orderedKind(o.Results[0].Type.Kind):
		v.op(o, "an access with an order is of an integer or an address")
	case o.Code == OpAtomic && (o.Atomic == AtomicMul || o.Atomic == AtomicDiv):
		v.op(o, "atomic.%s is made of several accesses, so it has no order", o.Atomic)
	}
}

func orderedKind(k Kind) bool { return k.IsInt() || k == Ptr || k == BlockRef }
