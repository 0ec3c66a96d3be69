package ti

import (
	"reflect"

	"github.com/gotaichi/ti/internal/session"
)

// MakeFuncs makes the kernel function of type t for k twice: without reflection at each
// call, which is the zero Value if there is no closure for its signature, and with it.
func MakeFuncs(k *Kernel, t reflect.Type) (fast, reflected reflect.Value) {
	return (*session.Kernel)(k).MakeFuncs(t)
}

// Instances returns how many instances of a kernel there are.
func Instances(k *Kernel) int { return (*session.Kernel)(k).Instances() }
