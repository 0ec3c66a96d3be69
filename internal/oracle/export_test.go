package oracle

// What random numbers are made of, for tests.
var (
	Threefry = threefry
	Spread   = spread
)
