package vulkan

import (
	"time"

	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/threadblock"
)

// A topology that is no longer open would have the host make all lists, without a word.
var _ openTrees = (*record.Topology)(nil)

// SetBlocks makes a machine keep to other limits than those of its device.
func SetBlocks(m launch.Machine, l threadblock.Limits) { m.(*Machine).d.blocks = l }

// SetPieceTime changes how long pieces take.
func SetPieceTime(m launch.Machine, d time.Duration) { m.(*Machine).d.piece = d }

// Processors are a machine.
type Processors = launch.Machine

// LimitPipelines changes how many bytes of data of pipelines are kept.
func LimitPipelines(m launch.Machine, bytes int) { m.(*Machine).d.pipelines.most = bytes }

// MakePipelines makes so many pipelines that differ.
func MakePipelines(m launch.Machine, n int) error {
	k, err := ir.Parse("kernel K() {\n\tint i32\n\tbases [0]\n\tframe 0 done -1\n\ttask 0 \"for i := range 10\" loop 1 i32 [0, 10) {\n\t\tbody(%0: i32) {\n\t\t\tcontinue\n\t\t}\n\t}\n}\n")
	if err != nil {
		return err
	}
	words, err := spirv.Module(k.Tasks[0], nil, false)
	if err != nil {
		return err
	}
	d := m.(*Machine).d
	module, err := d.module(spirv.Bytes(words))
	if err != nil {
		return err
	}
	defer d.call(destroyShaderModule, uintptr(d.dev), uintptr(module), 0)
	for i := range n {
		p, err := d.pipeline(module, [3]int{1 + i, 1, 1}, nil)
		if err != nil {
			return err
		}
		d.call(destroyPipeline, uintptr(d.dev), uintptr(p), 0)
	}
	return nil
}

// ComputeExactly has a machine compute quotients and roots under strict maths by integers.
func ComputeExactly(m launch.Machine) { m.(*Machine).d.floats.exact = true }

// Moved returns how many bytes of sparse trees a machine has copied to the device and to the host.
func Moved(m launch.Machine) (toDevice, toHost int64) {
	s := &m.(*Machine).space
	known := map[*treeMemory]bool{}
	for i := range s.mirrors {
		if r := s.mirrors[i].Load(); r != nil && !known[r.of] {
			known[r.of] = true
			toDevice, toHost = toDevice+r.of.moved.toDevice, toHost+r.of.moved.toHost
		}
	}
	return toDevice, toHost
}

// PageBytes is how large a page is of the host's copy of a sparse tree.
const PageBytes = pageBytes
