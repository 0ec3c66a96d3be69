// Command 09-measuring finds out where time goes, and why.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/gotaichi/ti"
)

//go:embed measuring.ti
var source string

// Blur is the host of measuring.ti.
type Blur struct {
	Src, Dst      ti.Field[float32]
	Simple, Inner func() error
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()
	var b Blur
	rt.Place(ti.Shape{512, 512}, &b.Src, &b.Dst)
	program, err := rt.Compile(ti.Text("measuring.ti", source), &b) // Load, and a handle on the kernels
	if err != nil {
		return err
	}

	profile, err := rt.Profile(func() error {
		for range 20 {
			if err := b.Simple(); !errors.Is(err, ti.ErrRange) {
				return fmt.Errorf("an index out of range was expected of Simple, and it gave: %v", err)
			}
			if err := b.Inner(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprint(os.Stderr, profile)
	for _, task := range profile {
		fmt.Println(task.Kernel, "ran", task.Count, "times")
	}

	for _, name := range []string{"Simple", "Inner"} {
		if err := program.Kernel(name).Explain(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}
