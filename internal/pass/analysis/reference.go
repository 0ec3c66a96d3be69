package analysis

import "github.com/gotaichi/ti/internal/ir"

// References describes accesses, so that their places can be compared.
type References struct {
	r       *RangeInfo
	termIDs map[string]int // numbers of the linear terms of addresses, see number
}

// ReferencesOf describes accesses in the code that r analysed.
func ReferencesOf(r *RangeInfo) *References {
	return &References{r: r, termIDs: map[string]int{}}
}

// A Reference is an access to Size bytes of memory at the address root + at.
type Reference struct {
	Size   int64
	class  int32 // alias class, 0 for any
	root   *ir.Value
	at     Linear
	termID int // the number of the terms of at
	stores bool
}

// Of describes what o, a load or a store, accesses.
func (s *References) Of(o *ir.Op, t ir.Type, stores bool) Reference {
	x := Reference{class: o.Alias, root: o.Args[0], Size: int64(t.Kind.Size()) * int64(t.Lanes), stores: stores}
	for x.root.Def != nil && x.root.Def.Code == ir.OpOffset {
		x.at = x.at.Plus(s.r.LinearOf(x.root.Def.Args[1]), 1)
		x.root = x.root.Def.Args[0]
	}
	x.termID = s.number(x.at.Terms)
	return x
}

// number returns a number that identifies terms: equal terms have the same one.
func (s *References) number(terms []LinTerm) int {
	key := make([]byte, 0, 64)
	for _, t := range terms {
		key = appendWord(appendWord(key, int64(t.V.ID)), t.Coef)
	}
	n, ok := s.termIDs[string(key)]
	if !ok {
		n = len(s.termIDs)
		s.termIDs[string(key)] = n
	}
	return n
}

func appendWord(b []byte, v int64) []byte {
	for range 8 {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

// Distance returns the number of bytes from the start of x to the start of y, if it is known.
func (x *Reference) Distance(y *Reference) (bytes int64, known bool) {
	return y.at.C - x.at.C, x.root == y.root && x.termID == y.termID
}

// EndsAt reports whether y begins where x ends.
func (x *Reference) EndsAt(y *Reference) bool {
	bytes, known := x.Distance(y)
	return known && bytes == x.Size
}

// disjoint compares the alias classes and roots of s and y. If these decide, known is true, and disjoint means that s and y never overlap;
// otherwise their offsets decide.
func (s *Reference) disjoint(y *Reference) (disjoint, known bool) {
	if s.class != y.class && s.class != 0 && y.class != 0 {
		return true, true
	}
	a, b := s.root.Def, y.root.Def
	switch {
	case s.root == y.root:
		return false, false
	case a != nil && a.Code == ir.OpAlloc || b != nil && b.Code == ir.OpAlloc:
		return true, isMemory(a) && isMemory(b)
	case a == nil || b == nil || a.Code != b.Code:
		return false, true
	case a.Code == ir.OpBase:
		return true, a.Aux != b.Aux // the memory of two trees
	case a.Code == ir.OpArgPtr:
		return false, a.Param != b.Param // the caller may pass the same memory twice
	}
	return false, true
}

// isMemory reports whether o gives the start of a piece of memory: a local array, a tree, a block of a sparse tree, or memory of the
// caller.
func isMemory(o *ir.Op) bool {
	if o == nil {
		return false
	}
	switch o.Code {
	case ir.OpAlloc, ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpEntry, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter:
		return true
	}
	return false
}

// overlap reports whether y bytes that start gap bytes after the start of s bytes overlap them.
func overlap(gap, s, y int64) bool { return gap < s && gap > -y }
