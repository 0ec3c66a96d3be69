package program

// Constant tables of one kernel that differ in a few bits only.
var constantTables = []program{
	scalarCase("constant tables that differ in one byte", `
const (
	Low  = [3]i32{256, 512, 768}
	Mid  = [3]i32{512, 1024, 768}
	High = [3]i32{65536, 131072, 196608}
	One  = [3]f32{1, 2, 3}
	Two  = [3]f32{2, 4, 6}
)
func F(a, b i32) i32 {
	return Low[a] - Mid[b] + High[b] + 10*i32(One[a]) + 100*i32(Two[b])
}`, []int32{0, 1, 2}, []int32{0, 1, 2}, func(a, b int32) int32 {
		return 256*(a+1) - []int32{512, 1024, 768}[b] + 65536*(b+1) + 10*(a+1) + 200*(b+1)
	}),
}
