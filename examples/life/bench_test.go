package main

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
)

// BenchmarkStep has generations of random cells, as bits and as bytes.
func BenchmarkStep(b *testing.B) {
	const size = 8192
	for _, name := range []string{"bits", "bytes"} {
		rt, err := ti.New(ti.Config{})
		if err != nil {
			b.Fatal(err)
		}
		var life Life
		if name == "bits" {
			life.place(rt, size)
		} else {
			rt.Place(ti.Shape{size, size}, &life.Now, &life.Next)
		}
		if err := rt.Load(source, &life); err != nil {
			b.Fatal(err)
		}
		for i := range size * size / 8 {
			k := i * 8193 % (size * size)
			life.Now.Set(1, k/size, k%size)
		}
		b.Run(fmt.Sprintf("%s, %d bytes", name, life.Now.Tree().Bytes()), func(b *testing.B) {
			for b.Loop() {
				if _, err := life.Step(); err != nil {
					b.Fatal(err)
				}
			}
		})
		rt.Close()
	}
}
