//go:build unix

package cache

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A process that is killed while it writes, at whatever moment, leaves nothing that is taken for an
// entry, and keeps nobody from cleaning.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("TI_TEST_CACHE"); dir != "" {
		c, _ := opened(t, Options{Dir: dir, MaxBytes: 300_000})
		if _, err := os.Stdout.WriteString("started\n"); err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			c.Put(key(n%40), entry(n%40, 40_000))
		}
	}
	dir := t.TempDir()
	for n := range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "TI_TEST_CACHE="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(n*700) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
	c, said := opened(t, Options{Dir: dir})
	good, bad, err := c.Verify()
	if good == 0 || bad != nil || err != nil {
		t.Errorf("%d entries are good, bad are %q, %v", good, bad, err)
	}
	for n := range 40 {
		if got, ok := c.Get(key(n)); ok && !bytes.Equal(got, entry(n, 40_000)) {
			t.Errorf("entry %d has %d bytes", n, len(got))
		}
	}
	if _, err := c.Clean(); err != nil {
		t.Error(err)
	}
	silent(t, said)
}

// On a disk that is full an entry is not kept, whatever part of it found room; what is there stays of
// use, and one line says so. A limit on the size of files stands in for the disk.
func TestFull(t *testing.T) {
	if dir := os.Getenv("TI_TEST_CACHE"); dir != "" {
		c, said := opened(t, Options{Dir: dir})
		c.Put(key(1), entry(1, 4000))
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10_000, Max: 10_000}); err != nil {
			t.Fatal(err)
		}
		for n := 2; n < 5; n++ {
			c.Put(key(n), entry(n, 40_000))
			if _, ok := c.Get(key(n)); ok {
				t.Errorf("entry %d was kept", n)
			}
		}
		if got, ok := c.Get(key(1)); !ok || !bytes.Equal(got, entry(1, 4000)) {
			t.Errorf("entry 1: %v, %d bytes", ok, len(got))
		}
		if len(*said) != 1 || !strings.Contains((*said)[0], "is not kept on disk") {
			t.Errorf("warned %q", *said)
		}
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFull$")
	cmd.Env = append(os.Environ(), "TI_TEST_CACHE="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c, said := opened(t, Options{Dir: dir})
	if good, bad, err := c.Verify(); good != 1 || bad != nil || err != nil {
		t.Errorf("%d entries are good, bad are %q, %v", good, bad, err)
	}
	all, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if strings.HasPrefix(e.Name(), partial) {
			t.Errorf("%s is left", e.Name())
		}
	}
	silent(t, said)
}
