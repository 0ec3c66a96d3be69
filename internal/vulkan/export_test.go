package vulkan

import (
	"time"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/threadblock"
)

// SetBlocks makes a machine keep to other limits than those of its device.
func SetBlocks(m launch.Machine, l threadblock.Limits) { m.(*Machine).d.blocks = l }

// SetPieceTime changes how long pieces take, until the func that it returns is called.
func SetPieceTime(d time.Duration) (restore func()) {
	before := pieceTime
	pieceTime = d
	return func() { pieceTime = before }
}
