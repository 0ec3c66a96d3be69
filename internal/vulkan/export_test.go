package vulkan

import (
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/threadblock"
)

// SetBlocks makes a machine keep to other limits than those of its device.
func SetBlocks(m launch.Machine, l threadblock.Limits) { m.(*Machine).d.blocks = l }
