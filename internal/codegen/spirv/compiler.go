package spirv

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// A Compiler makes SPIR-V of tasks. It needs no library.
type Compiler struct{}

var _ target.Compiler = Compiler{}

// Traits are those of a device that runs very many threads, each of few iterations.
func (Compiler) Traits() target.Traits {
	return target.Traits{Name: "vulkan", Has: target.Narrow, Stack: 1 << 30, Locals: 2 << 20}
}

// version is that of the code that is made. TestVersion fails where code changes and the version does not.
const version = "spirv 12"

// Identity is that of this package.
func (Compiler) Identity(target.Options) (string, error) { return version, nil }

// Stages are the modules in words for people.
func (Compiler) Stages() []string { return []string{"spirv"} }

// Translate translates the tasks. The error is an [target.Unsupported] for what has no translation yet.
func (Compiler) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	t := &translation{k: k}
	topology := int32(0)
	if slices.ContainsFunc(k.Fields, func(f *ir.Field) bool { return f.Sparse || f.Node != ir.NodeDense }) {
		topology = k.TopologyClass()
	}
	for _, task := range k.Tasks {
		words, err := moduleOf(task, k.Sites, o.Strict, topology)
		if err != nil {
			return nil, err
		}
		t.modules = append(t.modules, words)
	}
	return t, nil
}

// A translation is a kernel as a module for each task.
type translation struct {
	k       *ir.Kernel
	modules [][]uint32
}

// Pieces returns the modules.
func (t *translation) Pieces() (pieces []launch.Piece, err error) {
	for _, words := range t.modules {
		code := Bytes(words)
		pieces = append(pieces, launch.Piece{Size: len(code), Code: code})
	}
	return pieces, nil
}

// Bytes is a module as drivers get it.
func Bytes(words []uint32) []byte {
	code := make([]byte, 0, 4*len(words))
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

// Keys tells the modules apart.
func (t *translation) Keys() (keys []target.Key) {
	for _, words := range t.modules {
		keys = append(keys, sha256.Sum256(fmt.Append([]byte(version), words)))
	}
	return keys
}

// Text writes the modules for people.
func (t *translation) Text(stage string) (string, error) {
	var w strings.Builder
	for i, words := range t.modules {
		fmt.Fprintf(&w, "; %s\n%s", target.Symbol(t.k.Tasks[i]), disassemble(words))
	}
	return w.String(), nil
}

// Measure has nothing to say that the modules do not.
func (t *translation) Measure() (*target.Measurement, error) { return nil, nil }
