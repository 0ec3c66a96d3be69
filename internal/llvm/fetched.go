package llvm

import (
	"os"
	"path/filepath"

	"github.com/gotaichi/ti/internal/trust"
)

// FetchedDir is the folder, in the user's cache, that holds a libLLVM which was fetched for this user alone (package setup), with the libraries that belong to
// it; "" for a user without a home.
func FetchedDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ti-libllvm")
}

// fetchedLib is where a fetched libLLVM lies; "" if there is none, or if others could have put it there.
func fetchedLib() string {
	lib := filepath.Join(FetchedDir(), "lib")
	for _, dir := range []string{FetchedDir(), lib} {
		info, err := os.Stat(dir)
		if dir == "" || err != nil || !info.IsDir() || trust.Why(info) != "" {
			return ""
		}
	}
	return lib
}
