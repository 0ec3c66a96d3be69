//go:build ti_ahead || js

package targets

import (
	"errors"
	"runtime"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// errNoCompiler is why kernels are not compiled for processors in a program that was built with the tag ti_ahead, or for a page.
var errNoCompiler = missing("the compiler of kernels", "")

// missing says what such a program does not have, and what to do.
func missing(what, remedy string) error {
	if runtime.GOOS == "js" {
		return errors.New("a program in a page does not have " + what)
	}
	return errors.New("this program was built with the tag ti_ahead, and so without " + what + remedy)
}

func compilerFor(*front.Env) (target.Compiler, error) { return nil, &target.Absent{Why: errNoCompiler} }

func machineCompiler(ahead.Level) (target.Compiler, error) { return nil, errNoCompiler }

func textCompiler() target.Compiler { return target.None{Why: errNoCompiler} }

// errNoDevices is why such a program has no devices: their drivers are called through what it does not have.
var errNoDevices = missing("Vulkan", "; build it without the tag")

// devices say why they are not there.
func devices(*front.Env) []target.Target {
	return []target.Target{{
		Name: config.Vulkan.String(), Text: target.None{Why: errNoDevices},
		Compiler: func() (target.Compiler, error) { return nil, errNoDevices },
		Machine:  func(launch.Machine, int) (launch.Machine, error) { return nil, errNoDevices },
		Devices:  func() ([]launch.Device, error) { return nil, errNoDevices },
	}}
}

func report(say target.Say) error {
	say("code", "%v", errNoCompiler)
	return errNoCompiler
}
