package ir

// Areas is a set of what an op may read or write beside its operands and results.
type Areas uint8

const (
	Place    Areas = 1 << iota // the memory at the place that is its first operand
	Local                      // a local array that it makes
	Cells                      // the elements of sparse cells, which become zero
	Topology                   // which cells are active: masks, lists, blocks
	Random                     // the position in the iteration's random numbers
	Host                       // what the host is told: failures, records
	Flow                       // nothing, but the op stays where it is: it says or does something there
)

// Has reports whether all of b are in a.
func (a Areas) Has(b Areas) bool { return a&b == b }

// Effects is the part of the op table that says what an op does beside computing its
// results. Pure ops, jumps and ops with regions (whose effects are those of what stands in
// the regions) have none.
type Effects struct {
	Reads, Writes Areas
	Checked       bool // its index is checked, so it stays though nothing uses its result
}

var effects = [numCodes]Effects{
	OpRand:   {Reads: Random, Writes: Random},
	OpAlloc:  {Writes: Local},
	OpLoad:   {Reads: Place},
	OpStore:  {Writes: Place},
	OpAtomic: {Reads: Place, Writes: Place},
	OpFail:   {Writes: Host},
	OpPoll:   {Writes: Flow},
	OpRecord: {Writes: Host},

	OpActivate:   {Writes: Topology},
	OpDeactivate: {Writes: Topology | Cells},
	OpIsActive:   {Reads: Topology, Checked: true},
	OpMask:       {Reads: Topology},
	OpAppend:     {Reads: Topology, Writes: Topology | Cells},
	OpCount:      {Reads: Topology, Checked: true},
	OpEmpty:      {Writes: Topology | Cells},

	OpVisit:    {Writes: Flow},
	OpPrefetch: {Writes: Flow},
	OpFollow:   {Reads: Topology},
	OpGrow:     {Reads: Topology, Writes: Topology},
	OpFind:     {Reads: Topology},
	OpEnter:    {Reads: Topology, Writes: Topology},

	OpIteration: {Writes: Flow},
}

// Effects returns what an op with this code reads and writes.
func (c Code) Effects() *Effects { return &effects[c] }

// Touches reports whether an op with this code reads or writes one of the areas.
func (c Code) Touches(a Areas) bool { return (effects[c].Reads|effects[c].Writes)&a != 0 }
