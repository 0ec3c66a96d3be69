package program_test

import (
	"testing"

	"github.com/gotaichi/ti"
)

// BenchmarkNarrowStores stores numbers of 8 and 16 bits in half of the iterations. TI_PROCESSOR=x86-64-v3 has it without the masks of AVX-512.
func BenchmarkNarrowStores(b *testing.B) {
	const n = 1 << 17
	var h struct {
		Bytes ti.Field[uint8]
		Words ti.Field[int16]
		Y     ti.Field[float32]

		StoreBytes, StoreWords func() error
	}
	rt, err := ti.New(ti.Config{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	rt.Place(ti.Shape{n}, &h.Bytes, &h.Words, &h.Y)
	if err := rt.Load(narrowStores, &h); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		h.Y.Set(float32(i*7919%1000)/1000, i)
	}
	for _, c := range []struct {
		name   string
		kernel func() error
	}{{"bytes", h.StoreBytes}, {"words", h.StoreWords}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.kernel(); err != nil {
					b.Fatal(err)
				}
			}
			if err := rt.Sync(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

const narrowStores = `package stores

var Bytes field[u8, D1]
var Words field[i16, D1]
var Y field[f32, D1]

func StoreBytes() {
	for i := range Bytes {
		if Y[i] > 0.5 {
			Bytes[i] = u8(i & 255)
		}
	}
}

func StoreWords() {
	for i := range Words {
		if Y[i] > 0.5 {
			Words[i] = i16(i & 255)
		}
	}
}
`
