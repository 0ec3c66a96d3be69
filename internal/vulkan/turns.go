package vulkan

import "sync"

// turns has functions take turns on llvmpipe, which ends the process now and then if pipelines are made or destroyed while it works on a submission. Several
// submissions may be under way, or one such function is. Whoever has a submission under way may add another one, since it waits for both itself. With none under
// way, functions that wait come first.
type turns struct {
	mu      sync.Mutex
	changed sync.Cond
	working int  // submissions that nobody has waited for
	making  bool // such a function is called
	waiting int  // callers of such functions
}

// submit waits until a submission may begin.
func (t *turns) submit() {
	t.mu.Lock()
	for t.making || t.working == 0 && t.waiting > 0 {
		t.changed.Wait()
	}
	t.working++
	t.mu.Unlock()
}

// ended says that a submission has been waited for, or has failed.
func (t *turns) ended() {
	t.mu.Lock()
	if t.working--; t.working == 0 {
		t.changed.Broadcast()
	}
	t.mu.Unlock()
}

// make waits until pipelines may be made.
func (t *turns) make() {
	t.mu.Lock()
	t.waiting++
	for t.making || t.working > 0 {
		t.changed.Wait()
	}
	t.waiting--
	t.making = true
	t.mu.Unlock()
}

// made ends the turn of such a function.
func (t *turns) made() {
	t.mu.Lock()
	t.making = false
	t.changed.Broadcast()
	t.mu.Unlock()
}
