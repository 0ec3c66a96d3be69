//go:build !windows && !(unix && (amd64 || arm64))

package engine

import "runtime"

// callTask is never reached: package loader puts no code into memory on this machine.
func callTask(*call) { panic("engine: there is no machine code for " + runtime.GOARCH) }

// callBrief is never reached either.
func callBrief(c *call) { callTask(c) }

func callHandingOff(c *call) { callTask(c) }
