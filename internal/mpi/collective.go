package mpi

import (
	"encoding/binary"
	"fmt"
)

// A collective is an operation that all ranks do together, in the same order. They check that they do: each message says which collective it
// belongs to.
type collective uint32

const (
	barrier collective = iota
	broadcast
	gather
	allGather
)

func (k collective) String() string {
	names := [...]string{"Barrier", "Broadcast", "Gather", "AllGather"}
	return names[int(k)%len(names)]
}

// A block of bytes, whose length the receiver does not know, travels as a head and, if it does not fit there, a second message. Tags of
// collectives are above those of other messages.
const (
	headTag = MaxTag + 1 + iota
	restTag
	lastTag = restTag

	headBytes  = 128
	headFields = 16 // collective, its number, and the length
)

// Barrier returns after all ranks have called it.
func (c *Comm) Barrier() error {
	c.round++
	// Dissemination (Hensgen, Finkel, Manber 1988): after step k each rank has heard, directly or not, of 2^k others.
	for step := 1; step < c.size; step *= 2 {
		if _, err := c.exchange(barrier, (c.rank+step)%c.size, nil, (c.rank-step+c.size)%c.size); err != nil {
			return err
		}
	}
	return nil
}

// Broadcast returns the data of the root on all ranks. Data of others are not used.
func (c *Comm) Broadcast(root int, data []byte) ([]byte, error) {
	c.round++
	// A binomial tree of the ranks, counted from the root: a rank gets the data from the one without its lowest bit, and hands them to those with
	// one lower bit more.
	place, top := (c.rank-root+c.size)%c.size, 1
	for top < c.size && place&top == 0 {
		top *= 2
	}
	if place != 0 {
		var err error
		if data, err = c.receiveBlock(broadcast, (place-top+root)%c.size); err != nil {
			return nil, err
		}
	}
	var sends []*Request
	for step := top / 2; step > 0; step /= 2 {
		if place+step < c.size {
			sends = append(sends, c.sendBlock(broadcast, (place+step+root)%c.size, data)...)
		}
	}
	return data, c.Wait(sends...)
}

// Gather returns the data of all ranks on the root, in the order of ranks, and nil on others.
func (c *Comm) Gather(root int, data []byte) ([][]byte, error) {
	c.round++
	if c.rank != root {
		return nil, c.Wait(c.sendBlock(gather, root, data)...)
	}
	all := make([][]byte, c.size)
	for rank := range all {
		if rank == root {
			all[rank] = data
			continue
		}
		var err error
		if all[rank], err = c.receiveBlock(gather, rank); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// AllGather returns the data of all ranks, of any lengths, on each of them, in the order of ranks. A reduction is a fold over them: then floats are added in the same order
// on all ranks.
func (c *Comm) AllGather(data []byte) ([][]byte, error) {
	c.round++
	// After each step a rank has the blocks of twice as many ranks, from its own on (Bruck et al. 1997).
	have := [][]byte{data}
	for step := 1; step < c.size; step *= 2 {
		give := have[:min(step, c.size-step)]
		got, err := c.exchange(allGather, (c.rank-step+c.size)%c.size, pack(give), (c.rank+step)%c.size)
		if err != nil {
			return nil, err
		}
		have = append(have, unpack(got, len(give))...)
	}
	all := make([][]byte, c.size)
	for i, block := range have {
		all[(c.rank+i)%c.size] = block
	}
	return all, nil
}

// pack joins blocks, each after its length.
func pack(blocks [][]byte) (out []byte) {
	for _, b := range blocks {
		out = append(binary.LittleEndian.AppendUint64(out, uint64(len(b))), b...)
	}
	return out
}

func unpack(in []byte, n int) [][]byte {
	blocks := make([][]byte, n)
	for i := range blocks {
		length := binary.LittleEndian.Uint64(in)
		blocks[i], in = in[8:8+length:8+length], in[8+length:]
	}
	return blocks
}

// exchange sends a block to one rank and returns that of another one.
func (c *Comm) exchange(k collective, to int, data []byte, from int) ([]byte, error) {
	sends := c.sendBlock(k, to, data)
	got, err := c.receiveBlock(k, from)
	if err != nil {
		return nil, err
	}
	return got, c.Wait(sends...)
}

func (c *Comm) sendBlock(k collective, to int, data []byte) []*Request {
	head := make([]byte, headBytes)
	binary.LittleEndian.PutUint32(head, uint32(k))
	binary.LittleEndian.PutUint32(head[4:], c.round)
	binary.LittleEndian.PutUint64(head[8:], uint64(len(data)))
	if len(data) <= headBytes-headFields {
		copy(head[headFields:], data)
		data = nil
	}
	sends := []*Request{c.begin(&Request{peer: to, tag: headTag, data: head}, lastTag)}
	if data != nil {
		sends = append(sends, c.begin(&Request{peer: to, tag: restTag, data: data}, lastTag))
	}
	return sends
}

func (c *Comm) receiveBlock(k collective, from int) ([]byte, error) {
	head, err := c.receiveAll(from, headTag, headBytes)
	if err != nil {
		return nil, err
	}
	theirs, round := collective(binary.LittleEndian.Uint32(head)), binary.LittleEndian.Uint32(head[4:])
	if theirs != k || round != c.round {
		return nil, fmt.Errorf("%w: rank %d is in %v, its collective number %d, and rank %d in %v, its number %d",
			ErrDiverged, from, theirs, round, c.rank, k, c.round)
	}
	length := binary.LittleEndian.Uint64(head[8:])
	if length <= headBytes-headFields {
		return head[headFields : headFields+length], nil
	}
	return c.receiveAll(from, restTag, int(length))
}

func (c *Comm) receiveAll(from, tag, length int) ([]byte, error) {
	into := make([]byte, length)
	return into, c.Wait(c.begin(&Request{peer: from, tag: tag, data: into, receive: true}, lastTag))
}
