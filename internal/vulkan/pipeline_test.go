package vulkan

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/codegen/spirv"
)

// TestPipelineRefused: code that is no module, and a module that needs what the device lacks, do not reach the driver.
func TestPipelineRefused(t *testing.T) {
	d := &device{name: "the device", lacks: map[uint32]string{spirv.CapFloat64: "f64"}}
	var module []byte
	for _, w := range []uint32{spirv.Magic, 0x00010500, 0, 1, 0, 2<<16 | 17, 1, 2<<16 | 17, spirv.CapFloat64} {
		module = binary.LittleEndian.AppendUint32(module, w)
	}
	for _, c := range []struct {
		code []byte
		want string
	}{
		{nil, "no SPIR-V"}, {module[:18], "no SPIR-V"}, {append([]byte{1}, module[1:]...), "no SPIR-V"}, {module, "the device has no f64"},
	} {
		if _, err := d.module(c.code); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes: the error is %v, want %q", len(c.code), err, c.want)
		}
	}
}
