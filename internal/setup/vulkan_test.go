package setup

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/vulkan"
)

// TestNamedDeviceIsNotReplaced installs nothing where the user has named a device.
func TestNamedDeviceIsNotReplaced(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(vulkan.EnvDevice, "no such device")
	var log bytes.Buffer
	if name, err := Vulkan(&log); err == nil || log.Len() > 0 {
		t.Errorf("the device is %q, the error %v, and it says %s", name, err, &log)
	}
}

// TestNoInstaller says why there is no device where nothing can be installed.
func TestNoInstaller(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var log bytes.Buffer
	if _, err := Vulkan(&log); err != nil && !strings.Contains(err.Error(), "Vulkan") {
		t.Error(err)
	}
}
