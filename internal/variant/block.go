package variant

import (
	"errors"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/threadblock"
)

// SetBlock sets the shape of thread blocks, from the next launch on.
func (k *Kernel) SetBlock(b threadblock.Block) { k.block.Store(&b) }

// threadBlock is the shape of thread blocks for loops that ask for none: that of SetBlock, or the runtime's.
func (k *Kernel) threadBlock() threadblock.Block {
	if b := k.block.Load(); b != nil {
		return *b
	}
	return k.Program.Maker.Opt.Block
}

// badBlock is the failure of a launch with a block that the device cannot have.
func (v *Variant) badBlock(e *launch.BlockError) error {
	remedy := "take another one for the loop"
	if _, large := errors.AsType[*threadblock.TooLarge](e.Err); large {
		remedy = "take a smaller one, or BlockFit or BlockTrim, which leave the choice to the compiler then"
	}
	return &RuntimeError{Kernel: v.Kernel.Name, Pos: PlaceOf(e.Place), Err: diag.ErrArgs, Count: 1, Msg: e.Error() + "; " + remedy}
}
