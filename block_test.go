package ti_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// A picture of 1000 columns and 300 rows, and a device whose warps have 32 threads.
func ExampleBlock_Resolve() {
	dev := ti.Device{Warp: 32, MaxBlockThreads: 1024, MaxBlock: [3]int{1024, 1024, 64}, MaxGrid: [3]int{1<<31 - 1, 65535, 65535}}
	for _, b := range []ti.Block{
		{},
		{Size: [3]int{128, 4, 1}, Policy: ti.BlockExact},
		{Size: [3]int{2000, 1, 1}, Policy: ti.BlockTrim, WarpAligned: true},
		{Size: [3]int{20, 1, 1}, Policy: ti.BlockFit},
		{Size: [3]int{64, 64, 1}, Policy: ti.BlockExact},
	} {
		block, grid, err := b.Resolve([3]int{1000, 300, 1}, dev)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(block, grid)
	}
	// Output:
	// [16 16 1] [63 19 1]
	// [128 4 1] [8 75 1]
	// [1024 1 1] [1 300 1]
	// [32 1 1] [32 300 1]
	// ti: wrong arguments: a thread block of 64×64×1 threads is too large for the device: it has at most 1024 in all
}

// TestBlockErrors: a block that no device can have fails by name, and New refuses it.
func TestBlockErrors(t *testing.T) {
	for _, b := range []ti.Block{{Size: [3]int{-4, 1, 1}, Policy: ti.BlockFit}, {Policy: 7}} {
		if _, _, err := b.Resolve([3]int{8, 8, 8}, ti.Device{}); !errors.Is(err, ti.ErrArgs) {
			t.Errorf("Resolve of %+v: the error is %v", b, err)
		}
		if rt, err := ti.New(ti.Config{Block: b}); err == nil || !strings.Contains(err.Error(), "Config.Block") {
			t.Errorf("New with %+v: the error is %v", b, err)
			if err == nil {
				_ = rt.Close()
			}
		}
	}
	var none *ti.Kernel
	none.SetBlock(ti.Block{Policy: ti.BlockExact}) // like that of a name that the source does not have
}

// TestBlockIgnored: processors have no thread blocks.
func TestBlockIgnored(t *testing.T) {
	for _, arch := range []ti.Arch{ti.CPU, ti.Oracle} {
		rt, err := ti.New(titest.OnProcessors(t, ti.Config{Arch: arch, Block: ti.Block{Size: [3]int{1 << 30, 1 << 30, 1}, Policy: ti.BlockExact}}))
		if err != nil {
			t.Fatal(err)
		}
		if d := rt.Device(); d.Warp != 0 || d.MaxBlockThreads != 0 || d.MaxBlock != [3]int{} || d.MaxGrid != [3]int{} {
			t.Errorf("%v has thread blocks: %+v", arch, d)
		}
		var h struct {
			X   ti.Field[int32]
			Run func() error
		}
		rt.Place(ti.Shape{8}, &h.X)
		p, err := rt.Compile(ti.Text("p.ti", "package p\n\nvar X field[i32]\n\nfunc Run() {\n\tfor i := range config(X, blockDim(1000000)) {\n\t\tX[i] = i32(i)\n\t}\n}\n"), &h)
		if err != nil {
			t.Fatal(err)
		}
		p.Kernel("Run").SetBlock(ti.Block{Policy: 9})
		if err := h.Run(); err != nil || h.X.At(7) != 7 {
			t.Errorf("%v: X[7] is %d, and the error is %v", arch, h.X.At(7), err)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}
