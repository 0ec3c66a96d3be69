package vulkan

import (
	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/devicelist"
)

// A listMaker has the code that makes lists. It is made when the first list is.
type listMaker struct {
	modules, pipelines [devicelist.NumTasks]handle
}

// pipeline returns that of a task.
func (k *listMaker) pipeline(m *Machine, task int) (handle, error) {
	if p := k.pipelines[task]; p != 0 {
		return p, nil
	}
	if err := m.ring.finish(); err != nil { // llvmpipe makes none while it works
		return 0, err
	}
	for i, t := range devicelist.Tasks() {
		if k.pipelines[i] != 0 {
			continue
		}
		words, err := spirv.Module(t, nil, false)
		if err != nil {
			return 0, err
		}
		if k.modules[i] == 0 {
			if k.modules[i], err = m.d.module(spirv.Bytes(words)); err != nil {
				return 0, err
			}
		}
		if k.pipelines[i], err = m.d.pipeline(k.modules[i], alone, nil); err != nil {
			return 0, err
		}
	}
	return k.pipelines[task], nil
}

// close gives the code back.
func (k *listMaker) close(d *device) {
	for i := range k.pipelines {
		if k.pipelines[i] != 0 {
			d.call(destroyPipeline, uintptr(d.dev), uintptr(k.pipelines[i]), 0)
		}
		if k.modules[i] != 0 {
			d.call(destroyShaderModule, uintptr(d.dev), uintptr(k.modules[i]), 0)
		}
	}
}
