package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/vulkan"
)

// LLVM returns the libLLVM to use. If there is none, it fetches one for this user, or else installs the newest one that apt-get has, where that may be used,
// saying so on log.
func LLVM(ctx context.Context, log io.Writer) (*llvm.Lib, error) {
	lib, err := llvm.Default()
	if err == nil || errors.Is(err, llvm.ErrDamaged) || errors.Is(err, llvm.ErrProcessor) || os.Getenv(llvm.EnvPath) != "" {
		return lib, err
	}
	fmt.Fprintln(log, "no libLLVM that can be used on this machine")
	fetched, fetchErr := Fetch(ctx, log)
	if fetchErr == nil {
		return fetched, nil
	}
	fmt.Fprintf(log, "none can be fetched for this user: %v\n", fetchErr)
	apt, lookErr := exec.LookPath("apt-get")
	if lookErr != nil || runtime.GOOS != "linux" {
		return nil, fmt.Errorf("%w (fetching one failed: %v)", err, fetchErr)
	}
	if installErr := install(apt, log); installErr != nil {
		return nil, fmt.Errorf("%w (fetching one failed: %v; installing one failed: %v)", err, fetchErr, installErr)
	}
	return llvm.Default()
}

// Vulkan returns the name of the device with a Vulkan driver that tests use. If there is none, and apt-get is there and may be used, it installs Mesa's drivers,
// among them one that runs on the processors, saying so on log.
func Vulkan(log io.Writer) (string, error) {
	name, err := firstDevice()
	if err == nil {
		return name, nil
	}
	apt, lookErr := exec.LookPath("apt-get")
	if lookErr != nil || runtime.GOOS != "linux" {
		return "", err
	}
	if installErr := installDriver(apt, log); installErr != nil {
		return "", fmt.Errorf("%w (installing a driver failed: %v)", err, installErr)
	}
	return firstDevice()
}

// firstDevice is the name of the first device with a Vulkan driver.
func firstDevice() (string, error) {
	all, err := vulkan.Devices()
	if err != nil {
		return "", err
	}
	return all[0].Name, nil
}

// installDriver puts the loader, Mesa's drivers, and the tools that check modules on the machine.
func installDriver(apt string, log io.Writer) error {
	run, err := runner()
	if err != nil {
		return err
	}
	fmt.Fprintln(log, "no device with a Vulkan driver; installing libvulkan1, mesa-vulkan-drivers, spirv-tools and vulkan-validationlayers with apt-get")
	if err := run(apt, "update"); err != nil {
		return err
	}
	if err := run(apt, "install", "-y", "--no-install-recommends", "libvulkan1", "mesa-vulkan-drivers"); err != nil {
		return err
	}
	for _, tools := range []struct{ pkg, without string }{{"spirv-tools", "modules are not checked by spirv-val"}, {"vulkan-validationlayers", "calls are not checked by the validation layer"}} {
		if err := run(apt, "install", "-y", "--no-install-recommends", tools.pkg); err != nil {
			fmt.Fprintf(log, "%s: %v\n", tools.without, err)
		}
	}
	return nil
}

// runner returns what runs a command as root.
func runner() (func(args ...string) error, error) {
	prefix, err := privilege()
	if err != nil {
		return nil, err
	}
	return func(args ...string) error {
		line := append(slices.Clone(prefix), args...)
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, tail(string(out), 5))
		}
		return nil
	}, nil
}

// install puts the newest libLLVM of the archive on the machine.
func install(apt string, log io.Writer) error {
	run, err := runner()
	if err != nil {
		return err
	}
	fmt.Fprintln(log, "asking apt-get what it has")
	if err := run(apt, "update"); err != nil {
		return err
	}
	out, err := exec.Command("apt-cache", "pkgnames", "libllvm").Output()
	if err != nil {
		return fmt.Errorf("apt-cache: %w", err)
	}
	name, ok := newest(string(out))
	if !ok {
		return fmt.Errorf("the package archive has no libLLVM of version %d or newer", llvm.MinMajor)
	}
	fmt.Fprintf(log, "installing %s with apt-get\n", name)
	return run(apt, "install", "-y", "--no-install-recommends", name)
}

// privilege returns what to put before a command that needs to be root.
func privilege() ([]string, error) {
	if os.Geteuid() == 0 {
		return nil, nil
	}
	if sudo, err := exec.LookPath("sudo"); err == nil && exec.Command(sudo, "-n", "true").Run() == nil {
		return []string{sudo, "-n"}, nil
	}
	return nil, errors.New("only root can install packages, and sudo asks for a password")
}

var packageName = regexp.MustCompile(`^libllvm([0-9]+)(t64)?$`)

// newest picks the newest usable libLLVM from a list of package names.
func newest(names string) (string, bool) {
	type candidate struct {
		name  string
		major int
	}
	var found []candidate
	for name := range strings.FieldsSeq(names) {
		if m := packageName.FindStringSubmatch(name); m != nil {
			if major, err := strconv.Atoi(m[1]); err == nil && major >= llvm.MinMajor {
				found = append(found, candidate{name, major})
			}
		}
	}
	if len(found) == 0 {
		return "", false
	}
	best := slices.MaxFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.major, b.major), cmp.Compare(a.name, b.name))
	})
	return best.name, true
}

// tail returns the last n lines of s.
func tail(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
