package bind_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/variant"
)

const rngText = `package rng

import "example.com/hash"

// A State is that of a generator.
type State struct {
	Key, Count u32
}

func (s *State) Next() f32 {
	s.Count++
	return f32(hash.Mix(s.Key^s.Count)>>8) / (1 << 24)
}

// Map applies f to all elements of a field.
func Map[T any](x field[T], f func(T) T) {
	for p := range x {
		x[p] = f(x[p])
	}
}

func Pick(x field[f32], i i32) f32 {
	return x[i]
}
`

const hashText = `package hash

func Mix(x u32) u32 {
	x = (x ^ x>>16) * 0x7feb352d
	return x ^ x>>15
}
`

const libraryUser = `package p

import "example.com/rng"

var X field[f32, D1]
var S field[rng.State, D1]

func Fill() {
	for i := range X {
		X[i] = S[i].Next()
	}
	rng.Map(X, func(x f32) f32 { return 1 - x })
}

func Pick(i i32) f32 {
	return rng.Pick(X, i)
}

func Count(s template) (n u32) {
	for i := range s {
		n += s[i].Count + u32(s[i].Next())
	}
	return n
}
`

// libraryHost is bound to libraryUser.
type libraryHost struct {
	X     ti.Field[float32]
	S     ti.Field[rngState]
	Fill  func() error
	Pick  func(i int32) (float32, error)
	Count func(s *ti.Field[rngState]) (uint32, error)
}

// An rngState is rng.State; members are identified by their names.
type rngState struct {
	Count uint32
	Seed  uint32 `ti:"Key"`
}

// rngLibrary is the library with its own, whose files may be changed.
func rngLibrary(change ...string) ti.Source {
	r := strings.NewReplacer(change...)
	files := fstest.MapFS{"lib/rng.ti": {Data: []byte(r.Replace(rngText))}, "lib/note.txt": {}}
	return ti.Library("example.com/rng", ti.Join(ti.Files(files, "lib/*.ti"), ti.Library("example.com/hash", ti.Text("", r.Replace(hashText)))))
}

// loadLibraryUser compiles the source with libraries in a runtime of its own.
func loadLibraryUser(t *testing.T, cfg ti.Config, libraries ...ti.Source) (*ti.Runtime, *ti.Program, *libraryHost, error) {
	t.Helper()
	rt := titest.New(t, cfg)
	host := new(libraryHost)
	rt.Place(ti.Shape{100}, &host.X, &host.S)
	p, err := rt.Compile(ti.Join(append([]ti.Source{ti.Text("p.ti", libraryUser)}, libraries...)...), host)
	return rt, p, host, err
}

// wantNext is what Fill leaves in an element.
func wantNext(key, count uint32) float32 {
	x := key ^ count
	x = (x ^ x>>16) * 0x7feb352d
	return 1 - float32((x^x>>15)>>8)/(1<<24)
}

// A library reaches kernels by the host, with those that it imports, once or several times.
func TestLibrary(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt, p, host, err := loadLibraryUser(t, ti.Config{Arch: arch, Debug: true}, rngLibrary(), rngLibrary())
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			host.S.Set(rngState{Seed: uint32(i * i), Count: 3}, i)
		}
		if err := host.Fill(); err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			if got, want := host.X.At(i), wantNext(uint32(i*i), 4); got != want {
				t.Fatalf("%v: element %d is %v, want %v", arch, i, got, want)
			}
		}
		other := new(ti.Field[rngState])
		rt.Place(ti.Shape{10}, other)
		other.Fill(rngState{Count: 2})
		if n, err := host.Count(other); n != 20 || err != nil {
			t.Errorf("%v: the template gives %d, %v", arch, n, err)
		}
		_, err = host.Pick(100)
		var failed *ti.RuntimeError
		if !errors.As(err, &failed) || failed.Pos.Filename != "example.com/rng/lib/rng.ti" || failed.Pos.Line != 23 {
			t.Errorf("%v: the error is %v, with position %+v", arch, err, failed)
		}
		if len(p.Kernels()) != 3 {
			t.Errorf("the kernels are %v: functions of libraries are none", p.Kernels())
		}
		if arch == ti.LLVM {
			var text strings.Builder
			if err := p.Kernel("Fill").Explain(&text); err != nil || strings.Count(text.String(), "parallel over") != 2 || !strings.Contains(text.String(), "\nexample.com/rng/lib/rng.ti:16\n") {
				t.Errorf("it is said of the kernel, error %v:\n%s", err, &text)
			}
		}
	}
}

// Mistakes in libraries are reported with positions in them, and mistakes of the host are reported, too.
func TestLibraryMistakes(t *testing.T) {
	for _, test := range []struct {
		name      string
		libraries []ti.Source
		want      []string
	}{
		{"none", nil, []string{"p.ti:3:8: there is no library example.com/rng [TI0213]", `import "example.com/rng"`, "ti.Join(source, library)"}},
		{"half", []ti.Source{ti.Library("example.com/rng", ti.Text("", rngText))}, []string{"example.com/rng:3:8: there is no library example.com/hash [TI0213]"}},
		{"type", []ti.Source{rngLibrary("return x[i]", "return undefined")}, []string{"example.com/rng/lib/rng.ti:23:9: undefined is not defined [TI0201]\n    \treturn undefined\n"}},
		{"syntax", []ti.Source{rngLibrary("s.Count++", "s.Count++ +")}, []string{"example.com/rng/lib/rng.ti:11:9: "}},
		{"var", []ti.Source{rngLibrary("package hash", "package hash\nvar A f32")}, []string{"example.com/hash:2:5: var A is in a library, and the host binds the vars of a source alone [TI0216]"}},
		{"two", []ti.Source{rngLibrary(), rngLibrary("0x7feb352d", "3")}, []string{"library_test.go:", "there are two libraries with the import path example.com/hash, and their files differ [TI0719]"}},
		{"path", []ti.Source{ti.Library("./rng", ti.Text("", rngText))}, []string{`the import path of a library is "./rng" [TI0719]`}},
		{"file", []ti.Source{ti.Library("example.com/rng", ti.Files(os.DirFS(t.TempDir()), "*.ti"))}, []string{"no file matches", "TI0718"}},
		{"member", []ti.Source{rngLibrary("Key, Count u32", "Key, Count, More u32")}, []string{"S is declared with elements of type rng.State, and the host's", "has no member More"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, _, err := loadLibraryUser(t, ti.Config{}, test.libraries...)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is\n%v\nwhich lacks %q", err, want)
				}
			}
		})
	}
	for _, source := range []ti.Source{rngLibrary(), ti.Join(ti.Text("p.ti", "package p"), ti.Library("example.com/empty", rngLibrary()))} {
		if _, err := titest.New(t, ti.Config{}).Compile(source, nil); err == nil || !strings.Contains(err.Error(), "[TI0719]") {
			t.Errorf("a library without a source, or without files: %v", err)
		}
	}
	same := ti.Library("example.com/rng", ti.Join(ti.Text("p.ti", strings.Replace(rngText, "return x[i]", "return wrong", 1)), ti.Library("example.com/hash", ti.Text("sub/p.ti", hashText))))
	if _, _, _, err := loadLibraryUser(t, ti.Config{}, same); err == nil || !strings.Contains(err.Error(), "example.com/rng/p.ti:23:9: wrong is not defined") {
		t.Errorf("files of one name: %v", err)
	}
	broken := ti.Library("example.com/broken", ti.Text("", "package broken\nfunc F( {"))
	if _, _, _, err := loadLibraryUser(t, ti.Config{}, rngLibrary(), broken); err != nil {
		t.Errorf("a library that nobody imports: %v", err)
	}
}

// The cache on disk has kernels by what they import, too.
func TestLibraryCache(t *testing.T) {
	on := ti.Cache{Dir: t.TempDir(), Policy: ti.CacheNever}
	for _, test := range []struct {
		name     string
		change   []string
		compiled int64
		picks    float32
	}{
		{"first", nil, 2, wantNext(5, 1)},
		{"again", nil, 0, wantNext(5, 1)},
		{"a comment", []string{"that of a generator", "a generator's"}, 0, wantNext(5, 1)},
		{"the library", []string{"return x[i]", "return x[i] + 1"}, 1, wantNext(5, 1) + 1},
		{"a library of it", []string{"return x ^ x>>15", "return 0"}, 1, 1},
		{"first again", nil, 0, wantNext(5, 1)},
	} {
		rt, _, host, err := loadLibraryUser(t, ti.Config{Cache: on}, rngLibrary(test.change...))
		if err != nil {
			t.Fatal(err)
		}
		host.S.Fill(rngState{Seed: 5})
		if err := host.Fill(); err != nil {
			t.Fatal(err)
		}
		if got, err := host.Pick(7); got != test.picks || err != nil {
			t.Errorf("%s: the element is %v, error %v; want %v", test.name, got, err, test.picks)
		}
		if st := rt.Stats(); st.Compiled != test.compiled || st.CacheHits != 2-test.compiled {
			t.Errorf("%s: compiled %d, from the cache %d; want %d compiled", test.name, st.Compiled, st.CacheHits, test.compiled)
		}
	}
}

// Code that was compiled ahead of time is that of a source with its libraries, whatever their files are called.
func TestLibraryAhead(t *testing.T) {
	levels := ahead.Here()
	if len(levels) == 0 {
		t.Skip("no code is compiled ahead of time for this processor")
	}
	llvmtest.Code(t)
	lib := llvmtest.Library(t)
	_, p, _, err := loadLibraryUser(t, ti.Config{}, rngLibrary())
	if err != nil {
		t.Fatal(err)
	}
	to := variant.AheadTarget{Compiler: codegen.NewFor(lib, levels[0]), Builder: ahead.NewBuilder(levels[0], ahead.About{Version: front.Version()})}
	if err := (*session.Program)(p).Ahead([]variant.AheadTarget{to}, func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	renamed := ti.Library("example.com/rng", ti.Join(ti.Text("other.ti", rngText), ti.Library("example.com/hash", ti.Text("names.ti", hashText))))
	for _, test := range []struct {
		name     string
		library  ti.Source
		compiled int64
	}{
		{"the same", rngLibrary(), 0},
		{"other names of files", renamed, 0},
		{"a changed library", rngLibrary("return x ^ x>>15", "return 1"), 2},
		{"a comment in a library", rngLibrary("that of a generator", "a generator's"), 2},
	} {
		rt, _, host, err := loadLibraryUser(t, ti.Config{Code: []string{string(to.Bytes())}}, test.library)
		if err != nil {
			t.Fatal(err)
		}
		if err := host.Fill(); err != nil {
			t.Fatal(err)
		}
		if _, err := host.Pick(1); err != nil {
			t.Fatal(err)
		}
		if n := rt.Stats().Compiled; n != test.compiled {
			t.Errorf("%s: %d kernels compiled, want %d", test.name, n, test.compiled)
		}
	}

	// What a host calls a struct does not matter: code is made for hosts that were not written yet.
	rt := titest.New(t, ti.Config{Code: []string{string(to.Bytes())}})
	var host struct {
		X ti.Field[float32]
		S ti.Field[struct {
			Count uint32
			Seed  uint32 `ti:"Key"`
		}]
		Fill func() error
	}
	rt.Place(ti.Shape{100}, &host.X, &host.S)
	if _, err := rt.Compile(ti.Join(ti.Text("p.ti", libraryUser), rngLibrary()), &host); err != nil {
		t.Fatal(err)
	}
	if err := host.Fill(); err != nil || rt.Stats().Compiled != 0 {
		t.Errorf("for a struct without a name: error %v, %d kernels compiled", err, rt.Stats().Compiled)
	}
}

// Coverage is that of the source: a library that is embedded has no file.
func TestLibraryCover(t *testing.T) {
	dir := t.TempDir()
	name, profile := filepath.Join(dir, "p.ti"), filepath.Join(dir, "profile")
	if err := os.WriteFile(name, []byte(libraryUser), 0o666); err != nil {
		t.Fatal(err)
	}
	rt, err := ti.New(ti.Config{Cover: profile})
	if err != nil {
		t.Fatal(err)
	}
	host := new(libraryHost)
	rt.Place(ti.Shape{100}, &host.X, &host.S)
	p, err := rt.Compile(ti.Join(ti.Text(name, libraryUser), rngLibrary()), host)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Kernel("Fill").Launch(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(profile)
	if err != nil || !strings.Contains(string(data), "p.ti:9.20,11.2 1 100\n") || strings.Contains(string(data), "rng") {
		t.Errorf("error %v, the profile is\n%s", err, data)
	}
}

// Derivatives go through functions of libraries, and are those that a library gives.
func TestLibraryDerivative(t *testing.T) {
	steep := ti.Library("example.com/steep", ti.Text("steep.ti", `package steep

func Cube(x f64) f64 { return x * x * x }

func Floor(x f64) f64 { return below(x) }

func below(x f64) f64 { return floor(x) }

//ti:grad below
func belowGrad(x, dy f64) f64 { return 10 * dy }

func Square(x field[f64], to field[f64]) {
	for i := range x {
		to[i] = x[i] * x[i]
	}
}
`))
	const source = `package p

import "example.com/steep"

var X, Y field[f64, D1]
var Loss field[f64, D0]

func F() {
	steep.Square(X, Y)
	for i := range X {
		Loss += steep.Cube(Y[i]) + steep.Floor(X[i])
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss ti.Field[float64]
			F          func() error
		}
		rt.Place(ti.Shape{3}, ti.WithGrad(&s.X, &s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		_, err := rt.Compile(ti.Join(ti.Text("p.ti", source), steep), &s)
		titest.Must(t, err)
		s.X.Fill(1.5)
		titest.Must(t, rt.Tape(&s.Loss, s.F))
		if got, want := s.X.Grad().At(1), 6*math.Pow(1.5, 5)+10; math.Abs(got-want) > 1e-12 {
			t.Errorf("the derivative is %v, want %v", got, want)
		}
	})
}
