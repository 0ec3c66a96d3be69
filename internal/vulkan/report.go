package vulkan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// Devices lists the devices that machines can be made for. It fails if there is none.
func Devices() ([]launch.Device, error) {
	a, err := load(loaderNames())
	if err != nil {
		return nil, err
	}
	return a.devices()
}

func (a *api) devices() (out []launch.Device, err error) {
	err = a.each(func(d *device, all []*candidate) error {
		for _, c := range all {
			if c.index < 0 {
				continue
			}
			d.physical = c.physical
			about := c.describe()
			about.Blocks = d.blockLimits()
			out = append(out, about)
		}
		if len(out) == 0 {
			_, err := pick(all, 0)
			return err
		}
		return nil
	})
	return out, err
}

// each calls f with all devices, none of which is open.
func (a *api) each(f func(d *device, all []*candidate) error) error {
	d := &device{api: a}
	defer d.close()
	if err := d.start(); err != nil {
		return err
	}
	all, err := d.candidates()
	if err != nil {
		return err
	}
	return f(d, all)
}

// Report says which devices there are, what they lack, and what to do if there is none. It fails if none can be used.
func Report(say target.Say) error {
	a, err := load(loaderNames())
	if err != nil {
		say("Vulkan", "%v", err)
		return err
	}
	say("Vulkan", "the loader is %s", a.path)
	return a.report(say)
}

func (a *api) report(say target.Say) error {
	err := a.each(func(_ *device, all []*candidate) error {
		for _, c := range all {
			say("device", "%s", c.line())
		}
		if !slices.ContainsFunc(all, func(c *candidate) bool { return c.index == 0 }) {
			_, err := pick(all, 0)
			return err
		}
		return nil
	})
	if err != nil {
		say("Vulkan", "%v", err)
	}
	return err
}

// line describes a device.
func (c *candidate) line() string {
	var b strings.Builder
	if c.index >= 0 {
		fmt.Fprintf(&b, "%d: ", c.index)
	}
	fmt.Fprintf(&b, "%s, a %s with Vulkan %s, %.1f GiB, driver %s", c.name, kinds[c.rank()].name, version(c.api), float64(c.memory)/(1<<30), c.software)
	switch {
	case c.why != "":
		fmt.Fprintf(&b, "; it cannot be used: it %s", c.why)
	case len(c.lacks) > 0:
		fmt.Fprintf(&b, "; it lacks %s", strings.Join(c.lacks, ", "))
	}
	return b.String()
}
