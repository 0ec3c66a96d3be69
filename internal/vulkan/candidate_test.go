package vulkan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/diag"
)

// TestOrder numbers devices: cards first, those in software last and never 0.
func TestOrder(t *testing.T) {
	const card, chip, software = 2, 1, deviceProcessor
	for _, c := range []struct {
		kinds []uint32
		bad   int // which of them cannot be used, from 1
		want  string
	}{
		{nil, 0, ""},
		{[]uint32{software}, 0, "4:1"},
		{[]uint32{software, software}, 0, "4:1 4:2"},
		{[]uint32{software, chip}, 0, "1:0 4:1"},
		{[]uint32{chip, software, card}, 0, "2:0 1:1 4:2"},
		{[]uint32{chip, software, card}, 3, "2:-1 1:0 4:1"},
		{[]uint32{chip, software}, 2, "1:0 4:-1"},
		{[]uint32{card, software}, 1, "2:-1 4:1"},
		{[]uint32{software, 77, 0, 3}, 0, "3:0 77:1 0:2 4:3"},
	} {
		var all []*candidate
		for i, k := range c.kinds {
			all = append(all, &candidate{kind: k, physical: handle(i + 1)})
			if i+1 == c.bad {
				all[i].why = "is bad"
			}
		}
		order(all)
		var got []string
		for _, a := range all {
			got = append(got, fmt.Sprintf("%d:%d", a.kind, a.index))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, want %s", c.kinds, got, c.want)
		}
	}
}

// TestPick chooses devices, and says what there is if one is missing.
func TestPick(t *testing.T) {
	card := &candidate{name: "Card", kind: 2}
	pipe := &candidate{name: "Pipe", kind: deviceProcessor}
	old := &candidate{name: "Old", kind: 1, why: "has Vulkan 1.1, and 1.2 is needed"}
	for _, c := range []struct {
		all   []*candidate
		index int
		want  string // of the device, or the error
	}{
		{[]*candidate{pipe, card}, 0, "Card"},
		{[]*candidate{pipe, card}, 1, "Pipe"},
		{[]*candidate{pipe}, 1, "Pipe"},
		{[]*candidate{pipe}, 0, "there is no graphics processor with a Vulkan driver, and a driver in software is taken only if Config.Device or TI_DEVICE names it, here as 1 (Pipe)"},
		{[]*candidate{pipe, old}, 0, "with a Vulkan driver (Old has Vulkan 1.1, and 1.2 is needed), and a driver in software"},
		{[]*candidate{pipe, card}, 2, "Config.Device or TI_DEVICE is 2; there are the Vulkan devices 0 (Card), 1 (Pipe)"},
		{[]*candidate{old}, 0, "no Vulkan device can be used (Old has Vulkan 1.1, and 1.2 is needed)"},
		{nil, 0, "there is no device with a Vulkan driver; install"},
	} {
		order(c.all)
		switch got, err := pick(c.all, c.index); {
		case err == nil && got.name != c.want, err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("device %d: %v, %v; want %s", c.index, got, err, c.want)
		}
	}
}

// TestLoaders: no loader, and one that is too old.
func TestLoaders(t *testing.T) {
	if _, err := load([]string{"libti-none-1.so", "libti-none-2.so"}); err == nil || !strings.HasPrefix(err.Error(), "there is no Vulkan loader (") || !strings.Contains(err.Error(), "none-2") {
		t.Errorf("without a loader the error is %v", err)
	}
	if _, err := symbols("libvulkan.so.1", func(name string) uintptr {
		if name == "vkGetBufferDeviceAddress" {
			return 0
		}
		return 1
	}); err == nil || !strings.Contains(err.Error(), "libvulkan.so.1 has no function vkGetBufferDeviceAddress, so it is older than Vulkan 1.2") {
		t.Errorf("of an old loader the error is %v", err)
	}
	for goos, want := range map[string]string{"linux": "apt-get install libvulkan1 mesa-vulkan-drivers", "darwin": "MoltenVK", "windows": "the driver of the graphics processor's maker"} {
		if got := remedy(goos); !strings.Contains(got, want) {
			t.Errorf("on %s: %s", goos, got)
		}
	}
}

// TestErrors: what a result says, and when it is that the device is lost.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		f    function
		r    int32
		want string
		lost bool
	}{
		{queueSubmit, -4, "vkQueueSubmit: the device was lost", true},
		{queueSubmit, -2, "vkQueueSubmit: there is no memory on the device", false},
		{waitForFences, -2, "vkWaitForFences: there is no memory on the device", true},
		{createDevice, -1000, "vkCreateDevice failed with -1000", false},
	} {
		a := &api{}
		err := a.result(c.f, c.r)
		if err.Error() != c.want || errors.Is(err, diag.ErrDevice) != c.lost {
			t.Errorf("%d: %v", c.r, err)
		}
		if after := a.usable(); (after != nil) != c.lost || c.lost && after.Error() != c.want {
			t.Errorf("after %v, the error is %v", err, after)
		}
	}
	if err := (&api{}).result(queueSubmit, 0); err != nil {
		t.Error(err)
	}
}
