package vulkan_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// keptRun runs a program with a cache on disk, and returns how many pipelines the driver has made, and how many of them its data saved.
func keptRun(t *testing.T, c ti.Cache, version uint32) (made, reused int) {
	t.Helper()
	d := simulator.New(simulator.Options{Seed: 1, Lanes: 8, Version: version})
	rt, err := titest.NewVulkan(ti.Config{Cache: c}, d.Symbol)
	must(t, err)
	var h struct {
		X, Y ti.Field[int32]
		Run  func() error
	}
	rt.Place(ti.Shape{64}, &h.X, &h.Y)
	_, err = rt.Compile(ti.Text("source", "package p\n\nvar X, Y field[i32]\n\nfunc Run() {\n\tfor i := range Y {\n\t\tY[i] = i32(i)\n\t}\n\tfor i := range X {\n\t\tX[i] = Y[63-i] / 2\n\t}\n}\n"), &h)
	must(t, err)
	must(t, h.Run())
	if got := h.X.At(3); got != 30 {
		t.Errorf("number 3 is %d", got)
	}
	must(t, rt.Close())
	for _, f := range d.Faults() {
		t.Error(f)
	}
	return d.Pipelines()
}

// entriesWith lists the files of a cache that hold text.
func entriesWith(t *testing.T, dir, text string) (all []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(text)) {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// pipelineEntry is the file of the data of pipelines of a version of the simulated driver.
func pipelineEntry(t *testing.T, dir string, version uint32) string {
	t.Helper()
	all := entriesWith(t, dir, "\x20\x00\x00\x00\x01\x00\x00\x00\x51\x00\x00\x00\x52\x00\x00\x00"+string([]byte{byte(version), 0, 0, 0}))
	if len(all) != 1 {
		t.Fatalf("files with data of pipelines: %q", all)
	}
	return all[0]
}

// TestPipelinesOnDisk: a driver gets what it gave to the process before, if that is whole and its own; else it begins anew, and what it has then replaces it.
func TestPipelinesOnDisk(t *testing.T) {
	dir := t.TempDir()
	kept := ti.Cache{Dir: dir, Policy: ti.CacheFIFO}
	expect := func(what string, version uint32, want bool) {
		t.Helper()
		made, reused := keptRun(t, kept, version)
		if made == 0 || reused != map[bool]int{true: made}[want] {
			t.Errorf("%s: of %d pipelines %d were kept", what, made, reused)
		}
	}
	expect("an empty folder", 1, false)
	expect("again", 1, true)
	expect("another driver", 2, false)
	expect("the first driver", 1, true)
	entry := pipelineEntry(t, dir, 1)
	whole, err := os.ReadFile(entry)
	must(t, err)
	for _, at := range []int{0, 60, len(whole) / 2, len(whole) - 1} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 4
		must(t, os.WriteFile(entry, damaged, 0o600))
		expect(fmt.Sprintf("a bit of byte %d is changed", at), 1, false)
		expect("and then", 1, true)
	}
	for _, n := range []int{0, 70, len(whole) - 8} {
		must(t, os.WriteFile(entry, whole[:n], 0o600))
		expect(fmt.Sprintf("the first %d bytes", n), 1, false)
		expect("and then", 1, true)
	}
	foreign, err := os.ReadFile(pipelineEntry(t, dir, 2))
	must(t, err)
	must(t, os.WriteFile(entry, foreign, 0o600))
	expect("the file of another driver", 1, false)
	expect("and then", 1, true)
}

// TestPipelinesOff: without a cache nothing is written, and the driver is asked for nothing.
func TestPipelinesOff(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if made, reused := keptRun(t, ti.Cache{Dir: dir, Policy: ti.CacheOff}, 1); made == 0 || reused != 0 {
			t.Errorf("of %d pipelines %d were kept", made, reused)
		}
	}
	if all, err := os.ReadDir(dir); len(all) > 0 || err != nil {
		t.Errorf("there are files: %v, %v", all, err)
	}
}

// A store is one in memory.
type store map[cache.Key][]byte

func (s store) Get(k cache.Key) (data []byte, ok bool) { data, ok = s[k]; return data, ok }
func (s store) Put(k cache.Key, data []byte)           { s[k] = data }

// TestPipelinesForeign: data under a driver's key that another one gave does not reach the driver, whatever the store says.
func TestPipelinesForeign(t *testing.T) {
	kernel := func(s store, version uint32) (made, reused int) {
		d := simulator.New(simulator.Options{Seed: 1, Version: version})
		m, err := vulkan.Of(d.Symbol, s)(closing{}, 0)
		must(t, err)
		must(t, vulkan.MakePipelines(m, 40))
		m.Close()
		for _, f := range d.Faults() {
			t.Error(f)
		}
		return d.Pipelines()
	}
	one, two := store{}, store{}
	kernel(one, 1)
	kernel(two, 2)
	if len(one) != 1 || len(two) != 1 {
		t.Fatalf("stores of %d and %d entries", len(one), len(two))
	}
	for k := range one {
		for _, data := range [][]byte{nil, {1}, []byte(strings.Repeat("\xff", 500))} {
			one[k] = data
			if _, reused := kernel(one, 1); reused != 0 {
				t.Errorf("of %d foreign bytes %d pipelines are taken", len(data), reused)
			}
			if made, reused := kernel(one, 1); reused != made {
				t.Errorf("of %d pipelines %d were kept", made, reused)
			}
		}
		for _, data := range two {
			one[k] = data
		}
		if _, reused := kernel(one, 1); reused != 0 {
			t.Errorf("of another driver's data %d pipelines are taken", reused)
		}
	}
}

// TestPipelinesGrow: data is written before a machine closes if many pipelines were made, not again if there are no others, and dropped if it is too large.
func TestPipelinesGrow(t *testing.T) {
	disk := store{}
	open := func() launch.Machine {
		m, err := vulkan.Of(simulator.New(simulator.Options{}).Symbol, disk)(closing{}, 0)
		must(t, err)
		return m
	}
	size := func() (n int) {
		for _, data := range disk {
			n += len(data)
		}
		return n
	}
	m := open()
	for _, c := range []struct{ pipelines, want int }{{15, 0}, {1, 15}, {31, 15}, {1, 31}, {100, 64}, {40, 64}} { // a call makes the same as the one before
		must(t, vulkan.MakePipelines(m, c.pipelines))
		if got := max(0, size()-40) / 8; got != c.want {
			t.Errorf("behind %d more pipelines: %d bytes", c.pipelines, size())
		}
	}
	m.Close()
	full := size()
	if full != 40+8*100 {
		t.Errorf("in the end there are %d bytes", full)
	}
	m = open()
	must(t, vulkan.MakePipelines(m, 50))
	for k := range disk {
		disk[k] = nil // to see whether it is written
	}
	m.Close()
	if size() != 0 {
		t.Errorf("data that has not grown is written: %d bytes", size())
	}
	m = open()
	vulkan.LimitPipelines(m, 200)
	must(t, vulkan.MakePipelines(m, 15))
	m.Close()
	if size() != 40+8*15 {
		t.Errorf("below the limit there are %d bytes", size())
	}
	m = open()
	vulkan.LimitPipelines(m, 200)
	must(t, vulkan.MakePipelines(m, 30))
	m.Close()
	if size() != 0 {
		t.Errorf("beyond the limit there are %d bytes", size())
	}
}

// closing is processors that can be closed.
type closing struct{ vulkan.Processors }

func (closing) Close() {}

// TestPipelineFaults: a cache that cannot be made is an error, and data that cannot be had is not kept. Nothing is left.
func TestPipelineFaults(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{})
	for _, c := range []struct {
		function string
		at       int64
		result   int32
	}{{"vkCreatePipelineCache", 1, -1}, {"vkCreatePipelineCache", 1, -4}, {"vkGetPipelineCacheData", 1, -1}, {"vkGetPipelineCacheData", 1, -4}} {
		y := &vulkan.Faulty{Fail: c.function, At: c.at, Result: c.result}
		y.Keep(store{})
		r := runFaulty(cfg, y)
		if y.Failed() != 1 || r.closed != nil || (r.failed != nil) != (c.function == "vkCreatePipelineCache") {
			t.Errorf("%+v: %d calls fail; the errors are %v and %v", c, y.Failed(), r.failed, r.closed)
		}
		if r.failed != nil && !strings.Contains(r.failed.Error(), c.function) {
			t.Errorf("%+v: the error is %v", c, r.failed)
		}
		noObjects(t, y)
	}
}
