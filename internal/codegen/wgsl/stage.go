package wgsl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// Stage is the name of the shaders among the stages of a target.
const Stage = "wgsl"

// Text is a compiler of a target with 32-bit places, which can print shaders too.
type Text struct{ target.Compiler }

// Stages are those of the compiler, and the shaders.
func (t Text) Stages() []string { return append(t.Compiler.Stages(), Stage) }

// Translate translates tasks as the compiler does.
func (t Text) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	of, err := t.Compiler.Translate(k, o)
	if err != nil {
		return nil, err
	}
	return translation{of, k}, nil
}

type translation struct {
	target.Translation
	k *ir.Kernel
}

// Text prints the tasks. Of a kernel with one that WGSL cannot express nothing is printed.
func (t translation) Text(stage string) (string, error) {
	if stage != Stage {
		return t.Translation.Text(stage)
	}
	var all []string
	for _, task := range t.k.Tasks {
		s, err := Shader(task)
		if refused, is := errors.AsType[*target.Unsupported](err); is && refused.Pos.IsKnown() && int(refused.Pos.File) < len(t.k.Files) {
			return "", fmt.Errorf("%s:%d:%d: %w", t.k.Files[refused.Pos.File], refused.Pos.Line, refused.Pos.Col, err)
		}
		if err != nil {
			return "", err
		}
		all = append(all, s)
	}
	return strings.Join(all, "\n"), nil
}
