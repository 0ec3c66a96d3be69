//go:build !ti_ahead && !js

package targets

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/cache"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/target"
)

// compilerFor makes code by this machine's libLLVM. If the cache on disk has what the library
// said of this machine, it is opened only if something has to be compiled. Else it is opened in the background
// as long as its file looks right: what is wrong with such a library is told by the first kernel.
func compilerFor(env *front.Env) (target.Compiler, error) {
	if env == nil {
		return hostCompiler()
	}
	choice := llvm.Chosen() // now, since the library may be opened later
	key, disk := hostKey(env, choice)
	if disk != nil {
		if h, ok := keptHost(disk, key); ok {
			return codegen.New(llvm.Resume(h)), nil
		}
	}
	open := func() (target.Compiler, error) {
		lib, err := choice.Open()
		if err != nil {
			return nil, absent(choice, err)
		}
		if disk != nil && lib.Path() == choice.File() {
			if data, err := json.Marshal(lib.Host()); err == nil {
				disk.Put(key, data)
			}
		}
		return codegen.New(lib), nil
	}
	if choice.Promising() == "" || choice.Processor != "" {
		return open()
	}
	return target.Later(func() (target.Compiler, error) {
		c, err := open()
		if err != nil {
			return nil, diag.Errorf(diag.ErrArch, "%w", err)
		}
		return c, nil
	}), nil
}

// absent marks the error of a library that nobody has chosen.
func absent(choice llvm.Choice, err error) error {
	if choice == (llvm.Choice{}) {
		return &target.Absent{Why: err}
	}
	return err
}

// hostKey is the key of what the default library has said of this machine: by its file, by
// all that the processor tells of itself, and by what the user has chosen in its place. Without a cache, or where the processor tells little,
// there is none.
func hostKey(env *front.Env, choice llvm.Choice) (key cache.Key, disk *cache.Cache) {
	path := choice.File()
	if disk = env.Cache(); disk == nil || path == "" || runtime.GOARCH != "amd64" {
		return key, nil
	}
	identity, err := llvm.Identity(path)
	if err != nil {
		return key, nil
	}
	cpu := &cpuid.CPU
	return sha256.Sum256(fmt.Appendf(nil, "libLLVM 2 %q %q %s %q %q %d %d %d %q", choice.Processor, path, identity,
		cpu.VendorString, cpu.BrandName, cpu.Family, cpu.Model, cpu.Stepping, cpu.FeatureSet())), disk
}

// keptHost reads what a library has said.
func keptHost(disk *cache.Cache, key cache.Key) (h llvm.Host, ok bool) {
	data, ok := disk.Get(key)
	if !ok || json.Unmarshal(data, &h) != nil {
		return h, false
	}
	return h, true
}

// machineCompiler makes code for other processors by this machine's libLLVM.
func machineCompiler(l ahead.Level) (target.Compiler, error) {
	lib, err := llvm.Default()
	if err != nil {
		return nil, err
	}
	if !lib.Makes(l.Arch()) {
		return nil, &target.Absent{Why: fmt.Errorf("libLLVM %s makes no code for %s; that of most systems does (apt-get install libllvm19)", lib.Path(), l.Arch())}
	}
	return codegen.NewFor(lib, l), nil
}

// textCompiler writes code for people to read, where none is compiled.
func textCompiler() target.Compiler { return codegen.New(nil) }

// hostCompiler makes code by this machine's libLLVM, which it opens.
func hostCompiler() (target.Compiler, error) {
	lib, err := llvm.Default()
	if err != nil {
		return nil, err
	}
	return codegen.New(lib), nil
}
