package randtest

import (
	"flag"
	"slices"
	"testing"
)

var some = New("some", "somefirst", "things", 3, 2)

// TestEach tries the seeds that the flags say.
func TestEach(t *testing.T) {
	tried := func() (all []uint64) {
		some.Each(t, func(t *testing.T, seed uint64) { all = append(all, seed) })
		return all
	}
	want := []uint64{0, 1, 2}
	if testing.Short() {
		want = want[:2]
	}
	if got := tried(); !slices.Equal(got, want) || some.Alone() {
		t.Errorf("the seeds %d are tried, not %d; one alone: %t", got, want, some.Alone())
	}
	for name, value := range map[string]string{"some": "1", "somefirst": "40"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if got := tried(); !slices.Equal(got, []uint64{40}) || !some.Alone() {
		t.Errorf("the seeds %d are tried, not that one; one alone: %t", got, some.Alone())
	}
}
