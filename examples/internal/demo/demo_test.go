package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestUnwritable checks that a folder that cannot be written to is reported with a remedy, and that one that is
// missing is made.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := New("x", file, nil).writable(); err == nil || !strings.Contains(err.Error(), "choose another folder with -out") {
		t.Errorf("a folder that is a file: got %v, want an error that names -out", err)
	}
	if err := New("x", filepath.Join(dir, "new", "folder"), nil).writable(); err != nil {
		t.Error(err)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		amount float64
		d      time.Duration
		want   string
	}{
		{5e9, time.Second, "5 Gpair/s"}, {1234567, time.Second, "1.23 Mpair/s"},
		{10, 10 * time.Millisecond, "1 kpair/s"}, {3, time.Second, "3 pair/s"}, {3, 0, "-"},
	} {
		if got := rate(c.amount, c.d, "pair"); got != c.want {
			t.Errorf("rate(%v, %v) = %q; want %q", c.amount, c.d, got, c.want)
		}
	}
}

// TestSteps checks that progress that goes to a file is a line for each tenth.
func TestSteps(t *testing.T) {
	var out strings.Builder
	s := New("x", "", &out)
	sum := 0
	for i := range s.Steps(40, "frames") {
		sum += i
	}
	if sum != 780 {
		t.Errorf("the steps sum to %d; want 780", sum)
	}
	if n := strings.Count(out.String(), "\n"); n != 10 || !strings.HasSuffix(out.String(), "x: 40 of 40 frames\n") {
		t.Errorf("got %d lines:\n%s", n, out.String())
	}
}
