package ir

import "testing"

// TestEffects: an op is pure, a jump, has regions, or says what it reads and writes.
func TestEffects(t *testing.T) {
	for _, c := range Codes() {
		e := *c.Effects()
		kinds := 0
		for _, is := range []bool{c.Is(Pure), c.Is(Terminator), c.Info().Regions > 0, e != Effects{}} {
			if is {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("%s is %d of: pure, a jump, with regions, with effects", c, kinds)
		}
	}
}
