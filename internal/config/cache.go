package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/memory"
)

// Cache says where compiled kernels are kept between runs, and what is deleted when they take
// too much room. A cache never makes a launch fail: what cannot be read or written is compiled
// anew, and one line on standard error says why.
type Cache struct {
	Dir      string
	Policy   CachePolicy
	MaxBytes int64
	Cleaning float64
}

// CachePolicy says which entries leave the cache.
type CachePolicy uint8

const (
	CacheLRU     CachePolicy = iota // above MaxBytes, the least recently used
	CacheFIFO                       // above MaxBytes, the oldest
	CacheVersion                    // those of other versions of this package, whatever the size
	CacheNever                      // none
	CacheOff                        // nothing is read or written
)

var cachePolicies = [...]string{"lru", "fifo", "version", "never", "off"}

// String returns the name as TI_CACHE has it.
func (p CachePolicy) String() string {
	if int(p) < len(cachePolicies) {
		return cachePolicies[p]
	}
	return fmt.Sprintf("policy(%d)", uint8(p))
}

// resolve fills the gaps of c from the environment and then by defaults.
func (c *Cache) resolve(env func(string) string) error {
	if v := env("TI_CACHE"); v != "" && c.Policy == CacheLRU {
		found := false
		for i, name := range cachePolicies {
			if strings.EqualFold(v, name) {
				c.Policy, found = CachePolicy(i), true
			}
		}
		if !found {
			return fmt.Errorf("ti: environment variable TI_CACHE=%q is none of %s", v, strings.Join(cachePolicies[:], ", "))
		}
	}
	if v := env("TI_CACHE_MAX"); v != "" && c.MaxBytes == 0 {
		var err error
		if c.MaxBytes, err = memory.ParseSize(v); err != nil {
			return fmt.Errorf("ti: in the environment variable TI_CACHE_MAX: %w", err)
		}
	}
	if v := env("TI_CACHE_CLEANING"); v != "" && c.Cleaning == 0 {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || !(f > 0 && f <= 1) {
			return fmt.Errorf("ti: environment variable TI_CACHE_CLEANING=%q is no number above 0, up to 1", v)
		}
		c.Cleaning = f
	}
	switch {
	case int(c.Policy) >= len(cachePolicies):
		return fmt.Errorf("ti: Config.Cache.Policy is %v; the policies are %s", c.Policy, strings.Join(cachePolicies[:], ", "))
	case c.MaxBytes < 0:
		return fmt.Errorf("ti: Config.Cache.MaxBytes is %d; it is a number of bytes, or 0 for 100 MiB", c.MaxBytes)
	case !(c.Cleaning >= 0 && c.Cleaning <= 1):
		return fmt.Errorf("ti: Config.Cache.Cleaning is %g; it is the part of MaxBytes that a cleaning frees, up to 1, or 0 for 0.25", c.Cleaning)
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 100 << 20
	}
	if c.Cleaning == 0 {
		c.Cleaning = 0.25
	}
	if c.Dir == "" {
		c.Dir = env("TI_CACHE_DIR")
	}
	if c.Dir == "" && c.Policy != CacheOff {
		dir, err := cache.DefaultDir()
		if c.Dir = dir; err != nil {
			c.Policy = CacheOff // a user without a home
		}
	}
	return nil
}
