package random

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var long = randtest.Long("long", "compile 1,000 random kernels where otherwise a few do")

// TestCompileMany compiles and launches many random kernels, a few to a runtime. When
// a runtime is closed the machine code of its kernels must be gone, and the process
// must not grow with the number of kernels.
func TestCompileMany(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of the process is read from /proc")
	}
	t.Setenv(codegen.EnvObjects, "") // what libLLVM leaves behind counts
	rounds, each := 4, 8
	switch {
	case *long:
		rounds, each = 50, 20
	case testing.Short():
		rounds, each = 3, 4
	}
	v := runtest.Variant{Label: "llvm", Arch: ti.LLVM, Opt: "3", Threads: 2}
	bytes := codeBytes
	if collected(t, v) {
		bytes = settledBytes
	}
	before := bytes(t)
	var seed uint64
	var settled int64 // resident after the first round, which fills caches
	for round := range rounds {
		rt, out := v.StrictRuntime(t)
		for range each {
			seed++
			s := newScene(1<<32 + seed)
			r := &runtest.Run{TB: t, Variant: v, RT: rt, Out: out}
			launchRandom(r, randomKernel(s), s)
		}
		if n := codeBytes(t); n <= before {
			t.Fatalf("%d kernels have %d bytes of machine code", each, n-before)
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		if n := bytes(t); n != before {
			t.Errorf("after %d kernels, %d bytes of machine code remain", seed, n-before)
		}
		now := resident(t)
		if round == 0 {
			settled = now
		}
		t.Logf("%d kernels: %d KiB resident", seed, now>>10)
	}
	// Go's heap stays as it is. malloc keeps some of what LLVM frees, less the longer
	// it runs: about 20 KiB a kernel, of the megabytes that compiling one takes. A thread that
	// compiles for the first time gets an arena of its own, which keeps up to 40 MiB.
	if grown := resident(t) - settled; grown > 48<<20+int64(seed)*32<<10 {
		t.Errorf("%d kernels after the first %d the process has grown by %d KiB", int(seed)-each, each, grown>>10)
	}
}

// collected reports whether machine code goes with the garbage that refers to it, as that of WebAssembly does.
func collected(t *testing.T, v runtest.Variant) bool {
	rt, _ := v.StrictRuntime(t)
	arch := rt.Device().Arch
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	return arch == ti.Wasm
}

// settledBytes is codeBytes when there is no more garbage: finalizers run some time after a collection.
func settledBytes(t testing.TB) int64 {
	least, same := codeBytes(t), 0
	for try := 0; try < 100 && same < 5; try++ {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
		if n := codeBytes(t); n < least {
			least, same = n, 0
		} else {
			same++
		}
	}
	return least
}

// codeBytes is the size of the executable memory that is part of no file.
func codeBytes(t testing.TB) (sum int64) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) != 5 || !strings.Contains(fields[1], "x") {
			continue
		}
		var from, to int64
		if _, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to); err != nil {
			t.Fatal(err)
		}
		sum += to - from
	}
	return sum
}

// resident is the memory of the process, without what Go could give back.
func resident(t testing.TB) int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile(filepath.Join("/proc/self", "statm"))
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
