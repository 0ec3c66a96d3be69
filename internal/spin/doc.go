// Package spin has what loops need that wait for another thread for less than a microsecond.
//
// Out: [Pause], the hint to the processor that such a loop runs, so that it neither speculates nor takes resources from the
// other thread of its core. Where there is no such instruction, the Go scheduler runs other goroutines.
//
// Tests: internal/launch (TestLock) and internal/engine (TestRest) wait in such loops.
package spin
