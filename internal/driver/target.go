package driver

import (
	"runtime"
	"strings"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/target"
)

// target describes this machine as libLLVM makes code for it.
func (o *Options) target() target.Traits {
	t := target.Traits{
		Name: "llvm", Arch: runtime.GOARCH, Windows: runtime.GOOS == "windows",
		Has: target.CPU | target.FMA | target.FloatMax, VectorBits: 8 * vectorBytes(o.Lib), Stack: codegen.MaxFrame,
	}
	if o.Lib == nil {
		return t
	}
	t.Version = o.Lib.Version().Major
	if t.Version < 19 {
		t.Has &^= target.FloatMax
	}
	if runtime.GOARCH == "amd64" && !hasFeature(o.Lib, "+fma") { // it would be a call
		t.Has &^= target.FMA
	}
	return t
}

// vectorBytes is the size of this machine's widest vector register.
func vectorBytes(lib *llvm.Lib) int {
	switch {
	case lib == nil || runtime.GOARCH == "arm64":
		return 16
	case hasFeature(lib, "+avx512f"):
		return 64
	case hasFeature(lib, "+avx2"):
		return 32
	}
	return 16
}

func hasFeature(lib *llvm.Lib, name string) bool {
	for f := range strings.SplitSeq(lib.HostFeatures(), ",") {
		if f == name {
			return true
		}
	}
	return false
}
