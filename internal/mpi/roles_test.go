package mpi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/memory"
)

// roleVariable names what a process does that a test has started, instead of running tests.
const roleVariable = "MPI_TEST_ROLE"

func TestMain(m *testing.M) {
	name := os.Getenv(roleVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	c, err := Join(Config{Library: os.Getenv("MPI_TEST_LIBRARY"), Limit: 20 * time.Second})
	if err != nil {
		fmt.Println("Join:", err)
		os.Exit(1)
	}
	if err := roles[name](c); err != nil {
		fmt.Printf("rank %d: %v\n", c.Rank(), err)
		c.Abort(1)
	}
	c.Leave(0)
}

// roles are what processes do, and the goroutines of Local too where a test says so.
var roles = map[string]func(*Comm) error{
	"messages": func(c *Comm) error {
		return errors.Join(collectives(c), late(c), pieces(c), exchangeAll(c), beside(c), goroutines(c))
	},
	"exchange": exchangeAll,
	"nil": func(c *Comm) error {
		defer func() { fmt.Println("recovered:", recover()) }()
		var none *Comm
		_ = none.rank
		return nil
	},
	"pingpong": pingPong,
	"library": func(c *Comm) error {
		fmt.Printf("library %s\n", c.Library())
		return nil
	},
	"longer":  func(c *Comm) error { return lengths(c, 100, 60) },
	"longest": func(c *Comm) error { return lengths(c, 1<<20, 60) },
	"shorter": func(c *Comm) error { return lengths(c, 60, 100) },
	"status":  func(c *Comm) error { c.Leave(3 * c.Rank()); return nil },
	"abort":   onRank1(func(c *Comm) { c.Abort(5) }),
	"exit":    onRank1(func(*Comm) { os.Exit(4) }),
	"killed": onRank1(func(*Comm) {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}),
	"panic":    onRank1(func(*Comm) { panic("rank 1 panics") }),
	"diverged": diverged,
	"limit": func(c *Comm) error {
		if c.Rank() > 0 {
			time.Sleep(time.Second)
			return nil
		}
		c.cfg.Stall, c.cfg.Limit = 30*time.Millisecond, 100*time.Millisecond
		c.cfg.Stalled = func(s Stall) { fmt.Println("stalled:", s) }
		return c.Wait(c.Recv(1, 3, make([]byte, 8)))
	},
}

// onRank1 fails on rank 1 while the others wait for it.
func onRank1(fail func(c *Comm)) func(*Comm) error {
	return func(c *Comm) error {
		if c.Rank() == 1 {
			fail(c)
		}
		return c.Wait(c.Recv(1, 0, make([]byte, 8)))
	}
}

// late has all wait for rank 1, which computes.
func late(c *Comm) error {
	if c.Rank() == 1 {
		time.Sleep(100 * time.Millisecond)
	}
	return c.Barrier()
}

// beside exchanges large messages while nobody waits for them. They go into memory outside of the Go heap, where fields are.
func beside(c *Comm) error {
	to, from := (c.Rank()+1)%c.Size(), (c.Rank()-1+c.Size())%c.Size()
	region, err := memory.Map(1 << 20)
	if err != nil {
		return err
	}
	defer region.Free()
	got := region.Bytes()[:1<<20]
	receive, send := c.Recv(from, 0, got), c.Send(to, 0, text(c.Rank(), to, 0, 0, len(got)))
	for end := time.Now().Add(10 * time.Second); !receive.Done() || !send.Done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("messages make no progress while nobody waits")
		}
	}
	if !bytes.Equal(got, text(from, c.Rank(), 0, 0, len(got))) {
		return errors.New("a large message arrived damaged")
	}
	return nil
}

// goroutines exchanges messages on several goroutines, each with a tag of its own.
func goroutines(c *Comm) error {
	var errs [5]error
	var all sync.WaitGroup
	for tag := range errs {
		all.Go(func() {
			for i := range 40 {
				to, from := (c.Rank()+tag)%c.Size(), (c.Rank()-tag%c.Size()+c.Size())%c.Size()
				got := make([]byte, i*i)
				if err := c.Wait(c.Send(to, tag, text(c.Rank(), to, tag, i, i*i)), c.Recv(from, tag, got)); err != nil {
					errs[tag] = err
					return
				}
				if !bytes.Equal(got, text(from, c.Rank(), tag, i, i*i)) {
					errs[tag] = fmt.Errorf("message %d on tag %d arrived damaged", i, tag)
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs[:]...)
}

func diverged(c *Comm) error {
	if c.Rank() == 1 {
		_, err := c.AllGather([]byte("x"))
		return err
	}
	return c.Barrier()
}

// lengths has rank 0 send bytes to rank 1, which expects another number.
func lengths(c *Comm, sent, expected int) error {
	if c.Rank() == 0 {
		c.Send(1, 7, make([]byte, sent))
		return c.Wait(c.Recv(1, 0, make([]byte, 1))) // of a rank that fails
	}
	return c.Wait(c.Recv(0, 7, make([]byte, expected)))
}

// text is the contents of message i of a rank to another one.
func text(from, to, tag, i, n int) []byte {
	data := make([]byte, 0, n+8)
	draw := rand.NewPCG(uint64(from)<<32|uint64(to), uint64(tag)<<32|uint64(i))
	for len(data) < n {
		data = binary.LittleEndian.AppendUint64(data, draw.Uint64())
	}
	return data[:n]
}

// exchangeAll sends messages of many lengths to all ranks, on several tags, and receives them in another order of tags.
func exchangeAll(c *Comm) error {
	sizes := []int{0, 1, 7, 100, 5000, 70_000, 200_000, 0, 3}
	const tags = 3
	var sends, receives []*Request
	var got, want [][]byte
	for peer := range c.Size() {
		for tag := range tags {
			for i, n := range sizes {
				sends = append(sends, c.Send(peer, tag*5000, text(c.Rank(), peer, tag, i, n+tag)))
			}
		}
	}
	for peer := c.Size() - 1; peer >= 0; peer-- {
		for tag := tags - 1; tag >= 0; tag-- {
			for i, n := range sizes {
				want = append(want, text(peer, c.Rank(), tag, i, n+tag))
				got = append(got, make([]byte, n+tag))
				receives = append(receives, c.Recv(peer, tag*5000, got[len(got)-1]))
			}
		}
	}
	if err := c.Wait(slices.Concat(receives, sends)...); err != nil {
		return err
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			return fmt.Errorf("message %d of %d bytes arrived damaged", i, len(want[i]))
		}
	}
	return nil
}

// pieces exchanges messages of more than one piece, with ends at and around the ends of pieces.
func pieces(c *Comm) error {
	const most = 1000
	if l, is := c.carrier.(*library); is {
		l.most = most
	}
	for _, n := range []int{0, 1, most - 1, most, most + 1, 2 * most, 10*most + 1, 500 * most} {
		got := make([]byte, n)
		to, from := (c.Rank()+1)%c.Size(), (c.Rank()-1+c.Size())%c.Size()
		if err := c.Wait(c.Recv(from, 1, got), c.Send(to, 1, text(c.Rank(), to, 1, n, n))); err != nil {
			return err
		}
		if !bytes.Equal(got, text(from, c.Rank(), 1, n, n)) {
			return fmt.Errorf("%d bytes in pieces of %d arrived damaged", n, most)
		}
	}
	return c.Barrier()
}

// collectives checks each of them, with blocks of lengths that fit a head, and that do not.
func collectives(c *Comm) error {
	block := func(rank, i int) []byte { return text(rank, 0, 0, i, (rank*37+i*i*i*17)%3000) }
	var wrong []error
	check := func(what string, i, rank int, got []byte) {
		if !bytes.Equal(got, block(rank, i)) {
			wrong = append(wrong, fmt.Errorf("%s %d: the block of rank %d arrived as %d bytes, not %d", what, i, rank, len(got), len(block(rank, i))))
		}
	}
	for i := range 12 {
		root := i % c.Size()
		all, err := c.AllGather(block(c.Rank(), i))
		if err != nil {
			return err
		}
		for rank, got := range all {
			check("AllGather", i, rank, got)
		}
		one, err := c.Broadcast(root, block(c.Rank(), i))
		if err != nil {
			return err
		}
		check("Broadcast", i, root, one)
		if all, err = c.Gather(root, block(c.Rank(), i)); err != nil {
			return err
		}
		if (all != nil) != (c.Rank() == root) {
			return fmt.Errorf("Gather to rank %d gave rank %d %d blocks", root, c.Rank(), len(all))
		}
		for rank, got := range all {
			check("Gather", i, rank, got)
		}
		if err := c.Barrier(); err != nil {
			return err
		}
	}
	return errors.Join(append(wrong, barrierHolds(c))...)
}

// barrierHolds checks that nobody leaves a barrier before the last rank has entered: the last one sends a message before, so that it must be there after.
func barrierHolds(c *Comm) error {
	for last := range c.Size() {
		note := make([]byte, 8)
		var r *Request
		if c.Rank() == last {
			time.Sleep(3 * time.Millisecond)
			binary.LittleEndian.PutUint64(note, uint64(time.Now().UnixNano()))
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		left := time.Now().UnixNano()
		note, err := c.Broadcast(last, note)
		if err != nil {
			return err
		}
		if entered := int64(binary.LittleEndian.Uint64(note)); left < entered {
			return fmt.Errorf("rank %d left a barrier %d ns before rank %d entered it (%v)", c.Rank(), entered-left, last, r)
		}
	}
	return nil
}

// lines returns the lines of an output that contain a word.
func lines(out, word string) (found []string) {
	for line := range strings.Lines(out) {
		if strings.Contains(line, word) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}
