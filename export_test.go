package ti

import "reflect"

// MakeFuncs makes the kernel function of type t for k twice: without reflection at each
// call, which is the zero Value if there is no closure for its signature, and with it.
func MakeFuncs(k *Kernel, t reflect.Type) (fast, reflected reflect.Value) {
	sig, ok := signatureOf(t, k.p.declOf(k.name), k.p.rt.opt.widths())
	if !ok {
		panic(t.String() + " is no function for " + k.String())
	}
	fast, _ = fastFunc(k, &sig, t)
	return fast, slowFunc(k, &sig, t)
}

// Instances returns how many instances of a kernel there are.
func Instances(k *Kernel) int {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	return len(k.instances)
}
