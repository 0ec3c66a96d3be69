package vulkan

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/native"
	"github.com/gotaichi/ti/internal/threadblock"
)

// EnvDevice names the environment variable that chooses a device by a part of its name.
const EnvDevice = "TI_VULKAN"

// A device is an open one, with a queue.
type device struct {
	*api
	instance, physical, dev, queue handle
	family                         uint32
	name                           string
	driver                         uint32
	lacks                          map[uint32]string // capabilities of SPIR-V, with what they are
	memoryType                     uint32            // of what the host writes for launches
	memory                         memoryTypes
	staging                        staging
	submits                        sync.Mutex // to the queue
	blocks                         threadblock.Limits
	layout                         handle // of all pipelines
	pool, commands, fence          handle

	importing handle // the function that tells which memory of the host can be imported; 0 where none can
	most      int64  // bytes of memory at once
	processor bool   // it runs on the host's processors

	uses atomic.Int32 // by the machine, and by each area and each kernel's code, which may outlive it
}

// Device returns the name of the device that machines will use.
func Device() (name string, err error) {
	d, err := open()
	if err != nil {
		return "", err
	}
	defer d.close()
	return d.name, nil
}

// loaderNames are where the loader may be.
func loaderNames() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"libvulkan.1.dylib", "libMoltenVK.dylib"}
	case "windows":
		return []string{"vulkan-1.dll"}
	}
	return []string{"libvulkan.so.1", "libvulkan.so"}
}

// open opens the best device.
func open() (*device, error) {
	d := &device{}
	var errs []error
	for _, name := range loaderNames() {
		a, err := openAPI(name)
		if err == nil {
			d.api = a
			break
		}
		errs = append(errs, err)
	}
	if d.api == nil {
		return nil, errors.Join(errs...)
	}
	if err := d.start(); err != nil {
		return nil, err
	}
	err := d.choose(os.Getenv(EnvDevice))
	if err == nil {
		err = d.openDevice()
	}
	if err == nil {
		d.blocks = d.blockLimits()
		err = d.prepare()
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// start makes the instance.
func (d *device) start() error {
	app := &applicationInfo{typ: typeApplication, name: unsafe.Pointer(native.CString("ti")), wantAPI: version12}
	info := &instanceInfo{typ: typeInstance, app: unsafe.Pointer(app)}
	return d.try(createInstance, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&d.instance)))
}

// A candidate is a device that may be opened.
type candidate struct {
	physical handle
	name     string
	kind     uint32
	driver   uint32
	why      string // it cannot; "" if it can
}

// choose finds the device to be opened: one whose name has wanted in it, else the first that is no processor, else the first.
func (d *device) choose(wanted string) error {
	n := uint32(0)
	if err := d.try(enumeratePhysicalDevices, uintptr(d.instance), uintptr(unsafe.Pointer(&n)), 0); err != nil {
		return err
	}
	if n == 0 {
		return errors.New("there is no Vulkan device; install a driver")
	}
	all := make([]handle, n)
	if err := d.try(enumeratePhysicalDevices, uintptr(d.instance), uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&all[0]))); err != nil {
		return err
	}
	var best *candidate
	var refused []string
	for _, p := range all {
		c := d.examine(p)
		switch {
		case !strings.Contains(strings.ToLower(c.name), strings.ToLower(wanted)):
			refused = append(refused, c.name+" is another one")
		case c.why != "":
			refused = append(refused, c.name+" "+c.why)
		case best == nil || best.kind == deviceProcessor && c.kind != deviceProcessor:
			best = c
		}
	}
	if best == nil {
		return fmt.Errorf("no Vulkan device will do: %s", strings.Join(refused, "; "))
	}
	d.physical, d.name, d.driver, d.processor = best.physical, best.name, best.driver, best.kind == deviceProcessor
	return nil
}

// examine looks at a device.
func (d *device) examine(p handle) *candidate {
	more := &properties12{typ: typeProperties12}
	props := &properties2{typ: typeProperties2, next: unsafe.Pointer(more)}
	d.call(getPhysicalDeviceProperties2, uintptr(p), uintptr(unsafe.Pointer(props)))
	c := &candidate{physical: p, kind: props.devType, driver: more.driver}
	name, _, _ := bytes.Cut(props.name[:], []byte{0})
	c.name = string(name)
	f, _, f12 := d.features(p)
	switch {
	case props.api < version12:
		c.why = "has no Vulkan 1.2"
	case f.of[featureInt64] == 0:
		c.why = "has no integers of 64 bits"
	case f12.of[feature12Addresses] == 0:
		c.why = "has no device addresses"
	case more.preserve[1] == 0:
		c.why = "does not keep infinities and NaNs"
	case d.familyOf(p) < 0:
		c.why = "does not compute"
	case d.memoryOf(p) < 0:
		c.why = "has no memory that the host sees"
	}
	return c
}

// features asks for those of a device.
func (d *device) features(p handle) (*features2, *features11, *features12) {
	f12 := &features12{typ: typeFeatures12}
	f11 := &features11{typ: typeFeatures11, next: unsafe.Pointer(f12)}
	f := &features2{typ: typeFeatures2, next: unsafe.Pointer(f11)}
	d.call(getPhysicalDeviceFeatures2, uintptr(p), uintptr(unsafe.Pointer(f)))
	return f, f11, f12
}

// familyOf is the number of queues that compute; -1 if there are none.
func (d *device) familyOf(p handle) int {
	n := uint32(0)
	d.call(getPhysicalDeviceQueueFamilyProperties, uintptr(p), uintptr(unsafe.Pointer(&n)), 0)
	if n == 0 {
		return -1
	}
	all := make([]queueFamily, n)
	d.call(getPhysicalDeviceQueueFamilyProperties, uintptr(p), uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&all[0])))
	for i := range all {
		if all[i].flags&queueComputes != 0 {
			return i
		}
	}
	return -1
}

// memoryOf is the type of memory that host and device see, in the caches of the host if there is such; -1 if there is none.
func (d *device) memoryOf(p handle) int {
	m := &memoryProperties{}
	d.call(getPhysicalDeviceMemoryProperties, uintptr(p), uintptr(unsafe.Pointer(m)))
	for _, want := range []uint32{memoryHostVisible | memoryHostCoherent | memoryHostCached, memoryHostVisible | memoryHostCoherent} {
		for i := range m.types {
			if m.typ[i].flags&want == want {
				return int(i)
			}
		}
	}
	return -1
}

// openDevice opens the chosen device with the features that code may need, and notes which it lacks.
func (d *device) openDevice() error {
	f, f11, f12 := d.features(d.physical)
	d.family, d.memoryType = uint32(d.familyOf(d.physical)), uint32(d.memoryOf(d.physical))
	d.memory = d.areaMemory()
	use, use12 := &features2{typ: typeFeatures2}, &features12{typ: typeFeatures12}
	use11 := &features11{typ: typeFeatures11, next: unsafe.Pointer(use12)}
	use.next = unsafe.Pointer(use11)
	d.lacks = map[uint32]string{}
	for _, w := range []struct {
		of, use    *uint32
		capability uint32
		what       string
	}{
		{&f.of[featureInt64], &use.of[featureInt64], spirv.CapInt64, "integers of 64 bits"}, {&f.of[featureFloat64], &use.of[featureFloat64], spirv.CapFloat64, "f64"},
		{&f.of[featureInt16], &use.of[featureInt16], spirv.CapInt16, "integers of 16 bits"}, {&f11.of[feature11Storage16], &use11.of[feature11Storage16], spirv.CapStorage16, "numbers of 16 bits in memory"},
		{&f12.of[feature12Storage8], &use12.of[feature12Storage8], spirv.CapStorage8, "bytes in memory"}, {&f12.of[feature12Int64Atomic], &use12.of[feature12Int64Atomic], spirv.CapInt64Atomics, "atomics of 64 bits"},
		{&f12.of[feature12Int8], &use12.of[feature12Int8], spirv.CapInt8, "integers of 8 bits"}, {&f12.of[feature12Addresses], &use12.of[feature12Addresses], spirv.CapAddresses, "device addresses"},
	} {
		if *w.use = *w.of; *w.of == 0 {
			d.lacks[w.capability] = w.what
		}
	}
	priority := float32(1)
	queue := &queueInfo{typ: typeQueue, family: d.family, count: 1, priorities: unsafe.Pointer(&priority)}
	info := &deviceInfo{typ: typeDevice, next: unsafe.Pointer(use), queues: 1, queueInfos: unsafe.Pointer(queue)}
	imports := d.has(extensionImport)
	name := unsafe.Pointer(native.CString(extensionImport))
	if imports {
		info.extensions, info.extensionNames = 1, unsafe.Pointer(&name)
	}
	if err := d.try(createDevice, uintptr(d.physical), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&d.dev))); err != nil {
		return err
	}
	d.call(getDeviceQueue, uintptr(d.dev), uintptr(d.family), 0, uintptr(unsafe.Pointer(&d.queue)))
	if imports {
		d.importing = handle(d.get(getDeviceProc, uintptr(d.dev), uintptr(unsafe.Pointer(native.CString("vkGetMemoryHostPointerPropertiesEXT")))))
	}
	more := &properties11{typ: typeProperties11}
	d.call(getPhysicalDeviceProperties2, uintptr(d.physical), uintptr(unsafe.Pointer(&properties2{typ: typeProperties2, next: unsafe.Pointer(more)})))
	d.most = int64(more.mostAllocated)
	return nil
}

// extensionImport is the extension by which devices work in memory of the host.
const extensionImport = "VK_EXT_external_memory_host"

// has reports whether the device has an extension.
func (d *device) has(extension string) bool {
	n := uint32(0)
	if d.try(enumerateDeviceExtensions, uintptr(d.physical), 0, uintptr(unsafe.Pointer(&n)), 0) != nil || n == 0 {
		return false
	}
	all := make([]extensionName, n)
	if d.try(enumerateDeviceExtensions, uintptr(d.physical), 0, uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&all[0]))) != nil {
		return false
	}
	return slices.ContainsFunc(all[:n], func(e extensionName) bool {
		name, _, _ := bytes.Cut(e.name[:], []byte{0})
		return string(name) == extension
	})
}

// use keeps the device open until release is called, unless it is closed already.
func (d *device) use() bool {
	for {
		n := d.uses.Load()
		if n == 0 {
			return false
		}
		if d.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release closes the device if nobody uses it any more.
func (d *device) release() {
	if d.uses.Add(-1) == 0 {
		d.close()
	}
}

// close gives everything back.
func (d *device) close() {
	if d.dev != 0 {
		d.staging.close(d)
		for _, o := range []struct {
			f function
			h handle
		}{{destroyFence, d.fence}, {destroyCommandPool, d.pool}, {destroyPipelineLayout, d.layout}} {
			if o.h != 0 {
				d.call(o.f, uintptr(d.dev), uintptr(o.h), 0)
			}
		}
		d.call(destroyDevice, uintptr(d.dev), 0)
	}
	if d.instance != 0 {
		d.call(destroyInstance, uintptr(d.instance), 0)
	}
}
