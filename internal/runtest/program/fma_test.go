package program

// Fused products with a factor of one, of which no product is left.
var fusedOnes = []program{
	scalarCase("fma with a factor of one", `
func F(a, b f32) f32 {
	return fma(1, a, b) + 10*fma(a, 1, b) + 100*fma(-1, a, b) + 1000*fma(a, -1, b) + 10000*fma(a, b, 0)
}`, []float32{-3, 1, 2, 7}, []float32{-1, 3, 5}, func(a, b float32) float32 {
		return 11*(a+b) + 1100*(b-a) + 10000*a*b
	}),
}
