//go:build !js

package gui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// errNoScreen says that there is nothing that a browser could show a window on.
var errNoScreen = errors.New("there is no screen")

// panelWidth is what the widgets beside the picture take, and headHeight what the browser has above it.
const (
	panelWidth = 300
	headHeight = 80
)

// openBrowser asks a browser to show an address: as a window without an address bar where one can, else as a page.
func openBrowser(address string, width, height int) error {
	if !hasScreen(runtime.GOOS, os.Getenv) {
		return errNoScreen
	}
	size := fmt.Sprintf("--window-size=%d,%d", width+panelWidth, height+headHeight)
	for _, name := range appBrowsers(runtime.GOOS, os.Getenv) {
		if path, err := exec.LookPath(name); err == nil {
			return start(path, "--app="+address, size)
		}
	}
	name, args := opener(runtime.GOOS)
	return start(name, append(args, address)...)
}

// start starts a program, and does not wait for its end.
func start(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // a browser outlives the window
	return nil
}

// hasScreen reports whether windows can be shown here: not where somebody works from another machine.
func hasScreen(goos string, env func(string) string) bool {
	if env("SSH_CONNECTION") != "" && env("DISPLAY") == "" {
		return false
	}
	switch goos {
	case "darwin", "windows":
		return true
	}
	return env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}

// appBrowsers are browsers that show an address as a window of its own.
func appBrowsers(goos string, env func(string) string) []string {
	switch goos {
	case "darwin":
		return []string{"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge", "/Applications/Chromium.app/Contents/MacOS/Chromium"}
	case "windows":
		return []string{env("ProgramFiles") + `\Google\Chrome\Application\chrome.exe`, env("ProgramFiles(x86)") + `\Microsoft\Edge\Application\msedge.exe`}
	}
	return []string{"chromium", "chromium-browser", "google-chrome", "microsoft-edge", "brave-browser"}
}

// opener is the program that shows an address in the browser that people have chosen.
func opener(goos string) (string, []string) {
	switch goos {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	return "xdg-open", nil
}
