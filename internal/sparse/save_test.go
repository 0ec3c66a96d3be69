package sparse

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
)

// fill makes a random tree.
func fill(t testing.TB, x *built, seed uint64) *model {
	r := rand.New(rand.NewPCG(seed, 3))
	m := newModel(x)
	for range 40 {
		idx := m.random(r)
		p, err := x.Enter(x.field.Access(0), idx)
		if err != nil {
			t.Fatal(err)
		}
		v := r.Float32()
		*(*float32)(p) = v
		m.set(idx, v)
	}
	return m
}

// TestSave writes a tree and reads it into another, and back into one with other cells.
func TestSave(t *testing.T) {
	for name, levels := range shapes {
		t.Run(name, func(t *testing.T) {
			x, y := build(t, levels, NewBudget(1<<28)), build(t, levels, NewBudget(1<<28))
			m := fill(t, x, 1)
			m2 := fill(t, y, 2)
			m.check(t) // which makes chunks that were never written
			var saved bytes.Buffer
			if n, err := x.WriteTo(&saved); err != nil || n != int64(saved.Len()) {
				t.Fatal(n, err)
			}
			m.check(t)
			all := bytes.Clone(saved.Bytes())
			for _, cut := range []int{0, 5, 20, len(all) / 2, len(all) - 1} {
				if _, err := y.ReadFrom(bytes.NewReader(all[:cut])); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("cut to %d bytes: %v", cut, err)
				}
			}
			for _, at := range []int{0, 9, 13, 20, len(all) / 2, len(all) - 3} {
				bad := bytes.Clone(all)
				bad[at] ^= 0x40
				if _, err := y.ReadFrom(bytes.NewReader(bad)); err == nil {
					t.Errorf("damaged at %d: no error", at)
				}
			}
			m2.check(t) // as it was
			in := bytes.NewReader(append(all, 1, 2, 3))
			if n, err := y.ReadFrom(in); err != nil || n != int64(len(all)) || in.Len() != 3 {
				t.Fatal(n, err)
			}
			m.x = y
			m.check(t)
			y.slots(t)
			var again bytes.Buffer
			if _, err := y.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), all) {
				t.Errorf("what was read is saved otherwise: %d and %d bytes, %v", again.Len(), len(all), err)
			}
			for other, levels := range shapes {
				if other != name {
					if _, err := build(t, levels, NewBudget(1<<28)).ReadFrom(bytes.NewReader(all)); !errors.Is(err, ErrSaved) {
						t.Errorf("read as %s: %v", other, err)
					}
				}
			}
		})
	}
}

// resum corrects length and checksum of a saved tree, so that its payload is looked at.
func resum(all []byte, payload int) []byte {
	if len(all) < payload+4 {
		return all
	}
	binary.LittleEndian.PutUint64(all[payload-8:], uint64(len(all)-payload-4))
	sum := crc32.Checksum(all[:len(all)-4], castagnoli)
	return append(all[:len(all)-4], binary.LittleEndian.AppendUint32(nil, sum)...)
}

// FuzzReadFrom reads damaged trees whose checksum is right: there is an error and the
// tree is as it was, or there is a tree that is sound.
func FuzzReadFrom(f *testing.F) {
	names := []string{"pointer of pointer", "bitmasked twice", "pointer in bits", "list in cells", "long list", "hash of pointers"}
	for i, name := range names {
		x := build(f, shapes[name], NewBudget(1<<28))
		fill(f, x, 5)
		var saved bytes.Buffer
		if _, err := x.WriteTo(&saved); err != nil {
			f.Fatal(err)
		}
		payload := saved.Bytes()[len(magic)+8+len(x.description())+8:]
		f.Add(uint8(i), bytes.Clone(payload))
		for k := 0; k < len(payload); k += 1 + len(payload)/40 {
			bad := bytes.Clone(payload)
			bad[k] ^= 1 << (k % 8)
			f.Add(uint8(i), bad)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, payload []byte) {
		x := build(t, shapes[names[int(which)%len(names)]], NewBudget(1<<28))
		m := fill(t, x, 6)
		text := x.description()
		head := append([]byte(magic), 1, 0, 0, 0)
		head = append(binary.LittleEndian.AppendUint32(head, uint32(len(text))), text...)
		head = append(head, make([]byte, 8)...)
		all := resum(append(append(bytes.Clone(head), payload...), 0, 0, 0, 0), len(head))
		if _, err := x.ReadFrom(bytes.NewReader(all)); err != nil {
			m.check(t)
			return
		}
		x.slots(t)
		for _, n := range x.nodes {
			count, err := x.Count(n)
			if err != nil {
				t.Fatal(err)
			}
			for range x.Cells(n, &err) {
				count--
			}
			if count != 0 || err != nil {
				t.Errorf("%d cells are counted and not visited, %v", count, err)
			}
		}
		if err := x.Clear(x.lay.Root()); err != nil {
			t.Fatal(err)
		}
		newModel(x).check(t)
	})
}
