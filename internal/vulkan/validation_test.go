package vulkan_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// layer is the validation layer of the Khronos Group, which says what of Vulkan's rules a program breaks. Drivers do not.
const layer = "VK_LAYER_KHRONOS_validation"

// TestValidation runs tests of this package under the validation layer, with its checks of what calls need of each other. It has nothing to say.
func TestValidation(t *testing.T) {
	titest.Vulkan(t, ti.Config{})
	if !layerInstalled() {
		t.Skip("there is no validation layer on this machine; vulkan-validationlayers of Debian has it")
	}
	tests := "TestApartHost|TestGoroutines|TestLoadAtEnd"
	if randtest.All() {
		tests = "TestApart|TestGoroutines|TestLoadAtEnd|TestNumbers|TestQuantised|TestSparse|TestCells|TestOverlapLimit|TestPieces|TestOrderedSums|TestPipelines"
	}
	if said := underLayer(t, "^("+tests+")", "error,warn"); said != "" {
		t.Errorf("the layer says\n%s", said)
	}
	// With information as well it says something at least.
	if said := underLayer(t, "^TestLoadAtEnd$", "error,warn,info,perf,verbose"); !strings.Contains(said, "Validation") {
		t.Errorf("the layer is not there: %q", said)
	}
}

func layerInstalled() bool {
	for _, dir := range append(filepath.SplitList(os.Getenv("VK_LAYER_PATH")), "/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/explicit_layer.d") {
		if _, err := os.Stat(filepath.Join(dir, "VkLayer_khronos_validation.json")); err == nil {
			return true
		}
	}
	return false
}

// underLayer runs tests in another process, and returns what the layer says of them.
func underLayer(t *testing.T, tests, kinds string) string {
	t.Helper()
	dir := t.TempDir()
	log, settings := filepath.Join(dir, "log.txt"), filepath.Join(dir, "vk_layer_settings.txt")
	must(t, os.WriteFile(settings, fmt.Appendf(nil, "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\nkhronos_validation.log_filename = %s\n"+
		"khronos_validation.report_flags = %s\nkhronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n", log, kinds), 0o600))
	cmd := exec.Command(os.Args[0], "-test.run", tests)
	cmd.Env = append(os.Environ(), "VK_INSTANCE_LAYERS="+layer, "VK_LAYER_SETTINGS_PATH="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(said)
}
