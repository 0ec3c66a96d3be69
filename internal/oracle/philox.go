package oracle

// A stream is the random numbers of one iteration: words of Philox4x32-10 blocks
// (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
// SC 2011) whose counter is the iteration, the number of the block and the loop.
type stream struct {
	key       uint64
	iteration uint64
	loop      uint32
	drawn     uint32
}

func (s *stream) next() uint32 {
	block := philox(
		[4]uint32{uint32(s.iteration), uint32(s.iteration >> 32), s.drawn / 4, s.loop},
		[2]uint32{uint32(s.key), uint32(s.key >> 32)})
	word := block[s.drawn%4]
	s.drawn++
	return word
}

// philox is Philox4x32 with ten rounds.
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		left := uint64(counter[0]) * 0xd2511f53
		right := uint64(counter[2]) * 0xcd9e8d57
		counter = [4]uint32{
			uint32(right>>32) ^ counter[1] ^ key[0], uint32(right),
			uint32(left>>32) ^ counter[3] ^ key[1], uint32(left),
		}
		key[0] += 0x9e3779b9 // the golden ratio
		key[1] += 0xbb67ae85 // the square root of 3, less 1
	}
	return counter
}
