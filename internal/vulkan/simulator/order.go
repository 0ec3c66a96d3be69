package simulator

import "fmt"

// This file knows which commands the barriers of a queue order, and what they make visible.

// Stages that commands run in, as indices, and with their bits.
const (
	stageCompute = iota
	stageTransfer
	stageHost
	numStages

	bitCompute  = 0x800
	bitTransfer = 0x1000
	bitHost     = 0x4000
	bitAll      = 0x10000 // ALL_COMMANDS
)

// Kinds of access, by their bits.
const (
	shaderRead    = 0x20
	shaderWrite   = 0x40
	transferRead  = 0x800
	transferWrite = 0x1000
	hostRead      = 0x2000
	hostWrite     = 0x4000
	memoryRead    = 0x8000
	memoryWrite   = 0x10000
)

var (
	stageBits  = [numStages]uint32{bitCompute, bitTransfer, bitHost}
	readBits   = [numStages]uint32{shaderRead, transferRead, hostRead}
	writeBits  = [numStages]uint32{shaderWrite, transferWrite, hostWrite}
	stageNames = [numStages]string{"dispatch", "copy", "host"}
)

// An order has, for what commands of a stage did, up to which command that is so: commands of another stage come later (after), what they wrote is
// available to later barriers of that stage (available), and visible to reads and writes there (reads, writes).
type order struct {
	after, available, reads, writes [numStages][numStages]uint32
}

// within reports whether a mask of stages has one.
func within(mask uint32, stage int) bool {
	return mask&stageBits[stage] != 0 || mask&bitAll != 0 && stage != stageHost
}

// barrier orders what comes before the command with number next, and what comes from it on.
func (o *order) barrier(next, from, to uint32, accesses [][2]uint32) {
	was := *o
	for w := range numStages {
		after, available := uint32(0), uint32(0)
		for s := range numStages {
			if within(from, s) {
				after, available = max(after, was.after[w][s]), max(available, was.available[w][s])
			}
		}
		if within(from, w) {
			after = next - 1
		}
		for d := range numStages {
			if within(to, d) {
				o.after[w][d] = max(o.after[w][d], after)
				o.available[w][d] = max(o.available[w][d], available)
			}
		}
		for _, a := range accesses {
			o.memory(w, next, available, from, to, a)
		}
	}
}

// memory is the part of a barrier that is about memory.
func (o *order) memory(w int, next, available, from, to uint32, a [2]uint32) {
	if within(from, w) && a[0]&(writeBits[w]|memoryWrite) != 0 {
		available = next - 1
	}
	for d := range numStages {
		if !within(to, d) {
			continue
		}
		o.available[w][d] = max(o.available[w][d], available)
		if a[1]&(readBits[d]|memoryRead) != 0 {
			o.reads[w][d] = max(o.reads[w][d], available)
		}
		if a[1]&(writeBits[d]|memoryWrite) != 0 {
			o.writes[w][d] = max(o.writes[w][d], available)
		}
	}
}

// fence makes all that was done come before all that follows, and available.
func (o *order) fence(last uint32) {
	for w := range numStages {
		for d := range numStages {
			o.after[w][d], o.available[w][d] = last, last
		}
	}
}

// A command is one that the device runs.
type command struct {
	d      *Driver
	serial uint32
	stage  int
	order  order // when it begins
}

// begin numbers a command.
func (d *Driver) begin(stage int) *command {
	d.stages = append(d.stages, uint8(stage))
	c := &command{d: d, serial: uint32(len(d.stages)), stage: stage, order: d.order}
	if c.serial >= 1<<serialBits {
		fail("there are more than %d commands", c.serial)
	}
	return c
}

func (c *command) sees(w record) bool {
	return w.serial() <= c.order.reads[c.d.stages[w.serial()-1]][c.stage]
}
func (c *command) overwrites(w record) bool {
	return w.serial() <= c.order.writes[c.d.stages[w.serial()-1]][c.stage]
}
func (c *command) follows(r record) bool {
	return r.serial() <= c.order.after[c.d.stages[r.serial()-1]][c.stage]
}

// describe names an earlier command.
func (c *command) describe(r record) string {
	return fmt.Sprintf("command %d, a %s,", r.serial(), stageNames[c.d.stages[r.serial()-1]])
}
