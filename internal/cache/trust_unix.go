//go:build unix

package cache

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// distrust says why others could have written what info describes; "" if they could not.
func distrust(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Sprintf("it belongs to user %d", s.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Sprintf("its mode is %v", info.Mode().Perm())
	}
	return ""
}

// openEntry opens a file that is no link.
func openEntry(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
