package ir

import (
	"cmp"
	"slices"
)

// A Fill is memory that a row of iterations fills: each stores to Stride bytes, all of them
// and each once, that begin where those of the iteration before it end.
type Fill struct {
	Root   *Value // address of the body that the stores' places follow from by constants
	Low    int64  // that of the first byte, from Root
	Stride int64
	Stores []*Op // in the order of their places
}

// FillsOf finds the memory that rows of t, a task with dims, fill by those plain stores of
// its body that are candidates.
func FillsOf(t *Task, candidate func(o *Op) bool) []Fill {
	byRoot, roots := map[*Value][]*Op{}, []*Value(nil)
	for _, o := range t.Body.Ops {
		if o.Code == OpStore && o.Order == Plain && len(o.Args) == 2 && o.Args[0].Type.Lanes <= 1 && candidate(o) {
			root, _ := FixedOffset(o.Args[0])
			if byRoot[root] == nil {
				roots = append(roots, root)
			}
			byRoot[root] = append(byRoot[root], o)
		}
	}
	var out []Fill
	strides := StridesOf(t)
	for _, root := range roots {
		if stride, ok := strides.Of(root); ok && stride > 0 {
			out = append(out, fillsAt(root, stride, byRoot[root])...)
		}
	}
	return out
}

// fillsAt divides the stores to places that lie constants apart among fills.
func fillsAt(root *Value, stride int64, stores []*Op) []Fill {
	slices.SortFunc(stores, func(a, b *Op) int { return cmp.Compare(offsetOf(a), offsetOf(b)) })
	var out []Fill
	for len(stores) > 0 {
		s := Fill{Root: root, Low: offsetOf(stores[0]), Stride: stride}
		end := s.Low
		for len(stores) > 0 && offsetOf(stores[0]) == end && end < s.Low+stride {
			v := stores[0].Args[1].Type
			end += int64(v.Kind.Size()) * int64(max(1, v.Lanes))
			s.Stores, stores = append(s.Stores, stores[0]), stores[1:]
		}
		if end != s.Low+stride || len(stores) > 0 && offsetOf(stores[0]) < end {
			return nil // some bytes are left out, or written twice
		}
		out = append(out, s)
	}
	return out
}

// offsetOf is where a store's place lies from its root.
func offsetOf(store *Op) int64 {
	_, off := FixedOffset(store.Args[0])
	return off
}

// FillsLines reports whether a store writes a vector of whole lines of memory, of so many bytes each, in
// a tree, whose base is where a line begins.
func FillsLines(o *Op, line int64) bool {
	if o.Code != OpStore || o.Order != Plain || len(o.Args) != 2 || o.Args[0].Type.Lanes > 1 {
		return false
	}
	v := o.Args[1].Type
	if v.Lanes < 2 || v.Kind == Bool || int64(v.Kind.Size())*int64(v.Lanes)%line != 0 {
		return false
	}
	p := o.Args[0]
	for p.Def != nil && p.Def.Code == OpOffset {
		by := p.Def.Args[1]
		if d := by.Def; d != nil && d.Code == OpMul {
			by = d.Args[1]
		}
		if n, ok := IntOf(by); !ok || n%line != 0 {
			return false
		}
		p = p.Def.Args[0]
	}
	return p.Def != nil && p.Def.Code == OpBase
}
