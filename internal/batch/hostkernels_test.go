package batch_test

// hostedSource has the kernels that made-up host programs launch, and otherSource those of a program beside it.
const hostedSource = `
package hosted

type Cell struct {
	Mass, Heat f32
}

var (
	A, B, C field[f32, D2]
	Cells   field[Cell, D1]
	G       field[i32, D1]
	S       field[f32, D0]
	T       field[i64, D0]
	P       field[f32, D2] // in a sparse tree
	Q       field[f32, D2] // in the same cells
	R       field[f32, D2] // in another tree
	L       field[i32, D2] // lists
	W       field[f32, D1]
	Loss    field[f32, D0]
	Gain    f32
	Shift   i32
)

func Copy(c f32) {
	for i, j := range A {
		B[i][j] = A[i][j]*Gain + c
	}
}

func Back() {
	for i, j := range A {
		A[i][j] = B[i][j] - 0.5*A[i][j]
	}
}

func Fill(c f32) {
	for i, j := range C {
		C[i][j] = c
	}
}

func Bump() {
	for i, j := range C {
		C[i][j] += 1
	}
}

func Half(odd i32) {
	for i, j := range C {
		if (i+j)%2 == odd {
			C[i][j] = A[i][j]
		}
	}
}

func Ripple() {
	for i, j := range P {
		if i%2 == 0 {
			P[i][j] += P[i+1][j]*0.25
		}
	}
}

func Checker(c f32) {
	for i, j := range A {
		if (i+j)%2 == 0 && j > 0 {
			A[i][j] = A[i][j-1]*c + C[i][j]
		}
	}
}

func Third() {
	for i, j := range A {
		if i%3 == 2 {
			C[i][j] = C[i-1][j] + A[i-2][j]
		}
	}
}

func Warm(c f32) {
	for i, j := range A {
		P[i][j] = A[i][j] + c
	}
}

func Spill() {
	for i, j := range P {
		R[i][j] = P[i][j] + R[i][j]*0.5
	}
}

func Even() {
	for i := range A.shape[0]/2 {
		for j := range A.shape[1] {
			A[2*i][j] = B[2*i+1][j]
		}
	}
}

func Flux() {
	for i := range Cells {
		Cells[i].Heat = Cells[i].Heat*0.75 + Cells[i].Mass
	}
}

func Weigh() {
	for i := range Cells {
		Cells[i] = Cell{Mass: W[i%4], Heat: Cells[i].Heat*0.5}
	}
}

func Count(k i32) {
	for i, j := range A {
		G[(i*k+j)%G.shape[0]] += 1
	}
	for i := range G {
		T += i64(G[i])*i64(i+1)
	}
}

func Sum() {
	S = 0
	for i, j := range A {
		S += A[i][j]*0.125
	}
}

func Spread() {
	for i, j := range B {
		B[i][j] += S*0.001
	}
}

func Noise() {
	for i, j := range B {
		B[i][j] = random()
	}
	for i := range G {
		G[i] += i32(random()*100)
	}
}

func Grow(k i32) {
	for i := range 12 {
		P[(i*k+Shift)%A.shape[0]][(i*7)%A.shape[1]] = f32(i) + 1
	}
}

func Cool() {
	for i, j := range P {
		P[i][j] = P[i][j]*0.5 + A[i][j]
		Q[i][j] += P[i][j]
	}
}

func Gather() {
	for i, j := range Q {
		T += i64(Q[i][j]*4)
	}
}

func Shrink(k i32) {
	for i, j := range P {
		if (i*3+j)%8 == k%8 {
			deactivate(P, i, j)
		}
	}
}

func Append(k i32) {
	for i := range L.shape[0] {
		if i%3 != k%3 {
			append(L[i], i*k)
		}
	}
}

func Lists() {
	for i, j := range L {
		T += i64(L[i][j]+j)
	}
}

func Empty() {
	for i := range L.shape[0] {
		if i%2 == 0 {
			clear(L[i])
		}
	}
}

func Mix(a, b field[f32, D2], c f32) {
	for i, j := range a {
		b[i][j] = a[i][j]*c + b[i][j]
	}
}

func Total() (i64, f32) {
	return T, S
}

func First(k i32) f32 {
	return C[k][0] + A[0][k]
}

func Add(v []f32) {
	for i := range v {
		W[i%4] += v[i]
	}
}

func Head(n i32) {
	for i, j := range ndrange(min(n, A.shape[0]), A.shape[1]) {
		A[i][j] += 0.5
	}
}

func HeadTo(m, n i32) {
	for i, j := range ndrange(span(max(m, 0), min(n, A.shape[0])), A.shape[1]) {
		B[i][j] = A[i][j] * 0.5
	}
}

func Early(k i32) {
	if k > 2 {
		return
	}
	for i, j := range C {
		C[i][j] -= f32(k)
	}
}

func Serial(k i32) {
	n := W.shape[0]
	for i := range serial(n) {
		W[i] = W[(i+1)%n]*0.5 + f32(k)
	}
}

func Square() {
	for i, j := range A {
		Loss += A[i][j]*A[i][j]*W[j%4]
	}
}

func Far(k i32) {
	for i := range 3 {
		G[i*k] = k
	}
}
`

// otherSource has other names for memory of the first source, and swaps what two of them name.
const otherSource = `
package other

var (
	From, To field[f32, D2]
	Heats    field[f32, D1]
)

func Stencil() {
	n, m := From.shape[0], From.shape[1]
	for i, j := range From {
		To[i][j] = 0.25*(From[max(i-1, 0)][j]+From[min(i+1, n-1)][j]+From[i][max(j-1, 0)]+From[i][min(j+1, m-1)])
	}
}

func Heat(c f32) {
	for i := range Heats {
		Heats[i] += c
	}
}
`
