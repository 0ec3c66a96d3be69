package mpi

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/native"
)

// BenchmarkPingPong measures messages between ranks, and ways to wait for them, and prints a table:
//
//	go test ./internal/mpi -run - -bench PingPong -benchtime 1x
func BenchmarkPingPong(b *testing.B) {
	for _, m := range installations() {
		for _, n := range []int{2, 4} {
			b.Run(fmt.Sprintf("%s-%d", m.name, n), func(b *testing.B) {
				for range b.N {
					out, status := m.launch(b, "pingpong", n)
					if status != 0 {
						b.Fatalf("status %d:\n%s", status, out)
					}
					fmt.Printf("\n%s, %d ranks\n%s\n", m.name, n, strings.Join(lines(out, "|"), "\n")) // a log ends after ten lines
				}
			})
		}
	}
}

// ways are ways to wait until a request of MPI has ended.
var ways = []struct {
	name string
	wait func(l *library, p *piece)
}{
	{"MPI_Wait", func(l *library, p *piece) {
		native.Call(l.lib.Symbol("MPI_Wait"), uintptr(unsafe.Pointer(&p.handle)), uintptr(unsafe.Pointer(&l.status)))
	}},
	{"test, spin", func(l *library, p *piece) {
		for !l.tested(p) {
		}
	}},
	{"test, sched_yield", func(l *library, p *piece) {
		for !l.tested(p) {
			native.Call(l.yield)
		}
	}},
	{"test, Gosched", func(l *library, p *piece) {
		for !l.tested(p) {
			runtime.Gosched()
		}
	}},
	{"test, sleep", func(l *library, p *piece) {
		for !l.tested(p) {
			time.Sleep(20 * time.Microsecond)
		}
	}},
}

func (l *library) tested(p *piece) bool {
	_ = l.call(test, uintptr(unsafe.Pointer(&p.handle)), l.at(0), uintptr(unsafe.Pointer(&l.status)))
	return l.out[0] != 0
}

// raw sends a message to a peer and receives one, in one of the ways.
func (l *library) raw(peer int, receive uintptr, out, in []byte, wait func(*library, *piece)) {
	var both [2]piece
	for i, data := range [][]byte{in, out} {
		native.Call([]uintptr{receive, l.fn[isend]}[i], uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), l.bytes, uintptr(peer), 9, l.world,
			uintptr(unsafe.Pointer(&both[i].handle)))
	}
	for i := range both {
		wait(l, &both[i])
	}
}

// pingPong has each rank exchange messages with a neighbour, all at the same time, and prints how long an exchange takes: alone, and after a
// millisecond of work.
func pingPong(c *Comm) error {
	peer := c.Rank() ^ 1
	l := c.carrier.(*library)
	receive := l.lib.Symbol("MPI_Irecv")
	for _, work := range []int{0, 300_000} {
		for _, n := range []int{8, 16 << 10, 1 << 20, 16 << 20} {
			if work > 0 && n != 16<<10 {
				continue
			}
			out, in := make([]byte, n), make([]byte, n)
			var failed error
			err := measure(c, "Comm", n, work, func() {
				if err := c.Wait(c.Recv(peer, 0, in), c.Send(peer, 0, out)); err != nil {
					failed = err
				}
			})
			for _, w := range ways {
				err = errors.Join(err, measure(c, w.name, n, work, func() {
					l.mu.Lock()
					l.raw(peer, receive, out, in, w.wait)
					l.mu.Unlock()
				}))
			}
			if err := errors.Join(err, failed); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure prints the time of an exchange of n bytes, with work before it.
func measure(c *Comm, what string, n, work int, exchange func()) error {
	times := make([]time.Duration, max(20, min(1000, 20_000_000/(n+1000+100*work))))
	if err := c.Barrier(); err != nil {
		return err
	}
	var sum time.Duration
	for i := range times {
		begin := time.Now()
		for w := range work {
			worked ^= worked<<13 ^ uint64(w)
			worked ^= worked >> 7
		}
		exchange()
		times[i] = time.Since(begin)
		sum += times[i]
	}
	slices.Sort(times)
	if c.Rank() == 0 {
		median, late := times[len(times)/2], times[len(times)*99/100]
		fmt.Printf("| %-17s | %8d bytes | %6d rounds of work | median %8.1f us | 99 %% %8.1f us | mean %8.1f us | %6.0f MB/s each way |\n", what, n, work,
			micro(median), micro(late), micro(sum)/float64(len(times)), float64(n)/micro(median))
	}
	return nil
}

func micro(d time.Duration) float64 { return float64(d) / 1e3 }

// worked keeps the compiler from dropping the work.
var worked uint64 = 1
