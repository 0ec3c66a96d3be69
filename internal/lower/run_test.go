package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
)

// TestRun runs the kernels of testdata on the oracle as the file want says: lines
// like "Steps(3, [1 2]) = 7 true", one launch after the other on the same fields;
// a slice is written in brackets. " fails 2" at the end says how many accesses
// are out of range.
func TestRun(t *testing.T) {
	for _, path := range testFiles(t) {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			prog := compile(t, ar)
			r := &runner{prog: prog, fields: map[string]oracle.Cells{}}
			for _, f := range ar.Files {
				if f.Name != "want" {
					continue
				}
				for line := range strings.Lines(string(f.Data)) {
					if line = strings.TrimSpace(line); line != "" {
						r.line(t, line)
					}
				}
			}
		})
	}
}

type runner struct {
	prog   *check.Program
	fields map[string]oracle.Cells
}

// line runs one launch and compares.
func (r *runner) line(t *testing.T, line string) {
	t.Helper()
	call, want, _ := strings.Cut(line, "=")
	want, fails, _ := strings.Cut(want, "fails")
	name, args, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(call), ")"), "(")
	f := r.prog.Kernel(name)
	if !ok || f == nil {
		t.Fatalf("%s: no such kernel", line)
	}
	for _, strict := range []bool{false, true} {
		k := Kernel(&r.prog.Program, f, Options{Options: option.Options{Strict: strict}})
		if err := ir.Verify(k); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, k)
		}
		if strict {
			return // one run suffices
		}
		res, err := oracle.Run(context.Background(), k, r.env(k, args))
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, k)
		}
		count := 0
		if res.Failure != nil {
			count = res.Failure.Count
		}
		if n, _ := strconv.Atoi(strings.TrimSpace(fails)); n != count {
			t.Errorf("%s: %d failures: %+v", line, count, res.Failure)
		}
		if got, ok := same(k.Results, res.Values, strings.Fields(want)); !ok {
			t.Errorf("%s: got %s\n%s", line, got, k)
		}
	}
}

// env makes the arguments and fields of a launch.
func (r *runner) env(k *ir.Kernel, text string) *oracle.Env {
	env := &oracle.Env{Key: 1, MaxSteps: 1e7, Slices: make([]oracle.Slice, len(k.Params))}
	for _, f := range k.Fields {
		if r.fields[f.Name] == nil {
			r.fields[f.Name] = oracle.Cells{}
		}
		env.Fields = append(env.Fields, r.fields[f.Name])
	}
	for i, p := range k.Params {
		for range p.Slots() - 1 {
			env.Args = append(env.Args, 0)
		}
		var arg string
		arg, text = cutArg(text)
		words := strings.Fields(strings.Trim(arg, "[] "))
		if p.Content != ir.ParamSlice {
			env.Args = env.Args[:p.Slot]
			for c := range p.Comps {
				env.Args = append(env.Args, parseBits(p.Kind, words[min(c, len(words)-1)]))
			}
			continue
		}
		env.Args = append(env.Args, 0)
		var data []byte
		for _, w := range words {
			word := binary.LittleEndian.AppendUint64(nil, parseBits(p.Kind, w))
			data = append(data, word[:p.Kind.Size()]...)
		}
		env.Slices[i] = oracle.Slice{Data: data, Len: int64(len(words) / p.Comps)}
	}
	return env
}

// cutArg splits off the first argument.
func cutArg(text string) (arg, rest string) {
	depth := 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// parseBits reads a value of kind k.
func parseBits(k ir.Kind, word string) uint64 {
	switch word {
	case "true":
		return 1
	case "false":
		return 0
	}
	if k.IsFloat() {
		f, _ := strconv.ParseFloat(word, 64)
		return ir.FloatBits(k, f)
	}
	if n, err := strconv.ParseInt(word, 0, 64); err == nil {
		return ir.IntBits(k, n)
	}
	n, _ := strconv.ParseUint(word, 0, 64)
	return n
}

// same compares results; floats may be off by a little. Each want may be "*".
func same(ks []ir.Kind, got []uint64, want []string) (text string, ok bool) {
	ok = len(got) == len(want) && len(ks) == len(want)
	for i, g := range got {
		if !ks[i].IsFloat() {
			text += fmt.Sprintf(" %d", int64(g))
			ok = ok && (want[i] == "*" || parseBits(ks[i], want[i]) == g)
			continue
		}
		x := ir.FloatValue(ks[i], g)
		text += fmt.Sprintf(" %g", x)
		if ok && want[i] != "*" {
			w, _ := strconv.ParseFloat(want[i], 64)
			close := math.Abs(x-w) <= 1e-5*max(1, math.Abs(w)) || x == w || x != x && w != w
			ok = close
		}
	}
	return text, ok
}
