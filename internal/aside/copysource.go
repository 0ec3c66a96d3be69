package aside

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/store"
)

// copyKernels are the kernels of the two ways.
var copyKernels = [...]string{store.OutOf: "CopyTo", store.Into: "CopyFrom"}

// componentVar is the var of a component in their source.
func componentVar(k int) string { return fmt.Sprintf("X%d", k) }

// copySource writes the kernels that copy the elements of a field. Each component is a field of its own, Xk, and the Go
// values are a struct of all components: so the source needs no type of the host.
//
//	type e struct { c0 f32; c1 f32 }
//	var X0 field[f32, D2]
//	var X1 field[f32, D2]
//	func CopyTo(to array[e, D2]) {
//		for i0, i1 := range X0 {
//			v0 := X0[i0][i1]
//			v1 := X1[i0][i1]
//			to[i0][i1].c0, to[i0][i1].c1 = v0, v1
//		}
//	}
//
// All components of an element are loaded before any is stored, and stored by one assignment, as a group of numbers
// with one exponent wants it.
func copySource(c *store.Field) string {
	var b strings.Builder
	b.WriteString("package copies\n\n")
	writeElement(c, &b)
	var indices, here, there []string
	for k := range c.Rank {
		i := fmt.Sprintf("i%d", k)
		indices, here = append(indices, i), append(here, "["+i+"]")
		if o := c.Axes[k].Origin; o != 0 {
			i = fmt.Sprintf("%s-(%d)", i, o)
		}
		there = append(there, "["+i+"]")
	}
	var inside, outside, values []string
	for k := range c.Comps() {
		fmt.Fprintf(&b, "var %s field[%v, D%d]\n", componentVar(k), c.Access(k).Kind, c.Rank)
		values = append(values, fmt.Sprintf("v%d", k))
		inside = append(inside, fmt.Sprintf("%s%s", componentVar(k), strings.Join(here, "")))
		outside = append(outside, fmt.Sprintf("g%s.c%d", strings.Join(there, ""), k))
	}
	for w, name := range copyKernels {
		from, to := inside, outside
		if store.Way(w) == store.Into {
			from, to = outside, inside
		}
		fmt.Fprintf(&b, "\nfunc %s(g array[e, D%d]) {\n\tfor %s := range X0 {\n", name, c.Rank, strings.Join(indices, ", "))
		for k, v := range values {
			fmt.Fprintf(&b, "\t\t%s := %s\n", v, from[k])
		}
		fmt.Fprintf(&b, "\t\t%s = %s\n", strings.Join(to, ", "), strings.Join(values, ", "))
		b.WriteString("\t}\n}\n")
	}
	return b.String()
}

// writeElement declares the struct of a Go value, with its gaps.
func writeElement(c *store.Field, b *strings.Builder) {
	b.WriteString("type e struct {\n")
	at := uintptr(0)
	gap := func(to uintptr) {
		for ; at < to; at++ {
			fmt.Fprintf(b, "\tg%d u8\n", at)
		}
	}
	for k := range c.Comps() {
		kind := c.Access(k).Kind
		gap(c.Offset(k))
		fmt.Fprintf(b, "\tc%d %v\n", k, kind)
		at += uintptr(kind.Size())
	}
	gap(c.Elem().Size())
	b.WriteString("}\n\n")
}
