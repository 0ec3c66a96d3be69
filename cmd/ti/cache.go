package main

import (
	"fmt"
	"os"
	"time"

	"github.com/gotaichi/ti/internal/cache"
)

type cacheCmd struct {
	Dir    string         `type:"path" placeholder:"DIR" help:"The folder; by default that of TI_CACHE_DIR or the user's."`
	Show   cacheShowCmd   `cmd:"" default:"1" help:"Say where compiled kernels are kept, how many there are and how large they are."`
	Verify cacheVerifyCmd `cmd:"" help:"Read all of them; remove those that are damaged."`
	Clean  cacheCleanCmd  `cmd:"" help:"Remove all of them."`
}

// open opens the cache without changing what is in it.
func (c *cacheCmd) open(std *stdio) (dir string, at *cache.Cache, err error) {
	if dir = c.Dir; dir == "" {
		dir = os.Getenv("TI_CACHE_DIR")
	}
	if dir == "" {
		if dir, err = cache.DefaultDir(); err != nil {
			return "", nil, err
		}
	}
	at, err = cache.Open(cache.Options{Dir: dir, Policy: cache.Never, Version: "ti cache", Warn: func(s string) { fmt.Fprintf(std.err, "ti: %s\n", s) }})
	return dir, at, err
}

type cacheShowCmd struct{}

// Run prints what is in the cache.
func (*cacheShowCmd) Run(c *cacheCmd, std *stdio) error {
	dir, at, err := c.open(std)
	if err != nil {
		return err
	}
	all, err := at.Entries()
	if err != nil {
		return err
	}
	bytes := int64(0)
	for _, e := range all {
		bytes += e.Bytes
	}
	fmt.Fprintf(std.out, "folder   %s\nentries  %d\nbytes    %d\n", dir, len(all), bytes)
	if len(all) > 0 {
		fmt.Fprintf(std.out, "used     from %s to %s\n", day(all[0].Used), day(all[len(all)-1].Used))
	}
	return nil
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

type cacheVerifyCmd struct{}

// Run reads all entries, and fails if any was bad.
func (*cacheVerifyCmd) Run(c *cacheCmd, std *stdio) error {
	_, at, err := c.open(std)
	if err != nil {
		return err
	}
	good, bad, err := at.Verify()
	if err != nil {
		return err
	}
	for _, b := range bad {
		fmt.Fprintf(std.out, "%s\n", b)
	}
	fmt.Fprintf(std.out, "entries that are as they were written: %d; others: %d\n", good, len(bad))
	if len(bad) > 0 {
		return errReported
	}
	return nil
}

type cacheCleanCmd struct{}

// Run removes all entries.
func (*cacheCleanCmd) Run(c *cacheCmd, std *stdio) error {
	_, at, err := c.open(std)
	if err != nil {
		return err
	}
	n, err := at.Empty()
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "removed %d bytes\n", n)
	return nil
}
