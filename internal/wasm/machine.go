package wasm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
)

// New has this machine's processors run WebAssembly. Device is 0: there is one.
func New(processors launch.Machine, device int) (launch.Machine, error) {
	e, is := processors.(*engine.Engine)
	if !is {
		return nil, fmt.Errorf("a machine of the kind %T cannot run WebAssembly", processors)
	}
	b, err := NewEmbedder(e.Threads(), false)
	if err != nil {
		return nil, err
	}
	if err := e.Embed(b); err != nil {
		_ = b.Close()
		return nil, err
	}
	return e, nil
}
