package oracle

import "math/bits"

// A stream is the random numbers of one iteration: the words of Threefry2x32 blocks
// one after another, as the ir package describes them.
type stream struct {
	key       uint64
	iteration uint64
	loop      uint32
	drawn     uint32
}

func (s *stream) next() uint32 {
	key := spread(s.key + uint64(s.loop)*0x9e3779b97f4a7c15) // the golden ratio
	block := threefry(13,
		[2]uint32{uint32(s.iteration), s.drawn/2 + uint32(s.iteration>>32)*0x9e3779b9},
		[2]uint32{uint32(key), uint32(key >> 32)})
	word := block[s.drawn%2]
	s.drawn++
	return word
}

// spread makes each bit of the result depend on all of z: the finaliser of SplitMix64.
func spread(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// threefry is Threefry2x32 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
// easy as 1, 2, 3; SC 2011).
func threefry(rounds int, counter, key [2]uint32) [2]uint32 {
	keys := [3]uint32{key[0], key[1], 0x1bd11bda ^ key[0] ^ key[1]}
	rotations := [8]int{13, 15, 26, 6, 17, 29, 16, 24}
	x, y := counter[0]+keys[0], counter[1]+keys[1]
	for r := range rounds {
		x += y
		y = x ^ bits.RotateLeft32(y, rotations[r%8])
		if n := r/4 + 1; r%4 == 3 {
			x += keys[n%3]
			y += keys[(n+1)%3] + uint32(n)
		}
	}
	return [2]uint32{x, y}
}
