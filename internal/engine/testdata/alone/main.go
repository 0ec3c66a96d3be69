// Program alone runs a kernel from files: its descriptor, its pieces, and a file for each of
// the areas of its fields, which it writes back. It has neither compiler nor purego. The
// arguments of the kernel come last, as bits; its results are printed as bits.
//
//	alone DIRECTORY ARGUMENT...
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the kernel in a directory.
func run(dir string, args []string) error {
	k, pieces, err := read(dir)
	if err != nil {
		return err
	}
	e := engine.New(2, &launch.Lock{})
	defer e.Close()
	code, err := e.Load(k, pieces)
	if err != nil {
		return err
	}
	defer code.Close()
	regions, bases, err := areas(e, dir, k)
	if err != nil {
		return err
	}
	c := code.Bind(launch.Data{Bases: bases, Seed: 1})
	for i, a := range args {
		if c.Args()[i], err = strconv.ParseUint(a, 0, 64); err != nil {
			return err
		}
	}
	switch fault, err := launch.Run(context.Background(), c, 1); {
	case err != nil:
		return err
	case fault != nil:
		return fmt.Errorf("%s fails at %v", k.Name, k.Sites[fault.Site].Place)
	}
	for _, r := range c.Results()[:k.Results] {
		fmt.Println(r)
	}
	for i, r := range regions {
		if r == nil {
			continue
		}
		if err := os.WriteFile(area(dir, k.Bases[i]), r.Host(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// read reads the descriptor and the pieces.
func read(dir string) (*launch.Kernel, []launch.Piece, error) {
	data, err := os.ReadFile(filepath.Join(dir, "kernel"))
	if err != nil {
		return nil, nil, err
	}
	k, err := launch.Read(data)
	if err != nil {
		return nil, nil, err
	}
	if data, err = os.ReadFile(filepath.Join(dir, "pieces")); err != nil {
		return nil, nil, err
	}
	pieces, err := launch.ReadPieces(data)
	return k, pieces, err
}

// areas reads the fields' memory.
func areas(m launch.Machine, dir string, k *launch.Kernel) (regions []device.Area, bases []launch.Base, err error) {
	for _, n := range k.Bases {
		if n < 0 { // memory that the engine makes
			regions, bases = append(regions, nil), append(bases, launch.Base{})
			continue
		}
		data, err := os.ReadFile(area(dir, n))
		if err != nil {
			return nil, nil, err
		}
		r, err := m.Allocate(int64(len(data)))
		if err != nil {
			return nil, nil, err
		}
		copy(r.Host(), data)
		regions = append(regions, r)
		bases = append(bases, launch.Base{Area: r, Bytes: r.Bytes()})
	}
	return regions, bases, nil
}

func area(dir string, n int) string { return filepath.Join(dir, "area"+strconv.Itoa(n)) }
