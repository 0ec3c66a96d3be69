package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/setup"
)

type testCmd struct {
	Fuzz   time.Duration `default:"400ms" help:"How long to fuzz each target; 0 for not at all."`
	Quick  bool          `help:"Leave out fuzzing."`
	Lint   bool          `help:"Look at the code only: gofmt, go vet, staticcheck, dead functions, and a build for another system."`
	All    bool          `help:"Run the tests that take long too, more random ones, and all tests as code of lesser processors: some hours."`
	Random time.Duration `help:"Run random tests alone for so long, on new seeds, as code for each level of x86-64 that this machine runs."`
	First  uint64        `help:"The first of these seeds; 0 for another one at each time."`
}

// envAll makes all tests run; package randtest reads it.
const envAll = "TI_TEST_ALL"

// A tester runs steps and counts what passed.
type tester struct {
	io             *stdio
	root           string
	all            bool     // run the tests that take long too
	env            []string // of tests, beside that of this process
	passed, failed int
}

// Run executes the tests, or what looks at the code only, or random tests for a while, or every check of the project.
// Later steps run after a failed one too, so that one run finds all failures.
func (c *testCmd) Run(io *stdio) error {
	root, err := checkout()
	if err != nil {
		return err
	}
	env, err := backend(io)
	if err != nil {
		return err
	}
	if !c.Lint {
		findDevice(io)
	}
	t := &tester{io: io, root: root, all: c.All, env: env}
	if c.Random > 0 {
		t.random(c.Random, c.firstSeed())
		return t.verdict()
	}
	t.step("gofmt", t.gofmt)
	if c.Lint || c.All { // it takes some minutes the first time, for the packages of Go
		t.look()
	}
	if !c.Lint {
		t.tests()
	}
	if c.All && !c.Lint {
		t.testOthers()
	}
	if !c.Quick && !c.Lint && c.Fuzz > 0 {
		t.fuzz(c.Fuzz)
	}
	return t.verdict()
}

// findDevice looks for a device with a Vulkan driver, whose tests are left out without one.
func findDevice(io *stdio) {
	device, err := setup.Vulkan(io.err)
	if err != nil {
		fmt.Fprintf(io.err, "tests of devices with a Vulkan driver are left out: %v\n", err)
		return
	}
	fmt.Fprintf(io.out, "using the Vulkan device %s\n", device)
}

// firstSeed is the first seed of random tests: no two runs begin at the same one, if none is asked for.
func (c *testCmd) firstSeed() uint64 {
	if c.First != 0 {
		return c.First
	}
	return uint64(time.Now().Unix()) % 2_000_000_000
}

// verdict says how many steps passed, and is an error if not all did.
func (t *tester) verdict() error {
	fmt.Fprintf(t.io.out, "%d passed, %d failed\n", t.passed, t.failed)
	if t.failed > 0 {
		return errReported
	}
	return nil
}

// look checks the code without running it.
func (t *tester) look() {
	t.step("go vet", t.command(nil, "vet", "./..."))
	t.step("staticcheck", t.command(nil, "tool", "staticcheck", "./..."))
	t.step("deadcode", t.dead)
	for _, target := range platforms(t.all) {
		t.step("build for "+target[0]+"/"+target[1], t.command(
			[]string{"GOOS=" + target[0], "GOARCH=" + target[1]}, "build", "-gcflags=all=-N -l", ".", "./internal/...", "./cmd/..."))
	}
}

// platforms returns systems that the project builds for, so that each system and each
// processor occurs: all pairs of them would take as long as all tests. Examples and
// benchmarks, which know nothing of systems, are not linked for each; nothing is
// optimised, since all that is asked is whether it builds. Each takes more than half a
// minute, so that only one of them, of another system and another processor, is built where
// not all is asked for. FreeBSD and 386 are not among those that kernels are compiled on: a program
// interprets them there, or, on FreeBSD, has them compiled ahead of time.
func platforms(all bool) (out [][2]string) {
	for _, t := range [][2]string{{"darwin", "arm64"}, {"linux", "amd64"}, {"windows", "amd64"}, {"freebsd", "amd64"}, {"linux", "386"}} {
		if t != [2]string{runtime.GOOS, runtime.GOARCH} && (all || len(out) == 0) {
			out = append(out, t)
		}
	}
	return out
}

// step runs f and prints a line about it, with its output if it fails.
func (t *tester) step(name string, f func() (string, error)) {
	start := time.Now()
	out, err := f()
	fmt.Fprintf(t.io.out, "%-4s %-34s %6.1f s\n", t.count(err), name, time.Since(start).Seconds())
	if err != nil {
		fmt.Fprintf(t.io.out, "%v\n%s\n", err, out)
	}
}

// count counts a step, and says how it ended.
func (t *tester) count(err error) string {
	if err != nil {
		t.failed++
		return "FAIL"
	}
	t.passed++
	return "ok"
}

// command returns a step that runs go with more environment.
func (t *tester) command(env []string, args ...string) func() (string, error) {
	return func() (string, error) {
		cmd := builder(t.root, args...)
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// gofmt fails if a Go file or a kernel source is not formatted.
func (t *tester) gofmt() (string, error) {
	cmd := exec.Command("gofmt", "-l", ".")
	cmd.Dir = t.root
	out, err := cmd.CombinedOutput()
	if err == nil && len(bytes.TrimSpace(out)) > 0 {
		err = fmt.Errorf("these files are not formatted")
	}
	return string(out), err
}

// tests runs all tests, a line for each package as it finishes.
func (t *tester) tests() {
	// The packages that take longest go first, so that no processor is idle at the end;
	// go vet is a step of its own.
	packages := []string{"./internal/runtest/...", "./..."}
	if t.all {
		t.goTest([]string{envAll + "=1"}, append([]string{"test", "-vet=off", "-timeout=0"}, packages...)...)
		return
	}
	t.goTest(nil, append([]string{"test", "-vet=off", "-timeout=30m"}, packages...)...)
}

// goTest runs go test with more environment, a line for each package as it finishes.
func (t *tester) goTest(env []string, args ...string) {
	objects, err := os.MkdirTemp("", "ti-objects-")
	if err != nil {
		fmt.Fprintf(t.io.out, "FAIL go test: %v\n", err)
		t.failed++
		return
	}
	defer os.RemoveAll(objects)
	cmd := builder(t.root, args...)
	// The compiler is what is tested, so that nothing comes from a cache; but libLLVM is not
	// asked twice for the same text in one run.
	cmd.Env = append(append(append(cmd.Env, t.env...), env...), "TI_CACHE=off", "TI_INTERNAL_ERRORS=fail", codegen.EnvObjects+"="+objects)
	if os.Getenv("GOGC") == "" { // a test has little memory and makes much garbage
		cmd.Env = append(cmd.Env, "GOGC=800", "GOMEMLIMIT=1GiB")
	}
	cmd.Stderr = t.io.out
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(t.io.out, "FAIL go test: %v\n", err)
		t.failed++
		return
	}
	failed := t.failed
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "ok "):
			t.passed++
		case strings.HasPrefix(line, "FAIL\t"):
			t.failed++
		case strings.HasPrefix(line, "?   ") || strings.Contains(line, "[no test files]"):
			continue
		}
		fmt.Fprintln(t.io.out, line)
	}
	if err := cmd.Wait(); err != nil && t.failed == failed {
		fmt.Fprintf(t.io.out, "FAIL go test: %v\n", err)
		t.failed++
	}
}

// inTime makes a step of fuzzing succeed that ends with the fuzzer's own deadline.
// Now and then it reports that as a failure, when an input is under way at the last
// moment; an input that fails is always written to a file.
func inTime(fuzz func() (string, error)) func() (string, error) {
	return func() (string, error) {
		out, err := fuzz()
		if strings.Contains(out, "context deadline exceeded") && !strings.Contains(out, "Failing input") && !strings.Contains(out, "panic:") {
			err = nil
		}
		return out, err
	}
}

// fuzz fuzzes every target for a while.
func (t *tester) fuzz(d time.Duration) {
	found, err := fuzzTargets(os.DirFS(t.root))
	if err != nil {
		fmt.Fprintf(t.io.out, "FAIL looking for fuzz targets: %v\n", err)
		t.failed++
		return
	}
	scratch, err := os.MkdirTemp("", "ti-fuzz-")
	if err != nil {
		fmt.Fprintf(t.io.out, "FAIL fuzzing: %v\n", err)
		t.failed++
		return
	}
	defer os.RemoveAll(scratch)
	for _, f := range found {
		t.step("fuzz "+f.dir+" "+f.name, inTime(func() (string, error) { return t.fuzzTarget(f, scratch, d) }))
	}
}

// fuzzTarget runs a target in the test binary of its package as the tests have it. To
// follow coverage, go test -fuzz compiles all that the package needs once more, Go's own
// library included: a minute for targets that run for seconds here, in which coverage
// leads nowhere yet.
func (t *tester) fuzzTarget(f fuzzTarget, scratch string, d time.Duration) (string, error) {
	binary := filepath.Join(scratch, strings.ReplaceAll(f.dir, "/", "-")+".test")
	if _, err := os.Stat(binary); err != nil {
		if out, err := t.command(nil, "test", "-vet=off", "-ldflags=-s -w", "-c", "-o", binary, "./"+f.dir)(); err != nil {
			return out, err
		}
	}
	cmd := exec.Command(binary, "-test.run=^$", "-test.fuzz=^"+f.name+"$", "-test.fuzztime="+d.String(),
		"-test.fuzzminimizetime=10x", "-test.fuzzcachedir="+filepath.Join(scratch, "cache"))
	cmd.Env = withBackend(t.env)
	cmd.Dir = filepath.Join(t.root, filepath.FromSlash(f.dir)) // a failing input goes into its testdata
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A fuzzTarget is a function that the go command can fuzz.
type fuzzTarget struct{ dir, name string }

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// fuzzTargets finds the fuzz targets of a module in its sources, in order. To ask the
// go command would link the tests of every package.
func fuzzTargets(module fs.FS) (out []fuzzTarget, err error) {
	err = testFiles(module, func(name string, text []byte) error {
		for _, m := range fuzzFunction.FindAllSubmatch(text, -1) {
			out = append(out, fuzzTarget{path.Dir(name), string(m[1])})
		}
		return nil
	})
	return out, err
}
