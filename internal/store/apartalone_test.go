package store_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
)

// A member that is bound to a var of its own is active where its element is, wherever it lies, and in whatever order the
// source has the members.
func TestMemberAlone(t *testing.T) {
	type pair struct{ A, B, C int32 }
	const alone = `
package alone

var B field[i32, D1]

func Write(i i32) { B[i] = 2 }

func Is(i i32) bool { return isActive(B, i) }

func Drop(n i32) {
	for i := range n {
		deactivate(B, i)
	}
}

func Sum() (n, sum i32) {
	for i := range B {
		n++
		sum += B[i]
	}
	return
}
`
	const whole = `
package whole

type pair struct { C, B, A i32 }

var S field[pair, D1]

func Count() (n, as i32) {
	for i := range S {
		n++
		as += S[i].A
	}
	return
}
`
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		for _, dense := range []bool{true, false} {
			t.Run(fmt.Sprint(arch, dense), func(t *testing.T) {
				rt, err := ti.New(ti.Config{Arch: arch})
				if err != nil {
					t.Fatal(err)
				}
				defer rt.Close()
				var s struct {
					S     ti.Field[pair]
					Count func() (n, as int32, err error)
				}
				m := ti.Members(&s.S)
				rt.NewTree().Pointer(ti.I, 8).Bitmasked(ti.I, 4).Place(m[0])
				if dense {
					rt.NewTree().Dense(ti.I, 32).Place(m[1])
				} else {
					rt.NewTree().Hash(ti.I, 32).Place(m[1])
				}
				rt.NewTree().Pointer(ti.I, 32).Place(m[2])
				var b struct {
					B     *ti.Field[int32]
					Write func(i int32) error
					Is    func(i int32) (bool, error)
					Drop  func(n int32) error
					Sum   func() (n, sum int32, err error)
				}
				b.B = ti.Member[int32](&s.S, "B")
				if err := rt.Load(alone, &b); err != nil {
					t.Fatal(err)
				}
				if err := rt.Load(whole, &s); err != nil {
					t.Fatal(err)
				}
				check := func(want int32) {
					t.Helper()
					n, sum, err := b.Sum()
					k, as, err2 := s.Count()
					if n != want || sum != 2*want || k != want || as != 0 || err != nil || err2 != nil {
						t.Errorf("%d and %d elements, not %d; sums %d and %d; errors %v, %v", n, k, want, sum, as, err, err2)
					}
				}
				for _, i := range []int32{3, 9, 20} {
					if err := b.Write(i); err != nil {
						t.Fatal(err)
					}
					if is, err := b.Is(i); !is || err != nil {
						t.Errorf("element %d is active: %v, error %v", i, is, err)
					}
				}
				check(3)
				if err := b.Drop(10); err != nil {
					t.Fatal(err)
				}
				check(1)
				s.S.Set(pair{0, 2, 0}, 3)
				if is, err := b.Is(3); !is || err != nil {
					t.Errorf("element 3 is active: %v, error %v", is, err)
				}
				check(2)
			})
		}
	}
}
