package observe

import (
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/tally"
)

// This file counts what fields hold when [Runtime.Count] begins and ends: many numbers at a time, as far as the layout
// allows.

// countContents counts what a field holds, in the tally of each kind. The number of goroutines shows nowhere, since
// counts are sums, least and largest numbers.
func countContents(c *store.Field, of func(k layout.Kind) *tally.Tally, count func(t *tally.Tally, of tally.Strided)) {
	kinds := make([]layout.Kind, c.Comps())
	for i := range kinds {
		kinds[i] = c.Access(i).Kind
		of(kinds[i]) // in this order, whatever there is
	}
	size := c.Elem().Size()
	var mu sync.Mutex
	c.Scan(func(scan func(store.Scanner)) {
		var tallies []*tally.Tally // of each component
		for _, k := range kinds {
			tallies = append(tallies, tally.New(k))
		}
		scan(func(elements unsafe.Pointer, n int) {
			for i, k := range kinds {
				value := func(at unsafe.Pointer) float64 { return store.Real(at, k) }
				count(tallies[i], tally.Strided{At: unsafe.Add(elements, c.Offset(i)), Step: size, N: n, Value: value})
			}
		})
		mu.Lock()
		defer mu.Unlock()
		for i, k := range kinds {
			of(k).Add(tallies[i])
		}
	})
}
