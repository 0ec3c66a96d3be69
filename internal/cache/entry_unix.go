//go:build unix

package cache

import (
	"os"
	"syscall"
)

// openEntry opens a file that is no link.
func openEntry(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
