package vulkan

import "github.com/gotaichi/ti/internal/launch"

// callers is the memory of the caller that the arguments of a launch name, copied to where the device reaches it.
type callers struct {
	launch.Callers
	area *area
}

// take copies the caller's memory to the device.
func (c *callers) take(w *launcher) error {
	size := c.Lay(w.k, w.args)
	if size == 0 {
		return nil
	}
	if c.area == nil || c.area.Bytes() < size {
		if c.area != nil {
			_ = c.area.Free()
		}
		var err error
		if c.area, err = w.m.d.allocate(size); err != nil {
			c.area = nil
			return err
		}
	}
	c.Take(w.k, w.args, c.area.host)
	return nil
}

// give copies what the launch may have written back to the caller.
func (c *callers) give(w *launcher) {
	if c.area != nil {
		c.Give(w.k, w.args, c.area.host)
	}
}

// address is where the device has an address of the caller's memory.
func (c *callers) address(of uint64) uint64 {
	if c.area == nil {
		return of // of no bytes
	}
	return c.Address(c.area.address, of)
}
