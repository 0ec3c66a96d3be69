package ontree

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/typed"
)

// A stream is the random numbers of one iteration, words of Threefry2x32 with 13 rounds (Salmon, Moraes, Dror, Shaw:
// Parallel random numbers: as easy as 1, 2, 3; SC 2011), two from each block. The key is made of that of the
// launch and the number of the loop, the counter of the iteration and how many blocks it has used.
type stream struct {
	key       uint64
	iteration uint64
	loop      uint32
	used      uint32 // words
}

const golden64, golden32 = 0x9e3779b97f4a7c15, 0x9e3779b9 // 2⁶⁴ and 2³² divided by the golden ratio

func (s *stream) word() uint32 {
	key := mix(s.key + golden64*uint64(s.loop))
	x := threefry13([2]uint32{uint32(s.iteration), s.used>>1 + golden32*uint32(s.iteration>>32)}, [2]uint32{uint32(key), uint32(key >> 32)})
	w := x[s.used&1]
	s.used++
	return w
}

// mix is the finaliser of SplitMix64.
func mix(z uint64) uint64 {
	z ^= z >> 30
	z *= 0xbf58476d1ce4e5b9
	z ^= z >> 27
	z *= 0x94d049bb133111eb
	return z ^ z>>31
}

func threefry13(counter, key [2]uint32) [2]uint32 {
	const parity = 0x1bd11bda
	ks := [3]uint32{key[0], key[1], parity ^ key[0] ^ key[1]}
	x := [2]uint32{counter[0] + ks[0], counter[1] + ks[1]}
	for r, turn := range [13]int{13, 15, 26, 6, 17, 29, 16, 24, 13, 15, 26, 6, 17} {
		x[0] += x[1]
		x[1] = bits.RotateLeft32(x[1], turn) ^ x[0]
		if (r+1)%4 == 0 { // another part of the key
			d := uint32(r+1) / 4
			x[0] += ks[d%3]
			x[1] += ks[(d+1)%3] + d
		}
	}
	return x
}

// uniform draws a number: a float from 0 up to 1, or an integer from its whole range.
func (m *machine) uniform(s typed.Scalar) uint64 {
	switch s {
	case typed.Bool:
		return uint64(m.random.word() >> 31)
	case typed.F16:
		return rounded(s, float64(m.random.word()>>21)*0x1p-11)
	case typed.F32:
		return rounded(s, float64(m.random.word()>>8)*0x1p-24)
	case typed.F64:
		high := uint64(m.random.word() >> 5)
		low := uint64(m.random.word() >> 6)
		return rounded(s, float64(high<<26|low)*0x1p-53)
	case typed.I64, typed.U64:
		high := uint64(m.random.word())
		return high<<32 | uint64(m.random.word())
	}
	return word(s, uint64(m.random.word()))
}

// normal draws a number of the normal distribution, after Box and Muller; a half in single precision.
func (m *machine) normal(s typed.Scalar) uint64 {
	k := s
	if k == typed.F16 {
		k = typed.F32
	}
	u, v := m.uniform(k), m.uniform(k)
	c := func(x float64) uint64 { return rounded(k, x) }
	r := binary(typed.Mul, k, c(-2), m.env.Math(typed.Log, k, binary(typed.Sub, k, c(1), u)))
	angle := binary(typed.Mul, k, v, c(2*math.Pi))
	return convert(k, s, binary(typed.Mul, k, c(math.Sqrt(real(k, r))), m.env.Math(typed.Cos, k, angle)))
}
