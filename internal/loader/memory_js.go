package loader

import "errors"

// errNoCode is why nothing is loaded: a program in a page makes no machine code of its own.
var errNoCode = errors.New("a program in a page cannot run machine code; kernels are WebAssembly there")

func reserve(int) ([]byte, error) { return nil, errNoCode }

func seal([]byte) error { return errNoCode }

func release([]byte) error { return nil }

func address([]byte) uintptr { return 0 }
