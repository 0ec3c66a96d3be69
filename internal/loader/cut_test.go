package loader

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/native"
)

// manyConstants is a task whose constants the code generator puts together with those of
// others: a byte and two bytes that fill a vector, vectors of 16 to 64 bytes, one beside a
// value in the instruction itself. %[1]s is what tells one task from another, %[2]s and %[3]s are
// the elements of vectors of one value, for which not every libLLVM has "splat".
const manyConstants = `
@task.table.0 = private unnamed_addr constant [4 x i64] [i64 1%[1]s, i64 2%[1]s, i64 3%[1]s, i64 4%[1]s]

define void @task(ptr %%p) #0 {
  %%a = load <64 x i8>, ptr %%p, align 1
  %%a.1 = add <64 x i8> %%a, <%[2]s>
  store <64 x i8> %%a.1, ptr %%p, align 1
  %%q = getelementptr i8, ptr %%p, i64 64
  %%b = load <32 x i16>, ptr %%q, align 1
  %%b.1 = mul <32 x i16> %%b, <%[3]s>
  store <32 x i16> %%b.1, ptr %%q, align 1
  %%r = getelementptr i8, ptr %%p, i64 128
  %%c = load <16 x i32>, ptr %%r, align 1
  %%c.1 = add <16 x i32> %%c, <i32 0, i32 %[1]s, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  store <16 x i32> %%c.1, ptr %%r, align 1
  %%s = getelementptr i8, ptr %%p, i64 192
  %%d = load <4 x double>, ptr %%s, align 1
  %%d.1 = fmul <4 x double> %%d, <double 0x3FF800000000000%[1]s, double 2.5, double 3.5, double 4.5>
  %%d.2 = shufflevector <4 x double> %%d.1, <4 x double> <double 9%[1]s.0, double 8.0, double 7.0, double 6.0>, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  store <4 x double> %%d.2, ptr %%s, align 1
  %%t = getelementptr i8, ptr %%p, i64 224
  %%e = load i64, ptr %%t
  %%e.0 = and i64 %%e, 3
  %%e.1 = getelementptr [4 x i64], ptr @task.table.0, i64 0, i64 %%e.0
  %%e.2 = load i64, ptr %%e.1
  %%e.3 = call i64 @task.fn.0(i64 %%e.2)
  store i64 %%e.3, ptr %%t
  ret void
}
define internal i64 @task.fn.0(i64 %%x) noinline #0 {
  %%r = mul i64 %%x, 3%[1]s
  ret i64 %%r
}
attributes #0 = { "no-jump-tables" }
`

// task is the source of task number n, for n < 10.
func task(n int) llvm.Source {
	return llvm.Source{Name: fmt.Sprintf("task%d", n), Text: fmt.Sprintf(manyConstants, fmt.Sprint(n), splat(64, fmt.Sprint("i8 3", n)), splat(32, fmt.Sprint("i16 123", n)))}
}

// splat is the elements of a vector that are all alike.
func splat(n int, elem string) string {
	return strings.Join(slices.Repeat([]string{elem}, n), ", ")
}

// TestCut compiles tasks one by one and in batches, in two orders: the pieces must be the
// same byte for byte.
func TestCut(t *testing.T) {
	for _, target := range []llvm.Options{
		{Triple: "x86_64-unknown-linux-gnu", CPU: "x86-64"},
		{Triple: "x86_64-unknown-linux-gnu", CPU: "haswell"},
		{Triple: "x86_64-unknown-linux-gnu", CPU: "skylake-avx512"},
		{Triple: "x86_64-unknown-linux-gnu", CPU: "sapphirerapids"},
		{Triple: "aarch64-unknown-linux-gnu", CPU: "generic"},
	} {
		if !makes(t, target.Triple) {
			continue
		}
		for target.OptLevel = range 4 {
			all := []llvm.Source{task(1), task(2), task(3)}
			alone := map[string]*Piece{}
			for _, s := range all {
				for _, p := range cut(t, target, s) {
					alone[p.Name] = p
				}
			}
			if len(alone) != 3 {
				t.Errorf("%s: there are %d pieces", target.CPU, len(alone))
			}
			for range 2 {
				for _, p := range cut(t, target, all...) {
					if !reflect.DeepEqual(p, alone[p.Name]) {
						t.Errorf("%s -O%d: task %s differs in a batch:\n%+v\nand alone\n%+v", target.CPU, target.OptLevel, p.Name, p, alone[p.Name])
					}
				}
				slices.Reverse(all)
			}
		}
	}
}

// makes reports whether this machine's library makes code for a triple; "" is that of the machine.
func makes(t *testing.T, triple string) bool {
	t.Helper()
	arch, _, _ := strings.Cut(triple, "-")
	goarch := map[string]string{"x86_64": "amd64", "aarch64": "arm64"}[arch]
	return goarch == "" || library(t).Makes(goarch)
}

func cut(t *testing.T, o llvm.Options, sources ...llvm.Source) []*Piece {
	t.Helper()
	object, err := library(t).Compile(o, sources...)
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := Cut(object)
	if err != nil {
		t.Fatalf("%s -O%d: %v", o.CPU, o.OptLevel, err)
	}
	return pieces
}

// TestLink runs pieces of one object that are linked in another order, and one of them with
// a piece of another object.
func TestLink(t *testing.T) {
	pieces := cut(t, llvm.Options{OptLevel: 3}, task(1), task(2), task(3))
	run := func(c *Code, n int) {
		fn, ok := c.Symbol(task(n).Name)
		if !ok {
			t.Fatalf("no task %d among %v", n, c.Symbols())
		}
		var data struct {
			a [64]uint8
			b [32]uint16
			c [16]uint32
			d [4]float64
			e int64
		}
		for i := range data.a {
			data.a[i] = uint8(i)
		}
		for i := range data.b {
			data.b[i] = uint16(i)
		}
		data.d, data.e = [4]float64{1, 1, 2, 1}, 2
		native.Call(fn, uintptr(unsafe.Pointer(&data)))
		if got, want := data.a[63], uint8(63+30+n); got != want {
			t.Errorf("task %d: the byte is %d, want %d", n, got, want)
		}
		if got, want := data.b[31], uint16(31*(1230+n)); got != want {
			t.Errorf("task %d: the short is %d, want %d", n, got, want)
		}
		if data.c[1] != uint32(n) || data.c[15] != 15 {
			t.Errorf("task %d: the words are %v", n, data.c)
		}
		if d := data.d; d[0] < 1.5 || d[0] > 1.6 || d[1] != 8 || d[2] != 7 || d[3] != 6 {
			t.Errorf("task %d: the numbers are %v", n, d)
		}
		if want := int64(30+n) * int64(30+n); data.e != want {
			t.Errorf("task %d: the table and function give %d, want %d", n, data.e, want)
		}
	}
	slices.Reverse(pieces)
	c, err := Link(pieces)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for n := 1; n <= 3; n++ {
		run(c, n)
	}
	c, err = Link(append(cut(t, llvm.Options{OptLevel: 1}, task(4)), pieces[1]))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run(c, 4)
	run(c, 2)
	if _, err := Link(append(pieces, pieces[0])); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a piece that is there twice gives error %v", err)
	}
	if !makes(t, "aarch64") {
		return
	}
	foreign := cut(t, llvm.Options{Triple: "aarch64-unknown-linux-gnu", CPU: "generic"}, task(1))
	if foreign[0].Arch = "arm64"; pieces[0].Arch == "arm64" {
		return
	}
	if _, err := Link(foreign); err == nil || !strings.Contains(err.Error(), "is for arm64") {
		t.Errorf("a foreign piece gives error %v", err)
	}
}

// TestCallees links a task with a function of another object that it calls, through the
// binary form.
func TestCallees(t *testing.T) {
	caller := llvm.Source{Name: "task1", Text: `declare i64 @ti.triple(i64)
define i64 @task(i64 %x) {
  %y = call i64 @ti.triple(i64 %x)
  %z = call i64 @ti.triple(i64 %y)
  %r = add i64 %z, 7
  ret i64 %r
}`}
	callee := llvm.Source{Name: "ti.triple", Text: "define i64 @task(i64 %x) {\n  %r = mul i64 %x, 3\n  ret i64 %r\n}"}
	for _, o := range []llvm.Options{{}, {OptLevel: 3}, {Triple: "aarch64-unknown-linux-gnu", CPU: "generic"}, {Triple: "x86_64-unknown-linux-gnu", CPU: "generic"}} {
		if !makes(t, o.Triple) {
			continue
		}
		var pieces []*Piece
		for _, p := range append(cut(t, o, caller), cut(t, o, callee)...) {
			again, err := Read(p.Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, again)
		}
		if len(pieces) != 2 || !slices.Equal(pieces[0].Callees(), []string{"ti.triple"}) || pieces[1].Callees() != nil {
			t.Fatalf("the pieces are %v", pieces)
		}
		im := &image{arch: pieces[0].Arch, symbols: map[string]int{}}
		for _, p := range pieces {
			if err := im.add(p); err != nil {
				t.Fatal(err)
			}
		}
		if err := im.bind(); err != nil {
			t.Error(err)
		}
		if _, err := im.link(0x7f0000001000); err != nil {
			t.Error(err)
		}
		if o.Triple != "" {
			continue
		}
		c, err := Link(pieces)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fn, _ := c.Symbol("task1")
		if got := native.Call(fn, 5); got != 52 {
			t.Errorf("task1(5) = %d, want 52", got)
		}
		if _, err := Link(pieces[:1]); err == nil || !strings.Contains(err.Error(), `"ti.triple", which is defined nowhere`) {
			t.Errorf("without the function that it calls: error %v", err)
		}
		wrong := *pieces[1]
		wrong.Relocs = []Reloc{{Kind: pieces[0].Relocs[0].Kind, Data: -1, At: 1, Callee: "ti.triple"}}
		if err := wrong.Check(); err == nil || !strings.Contains(err.Error(), "is no call") {
			t.Errorf("a call of the middle of a function: error %v", err)
		}
	}
}

// TestCutRefused cuts what cannot be taken apart.
func TestCutRefused(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a function of no task", "define i64 @f() {\n ret i64 1\n}", "section .text is of no task"},
		{"the address of an undefined function", "declare i64 @labs(i64)\ndefine ptr @task() section \".text.task\" {\n ret ptr @labs\n}", "which cannot be cut out"},
		{"another task", "define i64 @other(i64 %x) section \".text.other\" {\n ret i64 1\n}\ndefine i64 @task(i64 %x) section \".text.task\" {\n %r = call i64 @other(i64 %x)\n ret i64 %r\n}", "which is not its own"},
		{"addresses", "@p = internal constant [1 x ptr] [ptr @task], section \".rodata.task\"\ndefine ptr @task(i64 %x) section \".text.task\" {\n %p = getelementptr ptr, ptr @p, i64 %x\n %r = load ptr, ptr %p\n ret ptr %r\n}", "have relocations"},
	} {
		object, err := library(t).Compile(llvm.Options{}, llvm.Source{Text: test.text})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Cut(object); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

// TestDecodeX86 knows lengths and operands as a disassembler tells them.
func TestDecodeX86(t *testing.T) {
	for _, test := range []struct {
		code        string
		disp, reads int
		name        string
	}{
		{"c3", 0, 16, "ret"},
		{"4889f8", 0, 16, "mov rax, rdi"},
		{"488b4c2408", 0, 16, "mov rcx, [rsp+8]"},
		{"488b0425d0000000", 0, 16, "mov rax, [208]"},
		{"48b8efcdab8967452301", 0, 16, "movabs rax, 0x123456789abcdef"},
		{"b801000000", 0, 16, "mov eax, 1"},
		{"66b80100", 0, 16, "mov ax, 1"},
		{"81fae8030000", 0, 16, "cmp edx, 1000"},
		{"6681fae803", 0, 16, "cmp dx, 1000"},
		{"c7050000000039300000", 2, 16, "mov dword [rip], 12345"},
		{"66c705000000003930", 3, 16, "mov word [rip], 12345"},
		{"f60500000000ff", 2, 16, "test byte [rip], 255"},
		{"f61500000000", 2, 16, "not byte [rip]"},
		{"f70500000000e8030000", 2, 16, "test dword [rip], 1000"},
		{"690500000000e8030000", 2, 16, "imul eax, [rip], 1000"},
		{"488d0500000000", 3, 16, "lea rax, [rip]"},
		{"0fb60500000000", 3, 1, "movzx eax, byte [rip]"},
		{"0fb70500000000", 3, 2, "movzx eax, word [rip]"},
		{"0f280500000000", 3, 16, "movaps xmm0, [rip]"},
		{"660f70050000000044", 4, 16, "pshufd xmm0, [rip], 0x44"},
		{"660f3a22050000000001", 5, 16, "pinsrd xmm0, [rip], 1"},
		{"e800000000", 0, 16, "call"},
		{"eb04", 0, 16, "jmp"},
		{"0f8400000000", 0, 16, "je"},
		{"660f1f840000000000", 0, 16, "nop"},
		{"c5fd6f0500000000", 4, 32, "vmovdqa ymm0, [rip]"},
		{"c5f8280500000000", 4, 16, "vmovaps xmm0, [rip]"},
		{"c5f877", 0, 16, "vzeroupper"},
		{"c4e27d780500000000", 5, 1, "vpbroadcastb ymm0, [rip]"},
		{"c4e27d790500000000", 5, 2, "vpbroadcastw ymm0, [rip]"},
		{"c4e3790c050000000007", 5, 16, "vblendps xmm0, xmm0, [rip], 7"},
		{"c4e3fd00050000000044", 5, 32, "vpermq ymm0, [rip], 0x44"},
		{"62f17d486f0500000000", 6, 64, "vmovdqa32 zmm0, [rip]"},
		{"62f27d48780500000000", 6, 1, "vpbroadcastb zmm0, [rip]"},
		{"62f17d58fe0500000000", 6, 8, "vpaddd zmm0, zmm0, [rip]{1to16}"},
		{"62f37d4825050000000011", 6, 64, "vpternlogd zmm0, zmm0, [rip], 0x11"},
		{"62f17c484f4001", 0, 64, "vrsqrt14 with a short displacement"},
	} {
		code, err := hex.DecodeString(test.code)
		if err != nil {
			t.Fatal(err)
		}
		in, known := decodeX86(append(code, 0x90, 0x90))
		if !known || in.size != len(code) || in.disp != test.disp || in.reads != test.reads {
			t.Errorf("%s (% x): %+v (known: %v), want %d bytes, a distance at %d, %d bytes read", test.name, code, in, known, len(code), test.disp, test.reads)
		}
		if _, known := decodeX86(code[:len(code)-1]); known {
			t.Errorf("%s: an instruction without its last byte is one", test.name)
		}
	}
	for _, bad := range []string{"", "66", "d4", "62", "c4", "0f", "0f0a"} {
		code, _ := hex.DecodeString(bad)
		if in, known := decodeX86(code); known {
			t.Errorf("% x is %+v", code, in)
		}
	}
}

// FuzzCut damages objects, and links what can be cut out of them. Nothing is executed.
func FuzzCut(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.cut")
	if err != nil || len(seeds) < 2 {
		f.Fatalf("seeds %v, error %v", seeds, err)
	}
	for _, name := range seeds {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		pieces, err := Cut(data)
		if err != nil {
			return
		}
		for _, p := range pieces {
			if err := p.Check(); err != nil {
				t.Errorf("%s is cut out, but %v", p.Name, err)
			}
			im := &image{arch: p.Arch, symbols: map[string]int{}}
			if err := im.add(p); err != nil {
				t.Errorf("%s is cut out, but %v", p.Name, err)
			}
			if out, err := im.link(0x7f0000001000); err == nil && len(out) != im.size {
				t.Errorf("a piece of %d bytes links to %d", im.size, len(out))
			}
		}
	})
}

// TestCutSeeds writes the objects that FuzzCut starts from, if they are absent.
func TestCutSeeds(t *testing.T) {
	for _, arch := range []string{"x86_64", "aarch64"} {
		name := filepath.Join("testdata", arch+".cut")
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			data, err = library(t).Compile(llvm.Options{Triple: arch + "-unknown-linux-gnu", CPU: "generic", OptLevel: 1}, task(1), task(2))
			if err == nil {
				err = os.WriteFile(name, data, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if pieces, err := Cut(data); err != nil || len(pieces) != 2 {
			t.Errorf("%s: %d pieces, error %v", name, len(pieces), err)
		}
	}
}
