package variant

import (
	"sync"
	"testing"
)

// TestNumbers numbers launches of a program and of one that works for it: neither shifts the other, and what is resumed
// has the numbers that it had.
func TestNumbers(t *testing.T) {
	var n Numbers
	own, aside := &Program{}, &Program{Aside: true}
	if a, b, c := n.Next(own), n.Next(aside), n.Next(own); a != 1 || c != 2 || b == 1 || b == 2 {
		t.Errorf("numbers %d, %d and %d", a, b, c)
	}
	was := n
	again := [2]uint64{n.Next(own), n.Next(aside)}
	var lock sync.Mutex
	err := n.Resume(&lock, was, func() error {
		if got := [2]uint64{n.Next(own), n.Next(aside)}; got != again {
			t.Errorf("resumed launches have the numbers %d, and had %d", got, again)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n.Last(own) != again[0] || n.Last(aside) != again[1] {
		t.Errorf("after that the last numbers are %d and %d", n.Last(own), n.Last(aside))
	}
	n.Next(own)
	n.giveBack(own)
	if n.Last(own) != again[0] {
		t.Error("a launch that has not begun took a number")
	}
	if back := n.Back(1, 1); back != was {
		t.Errorf("one launch of each before are %v, want %v", back, was)
	}
	if back := n.Back(100, 100); back != (Numbers{}) {
		t.Errorf("before the first launch are %v", back)
	}
}
