package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A cgroup bounds the processor time of a process, a tenth of a processor or without a bound.
type cgroup struct {
	dir, file        string
	bounded, without string
}

// newCgroup makes a group below that of this process, by the second version of the interface or the first. It skips the
// test where the system does not let it, as in most containers: nothing else can take processor time away.
func newCgroup(t *testing.T) *cgroup {
	t.Helper()
	var denied error
	for _, g := range []cgroup{
		{"/sys/fs/cgroup" + ownCgroup(""), "cpu.max", "1000 10000", "max 10000"},
		{"/sys/fs/cgroup/cpu" + ownCgroup("cpu"), "cpu.cfs_quota_us", "10000", "-1"},
	} {
		g.dir = filepath.Join(g.dir, fmt.Sprintf("ti-test-%d", os.Getpid()))
		if err := os.Mkdir(g.dir, 0o755); err != nil {
			denied = errors.Join(denied, err)
			continue
		}
		t.Cleanup(func() { _ = os.Remove(g.dir) })
		if err := g.bound(true); err != nil {
			denied = errors.Join(denied, err)
			continue
		}
		return &g
	}
	t.Skip(denied)
	return nil
}

// ownCgroup is the path of this process's group in the hierarchy of a controller, "" for that of the second version.
func ownCgroup(controller string) string {
	text, _ := os.ReadFile("/proc/self/cgroup")
	for _, line := range strings.Split(string(text), "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) == 3 && (controller == "" && parts[1] == "" || controller != "" && strings.Contains(","+parts[1]+",", ","+controller+",")) {
			return parts[2]
		}
	}
	return "/"
}

// bound sets the bound, or takes it away.
func (g *cgroup) bound(on bool) error {
	text := g.without
	if on {
		text = g.bounded
	}
	return writeExisting(filepath.Join(g.dir, g.file), text)
}

// writeExisting writes to a file of the system. A folder that is no group has none, and gets none.
func writeExisting(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// TestProcessorTimeTaken runs launches in a process whose processor time is bounded, and not, in turn.
func TestProcessorTimeTaken(t *testing.T) {
	if dir := os.Getenv("TI_TEST_CGROUP"); dir != "" {
		if err := writeExisting(filepath.Join(dir, "cgroup.procs"), fmt.Sprint(os.Getpid())); err != nil {
			t.Skip(err)
		}
		launchOn(t, "bounded")
		return
	}
	g := newCgroup(t)
	runBounded(t, g)
}

// heldUp is in the counts of a group whose processes have been held up. Periods count only if they end so (nr_throttled), the time
// always does.
var heldUp = regexp.MustCompile(`(?m)^throttled_(time|usec) [1-9]`)

// runBounded runs this test in another process, in the group, while the bound comes and goes.
func runBounded(t *testing.T, g *cgroup) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcessorTimeTaken$", "-test.v")
	cmd.Env = append(os.Environ(), "TI_TEST_CGROUP="+g.dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for on := false; ; on = !on {
		select {
		case err := <-ended:
			text := out.String()
			if strings.Contains(text, "--- SKIP") {
				t.Skip(text)
			}
			if err != nil || !strings.Contains(text, "--- PASS") {
				t.Errorf("%v\n%s", err, text)
			}
			if stat, err := os.ReadFile(filepath.Join(g.dir, "cpu.stat")); err != nil || !heldUp.Match(stat) {
				t.Skipf("others took so much of the processors that the bound never held the process up (%v):\n%s", err, stat)
			}
			return
		case <-time.After(30 * time.Millisecond):
			if err := g.bound(on); err != nil {
				t.Error(err)
			}
		}
	}
}
