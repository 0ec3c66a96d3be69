package quanttest

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/treetext"
)

// TestDecodeBeside loads floats beside which a word has other numbers, or bits that are not in use: of codes that no store leaves, too.
func TestDecodeBeside(t *testing.T) {
	const n = 1 << 15
	for _, format := range []string{"float(8,22)", "float(8,16)", "float(8,2)", "float(8,17).unsigned()", "float(7,22)", "float(5,11)"} {
		c := coderOf(t, format, scalar.F32)
		for low := range 4 {
			if low+c.Width() > 32 {
				continue
			}
			rt := newRuntime(t, ti.Config{})
			var s struct {
				K    ti.Field[uint32]
				F, G ti.Field[float32]
				Load func()
			}
			word := rt.NewTree().Dense(ti.I, n).BitStruct(32)
			if low > 0 {
				word.Place(&s.K, ti.QuantInt(low).Unsigned())
			} else {
				rt.Place(ti.Shape{n}, &s.K)
			}
			word.Place(&s.F, treetext.Quant(c.Format))
			rt.Place(ti.Shape{n}, &s.G)
			if err := rt.Load("package d\n\nvar (\n\tK field[u32]\n\tF, G field[f32]\n)\n\nfunc Load() {\n\tfor p := range F {\n\t\tG[p] = F[p]\n\t}\n}\n", &s); err != nil {
				t.Fatal(err)
			}
			words := wordsOf[uint32](t, rt, word)
			if words == nil {
				return
			}
			for i := range uint32(n) {
				words[i] = i * 2654435761
				switch i % 8 { // the ends of the exponents
				case 0:
					words[i] |= (1<<c.Exp - 1) << (low + c.Digits)
				case 1:
					words[i] |= ^uint32(0) << low
				case 2:
					words[i] &= 1<<(low+c.Digits) - 1
				case 3:
					words[i] = 1<<(low+c.Width()-1) | i&3
				}
			}
			s.Load()
			bad := mistakes{T: t}
			for i, w := range words {
				if want, got := c.Decode(uint64(w)>>low), float64(s.G.At(i)); got != want {
					bad.report("%s: %#x is decoded as %v, not %v", fmt.Sprint(format, " above ", low), w, got, want)
				}
			}
		}
	}
}
