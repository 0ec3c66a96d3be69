package pass

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/site"
)

// races drops records of debug mode that cannot be part of a race.
//
// Input: a kernel's body with the indices of the source, and a record before each access of a parallel loop. Output: the same without
// the records of components that the loop only reads, only updates atomically, or accesses only at the element that belongs to the
// iteration. A second read or update of an element by the same iteration has no record either:
//
//	for i := range X { X[i] = Y[i] + Y[i+1] }       // no record is left
//	for i := range X { X[i] = X[i+1]*X[i+1] }       // two are left, of X[i] and X[i+1]
//
// Each record costs some hundred instructions, most of them on the host. The oracle keeps all records, so that tests find a record
// that is dropped wrongly.
func races(s *state) {
	for _, o := range s.k.Body.Ops {
		if o.IsParallel() {
			l := &racing{sites: s.k.Sites, body: analysis.LoopBodyOf(o.Regions[0]), parts: map[racePart]*raceSet{}, dynamic: map[string]bool{}, visited: map[string]bool{}}
			l.collect()
			l.drop(l.body.Block)
		}
	}
}

// racing is the state for one parallel loop.
type racing struct {
	sites   []*ir.Site
	body    analysis.LoopBody
	dynamic map[string]bool // fields and slices with a component chosen at run time
	parts   map[racePart]*raceSet
	visited map[string]bool // keys of the reads and updates recorded on every path to the current op
}

// A racePart is a component of a field, slice or view. If any access of the loop chooses the component at run time, all components are
// one part, with comp -1.
type racePart struct {
	what string
	comp int64
}

// A raceSet has the accesses of the loop to a part.
type raceSet struct {
	kinds [3]bool            // whether the part is read, written, updated
	at    *analysis.WriteSet // the indices of all accesses
}

// The operands of the records of accesses, as lower.touches makes them.
const (
	raceComp  = 1
	raceBits  = 2
	raceIndex = 3
)

// access returns the site of an access, if o is the record of one; otherwise nil.
func (l *racing) access(o *ir.Op) *ir.Site {
	if o.Code != ir.OpRecord {
		return nil
	}
	switch s := l.sites[o.Aux]; s.Kind {
	case site.Read, site.Write, site.Update:
		return s
	}
	return nil
}

// part returns the part that an access is to.
func (l *racing) part(s *ir.Site, o *ir.Op) racePart {
	comp, ok := ir.IntOf(o.Args[raceComp])
	if !ok || l.dynamic[s.What] {
		return racePart{s.What, -1}
	}
	return racePart{s.What, comp}
}

// collect fills in dynamic and parts from all records of the loop.
func (l *racing) collect() {
	var found []*ir.Op
	ir.Visit(l.body.Block, func(o *ir.Op) bool {
		if s := l.access(o); s != nil {
			found = append(found, o)
			if _, ok := ir.IntOf(o.Args[raceComp]); !ok {
				l.dynamic[s.What] = true
			}
		}
		return true
	})
	for _, o := range found {
		s := l.access(o)
		p := l.part(s, o)
		if l.parts[p] == nil {
			l.parts[p] = &raceSet{}
		}
		l.parts[p].kinds[s.Kind-site.Read] = true
		l.parts[p].at = l.parts[p].at.Add(l.body, raceIndices(s, o))
	}
}

// raceIndices returns the indices of the element before their conversion to i64, which a record has. The conversion maps different
// indices to different numbers.
func raceIndices(s *ir.Site, o *ir.Op) []*ir.Value {
	index := make([]*ir.Value, len(s.Shape))
	for i := range index {
		v := o.Args[raceIndex+i]
		if d := v.Def; d != nil && d.Code == ir.OpConvert && d.Args[0].Type.Kind.IsInt() {
			v = d.Args[0]
		}
		index[i] = v
	}
	return index
}

// needless reports whether no two accesses to the part can conflict.
func (p *raceSet) needless() bool {
	read, written, updated := p.kinds[0], p.kinds[site.Write-site.Read], p.kinds[site.Update-site.Read]
	return p.at.Unique || !written && !(read && updated)
}

// drop removes records from b.
func (l *racing) drop(b *ir.Block) {
	var added []string // the keys that b adds to visited
	kept := b.Ops[:0]
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			l.drop(r)
		}
		if s := l.access(o); s != nil {
			if l.parts[l.part(s, o)].needless() {
				continue
			}
			if s.Kind != site.Write { // two writes may store different bits
				key := raceKey(s, o)
				if l.visited[key] {
					continue
				}
				l.visited[key] = true
				added = append(added, key)
			}
		}
		kept = append(kept, o)
	}
	clear(b.Ops[len(kept):])
	b.Ops = kept
	for _, key := range added {
		delete(l.visited, key)
	}
}

// raceKey identifies the kind of an access and its element: equal keys mean equal accesses.
func raceKey(s *ir.Site, o *ir.Op) string {
	var key strings.Builder
	fmt.Fprintf(&key, "%d %s", s.Kind, s.What)
	for i, v := range o.Args[raceComp : raceIndex+len(s.Shape)] {
		if c, ok := ir.IntOf(v); ok {
			fmt.Fprintf(&key, " %d", c)
		} else if i+raceComp != raceBits {
			fmt.Fprintf(&key, " %p", v)
		}
	}
	return key.String()
}
