package variant_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
)

const cachedSource = `package p

var X field[f32, D1]

func Fill(v f32) {
	for i := range X {
		X[i] = v * i
	}
}

func Sum() f32 {
	s := f32(0)
	for i := range X {
		s += X[i]
	}
	assert(s < 1e6, "too much")
	return s
}
`

// cachedRun runs kernels in a runtime of its own and returns the result, how many were compiled
// and how many came from the cache.
func cachedRun(t *testing.T, cfg ti.Config, source string, n int) (sum float32, compiled, hits int64) {
	t.Helper()
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var p struct {
		X    ti.Field[float32]
		Fill func(v float32) error
		Sum  func() (float32, error)
	}
	rt.Place(ti.Shape{n}, &p.X)
	if _, err := rt.Compile(ti.Text("p.ti", source), &p); err != nil {
		t.Fatal(err)
	}
	if err := p.Fill(2); err != nil {
		t.Fatal(err)
	}
	if sum, err = p.Sum(); err != nil {
		t.Fatal(err)
	}
	st := rt.Stats()
	return sum, st.Compiled, st.CacheHits
}

// What was compiled once comes from the cache, in other runtimes too, unless something differs
// that the code depends on.
func TestDiskCache(t *testing.T) {
	on := ti.Cache{Dir: filepath.Join(t.TempDir(), "cache"), Policy: ti.CacheFIFO}
	for _, test := range []struct {
		name     string
		cfg      ti.Config
		source   string
		n        int
		compiled int64
	}{
		{"first", ti.Config{}, cachedSource, 10, 2},
		{"again", ti.Config{}, cachedSource, 10, 0},
		{"another size", ti.Config{}, cachedSource, 11, 2},
		{"no checks", ti.Config{Unchecked: true}, cachedSource, 10, 2},
		{"another source", ti.Config{}, strings.Replace(cachedSource, "v * i", "i * v + 0", 1), 10, 1},
		{"other lines", ti.Config{}, strings.Replace(cachedSource, "func Fill", "\nfunc Fill", 1), 10, 2},
		{"first again", ti.Config{}, cachedSource, 10, 0},
		{"off", ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}}, cachedSource, 10, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.cfg.Cache.Policy != ti.CacheOff {
				test.cfg.Cache = on
			}
			sum, compiled, hits := cachedRun(t, test.cfg, test.source, test.n)
			if want := float32(test.n * (test.n - 1)); sum != want {
				t.Errorf("the sum is %g, want %g", sum, want)
			}
			if compiled != test.compiled || hits != 2-compiled && test.name != "off" {
				t.Errorf("compiled %d, from the cache %d; want %d compiled", compiled, hits, test.compiled)
			}
		})
	}
}

// A failure in code from the cache is reported as in code that was just compiled.
func TestDiskCacheFailure(t *testing.T) {
	on := ti.Cache{Dir: t.TempDir(), Policy: ti.CacheNever}
	var texts []string
	for range 2 {
		rt, err := ti.New(ti.Config{Cache: on})
		if err != nil {
			t.Fatal(err)
		}
		var p struct {
			X   ti.Field[float32]
			Sum func() (float32, error)
		}
		rt.Place(ti.Shape{4}, &p.X)
		if err := rt.Load(cachedSource, &p); err != nil {
			t.Fatal(err)
		}
		p.X.Fill(1e6)
		_, err = p.Sum()
		texts = append(texts, fmt.Sprint(err))
		rt.Close()
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "too much") {
		t.Errorf("the failures are %q", texts)
	}
}

// An entry that is damaged is compiled anew, and the results are right.
func TestDiskCacheDamaged(t *testing.T) {
	dir := t.TempDir()
	on := ti.Cache{Dir: dir}
	on.Policy = ti.CacheNever
	cachedRun(t, ti.Config{Cache: on}, cachedSource, 10)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.tic"))
	if err != nil || len(files) < 2 { // beside what libLLVM says of this machine
		t.Fatalf("%d entries, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 0x10
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if sum, compiled, hits := cachedRun(t, ti.Config{Cache: on}, cachedSource, 10); sum != 90 || compiled != 2 || hits != 0 {
		t.Errorf("the sum is %g, compiled %d, from the cache %d", sum, compiled, hits)
	}
	if sum, compiled, hits := cachedRun(t, ti.Config{Cache: on}, cachedSource, 10); sum != 90 || compiled != 0 || hits != 2 {
		t.Errorf("then the sum is %g, compiled %d, from the cache %d", sum, compiled, hits)
	}
}

// A process that finds all its code in the cache opens no libLLVM, and another whose code is not
// all there does.
func TestDiskCacheOpensNothing(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("there is no list of what is mapped, or a processor tells little of itself")
	}
	if dir := os.Getenv("TI_TEST_DISK_CACHE"); dir != "" {
		_, compiled, _ := cachedRun(t, ti.Config{Cache: ti.Cache{Dir: dir, Policy: ti.CacheNever}}, cachedSource, 10)
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("compiled %d, opened %v\n", compiled, strings.Contains(string(maps), "libLLVM"))
		return
	}
	llvmtest.Code(t)
	dir := t.TempDir()
	for _, want := range []string{"compiled 2, opened true", "compiled 0, opened false", "compiled 1, opened true", "compiled 0, opened false"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDiskCacheOpensNothing$")
		cmd.Env = append(os.Environ(), "TI_TEST_DISK_CACHE="+dir, codegen.EnvObjects+"=")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v\n%s\nwant: %s", err, out, want)
		}
		if want == "compiled 0, opened false" { // one kernel has to be compiled again
			files, err := filepath.Glob(filepath.Join(dir, "*", "*.tic"))
			if err != nil || len(files) != 7 { // declarations, an outline, two kernels in the index and their code, and what libLLVM says
				t.Fatalf("%d entries, %v", len(files), err)
			}
			kernel := slices.IndexFunc(files, isKernel)
			if err := os.Remove(files[kernel]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// isKernel reports whether an entry is the code of a kernel.
func isKernel(path string) bool {
	data, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(data), "tilaunch")
}

// TestCacheConfigWrong gives values that no cache can have, by Config and by the environment.
func TestCacheConfigWrong(t *testing.T) {
	for _, test := range []struct {
		cache      ti.Cache
		name, text string // of the environment
		want       string
	}{
		{cache: ti.Cache{MaxBytes: -1}, want: "Config.Cache.MaxBytes is -1"},
		{cache: ti.Cache{Cleaning: -0.1}, want: "Config.Cache.Cleaning is -0.1"},
		{cache: ti.Cache{Cleaning: 1.5}, want: "Config.Cache.Cleaning is 1.5"},
		{cache: ti.Cache{Cleaning: math.NaN()}, want: "Config.Cache.Cleaning is NaN"},
		{cache: ti.Cache{Policy: 77}, want: "Config.Cache.Policy is policy(77)"},
		{name: "TI_CACHE", text: "sometimes", want: "TI_CACHE=\"sometimes\" is none of lru, fifo"},
		{name: "TI_CACHE_MAX", text: "much", want: "TI_CACHE_MAX"},
		{name: "TI_CACHE_CLEANING", text: "0", want: "TI_CACHE_CLEANING=\"0\" is no number above 0"},
		{name: "TI_CACHE_CLEANING", text: "half", want: "TI_CACHE_CLEANING=\"half\" is no number above 0"},
		{name: "TI_TIME", text: "long", want: "TI_TIME=\"long\" is neither 1 nor 0"},
	} {
		t.Run(test.want, func(t *testing.T) {
			if test.name != "" {
				t.Setenv(test.name, test.text)
			}
			rt, err := ti.New(ti.Config{Cache: test.cache})
			if err == nil {
				_ = rt.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want one with %q", err, test.want)
			}
		})
	}
}
