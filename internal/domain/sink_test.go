package domain

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/mpi"
	"github.com/gotaichi/ti/internal/site"
)

// lines is a sink that keeps what it gets.
type lines struct {
	launch.Sink
	got []string
}

func (l *lines) Record(n int, slots []uint64) { l.got = append(l.got, fmt.Sprint(n, slots)) }
func (l *lines) Dropped(n, first uint64)      { l.got = append(l.got, fmt.Sprint("dropped ", n, first)) }
func (l *lines) Flush() error                 { l.got = append(l.got, "flush"); return nil }

// TestSink: rank 0 gets the records of a loop of which one task prints and a later one does not.
func TestSink(t *testing.T) {
	err := mpi.Local(2, mpi.LocalConfig{}, func(c *mpi.Comm) error {
		w, to := NewWorld(c, nil), &lines{}
		s := &share{w: w, k: &launch.Kernel{Name: "K", Sites: []launch.Site{{Site: site.Site{Kind: site.Print}}}}}
		s.plans = []*plan{{way: parted, prints: true, grid: &Grid{Rows: 8, Tile: 4, Cuts: []int64{0, 4, 8}}, rows: launch.Rows{Step: 1}}, {way: everywhere}}
		s.sink = sink{Sink: to, share: s}
		rank := uint64(c.Rank())
		for task := range s.plans {
			if _, err := s.Enter(task, launch.Range{To: 8}, 1); err != nil {
				return err
			}
			if task == 0 {
				s.Record(0, []uint64{10 + rank, 7})
				if rank == 1 {
					s.Dropped(3, 15)
				}
			}
		}
		if err := s.Flush(); err != nil {
			return err
		}
		if err := s.Flush(); err != nil {
			return err
		}
		want := [][]string{{"0 [10 7]", "0 [11 7]", "dropped 3 15", "flush", "flush"}, {"flush", "flush"}}[rank]
		if fmt.Sprint(to.got) != fmt.Sprint(want) {
			t.Errorf("rank %d gets %q, want %q", rank, to.got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
