//go:build ti_ahead

package targets

import (
	"errors"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/target"
)

// errNoCompiler is why kernels are not compiled in a program that was built with the tag ti_ahead.
var errNoCompiler = errors.New("this program was built with the tag ti_ahead, and so without the compiler of kernels")

func compilerFor(*front.Env) (target.Compiler, error) { return nil, errNoCompiler }

// ForLevel fails.
func ForLevel(ahead.Level) (target.Compiler, error) { return nil, errNoCompiler }

func textCompiler() target.Compiler { return target.None{Why: errNoCompiler} }

// devices are none: their drivers are called through what such a program does not have.
func devices() []target.Target { return nil }

func report(say target.Say) error {
	say("code", "%v", errNoCompiler)
	return errNoCompiler
}
