package session

import (
	"reflect"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/gradient"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/store"
)

// What tests of package ti look at.

// Again starts a runtime with the settings of rt, given another API.
func (rt *Runtime) Again(change func(*API)) (*Runtime, error) {
	return rt.AgainOn(rt.opt.Config.Arch, change)
}

// AgainOn is Again for another architecture.
func (rt *Runtime) AgainOn(arch config.Arch, change func(*API)) (*Runtime, error) {
	api, cfg := rt.api, rt.opt.Config
	cfg.Arch = arch
	change(&api)
	return New(cfg, api)
}

// MakeFuncs makes the kernel function of type t twice: without reflection at each call, which is
// the zero Value if there is no closure for its signature, and with it. It panics if t does not
// fit the kernel.
func (k *Kernel) MakeFuncs(t reflect.Type) (fast, reflected reflect.Value) {
	sig, ok := k.of.Program.SignatureOf(t, k.of.Program.DeclOf(k.of.Name))
	if !ok {
		panic(t.String() + " is no function for " + k.String())
	}
	fast, _ = hostabi.FastFunc(k.call, &sig, t)
	return fast, hostabi.SlowFunc(k.call, &sig, t)
}

// Instances returns how many variants of a kernel there are.
func (k *Kernel) Instances() int {
	return k.of.Count()
}

// Work returns how many sources were parsed and how many kernels lowered.
func (rt *Runtime) Work() (parsed, lowered int64) {
	return rt.maker.Parses.Load(), rt.maker.Lowerings.Load()
}

// FieldOf returns what is behind a field of package ti.
func (rt *Runtime) FieldOf(public any) *store.Field { return rt.api.Field(public) }

// Gradients are what rt knows of derivatives, nil for a runtime that New has not made.
func (rt *Runtime) Gradients() *gradient.Gradients {
	if !rt.made() {
		return nil
	}
	return &rt.gradients
}
