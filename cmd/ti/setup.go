package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/setup"
)

type setupCmd struct {
	Fetch bool `help:"Fetch one also where there is one."`
}

// Run fetches a libLLVM, which programs find from then on.
func (c *setupCmd) Run(io *stdio) error {
	lib, err := llvm.Default()
	if err != nil && !c.Fetch && os.Getenv(llvm.EnvPath) != "" {
		return fmt.Errorf("%w; programs use no other one while %s is set", err, llvm.EnvPath)
	}
	if err != nil || c.Fetch {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if lib, err = setup.Fetch(ctx, io.err); err != nil {
			return err
		}
	}
	fmt.Fprintf(io.out, "libLLVM %s is there: %s\n", lib.Version(), lib.Path())
	return nil
}
