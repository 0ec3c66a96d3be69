package simulator

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/native"
)

// Options say which device a driver has.
type Options struct {
	Seed   uint64 // of all that is chosen at random
	Lanes  int    // threads of a subgroup, at most 64
	Hidden bool   // the host does not see the device's memory
	Least  bool   // it has no more than the least that Vulkan demands of limits
	Most   int64  // instructions that the threads of a dispatch may run together; 0 for 2^28

	Leeway
	Version uint32 // of the driver: data of pipelines of one is foreign to another one

	Patch   func(words []uint32) []uint32 // changes modules; nil if nothing does
	Barrier func(b *Barrier) bool         // changes barriers, and says whether they are kept; nil if nothing does
}

// A Barrier is one of a command buffer: stages, and kinds of access.
type Barrier struct {
	From, To uint32
	Accesses [][2]uint32
}

// A Driver stands for one of Vulkan, with one device.
type Driver struct {
	Options
	number  uint64
	mu      sync.Mutex
	random  *rand.Rand
	last    uint64         // handle
	objects map[uint64]any // by handle
	names   map[uint64]string
	parents map[uint64]uint64 // the device of each object

	spans      []*span // by their addresses
	nextBase   uint64
	lastSpan   *span
	lastOf     *span
	lastPage   *page
	submission int
	order      order
	stages     []uint8 // of commands
	lost       bool
	work       []submission // that has not been run

	made, reused int // pipelines
	allocations  int // that there are

	faultsMu sync.Mutex
	faults   []string
	dropped  int
	told     map[string]int // how often a fault of an instruction was described
}

// New returns a driver.
func New(o Options) *Driver {
	if o.Lanes < 1 || o.Lanes > 64 {
		o.Lanes = 32
	}
	if o.Most == 0 {
		o.Most = 1 << 28
	}
	d := &Driver{Options: o, number: firstNumber + drivers.Add(1), random: rand.New(rand.NewPCG(o.Seed, 0x51)), told: map[string]int{}, objects: map[uint64]any{}, names: map[uint64]string{}, parents: map[uint64]uint64{}}
	d.nextBase = (d.random.Uint64()>>3 | 1<<60) &^ 511
	d.nextBase += 256
	known.Store(d.number, d)
	return d
}

// mostFaults is how many faults are described.
const mostFaults = 20

// note notes a fault.
func (d *Driver) note(format string, args ...any) { d.noteOf("", format, args...) }

// noteOf notes one of an instruction, or whatever else key names: the same is described once.
func (d *Driver) noteOf(key, format string, args ...any) {
	d.faultsMu.Lock()
	defer d.faultsMu.Unlock()
	if key != "" {
		if d.told[key]++; d.told[key] > 1 {
			d.dropped++
			return
		}
	}
	if len(d.faults) < mostFaults {
		d.faults = append(d.faults, fmt.Sprintf(format, args...))
	} else {
		d.dropped++
	}
}

// Faults returns what was found wrong, and forgets it.
func (d *Driver) Faults() []string {
	d.faultsMu.Lock()
	defer d.faultsMu.Unlock()
	all := d.faults
	if d.dropped > 0 {
		all = append(all, fmt.Sprintf("and %d others", d.dropped))
	}
	d.faults, d.dropped, d.told = nil, 0, map[string]int{}
	return all
}

// Allocations is how many there are of memory.
func (d *Driver) Allocations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.allocations
}

// Objects is how many objects there are.
func (d *Driver) Objects() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, o := range d.objects {
		switch o.(type) {
		case *physical, *queue, *commands:
		default:
			n++
		}
	}
	return n
}

// firstNumber is before the numbers of drivers: an address, which some functions get first, has less in its upper half.
const firstNumber = 1 << 24

// Functions of C have no data of their own. A handle has the number of its driver in its upper half, and an instance is made by the driver that gave the loader its functions last.
var (
	drivers atomic.Uint64
	known   sync.Map // drivers by their numbers
	newest  atomic.Pointer[Driver]
	symbols sync.Map // addresses of functions by their names
)

// Symbol is the address of a function of Vulkan; 0 if the driver has none of this name.
func (d *Driver) Symbol(name string) uintptr {
	newest.Store(d)
	if at, is := symbols.Load(name); is {
		return at.(uintptr)
	}
	f := functions()[name]
	if f == nil {
		return 0
	}
	at := native.Callback(func(a, b, c, d, e, g, h, i, j, k uintptr) uintptr {
		return driverOf(uint64(a)).call(name, f, [10]uintptr{a, b, c, d, e, g, h, i, j, k})
	})
	symbols.Store(name, at)
	return at
}

func driverOf(handle uint64) *Driver {
	if d, is := known.Load(handle >> 32); is {
		return d.(*Driver)
	}
	return newest.Load()
}

// A called function gets the arguments, and returns a VkResult or a number.
type called func(d *Driver, args [10]uintptr) uintptr

// Results.
const (
	resultNoMemory = -2
	resultLost     = -4
	resultTooMany  = -10
)

func result(n int) uintptr { return uintptr(uint32(int32(n))) }

// call calls a function. What it finds wrong, and cannot go on with, is a fault of the device, which is lost then.
func (d *Driver) call(name string, f called, args [10]uintptr) (r uintptr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			d.note("%s: %v", name, p)
			d.lost, r = true, result(resultLost)
		}
	}()
	return f(d, args)
}

// create makes an object of a device, or an instance.
func (d *Driver) create(of uintptr, what string, o any) uint64 {
	d.last += 1 + d.random.Uint64N(7)
	h := d.number<<32 | d.last
	d.objects[h], d.names[h], d.parents[h] = o, what, uint64(of)
	return h
}

// object finds one that is there.
func object[T any](d *Driver, handle uintptr) T {
	o, is := d.objects[uint64(handle)].(T)
	if !is {
		was := d.names[uint64(handle)]
		if was == "" {
			fail("%#x is no object", handle)
		}
		fail("object %#x is a %s that was destroyed, or of another kind than %T", handle, was, o)
	}
	return o
}

// destroy ends an object; nothing is destroyed of 0.
func destroy[T any](d *Driver, handle uintptr, end func(T)) uintptr {
	if handle != 0 {
		o := object[T](d, handle)
		if end != nil {
			end(o)
		}
		delete(d.objects, uint64(handle))
	}
	return 0
}
