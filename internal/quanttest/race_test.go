package quanttest

import (
	"math"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// stores sets 10^8 stores of each kind, some minutes on two cores:
//
//	go test ./internal/quanttest -run Races -stores -timeout 1h
var stores = randtest.Long("stores", "race 10^8 stores to each kind of neighbour")

// raceSource has loops whose iterations store to neighbours in a word.
const raceSource = `
package race

var (
	A, B  field[i32]      // members of one word
	Bits  field[i32]      // a bit array
	V     field[vec3]     // numbers that share an exponent
	Sum   field[i32, D0]
	W     field[u32, D0]
	S, T  field[f32, D0]  // members of one word, rounded by random numbers
	N     i32
)

// Members has each iteration store to one of two members of a word.
func Members(k i32) {
	for i := range 2 * N {
		if i%2 == 0 {
			A[i/2] = (i + k) % 50
		} else {
			B[i/2] = (i + k) % 60
		}
	}
}

func WrongMembers(k i32) i32 {
	wrong := 0
	for p := range A {
		if A[p] != (2*p+k)%50 || B[p] != (2*p+1+k)%60 {
			wrong += 1
		}
	}
	return wrong
}

// Neighbours sets and clears bits of one word from several iterations, far apart from each other.
func Neighbours(k i32) {
	for i := range N {
		Bits[i*5%N] = (i*5%N + k) % 2
	}
}

// Turn sets, clears and turns bits, each by one instruction: in the end they are what they were.
func Turn() {
	for i := range N {
		Bits[i*5%N] ^= 1
	}
	for i := range N {
		Bits[i*3%N] ^= 1
	}
}

func WrongBits(k i32) i32 {
	wrong := 0
	for p := range Bits {
		if Bits[p] != (p+k)%2 {
			wrong += 1
		}
	}
	return wrong
}

// Shared stores to single components of vectors that share an exponent.
func Shared(k i32) {
	for i := range 3 * N {
		V[i/3][i%3] = f32(1 + (i+k)%4)
	}
}

func WrongShared(k i32) i32 {
	wrong := 0
	for i := range 3 * N {
		if V[i/3][i%3] != f32(1+(i+k)%4) {
			wrong += 1
		}
	}
	return wrong
}

// Add adds to two members of one word from all iterations.
func Add() {
	for range N {
		Sum += 1
		W += 3
	}
}

// AddShare adds 0.3 of a step to one member of a word from all iterations, and takes it from the other.
func AddShare() {
	for range N {
		S += 0.3 / 1024
		T -= 0.3 / 1024
	}
}
`

// TestRaces stores to neighbours from several threads: no store is lost.
func TestRaces(t *testing.T) {
	n := 1 << 12
	rounds := 40
	if *stores {
		n, rounds = 1<<16, 1600
	}
	for _, without := range []string{"", "storemerge,nonatomicwords,packets"} {
		t.Setenv("TI_WITHOUT", without)
		rt := newRuntime(t, ti.Config{Threads: 8})
		var s struct {
			A, B, Bits, Sum                      ti.Field[int32]
			V                                    ti.Field[ti.Vec3]
			W                                    ti.Field[uint32]
			N                                    int
			Members, Neighbours, Shared          func(k int32)
			WrongMembers, WrongBits, WrongShared func(k int32) int32
			S, T                                 ti.Field[float32]
			Add, AddShare, Turn                  func()
		}
		s.N = n
		rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&s.A, ti.QuantInt(7)).Place(&s.B, ti.QuantInt(7))
		rt.NewTree().Dense(ti.I, n/8).BitArray(8, ti.I, 8).Place(&s.Bits, ti.QuantInt(1).Unsigned())
		rt.NewTree().Dense(ti.I, n).BitStruct(64).PlaceShared(ti.QuantFloat(5, 12), &s.V)
		rt.NewTree().BitStruct(64).Place(&s.Sum, ti.QuantInt(30)).Place(&s.W, ti.QuantInt(32).Unsigned().Wrap())
		share := ti.QuantFixed(30, 1<<19).Stochastic() // in steps of 1/1024
		rt.NewTree().BitStruct(64).Place(&s.S, share).Place(&s.T, share)
		if err := rt.Load(raceSource, &s); err != nil {
			t.Fatal(err)
		}
		for k := range int32(rounds) {
			s.Members(k)
			s.Neighbours(k)
			s.Turn()
			s.Shared(k)
			s.Add()
			s.AddShare()
			if a, b, c := s.WrongMembers(k), s.WrongBits(k), s.WrongShared(k); a+b+c != 0 {
				t.Fatalf("without %q: round %d lost stores: %d to members, %d to bits, %d to numbers that share an exponent", without, k, a, b, c)
			}
		}
		if got, want := s.Sum.At(), int32(min(n*rounds, 1<<29-1)); got != want || s.W.At() != uint32(3*n*rounds) {
			t.Errorf("without %q: sums %d and %d, not %d and %d", without, got, s.W.At(), want, uint32(3*n*rounds))
		}
		// Each addition is a step with probability 0.3, so that the variance of all is 0.21 times their number.
		all := float64(n * rounds)
		for _, got := range []float64{1024 * float64(s.S.At()), -1024 * float64(s.T.At())} {
			if limit := 5 * math.Sqrt(0.21*all); math.Abs(got-0.3*all) > limit {
				t.Errorf("without %q: %v steps, and not %v within %v", without, got, 0.3*all, limit)
			}
		}
	}
}

// TestHostRaces has goroutines set members of words, neighbouring bits and numbers that share an exponent, while others
// set theirs: no store is lost.
func TestHostRaces(t *testing.T) {
	const cells = 16
	rounds := 1 << 14
	if *stores {
		rounds = 100_000_000
	}
	rt := newRuntime(t, ti.Config{})
	var a, b, bits ti.Field[int32]
	var x, y ti.Field[float32]
	n := rt.NewTree().Dense(ti.I, cells)
	n.BitStruct(16).Place(&a, ti.QuantInt(7)).Place(&b, ti.QuantInt(9))
	rt.NewTree().Dense(ti.I, 1).BitArray(16, ti.I, cells).Place(&bits, ti.QuantInt(1).Unsigned())
	n.BitStruct(32).PlaceShared(ti.QuantFloat(5, 12), &x, &y)
	if err := rt.Load("package h\n\nvar (\n\tA, B, Bits field[i32]\n\tX, Y field[f32]\n)\n\nfunc F() {\n\tfor p := range A {\n\t\tA[p] = B[p] + Bits[p]\n\t\tX[p] = Y[p]\n\t}\n}\n",
		&struct {
			A, B, Bits *ti.Field[int32]
			X, Y       *ti.Field[float32]
			F          func()
		}{A: &a, B: &b, Bits: &bits, X: &x, Y: &y}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g, set := range []func(k, i int) (want, got int32){
		func(k, i int) (int32, int32) { a.Set(int32(k%60), i); return int32(k % 60), a.At(i) },
		func(k, i int) (int32, int32) { b.Set(int32(k%200), i); return int32(k % 200), b.At(i) },
		func(k, i int) (int32, int32) { i &^= 1; bits.Set(int32(k&1), i); return int32(k & 1), bits.At(i) },
		func(k, i int) (int32, int32) {
			i |= 1
			bits.Set(int32(k>>1&1), i)
			return int32(k >> 1 & 1), bits.At(i)
		},
		func(k, i int) (int32, int32) { x.Set(float32(k%8), i); return int32(k % 8), int32(x.At(i)) },
		func(k, i int) (int32, int32) { y.Set(float32(k%500), i); return int32(k % 500), int32(y.At(i)) },
	} {
		all.Go(func() {
			for k := range rounds {
				if want, got := set(k, (k*7+g)%cells); got != want {
					t.Errorf("goroutine %d set %d, and reads %d", g, want, got)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestGradients differentiates through rounding, and not through a store that clamps.
func TestGradients(t *testing.T) {
	const source = "package g\n\nvar (\n\tX, Y field[f32]\n\tL field[f32, D0]\n)\n\nfunc Square() {\n\tfor p := range X {\n\t\tY[p] = X[p] * X[p]\n\t}\n}\n\nfunc Loss() {\n\tfor p := range Y {\n\t\tL += 2 * Y[p]\n\t}\n}\n"
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt := newRuntime(t, ti.Config{Arch: arch})
		var s struct {
			X, Y, L      ti.Field[float32]
			Square, Loss func()
		}
		rt.Place(ti.Shape{3}, ti.WithGrad(&s.X)...)
		rt.NewTree().Dense(ti.I, 3).BitStruct(16).Place(&s.Y, ti.QuantFixed(10, 8))
		rt.Place(ti.Shape{3}, s.Y.Grad())
		rt.Place(nil, ti.WithGrad(&s.L)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for p, x := range []float32{0.3, 2, 5} { // 25 is clamped
			s.X.Set(x, p)
		}
		if err := rt.Tape(&s.L, func() error { s.Square(); s.Loss(); return nil }); err != nil {
			t.Fatal(err)
		}
		for p, want := range []float32{4 * 0.3, 8, 0} {
			if got := s.X.Grad().At(p); got != want {
				t.Errorf("%v: the derivative by element %d is %v, not %v", arch, p, got, want)
			}
		}
	}
}
