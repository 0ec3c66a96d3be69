package mpi

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/randtest"
)

var reorderings = randtest.New("reorderings", "firstreordering", "orders of messages between goroutines", 40, 15)

// TestReorderings exchanges messages and runs collectives, on one to six ranks, with other delays for each seed.
func TestReorderings(t *testing.T) {
	reorderings.Each(t, func(t *testing.T, seed uint64) {
		n := 1 + int(seed%6)
		cfg := LocalConfig{Config: Config{Limit: time.Minute}, Seed: seed, Jitter: time.Duration(seed%4) * 50 * time.Microsecond}
		if err := Local(n, cfg, func(c *Comm) error { return errors.Join(exchangeAll(c), collectives(c), beside(c), goroutines(c)) }); err != nil {
			t.Error(err)
		}
	})
}

// TestOvertaking: with a seed, messages overtake those of another tag, and none of their own; without, they overtake none.
func TestOvertaking(t *testing.T) {
	for seed := range uint64(3) {
		overtaken := 0
		err := Local(2, LocalConfig{Seed: seed}, func(c *Comm) error {
			for i := range byte(50) {
				if c.Rank() == 0 {
					if err := c.Wait(c.Send(1, 0, []byte{i}), c.Send(1, 1, []byte{i}), c.Send(1, 0, []byte{i + 100})); err != nil {
						return err
					}
					continue
				}
				var got [3][1]byte
				first, other, second := c.Recv(0, 0, got[0][:]), c.Recv(0, 1, got[1][:]), c.Recv(0, 0, got[2][:])
				if err := c.Wait(other); err != nil {
					return err
				}
				if !first.Done() {
					overtaken++
				}
				if err := c.Wait(second); err != nil || !first.Done() {
					return fmt.Errorf("the second message with a tag overtook the first (%v)", err)
				}
				if want := [3][1]byte{{i}, {i}, {i + 100}}; got != want {
					return fmt.Errorf("%d arrived, and %d was sent", got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if (overtaken > 0) != (seed != 0) {
			t.Errorf("with the seed %d, %d of 50 messages overtook another", seed, overtaken)
		}
	}
}

// TestDelay: messages under way at the same time take the delay once.
func TestDelay(t *testing.T) {
	const delay = 30 * time.Millisecond
	err := Local(2, LocalConfig{Delay: delay}, func(c *Comm) error {
		begin := time.Now()
		var all []*Request
		for tag := range 10 {
			all = append(all, c.Send(1-c.Rank(), tag, []byte("x")), c.Recv(1-c.Rank(), tag, make([]byte, 1)))
		}
		err := c.Wait(all...)
		if took := time.Since(begin); err == nil && (took < delay || took > 5*delay) {
			err = fmt.Errorf("ten messages took %v", took)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSendersWait: without a seed the request of a sender ends when the message is received, and not before.
func TestSendersWait(t *testing.T) {
	err := Local(2, LocalConfig{}, func(c *Comm) error {
		if c.Rank() == 1 {
			time.Sleep(20 * time.Millisecond)
			return c.Wait(c.Recv(0, 0, make([]byte, 1)))
		}
		r := c.Send(1, 0, []byte("x"))
		time.Sleep(time.Millisecond)
		if r.Done() {
			return errors.New("a request to send ended before the message was received")
		}
		return c.Wait(r)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLocalFailures: the failure of rank 1 is all that Local reports, and the others, which wait, learn of it.
func TestLocalFailures(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		fail func(c *Comm) error
		want []string // in the error
		heir string   // what the others see, where it is something else
	}{
		"error":   {fail: func(*Comm) error { return broken }, want: []string{"rank 1: broken"}},
		"panic":   {fail: func(*Comm) error { panic("out of cheese") }, want: []string{"rank 1: panic: out of cheese", "local_test.go"}, heir: "out of cheese"},
		"goexit":  {fail: func(*Comm) error { runtime.Goexit(); return nil }, want: []string{"rank 1: its goroutine has ended"}},
		"abort":   {fail: func(c *Comm) error { c.Abort(5); return nil }, want: []string{"rank 1: exit status 5"}},
		"returns": {fail: func(*Comm) error { return nil }, want: []string{"rank 1: it has ended without sending this message"}},
		"leaves other goroutine": {
			fail: func(c *Comm) error { go c.Abort(7); return c.Wait(c.Recv(0, 9, make([]byte, 1))) },
			want: []string{"rank 1: exit status 7"},
		},
		"length": {
			fail: func(c *Comm) error {
				c.Send(1, 2, make([]byte, 30))
				return c.Wait(c.Recv(1, 2, make([]byte, 20)))
			},
			want: []string{"rank 1: rank 1 sent 30 bytes (tag 2), and 20 were expected"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			others := make([]error, 3)
			err := Local(3, LocalConfig{}, func(c *Comm) error {
				if c.Rank() == 1 {
					return tt.fail(c)
				}
				others[c.Rank()] = c.Wait(c.Recv(1, 0, make([]byte, 8)))
				if late := c.Wait(c.Recv(1, 0, make([]byte, 8))); !errors.Is(late, ErrRank) {
					return fmt.Errorf("a later request: %v", late)
				}
				return others[c.Rank()]
			})
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("Local returned %v, want %q", err, want)
				}
			}
			for _, rank := range []int{0, 2} {
				want := &RankError{}
				if !errors.As(others[rank], &want) || want.Rank != 1 || !strings.Contains(want.Error(), tt.heir) {
					t.Errorf("rank %d saw %v", rank, others[rank])
				}
			}
			if !errors.Is(err, ErrRank) || name == "error" && !errors.Is(err, broken) {
				t.Errorf("Local returned %v", err)
			}
			if name != "returns" && strings.Contains(err.Error(), "rank 0") && name != "length" {
				t.Errorf("Local returned what follows, too: %v", err)
			}
		})
	}
}

// TestUnreceived: who sends to a rank that has returned fails.
func TestUnreceived(t *testing.T) {
	err := Local(2, LocalConfig{}, func(c *Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		return c.Wait(c.Send(1, 0, []byte("x")))
	})
	if err == nil || !strings.Contains(err.Error(), "rank 1: it has ended without receiving this message") {
		t.Error(err)
	}
}

// TestSeveralFail: errors of several ranks are all returned, in their order.
func TestSeveralFail(t *testing.T) {
	err := Local(4, LocalConfig{}, func(c *Comm) error {
		if c.Rank()%2 == 0 {
			return nil
		}
		return fmt.Errorf("broken %d", c.Rank())
	})
	if err == nil || err.Error() != "rank 1: broken 1\nrank 3: broken 3" {
		t.Errorf("%v", err)
	}
}

// TestRequests: ranks and tags that do not exist.
func TestRequests(t *testing.T) {
	c := alone(Config{})
	for _, r := range []*Request{c.Send(1, 0, nil), c.Send(-1, 0, nil), c.Recv(0, -1, nil), c.Recv(0, MaxTag+1, nil)} {
		if err := c.Wait(r); !errors.Is(err, ErrRequest) {
			t.Errorf("a request %v of rank %d with tag %d: %v", r.receive, r.peer, r.tag, err)
		}
	}
	if err := c.Wait(c.Recv(0, MaxTag, nil), c.Send(0, MaxTag, nil)); err != nil {
		t.Errorf("to itself: %v", err)
	}
}

// TestStalls: a wait reports after each stall, and fails at the limit.
func TestStalls(t *testing.T) {
	var stalls []Stall
	cfg := LocalConfig{Config: Config{
		Stall: 20 * time.Millisecond, Limit: 90 * time.Millisecond, Stalled: func(s Stall) { stalls = append(stalls, s) },
	}}
	begin := time.Now()
	err := Local(2, cfg, func(c *Comm) error {
		if c.Rank() == 1 {
			time.Sleep(200 * time.Millisecond)
			return nil
		}
		return c.Wait(c.Recv(1, 3, make([]byte, 8)))
	})
	if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "for 8 bytes from rank 1 (tag 3)") || time.Since(begin) > 20*time.Second {
		t.Error(err)
	}
	if len(stalls) < 2 || len(stalls) > 4 {
		t.Fatalf("%d stalls were reported", len(stalls))
	}
	for i, s := range stalls {
		s.Waited = s.Waited.Truncate(20 * time.Millisecond)
		if want := (Stall{1, 3, true, 8, 0}); i == 0 && s.Waited == 0 || (Stall{s.Peer, s.Tag, s.Receive, s.Bytes, 0}) != want {
			t.Errorf("stall %d is %+v", i, s)
		}
	}
}

// TestDiverged: ranks in different collectives find that out.
func TestDiverged(t *testing.T) {
	err := Local(2, LocalConfig{}, diverged)
	if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "Barrier") || !strings.Contains(err.Error(), "AllGather") {
		t.Error(err)
	}
}

// TestAlone: a job of one rank sends to itself and has collectives.
func TestAlone(t *testing.T) {
	c, err := Join(Config{Library: None})
	if err != nil || c.Rank() != 0 || c.Size() != 1 || c.Library() != "none" {
		t.Fatal(c, err)
	}
	if err := errors.Join(exchangeAll(c), collectives(c)); err != nil {
		t.Error(err)
	}
	before := c.Stats()
	if err := c.Wait(c.Recv(0, 0, make([]byte, 5)), c.Send(0, 0, []byte("hello"))); err != nil {
		t.Error(err)
	}
	if now := c.Stats(); now.Messages != before.Messages+1 || now.Bytes != before.Bytes+5 {
		t.Errorf("%+v, then %+v", before, now)
	}
}

// TestPack packs blocks.
func TestPack(t *testing.T) {
	blocks := [][]byte{nil, []byte("a"), {}, []byte("long")}
	if got := unpack(pack(blocks), len(blocks)); !slices.EqualFunc(got, blocks, bytes.Equal) {
		t.Errorf("%q", got)
	}
}
