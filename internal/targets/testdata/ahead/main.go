// This program says what is missing in programs with the tag ti_ahead.
package main

import (
	"errors"
	"fmt"

	"github.com/gotaichi/ti"
)

func main() {
	for _, cfg := range []ti.Config{{Arch: ti.Vulkan}, {Arch: ti.Vulkan, Device: 1}, {Arch: ti.LLVM}} {
		_, err := ti.New(cfg)
		fmt.Println(errors.Is(err, ti.ErrArch), err)
	}
	fmt.Println(len(ti.Devices()), "devices")
}
