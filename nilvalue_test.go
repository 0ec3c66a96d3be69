package ti_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestNilAndZero calls methods of nil pointers and of zero values, and passes nil where
// something is wanted. Each says what is wrong by an error of this package, which those
// without an error panic with.
func TestNilAndZero(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		x := ti.NewField[int32](rt, 8)
		p, err := rt.Compile(ti.Text("p.ti", "package p\nvar X field[i32]\nfunc F(a i32) i32 { return a }\nfunc T(x template, a i32) { x[0] = a }"), ti.Bindings{"X": x})
		if err != nil {
			t.Fatal(err)
		}
		var (
			ctx, none = context.Background(), context.Context(nil)
			f, tmpl   = p.Kernel("F"), p.Kernel("T")
			nilField  *ti.Field[int32]
			nilTree   *ti.Tree
			nilNode   *ti.Node
			nilKernel *ti.Kernel
			nilRT     *ti.Runtime
			bad       ti.Field[string]
			unplaced  ti.Field[int32]
			list      = func(t *ti.Tree) func() { return func() { t.Dense(ti.I, 2) } }
			launch    = func(_ any, err error) error { return err }
			copied    = func(_ int64, err error) error { return err }
			report    = func(_ ti.Profile, err error) error { return err }
			quiet     = func(f func()) func() error { return func() error { f(); return nil } }
		)
		rt.Place(ti.Shape{8}, &bad)
		for name, c := range map[string]struct {
			do   func() error
			is   error
			says string
		}{
			"launch without a context":             {func() error { return launch(f.Launch(none, int32(1))) }, ti.ErrArgs, "nil context"},
			"launch of a template without one":     {func() error { return launch(tmpl.Launch(none, x, int32(1))) }, ti.ErrArgs, "nil context"},
			"launch of a nil kernel":               {func() error { return launch(nilKernel.Launch(ctx)) }, ti.ErrArgs, "nil kernel"},
			"launch of a zero kernel":              {func() error { return launch(new(ti.Kernel).Launch(ctx)) }, ti.ErrArgs, "nil kernel"},
			"launch of a kernel that is not there": {func() error { return launch(p.Kernel("G").Launch(ctx)) }, ti.ErrArgs, "nil kernel"},
			"launch with too few":                  {func() error { return launch(f.Launch(ctx)) }, ti.ErrArgs, "0 arguments"},
			"launch with too many":                 {func() error { return launch(f.Launch(ctx, int32(1), 2)) }, ti.ErrArgs, "2 arguments"},
			"launch with nil":                      {func() error { return launch(f.Launch(ctx, nil)) }, ti.ErrArgs, "argument 1 is nil"},
			"launch with a nil pointer":            {func() error { return launch(f.Launch(ctx, (*int32)(nil))) }, ti.ErrArgs, "*int32"},
			"template with too few":                {func() error { return launch(tmpl.Launch(ctx, x)) }, ti.ErrArgs, "1 arguments"},
			"template with nil":                    {func() error { return launch(tmpl.Launch(ctx, nil, int32(1))) }, ti.ErrArgs, "is nil"},
			"template with a nil field":            {func() error { return launch(tmpl.Launch(ctx, nilField, int32(1))) }, ti.ErrArgs, "is nil"},
			"template with a nil node":             {func() error { return launch(tmpl.Launch(ctx, nilNode, int32(1))) }, ti.ErrArgs, "is nil"},
			"template with a zero node":            {func() error { return launch(tmpl.Launch(ctx, new(ti.Node), int32(1))) }, ti.ErrArgs, "no tree"},
			"template with a zero field":           {func() error { return launch(tmpl.Launch(ctx, &unplaced, int32(1))) }, ti.ErrPlace, "rt.Place"},
			"template with a bad field":            {func() error { return launch(tmpl.Launch(ctx, &bad, int32(1))) }, ti.ErrLayout, "string"},
			"dump of a nil kernel":                 {func() error { return nilKernel.Dump(io.Discard, "ir") }, ti.ErrArgs, "nil kernel"},
			"dump to a nil writer":                 {func() error { return f.Dump(nil, "lower") }, ti.ErrArgs, "nil writer"},
			"explaining a nil kernel":              {func() error { return nilKernel.Explain(io.Discard) }, ti.ErrArgs, "nil kernel"},
			"explaining to a nil writer":           {func() error { return f.Explain(nil) }, ti.ErrArgs, "nil writer"},

			"tree of a bad field":        {func() error { return bad.Tree().Err() }, ti.ErrLayout, "string"},
			"tree of an unplaced field":  {func() error { return unplaced.Tree().Err() }, ti.ErrPlace, "nil Tree"},
			"closing a nil tree":         {func() error { return nilTree.Close() }, ti.ErrPlace, "nil Tree"},
			"writing a nil tree":         {func() error { return copied(nilTree.WriteTo(io.Discard)) }, ti.ErrPlace, "nil Tree"},
			"reading a nil tree":         {func() error { return copied(nilTree.ReadFrom(&bytes.Buffer{})) }, ti.ErrPlace, "nil Tree"},
			"describing a nil tree":      {func() error { return nilTree.Describe(io.Discard) }, ti.ErrPlace, "nil Tree"},
			"describing a zero tree":     {func() error { return new(ti.Tree).Describe(io.Discard) }, ti.ErrArgs, "NewTree"},
			"origin of a zero tree":      {quiet(func() { new(ti.Tree).Origin(ti.I, 1) }), ti.ErrArgs, "NewTree"},
			"a node in a zero tree":      {quiet(list(new(ti.Tree))), ti.ErrArgs, "Node of no tree"},
			"writing to nil":             {func() error { return copied(x.Tree().WriteTo(nil)) }, ti.ErrArgs, "nil writer"},
			"reading from nil":           {func() error { return copied(x.Tree().ReadFrom(nil)) }, ti.ErrArgs, "nil reader"},
			"describing to nil":          {func() error { return x.Tree().Describe(nil) }, ti.ErrArgs, "nil writer"},
			"placing in a nil node":      {quiet(func() { nilNode.Place(x) }), ti.ErrPlace, "nil Node"},
			"a chunk of a nil node":      {quiet(func() { nilNode.Chunk(3) }), ti.ErrPlace, "nil Node"},
			"Z-order of a nil node":      {quiet(func() { nilNode.Morton() }), ti.ErrPlace, "nil Node"},
			"cells of a nil node":        {quiet(func() { nilNode.Count() }), ti.ErrPlace, "nil Node"},
			"node of an unplaced field":  {quiet(func() { unplaced.Node().Active() }), ti.ErrPlace, "nil Node"},
			"copying from a nil field":   {func() error { return nilField.CopyTo(nil) }, ti.ErrPlace, "nil *ti.Field[int32]"},
			"copying to a nil field":     {func() error { return nilField.CopyFrom(nil) }, ti.ErrPlace, "nil *ti.Field[int32]"},
			"slice of a nil field":       {func() error { _, err := nilField.Slice(); return err }, ti.ErrPlace, "nil *ti.Field[int32]"},
			"filling a nil field":        {quiet(func() { nilField.Fill(1) }), ti.ErrPlace, "nil *ti.Field[int32]"},
			"all of a nil field":         {quiet(func() { ti.AllOf(nil)(nil) }), ti.ErrPlace, "nil field"},
			"a stream of a nil field":    {func() error { return copied(nilField.WriteTo(io.Discard)) }, ti.ErrPlace, "nil *ti.Field[int32]"},
			"a stream to a nil writer":   {func() error { return copied(x.WriteTo(nil)) }, ti.ErrArgs, "nil writer"},
			"a stream of a nil reader":   {func() error { return copied(x.ReadFrom(nil)) }, ti.ErrArgs, "nil reader"},
			"an element of a bad field":  {quiet(func() { bad.At(0) }), ti.ErrLayout, "string"},
			"a zero field":               {quiet(func() { unplaced.At() }), ti.ErrPlace, "rt.Place"},
			"member of a nil field":      {func() error { _, err := ti.Member[int32](nilField, "[0]").Slice(); return err }, ti.ErrPlace, "nil *ti.Field[int32]"},
			"a field of no type":         {func() error { return copied(ti.NewFieldOf(rt, nil, 3).WriteTo(io.Discard)) }, ti.ErrLayout, "element type"},
			"a field as large as it can": {quiet(func() { ti.NewField[int32](rt, math.MaxInt, math.MaxInt).Fill(1) }), ti.ErrLayout, "too large"},
			"a field of too many bytes":  {quiet(func() { ti.NewField[int32](rt, 1<<30, 1<<30).Fill(1) }), ti.ErrLayout, "smaller extents"},
			"a field beyond the machine": {quiet(func() { ti.NewField[int32](rt, 1<<20, 1<<24).Fill(1) }), ti.ErrMemory, "bytes"},
			"a field of no elements":     {quiet(func() { ti.NewField[int32](rt, 0).Fill(1) }), ti.ErrLayout, "0"},

			"loading into no runtime":        {func() error { return nilRT.Load("package p", nil) }, ti.ErrArgs, "ti.New"},
			"loading into a zero runtime":    {func() error { return new(ti.Runtime).Load("package p", nil) }, ti.ErrArgs, "ti.New"},
			"closing no runtime":             {func() error { return nilRT.Close() }, ti.ErrArgs, "ti.New"},
			"waiting for a zero runtime":     {func() error { return new(ti.Runtime).Sync() }, ti.ErrArgs, "ti.New"},
			"preparing a zero runtime":       {func() error { return new(ti.Runtime).Prepare(ctx) }, ti.ErrArgs, "ti.New"},
			"preparing without a context":    {func() error { return rt.Prepare(none) }, ti.ErrArgs, "nil context"},
			"a tree of no runtime":           {quiet(func() { nilRT.NewTree() }), ti.ErrArgs, "NewTree"},
			"a field in no runtime":          {quiet(func() { ti.NewField[int32](nil, 3) }), ti.ErrArgs, "NewField"},
			"placing in no runtime":          {quiet(func() { nilRT.Place(nil, x) }), ti.ErrArgs, "Place"},
			"a profile of nothing":           {func() error { return report(rt.Profile(nil)) }, ti.ErrArgs, "nil function"},
			"a trace to nowhere":             {func() error { return report(rt.Trace(nil, func() error { return nil })) }, ti.ErrArgs, "nil writer"},
			"loading for a nil pointer":      {func() error { return rt.Load("package p", (*struct{})(nil)) }, ti.ErrArgs, "pointer to a struct"},
			"loading for a struct":           {func() error { return rt.Load("package p", struct{}{}) }, ti.ErrArgs, "pointer to a struct"},
			"loading for a nil field":        {func() error { return rt.Load("package p\nvar X field[i32]", ti.Bindings{"X": nilField}) }, ti.ErrArgs, "is nil"},
			"loading for a nil field member": {func() error { return rt.Load("package p\nvar X field[i32]", &struct{ X *ti.Field[int32] }{}) }, ti.ErrArgs, "is nil"},
		} {
			err := titest.Safely(c.do)
			var crash runtime.Error
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || errors.As(err, &crash) {
				t.Errorf("%s: %v; want %v with %q", name, err, c.is, c.says)
			}
		}
		if nilKernel.Name() != "" || nilTree.Bytes() != 0 || nilNode.Shape() != nil || (*ti.Program)(nil).Kernels() != nil || (*ti.Program)(nil).Kernel("F") != nil || nilField.Shape() != nil || nilField.Tree() != nil {
			t.Error("a nil value has something")
		}
	})
}

// TestNilContextOfFunction passes nil to kernel functions that take a context.
func TestNilContextOfFunction(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var h struct {
		X ti.Field[int32]
		F func(ctx context.Context) error
		T func(ctx context.Context, x *ti.Field[int32]) error
	}
	rt.Place(ti.Shape{4}, &h.X)
	if err := rt.Load("package p\nvar X field[i32]\nfunc F() { X[0] = 1 }\nfunc T(x field[i32]) { x[0] = 1 }", &h); err != nil {
		t.Fatal(err)
	}
	var none context.Context
	for _, err := range []error{h.F(none), h.T(none, &h.X)} {
		if !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), "nil context") {
			t.Error(err)
		}
	}
}

// TestChangingShape changes the shape of an array while kernels are launched with it:
// what has been checked is what they get.
func TestChangingShape(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var h struct {
		F func(a ti.Array[int32]) (int32, error)
	}
	p, err := rt.Compile(ti.Text("p.ti", "package p\nfunc F(a array[i32, D2]) i32 { return i32(a.shape[0] * a.shape[1]) }"), &h)
	if err != nil {
		t.Fatal(err)
	}
	a := ti.Array[int32]{Data: make([]int32, 12), Shape: ti.Shape{3, 4}}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				changeShape(a.Shape, i)
			}
		}
	}()
	wrong := 0
	for range 20000 {
		n, err := h.F(a)
		if err == nil && n != 12 || err != nil && !errors.Is(err, ti.ErrArgs) {
			t.Fatalf("%d elements, %v", n, err)
		}
		out, err := p.Kernel("F").Launch(context.Background(), a)
		if err == nil && !reflect.DeepEqual(out, []any{int32(12)}) || err != nil && !errors.Is(err, ti.ErrArgs) {
			t.Fatalf("%v, %v", out, err)
		}
		if err != nil {
			wrong++
		}
	}
	close(stop)
	<-done
	t.Logf("%d launches met another shape", wrong)
}

// changeShape is the race that the test is about; the detector need not report it.
//
//go:norace
func changeShape(s ti.Shape, i int) {
	s[0], s[1] = []int{3, 1 << 20, 1}[i%3], []int{4, 1 << 20, 12}[i/3%3]
}
