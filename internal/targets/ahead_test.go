package targets_test

import (
	"os"
	"os/exec"
	"testing"
)

// TestAhead: a program with the tag ti_ahead says that it has neither Vulkan nor a compiler. Devices lists the oracle alone.
func TestAhead(t *testing.T) {
	cmd := exec.Command("go", "run", "-tags", "ti_ahead", "./testdata/ahead")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "TI_ARCH=", "TI_INSTEAD=", "TI_DEVICE=", "TI_CODE=")
	out, err := cmd.CombinedOutput()
	const vulkan = "true ti: architecture or device not available: this program was built with the tag ti_ahead, and so without Vulkan; build it without the tag\n"
	want := vulkan + vulkan + "true ti: architecture or device not available: this program was built with the tag ti_ahead, and so without the compiler of kernels\n1 devices\n"
	if err != nil || string(out) != want {
		t.Errorf("it says, with %v:\n%swant\n%s", err, out, want)
	}
}
