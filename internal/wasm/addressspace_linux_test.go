package wasm_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// TestAddressSpace: where a process may not reserve the addresses, New says why.
func TestAddressSpace(t *testing.T) {
	if os.Getenv("TI_TEST_ADDRESSES") != "" {
		_, err := ti.New(ti.Config{Arch: ti.Wasm})
		if !errors.Is(err, ti.ErrArch) || !strings.Contains(err.Error(), "ulimit -v") {
			t.Errorf("New: %v", err)
		}
		return
	}
	cmd := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$0" -test.run '^TestAddressSpace$'`, os.Args[0])
	cmd.Env = append(os.Environ(), "TI_TEST_ADDRESSES=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
