package vulkan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/launch"
)

// A candidate is a device that may be opened.
type candidate struct {
	physical handle
	index    int // by which programs choose it; -1 for one that cannot be used
	name     string
	kind     uint32 // as VkPhysicalDeviceType has it
	api      uint32 // the version of Vulkan
	driver   uint32 // as VkDriverId has it
	software string // the driver's name and version
	memory   int64
	why      string   // it cannot be used; "" if it can
	lacks    []string // what some programs need
	identity driverIdentity
	controls controls
}

// kinds names the kinds of devices, in the order in which programs have them: the fastest first.
var kinds = []struct {
	kind uint32
	name string
}{{deviceCard, "graphics card"}, {1, "graphics processor"}, {3, "virtual graphics processor"}, {0, "device"}, {deviceProcessor, "driver in software"}}

// rank is the place of a device's kind in that order.
func (c *candidate) rank() int {
	for i, k := range kinds {
		if k.kind == c.kind {
			return i
		}
	}
	return len(kinds) - 2 // of a kind that later versions of Vulkan have
}

// inSoftware reports whether the device is the host's processors.
func (c *candidate) inSoftware() bool { return c.kind == deviceProcessor }

// order sorts devices, and numbers those that can be used. Devices in software have numbers from 1 on, since a program that chooses none has number 0, and
// is not to get one of them.
func order(all []*candidate) {
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(a.rank(), b.rank()) })
	next := 0
	for _, c := range all {
		if c.index = -1; c.why != "" {
			continue
		}
		if c.inSoftware() {
			next = max(next, 1)
		}
		c.index = next
		next++
	}
}

// pick returns the device with a number.
func pick(all []*candidate, index int) (*candidate, error) {
	var usable, refused []string
	for _, c := range all {
		switch {
		case c.why != "":
			refused = append(refused, c.name+" "+c.why)
		case c.index == index:
			return c, nil
		default:
			usable = append(usable, fmt.Sprintf("%d (%s)", c.index, c.name))
		}
	}
	why := ""
	if len(refused) > 0 {
		why = " (" + strings.Join(refused, "; ") + ")"
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("there is no device with a Vulkan driver; %s", remedy(runtime.GOOS))
	case len(usable) == 0:
		return nil, fmt.Errorf("no Vulkan device can be used%s; newer drivers may do, and other devices", why)
	case index == 0:
		return nil, fmt.Errorf("there is no graphics processor with a Vulkan driver%s, and a driver in software is taken only if Config.Device or TI_DEVICE names it, here as %s",
			why, strings.Join(usable, ", "))
	}
	return nil, fmt.Errorf("Config.Device or TI_DEVICE is %d; there are the Vulkan devices %s%s", index, strings.Join(usable, ", "), why)
}

// candidates lists all devices, in the order in which programs have them.
func (d *device) candidates() (all []*candidate, err error) {
	n := uint32(0)
	if err := d.try(enumeratePhysicalDevices, uintptr(d.instance), uintptr(unsafe.Pointer(&n)), 0); err != nil || n == 0 {
		return nil, err
	}
	physical := make([]handle, n)
	err = d.try(enumeratePhysicalDevices, uintptr(d.instance), uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&physical[0])))
	if e, failed := errors.AsType[*Error](err); failed && e.Result != resultIncomplete { // there is one more by now
		return nil, err
	}
	for _, p := range physical[:n] {
		all = append(all, d.examine(p))
	}
	order(all)
	return all, nil
}

// choose finds the device to be opened.
func (d *device) choose(index int) error {
	all, err := d.candidates()
	if err != nil {
		return err
	}
	c, err := pick(all, index)
	if err != nil {
		return err
	}
	d.physical, d.name, d.driver, d.processor, d.card, d.about = c.physical, c.name, c.driver, c.inSoftware(), c.kind == deviceCard, c.describe()
	d.identity, d.controls = c.identity, c.controls
	d.serial = c.driver == driverLlvmpipe
	return nil
}

// examine looks at a device.
func (d *device) examine(p handle) *candidate {
	more := &properties12{typ: typeProperties12}
	props := &properties2{typ: typeProperties2, next: unsafe.Pointer(more)}
	d.call(getPhysicalDeviceProperties2, uintptr(p), uintptr(unsafe.Pointer(props)))
	c := &candidate{physical: p, name: textOf(props.name[:]), kind: props.devType, api: props.api, driver: more.driver}
	c.software = strings.TrimSpace(textOf(more.driverName[:]) + " " + textOf(more.info[:]))
	c.identity = driverIdentity{vendor: props.vendor, device: props.device, version: props.driver, id: c.driver, uuid: [16]byte(props.rest[:16]), name: c.name, software: c.software}
	c.controls = controls{more.independence[0], more.independence[1], more.denormals, more.nearest}
	c.memory = d.memoryBytes(p)
	f, f11, f12 := d.features(p)
	for _, w := range wanted(f, f11, f12, f, f11, f12) {
		if *w.of == 0 {
			c.lacks = append(c.lacks, w.what)
		}
	}
	switch {
	case props.api < version12:
		c.why = fmt.Sprintf("has Vulkan %s, and 1.2 is needed", version(props.api))
	case f.of[featureInt64] == 0:
		c.why = "has no integers of 64 bits (the capability Int64 of SPIR-V)"
	case f12.of[feature12Addresses] == 0:
		c.why = "has no device addresses (the capability PhysicalStorageBufferAddresses of SPIR-V)"
	case more.preserve[1] == 0:
		c.why = "does not keep infinities and NaNs (shaderSignedZeroInfNanPreserveFloat32)"
	case d.familyOf(p) < 0:
		c.why = "does not compute"
	case d.memoryOf(p) < 0:
		c.why = "has no memory that the host sees"
	}
	return c
}

// A feature is one that code may need.
type feature struct {
	of, use    *uint32 // what the device says of it, and what is asked of it
	capability uint32  // of SPIR-V
	what       string
}

// wanted lists the features that code may need: those of a device, and of what is asked when it is opened.
func wanted(f *features2, f11 *features11, f12 *features12, use *features2, use11 *features11, use12 *features12) []feature {
	return []feature{
		{&f.of[featureInt64], &use.of[featureInt64], spirv.CapInt64, "integers of 64 bits (the capability Int64 of SPIR-V)"},
		{&f.of[featureFloat64], &use.of[featureFloat64], spirv.CapFloat64, "f64 (the capability Float64 of SPIR-V)"},
		{&f.of[featureInt16], &use.of[featureInt16], spirv.CapInt16, "integers of 16 bits (the capability Int16 of SPIR-V)"},
		{&f11.of[feature11Storage16], &use11.of[feature11Storage16], spirv.CapStorage16, "numbers of 16 bits in memory (the capability StorageBuffer16BitAccess of SPIR-V)"},
		{&f12.of[feature12Storage8], &use12.of[feature12Storage8], spirv.CapStorage8, "bytes in memory (the capability StorageBuffer8BitAccess of SPIR-V)"},
		{&f12.of[feature12Int64Atomic], &use12.of[feature12Int64Atomic], spirv.CapInt64Atomics, "atomics of 64 bits (the capability Int64Atomics of SPIR-V)"},
		{&f12.of[feature12Int8], &use12.of[feature12Int8], spirv.CapInt8, "integers of 8 bits (the capability Int8 of SPIR-V)"},
		{&f12.of[feature12Addresses], &use12.of[feature12Addresses], spirv.CapAddresses, "device addresses (the capability PhysicalStorageBufferAddresses of SPIR-V)"},
	}
}

// memoryBytes is the size of the largest heap of a device.
func (d *device) memoryBytes(p handle) (most int64) {
	m := &memoryProperties{}
	d.call(getPhysicalDeviceMemoryProperties, uintptr(p), uintptr(unsafe.Pointer(m)))
	for _, h := range m.heap[:m.heaps] {
		if h.flags&heapDeviceLocal != 0 {
			most = max(most, int64(h.size))
		}
	}
	return most
}

// describe is what programs see of a device, without its limits.
func (c *candidate) describe() launch.Device {
	about := launch.Device{Index: c.index, Name: c.name, Target: spirv.Version, Memory: c.memory}
	if c.inSoftware() {
		about.Threads = runtime.NumCPU()
	}
	return about
}

// textOf is text that ends at its first zero.
func textOf(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// version is a version of Vulkan as people write it.
func version(api uint32) string { return fmt.Sprintf("%d.%d", api>>22&0x7f, api>>12&0x3ff) }
