package ontree

// What tests see.
var (
	Threefry13 = threefry13
	Mix        = mix
	Binary     = binary
	Convert    = convert
	FloorMod   = floorMod
	FloorDiv   = floorDiv
)
