package vulkan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// This file finds out what a driver's floats are like, and has modules under strict maths give what other machines do. Vulkan lets a driver round quotients and
// roots roughly, and take subnormal numbers for 0. What a driver does is computed once, with numbers of which that shows, and kept on disk.

// floats are those of a kind.
type floats struct {
	Exact bool              // quotients and roots are computed by integers
	Modes []spirv.FloatMode // that modules need
	Wrong []string          // what is wrong nevertheless; then no module can be right
}

// floatKnowledge is what is known of a device.
type floatKnowledge struct {
	mu    sync.Mutex
	disk  Store // nil for none
	kinds map[ir.Kind]*floats

	exact bool // tests have quotients and roots be computed by integers in any case
}

// controls are what a device offers for floats: by the number of bits over 16 as a power of 2.
type controls struct {
	denormals, rounding uint32    // how independent of each other the widths are
	keeps, nearest      [3]uint32 // subnormal numbers, and rounding
}

// Values of VkShaderFloatControlsIndependence.
const (
	only32 = 0 // 16 and 64 bits have the same modes
	noneBy = 2 // all have
)

// modes are those for a width, with others that have to be the same; nil if the device does not offer them.
func modes(mode uint32, k ir.Kind, independence uint32, offered [3]uint32) (all []spirv.FloatMode) {
	widths := []uint32{uint32(k.Bits())}
	switch {
	case independence == noneBy:
		widths = []uint32{16, 32, 64}
	case independence == only32 && k == ir.F64:
		widths = []uint32{16, 64}
	}
	for _, bits := range widths {
		if offered[map[uint32]int{16: 0, 32: 1, 64: 2}[bits]] == 0 {
			return nil
		}
		all = append(all, spirv.FloatMode{Mode: mode, Bits: bits})
	}
	return all
}

// strictly adapts a module under strict maths to the device, and returns others as they are.
func (d *device) strictly(words []uint32) ([]uint32, error) {
	var all []spirv.FloatMode
	for _, k := range spirv.Strict(words) {
		if k == ir.F64 && d.lacks[spirv.CapFloat64] != "" {
			continue // the module fails for that
		}
		f, err := d.floatsOf(k)
		if err != nil {
			return nil, err
		}
		if len(f.Wrong) > 0 {
			return nil, &launch.Lacking{Device: d.name, Strict: true, What: fmt.Sprintf("arithmetic of %s as strict maths wants it (%s)", k, strings.Join(f.Wrong, ", "))}
		}
		for _, m := range f.Modes {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return spirv.WithModes(words, all), nil
}

// floatsOf is what is known of floats of a kind. It is found out the first time.
func (d *device) floatsOf(k ir.Kind) (*floats, error) {
	s := &d.floats
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.kinds[k]; f != nil {
		return f, nil
	}
	key, f := d.identity.key("floats of "+k.String()), &floats{}
	if s.exact || !s.kept(key, f) {
		var err error
		if f, err = d.probe(k); err != nil {
			return nil, err
		}
		if data, err := json.Marshal(f); err == nil && s.disk != nil && !s.exact {
			s.disk.Put(key, data)
		}
	}
	if s.kinds == nil {
		s.kinds = map[ir.Kind]*floats{}
	}
	s.kinds[k] = f
	return f, nil
}

// kept reads what was found out before.
func (s *floatKnowledge) kept(key cache.Key, f *floats) bool {
	if s.disk == nil {
		return false
	}
	data, ok := s.disk.Get(key)
	return ok && json.Unmarshal(data, f) == nil
}

// exactly reports whether pipelines compute quotients and roots of a kind by integers.
func (s *floatKnowledge) exactly(k ir.Kind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kinds[k] != nil && s.kinds[k].Exact
}

// probe finds out what floats of a kind are like. Each step does something about what the one before has found wrong.
func (d *device) probe(k ir.Kind) (*floats, error) {
	f := &floats{Exact: d.floats.exact}
	triples := probeTriples(k)
	wrong, err := d.probed(k, f, triples)
	if err != nil {
		return nil, err
	}
	c := d.controls
	for _, step := range []struct {
		of    wrongness
		modes []spirv.FloatMode
	}{{wrongSubnormals, modes(spirv.KeepSubnormals, k, c.denormals, c.keeps)}, {wrongRounding, modes(spirv.RoundToNearest, k, c.rounding, c.nearest)}} {
		if wrong&step.of == 0 || len(step.modes) == 0 {
			continue
		}
		f.Modes = append(f.Modes, step.modes...)
		if wrong, err = d.probed(k, f, triples); err != nil {
			return nil, err
		}
	}
	if wrong&(wrongQuotients|wrongRoots) != 0 && !f.Exact {
		f.Exact = true
		if wrong, err = d.probed(k, f, triples); err != nil {
			return nil, err
		}
	}
	f.Wrong = wrong.texts()
	return f, nil
}

// probed runs the probe, and returns what is wrong with its results.
func (d *device) probed(k ir.Kind, f *floats, triples []uint64) (w wrongness, err error) {
	words, err := spirv.Probe(k)
	if err != nil {
		return 0, err
	}
	r := &probeRun{d: d, kind: k, n: len(triples) / 3}
	defer r.close()
	if err := r.open(spirv.WithModes(words, f.Modes), f.Exact); err != nil {
		return 0, err
	}
	for i, v := range triples {
		r.put(i, v)
	}
	if err := r.run(); err != nil {
		return 0, err
	}
	for i := range r.n {
		w |= judge(k, [3]uint64(triples[3*i:]), func(result int) uint64 { return r.get(i*spirv.ProbeResults + result) })
	}
	return w, nil
}

// A probeRun is a run of the probe, with all that it needs.
type probeRun struct {
	d              *device
	kind           ir.Kind
	n              int // threads
	module, fence  handle
	pipeline       handle
	pool, commands handle
	memory         *area // triples, and results behind them
}

func (r *probeRun) size() int64 { return int64(r.kind.Size()) }

func (r *probeRun) results() int64 { return 3 * int64(r.n) * r.size() }

// put writes a number, and get reads a result.
func (r *probeRun) put(i int, v uint64) {
	at := unsafe.Pointer(&r.memory.host[int64(i)*r.size()])
	if r.kind == ir.F32 {
		*(*uint32)(at) = uint32(v)
		return
	}
	*(*uint64)(at) = v
}

func (r *probeRun) get(i int) uint64 {
	at := unsafe.Pointer(&r.memory.host[r.results()+int64(i)*r.size()])
	if r.kind == ir.F32 {
		return uint64(*(*uint32)(at))
	}
	return *(*uint64)(at)
}

func (r *probeRun) open(words []uint32, exact bool) (err error) {
	d := r.d
	if r.module, err = d.shader(words); err != nil {
		return err
	}
	if r.pipeline, err = d.pipeline(r.module, alone, map[ir.Kind]bool{r.kind: exact}); err != nil {
		return err
	}
	if r.pool, r.commands, err = d.commandBuffer(); err != nil {
		return err
	}
	if r.fence, err = d.newFence(); err != nil {
		return err
	}
	r.memory, err = d.allocate(r.results() + spirv.ProbeResults*int64(r.n)*r.size())
	return err
}

// run runs the probe in so many threads.
func (r *probeRun) run() error {
	d := r.d
	if err := d.try(beginCommandBuffer, uintptr(r.commands), uintptr(unsafe.Pointer(&beginInfo{typ: typeBegin, flags: 1}))); err != nil {
		return err
	}
	push := &pushes{launch.PushSlots: r.memory.address, launch.PushErrs: r.memory.address + uint64(r.results())}
	d.call(cmdBindPipeline, uintptr(r.commands), 1, uintptr(r.pipeline))
	d.call(cmdPushConstants, uintptr(r.commands), uintptr(d.layout), stageCompute, 0, launch.PushBytes, uintptr(unsafe.Pointer(push)))
	d.call(cmdDispatch, uintptr(r.commands), uintptr(r.n/launch.DispatchThreads), 1, 1)
	b := &memoryBarrier{typ: typeBarrier, from: accessWrite, to: accessHostRead}
	d.call(cmdPipelineBarrier, uintptr(r.commands), pipelineCompute, pipelineHost, 0, 1, uintptr(unsafe.Pointer(b)), 0, 0, 0, 0)
	if err := d.try(endCommandBuffer, uintptr(r.commands)); err != nil {
		return err
	}
	return d.submit(&submitInfo{typ: typeSubmit, commands: 1, command: unsafe.Pointer(&r.commands)}, r.fence)
}

// close gives everything back.
func (r *probeRun) close() {
	d := r.d
	if r.memory != nil {
		_ = r.memory.Free()
	}
	for _, o := range []struct {
		f  function
		of handle
	}{{destroyFence, r.fence}, {destroyCommandPool, r.pool}, {destroyPipeline, r.pipeline}, {destroyShaderModule, r.module}} {
		if o.of != 0 {
			d.call(o.f, uintptr(d.dev), uintptr(o.of), 0)
		}
	}
}

// A wrongness has a bit for each thing that is wrong with floats.
type wrongness uint

const (
	wrongQuotients wrongness = 1 << iota
	wrongRoots
	wrongSubnormals
	wrongRounding
	wrongContraction
)

var wrongTexts = []string{"quotients are rounded roughly", "roots are rounded roughly", "subnormal numbers are 0", "sums and products are not rounded to the nearest", "products and sums are fused"}

func (w wrongness) texts() (all []string) {
	for i, text := range wrongTexts {
		if w>>i&1 != 0 {
			all = append(all, text)
		}
	}
	return all
}
