package vulkan

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
)

// processors are a machine that is only closed.
type processors struct{ launch.Machine }

func (processors) Close() {}

// TestLoadAtEnd loads code while a runtime ends: what was loaded is given back behind the machine's end, and nothing is loaded after that.
func TestLoadAtEnd(t *testing.T) {
	all, err := Devices()
	if err != nil || len(all) == 0 {
		t.Skipf("no Vulkan device: %v", err)
	}
	m, err := New(processors{}, all[0].Index, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.Load(&launch.Kernel{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	d := m.(*Machine).d
	if n := d.uses.Load(); n != 1 {
		t.Errorf("the device has %d users, and code is one", n)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := d.uses.Load(); n != 0 {
		t.Errorf("the device has %d users at the end", n)
	}
	if _, err := m.Load(&launch.Kernel{}, nil); !errors.Is(err, launch.ErrStopped) {
		t.Errorf("code for a device that is closed: %v", err)
	}
}
