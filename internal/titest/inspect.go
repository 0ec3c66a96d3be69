package titest

import (
	"io"
	"reflect"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/gradient"
	"github.com/gotaichi/ti/internal/session"
)

// MakeFuncs makes the kernel function of type t for k twice: without reflection at each
// call, which is the zero Value if there is no closure for its signature, and with it.
func MakeFuncs(k *ti.Kernel, t reflect.Type) (fast, reflected reflect.Value) {
	return (*session.Kernel)(k).MakeFuncs(t)
}

// Save keeps the state of a runtime.
func Save(rt *ti.Runtime) (*gradient.State, error) { return (*session.Runtime)(rt).Gradients().Save() }

// Instances returns how many instances of a kernel there are.
func Instances(k *ti.Kernel) int { return (*session.Kernel)(k).Instances() }

// Work returns how many sources a runtime has parsed and how many kernels it has lowered.
func Work(rt *ti.Runtime) (parsed, lowered int64) { return (*session.Runtime)(rt).Work() }

// Warnings has warnings of rt written to w, from now on each once.
func Warnings(rt *ti.Runtime, w io.Writer) { (*session.Runtime)(rt).Gradients().Warnings(w) }
