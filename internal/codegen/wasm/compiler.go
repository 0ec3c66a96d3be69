package wasm

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// Name is that of the target.
const Name = "wasm"

// maxLocals is how many bytes of a thread's stack local arrays have at most.
const maxLocals = 14 << 20

// A Compiler makes WebAssembly of tasks. It needs no library.
type Compiler struct{}

var _ target.Compiler = Compiler{}

// Traits are those of a machine that runs modules on threads of this process.
func (Compiler) Traits() target.Traits {
	return target.Traits{Name: Name, Arch: Name, Has: target.Threads | target.Gathers | target.BlockAddresses | target.Alone | target.FusedSingle, VectorBits: 128, GatherCost: 1, Stack: launch.ModuleStack, StackAlign: launch.StackAlign, Locals: maxLocals}
}

// version is that of the code that is made. TestVersion fails where code changes and the version does not.
const version = "wasm 9"

// Identity is that of this package.
func (Compiler) Identity(target.Options) (string, error) { return version, nil }

// Stages are the modules in words for people, and their bytes.
func (Compiler) Stages() []string { return []string{"wasm", "object"} }

// Translate translates the tasks.
func (Compiler) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	t := &translation{k: k}
	for _, task := range k.Tasks {
		m, err := moduleOf(task, k.Sites)
		if err != nil {
			return nil, err
		}
		code := m.bytes()
		if t.bytes += len(code); o.MaxText > 0 && t.bytes > o.MaxText {
			return nil, &target.TooLarge{Bytes: o.MaxText, Language: "WebAssembly"}
		}
		if frame := m.functions[0].frame; frame > launch.ModuleStack && t.tooLarge == nil {
			t.tooLarge = &target.StackError{Task: task, Bytes: frame, Max: launch.ModuleStack}
		}
		t.modules = append(t.modules, code)
	}
	return t, nil
}

// A translation is a kernel as a module for each task.
type translation struct {
	k        *ir.Kernel
	modules  [][]byte
	bytes    int
	tooLarge error
}

// Pieces returns the modules.
func (t *translation) Pieces() (pieces []launch.Piece, err error) {
	for _, code := range t.modules {
		pieces = append(pieces, launch.Piece{Size: len(code), Code: code})
	}
	return pieces, t.tooLarge
}

// Keys tells the modules apart.
func (t *translation) Keys() (keys []target.Key) {
	for _, code := range t.modules {
		keys = append(keys, sha256.Sum256(append([]byte(version), code...)))
	}
	return keys
}

// Text writes the modules for people, or one behind the other as they are.
func (t *translation) Text(stage string) (string, error) {
	var w strings.Builder
	for i, code := range t.modules {
		if stage == "object" {
			w.Write(code)
			continue
		}
		fmt.Fprintf(&w, ";; %s: %s\n%s", target.Symbol(t.k.Tasks[i]), t.k.Tasks[i].Name, disassemble(code))
	}
	return w.String(), nil
}

// Measure returns the sizes of the modules.
func (t *translation) Measure() (*target.Measurement, error) {
	m := &target.Measurement{Sizes: map[string]int{}}
	for i, code := range t.modules {
		m.Sizes[target.Symbol(t.k.Tasks[i])] = len(code)
		m.Total += len(code)
	}
	return m, nil
}
