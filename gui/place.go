//go:build !js

package gui

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// A place is where a window was served, so that the next one with its title is found there: a page that still stands there finds the program again when it is restarted.
type place struct{ Address, Word string }

// anyPort is a port of this machine that the system chooses.
const anyPort = "127.0.0.1:0"

// placeFile names the file in which the place of a window is kept; "" if there is no folder for it.
func placeFile(title string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	program, _ := os.Executable()
	return filepath.Join(dir, "ti", "windows", fmt.Sprintf("%x", sha256.Sum256([]byte(filepath.Base(program)+"\x00"+title)))[:32])
}

// recall returns the place of the last window of this program with a title. What is not one is as if there were none.
func recall(title string) place {
	var p place
	data, err := os.ReadFile(placeFile(title))
	if err != nil || json.Unmarshal(data, &p) != nil || len(p.Word) != 32 || strings.Trim(p.Word, "0123456789abcdef") != "" {
		return place{}
	}
	if _, _, err := net.SplitHostPort(p.Address); err != nil {
		return place{}
	}
	return p
}

// keep keeps the place of a window, for its user alone. Where it cannot, the next window has another one.
func keep(title string, p place) {
	file := placeFile(title)
	data, err := json.Marshal(p)
	if file == "" || err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	part := fmt.Sprintf("%s.%d", file, os.Getpid())
	if os.WriteFile(part, data, 0o600) == nil && os.Rename(part, file) != nil {
		_ = os.Remove(part)
	}
}
