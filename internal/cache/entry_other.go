//go:build !unix

package cache

import "os"

func openEntry(path string) (*os.File, error) { return os.Open(path) }
