package ahead

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
)

// sample is a file with two kernels that share a piece.
func sample(t testing.TB, level Level, reverse bool) (data string, kernels []Kernel) {
	t.Helper()
	b := NewBuilder(level, About{"v1", "ti build \"a\"\n.ti"})
	shared := launch.Piece{Size: 1, Code: []byte("shared")}
	for i := range 2 {
		name := fmt.Sprintf("K%d", i)
		k := Kernel{Key: sha256.Sum256([]byte(name)), Source: sha256.Sum256([]byte("source")), Name: name}
		if i == 1 {
			k.Free = []Free{{"X", "X"}, {"Y", "X"}}
		}
		kernels = append(kernels, k)
	}
	b.AddPackage(sha256.Sum256([]byte("source")), []byte("declarations"))
	b.AddOutline(Outline{Key: sha256.Sum256([]byte("outline")), Source: sha256.Sum256([]byte("source")), Free: []string{"X"}}, []byte("an outline"))
	order := []int{0, 1}
	if reverse {
		order = []int{1, 0}
	}
	for _, i := range order {
		own := launch.Piece{Size: 3, Code: []byte{0x90, byte(i), 0xc3}}
		b.Add(kernels[i], []byte(kernels[i].Name), &launch.Kernel{Name: kernels[i].Name, Done: -1}, []launch.Piece{own, shared})
	}
	return string(b.Bytes()), kernels
}

func TestFile(t *testing.T) {
	data, kernels := sample(t, Level{Processor: "x86-64-v3"}, false)
	if again, _ := sample(t, Level{Processor: "x86-64-v3"}, true); again != data {
		t.Error("the order in which kernels are added shows in the file")
	}
	if n := strings.Count(data, "shared"); n != 1 {
		t.Errorf("a piece of two kernels is in the file %d times", n)
	}
	f, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := (About{"v1", "ti build \"a\"\n.ti"}); f.About != want || f.Level.String() != "x86-64-v3" {
		t.Errorf("%+v for %v", f.About, f.Level)
	}
	for i, want := range kernels {
		k, pieces, err := f.Find(want.Key)
		if err != nil || k.Name != want.Name || len(pieces) != 2 || pieces[0].Code[1] != byte(i) || string(pieces[1].Code) != "shared" {
			t.Errorf("%s: %+v, %v, %v", want.Name, k, pieces, err)
		}
	}
	if k, _, err := f.Find(Key{}); k != nil || err != nil {
		t.Errorf("a key of nothing has %v, %v", k, err)
	}
	if text, ok := f.Package(kernels[0].Source); !ok || text != "declarations" {
		t.Errorf("the declarations are %q, %v", text, ok)
	}
	if text, ok := f.Outline(sha256.Sum256([]byte("outline"))); !ok || text != "an outline" {
		t.Errorf("the outline is %q, %v", text, ok)
	}
	if text, ok := f.Known(kernels[1].Key); !ok || text != "K1" {
		t.Errorf("of the second kernel is known %q, %v", text, ok)
	}
	b := NewBuilder(f.Level, f.About)
	if err := b.AddFile(data); err != nil || string(b.Bytes()) != data {
		t.Errorf("a file added to an empty one is another file: %v", err)
	}
	if err := NewBuilder(Level{Processor: "arm64"}, f.About).AddFile(data); err == nil {
		t.Error("code for x86-64 is added to that for arm64")
	}
}

// TestDamage cuts a file, and changes each byte of it in turn.
func TestDamage(t *testing.T) {
	data, _ := sample(t, Level{Processor: "x86-64-v3"}, false)
	for i := range data {
		if _, err := Open(data[:i]); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
			t.Fatalf("%d bytes of %d: %v", i, len(data), err)
		}
		bad := data[:i] + string(data[i]^1) + data[i+1:]
		f, err := Open(bad)
		if err == nil && f.Level.String() == "x86-64-v3" && f.Version == "v1" && f.Command == "ti build \"a\"\n.ti" {
			t.Fatalf("byte %d is changed: no error", i)
		}
	}
	later := strings.Replace(data, fmt.Sprintf("abi %d", ABI), fmt.Sprintf("abi %d", ABI+1), 1)
	if _, err := Open(later); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "v1") {
		t.Errorf("another interface: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	data, kernels := sample(f, Level{Processor: "arm64"}, false)
	f.Add(data)
	_, body, _ := strings.Cut(data, "table ")
	f.Add(body)
	f.Fuzz(func(t *testing.T, data string) {
		// With the right checksum, so that what lies behind it is read.
		body := "table " + data
		sum := sha256.Sum256([]byte(body))
		for _, text := range []string{data, fmt.Sprintf("%s\nabi %d\nfor arm64\nby \"\"\nwith \"\"\nsha256 %x\n%s", format, ABI, sum, body)} {
			file, err := Open(text)
			if err != nil {
				continue
			}
			for _, k := range kernels {
				_, _, _ = file.Find(k.Key)
			}
		}
	})
}

func TestLevels(t *testing.T) {
	for _, test := range []struct {
		goos, goarch string
		x64          int
		want         string
	}{
		{"linux", "amd64", 4, "[x86-64-v4 x86-64-v3 x86-64-v2]"},
		{"darwin", "amd64", 3, "[x86-64-v3 x86-64-v2]"},
		{"windows", "amd64", 2, "[windows-x86-64-v2]"},
		{"linux", "amd64", 1, "[]"},
		{"darwin", "arm64", 0, "[arm64]"},
		{"linux", "riscv64", 0, "[]"},
	} {
		if got := fmt.Sprint(runs(test.goos, test.goarch, test.x64)); got != test.want {
			t.Errorf("%s/%s, x86-64-v%d runs %s, want %s", test.goos, test.goarch, test.x64, got, test.want)
		}
	}
	for _, l := range Usual() {
		if again, err := ParseLevel(l.String()); err != nil || again != l {
			t.Errorf("%v: %v, %v", l, again, err)
		}
	}
	if _, err := ParseLevels("arm64,x86-64-v9"); err == nil || !strings.Contains(err.Error(), `no level "x86-64-v9"; the levels are x86-64-v2`) {
		t.Error(err)
	}
	if all, err := ParseLevels("windows-arm64, arm64,arm64"); err != nil || len(all) != 2 || !all[0].Windows {
		t.Error(all, err)
	}
	if Machine() == "" || len(Here()) > 0 && Here()[0].Arch() != runtime.GOARCH {
		t.Error(Machine(), Here())
	}
}

// TestSet takes the highest level that this machine runs, and another where that lacks a kernel.
func TestSet(t *testing.T) {
	here := Here()
	if len(here) < 2 {
		t.Skip("this machine runs one level")
	}
	low, kernels := sample(t, here[1], false)
	high := NewBuilder(here[0], About{"v1", "ti build b"})
	high.Add(kernels[0], nil, &launch.Kernel{Name: "high", Done: -1}, nil)
	foreign, _ := sample(t, Level{Processor: "arm64", Windows: true}, false)
	s, err := NewSet([]string{foreign, low, string(high.Bytes())}, here)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"high", "K1"} {
		if k, _, err := s.Find(kernels[i].Key); err != nil || k.Name != want {
			t.Errorf("kernel %d is %v, %v, want %s", i, k, err, want)
		}
	}
	if s.Level() != here[0].String() || s.Unfit() != "" || len(s.Commands()) != 2 {
		t.Errorf("level %s, unfit %q, %q", s.Level(), s.Unfit(), s.Commands())
	}
	if got, want := s.Variants(kernels[1].Source, "K1"), [][]Free{{{"X", "X"}, {"Y", "X"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	if got := s.Variants(Key{}, "K1"); got != nil {
		t.Errorf("another source has %v", got)
	}
	if s, err = NewSet([]string{foreign}, here); err != nil || !strings.Contains(s.Unfit(), "and the code is for windows-arm64") {
		t.Error(s.Unfit(), err)
	}
	if _, err := NewSet([]string{"x"}, here); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

// TestModules: modules run on any machine that is asked to run them, and on no processor by itself.
func TestModules(t *testing.T) {
	levels, err := ParseLevels("wasm")
	if err != nil || len(levels) != 1 || levels[0] != Wasm || Wasm.Arch() != "" || Wasm.String() != "wasm" {
		t.Fatal(levels, err)
	}
	if _, err := ParseLevel("windows-wasm"); err == nil {
		t.Error("there are modules for Windows alone")
	}
	modules, kernels := sample(t, Wasm, false)
	foreign, _ := sample(t, Level{Processor: "arm64", Windows: true}, false)
	s, err := NewSet([]string{foreign, modules}, []Level{Wasm})
	if err != nil || s.Unfit() != "" || s.Level() != "wasm" || !s.Has(kernels[0].Key) {
		t.Error(s.Unfit(), err)
	}
	if s, err = NewSet([]string{modules}, Here()); err != nil || !strings.Contains(s.Unfit(), "and the code is for wasm") || !s.For(Wasm) || s.For(Level{Processor: "arm64"}) {
		t.Error(s.Unfit(), err)
	}
	if s, err = NewSet([]string{foreign}, []Level{Wasm}); err != nil || s.Unfit() != "this machine runs WebAssembly, and the code is for windows-arm64" {
		t.Error(s.Unfit(), err)
	}
}

// abiFiles are where the interface between code and runtime is written down.
var abiFiles = []string{"../launch/abi.go", "../launch/kernel.go", "../launch/module.go", "../launch/site.go", "../launch/state.go", "../layout/control.go", "../layout/nodekind.go", "../layout/block.go", "../ir/signature.go"}

// abiSum is what they come to, without comments. Where it changes, raise ABI if code that was compiled before no
// longer fits, and write down the new sum.
const abiSum = "ed8f6e820e797e70"

func TestABI(t *testing.T) {
	h := sha256.New()
	for _, name := range abiFiles {
		data, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.Split(string(data), "\n"), func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "//") })
		fmt.Fprintln(h, strings.Join(lines, "\n"))
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != abiSum {
		t.Errorf("the files of the interface have changed: raise ABI if code that was compiled ahead of time no longer fits, and set abiSum to %q", got)
	}
}
