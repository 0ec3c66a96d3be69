//go:build unix

package trust

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Why says why others could have written what info describes, as in "it belongs to user 1"; "" if they could not.
func Why(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Sprintf("it belongs to user %d", s.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Sprintf("its mode is %v", info.Mode().Perm())
	}
	return ""
}
