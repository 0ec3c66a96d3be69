package batch

import (
	"testing"

	"github.com/gotaichi/ti/internal/variant"
)

// TestRounds: a full batch ends where the last whole round of its launches ends.
func TestRounds(t *testing.T) {
	kernels := map[rune]*variant.Variant{}
	for _, c := range []struct {
		launches string
		want     int
	}{
		{"a", 1}, {"ab", 2}, {"aa", 2}, {"aaaaa", 5}, {"abc", 3},
		{"abab", 4}, {"ababa", 4}, {"abcabcab", 6}, {"abcab", 5}, // abc has not come twice
		{"xabcabc", 7}, // what comes before the rounds is no round
		{"aabaabaa", 6}, {"abaababaab", 10},
	} {
		var all []entry
		for _, name := range c.launches {
			if kernels[name] == nil {
				kernels[name] = new(variant.Variant)
			}
			all = append(all, entry{variant: kernels[name]})
		}
		if got := rounds(all); got != c.want {
			t.Errorf("of %s, %d launches are whole rounds, want %d", c.launches, got, c.want)
		}
	}
}
