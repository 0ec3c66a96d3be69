package batch_test

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const redundantSource = `
package redundant

var (
	S, T field[f32, D0]
	X    field[f32]
)

func Use() {
	for i := range X {
		X[i] += S
	}
}

func Change() { S = 3 }

func Keep() { T = S }
`

// TestRedundant: stores of the host of what is there already are removed, those of another value, or behind another store, are not, and neither is the first.
func TestRedundant(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	for _, c := range []struct {
		steps   string // 1 and 2 set S, f and F fill it with 1 and 2, u reads it, c changes it
		removed int    // launches
		x       float32
	}{
		{"u1u1u1u", 2, 3}, {"u1u2u1u", 0, 4}, {"u1uc1u", 2, 2}, {"u1ucu1u", 0, 5}, {"kf1fu", 2, 1}, {"u1uf1u", 2, 2}, {"u1u2c1u", 2, 2}, {"kffufu", 2, 2},
	} {
		rt := titest.New(t, ti.Config{Batch: 1000})
		var h struct {
			S, T, X           ti.Field[float32]
			Use, Change, Keep func()
		}
		rt.Place(nil, &h.S, &h.T)
		rt.Place(ti.Shape{4}, &h.X)
		titest.Must(t, rt.Load(redundantSource, &h))
		var dot strings.Builder
		titest.Must(t, rt.WriteGraph(&dot, func() error {
			for _, s := range c.steps {
				switch s {
				case 'u':
					h.Use()
				case 'k':
					h.Keep()
				case 'c':
					h.Change()
				case 'f':
					h.S.Fill(1)
				case 'F':
					h.S.Fill(2)
				default:
					h.S.Set(float32(s - '0'))
				}
			}
			return nil
		}))
		if x := h.X.At(2); x != c.x {
			t.Errorf("%s: X is %v, want %v", c.steps, x, c.x)
		}
		if n := strings.Count(dot.String(), "removed: "); n != c.removed {
			t.Errorf("%s: %d launches are removed, want %d\n%s", c.steps, n, c.removed, &dot)
		}
	}
}
