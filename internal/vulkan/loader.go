package vulkan

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/native"
)

// loaderNames are where the loader may be. On macOS the driver comes first: the loader lists it only for programs that ask for a part of Vulkan.
func loaderNames() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"libMoltenVK.dylib", "libvulkan.1.dylib"}
	case "windows":
		return []string{"vulkan-1.dll"}
	}
	return []string{"libvulkan.so.1", "libvulkan.so"}
}

// remedy says what to install on a system that has no driver.
func remedy(goos string) string {
	switch goos {
	case "darwin":
		return "install MoltenVK, as in brew install molten-vk"
	case "windows":
		return "install the driver of the graphics processor's maker"
	}
	return "install the driver of the graphics processor's maker, or Mesa's, which have one in software too; on Debian: apt-get install libvulkan1 mesa-vulkan-drivers"
}

// load opens the first loader of a list that can be opened.
func load(names []string) (*api, error) {
	if err := native.Missing(); err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
		lib, err := native.Open(name)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		return symbols(name, lib.Symbol)
	}
	return nil, fmt.Errorf("there is no Vulkan loader (%s); %s", strings.Join(all, "; "), remedy(runtime.GOOS))
}

// symbols finds the functions of a loader.
func symbols(path string, symbol func(string) uintptr) (*api, error) {
	a := &api{path: path}
	a.turns.changed.L = &a.turns.mu
	for i, name := range functionNames[:loaderFunctions] {
		if a.fn[i] = symbol(name); a.fn[i] == 0 {
			return nil, fmt.Errorf("the Vulkan loader %s has no function %s, so it is older than Vulkan 1.2; %s", path, name, remedy(runtime.GOOS))
		}
	}
	return a, nil
}

// Of returns a function that opens devices of a driver whose functions symbol finds, and is [New] else: tests have drivers of their own.
func Of(symbol func(name string) uintptr, disk Store) func(processors launch.Machine, index int) (launch.Machine, error) {
	return func(processors launch.Machine, index int) (launch.Machine, error) {
		a, err := symbols("of its own", symbol)
		if err != nil {
			return nil, err
		}
		return a.machine(processors, index, disk)
	}
}

// start makes the instance.
func (d *device) start() error {
	app := &applicationInfo{typ: typeApplication, name: unsafe.Pointer(native.CString("ti")), wantAPI: version12}
	info := &instanceInfo{typ: typeInstance, app: unsafe.Pointer(app)}
	err := d.try(createInstance, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&d.instance)))
	if e, failed := errors.AsType[*Error](err); failed && e.Result == resultIncompatible {
		return fmt.Errorf("there is no Vulkan driver (%w); %s", err, remedy(runtime.GOOS))
	}
	return err
}
