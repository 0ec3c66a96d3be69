package vulkan

import (
	"sync"

	"github.com/gotaichi/ti/internal/devicelist"
	ilayout "github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

// This file has the lists of blocks that the device makes itself, in its own memory.

// A madeList is the list of the blocks of a node, or the root block alone.
type madeList struct {
	space *space
	level *devicelist.Level // nil for the root block
	root  uint64            // address of the root block for the host
	above *madeList         // nil for the root block

	head      *area // the words of the head, then the description; host and device see them
	entries   *area
	counts    *area
	room      int64 // entries that there is room for
	width     int64
	threads   int64
	described int64 // the room of the list above for which the description is right; 0 if it is wrong
}

// A listKey says which list of a machine one is: loops over several nodes may share one.
type listKey struct {
	root     uint64
	node, as *ilayout.Node
}

// madeLists are those of all trees of a machine. They go with their trees, or with the machine.
type madeLists struct {
	space *space

	mu  sync.Mutex
	all map[listKey]*madeList
}

// of returns the list for loops over a node of a tree, behind those that it is made from; nil if the host has to make it.
func (s *madeLists) of(n *ilayout.Node, root uint64) (way []*madeList) {
	levels, ok := devicelist.Levels(n)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	top := n.Tree().Blocks()[0].Node
	if len(levels) == 0 {
		return []*madeList{s.get(listKey{root, top, n}, &madeList{space: s.space, root: root, width: devicelist.Width(n)})}
	}
	above := s.get(listKey{root, top, top}, &madeList{space: s.space, root: root, width: devicelist.Width(top)})
	for _, l := range levels {
		above = s.get(listKey{root, l.Node, l.As}, &madeList{space: s.space, root: root, level: l, above: above, width: l.Width()})
		way = append(way, above)
	}
	return way
}

// get returns the list with a key, or keeps a new one.
func (s *madeLists) get(k listKey, new *madeList) *madeList {
	if l := s.all[k]; l != nil {
		return l
	}
	if s.all == nil {
		s.all = map[listKey]*madeList{}
	}
	s.all[k] = new
	return new
}

// drop gives back the lists of trees whose root block lies in a range of addresses.
func (s *madeLists) drop(from, bytes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, l := range s.all { // in any order
		if k.root-from < bytes {
			l.free()
			delete(s.all, k)
		}
	}
}

func (l *madeList) free() {
	for _, a := range []**area{&l.head, &l.entries, &l.counts} {
		if *a != nil {
			_ = (*a).Free()
			*a = nil
		}
	}
	l.room, l.described = 0, 0
}

// headWords are the words of the head, of which the device changes some.
func (l *madeList) headWords() []uint64 { return l.head.words(0, devicelist.HeadWords) }

// description is where the device has the description.
func (l *madeList) description() uint64 { return l.head.address + 8*devicelist.HeadWords }

// length is how many entries the list had when it was made last.
func (l *madeList) length() int64 { return int64(l.headWords()[devicelist.HeadLength]) }

// fresh reports whether the list is complete. Nothing that changes the tree is under way.
func (l *madeList) fresh() bool {
	if l.level == nil {
		return true
	}
	stamp := uint64(1)
	for _, n := range l.level.Chain {
		node := l.level.Node.Tree().NodeControl(n)
		if *l.control(node + ilayout.ControlChanged) != 0 {
			return false
		}
		stamp += *l.control(node + ilayout.ControlVersion)
	}
	return l.headWords()[devicelist.HeadStamp] == stamp
}

// control is a control word of the tree, to be read.
func (l *madeList) control(offset int64) *uint64 {
	at := l.root + uint64(offset)
	l.space.read(at, 8)
	return (*uint64)(memory.Pointer(uintptr(at)))
}

// open sees to it that a list, and those above, have memory and a description. Nothing that uses them is under way if they have changed.
func (l *madeList) open(s *space) (err error) {
	if l.level == nil {
		return l.openRoot(s)
	}
	if err := l.above.open(s); err != nil {
		return err
	}
	if l.described > 0 && l.described == l.above.room {
		return nil
	}
	if l.head == nil {
		if l.head, err = s.d.allocate(8 * (devicelist.HeadWords + l.level.DescriptionWords())); err != nil {
			return err
		}
	}
	if l.entries == nil {
		if err := l.resize(s, max(leastRoom, 2*l.blocks())); err != nil {
			return err
		}
	}
	return l.describe(s)
}

// leastRoom is for how many entries a list has room at first, if there are fewer blocks.
const leastRoom = 256

// blocks is how many blocks of the kind were taken so far.
func (l *madeList) blocks() int64 {
	kind := l.level.Node.Tree().Containers()[l.level.Node.Number()].Into[0]
	return int64(*l.control(l.level.Node.Tree().BlockControl(kind.ID) + ilayout.ControlTop))
}

// resize gives a list memory for so many entries. It is empty then.
func (l *madeList) resize(s *space, room int64) (err error) {
	if l.entries != nil {
		_ = l.entries.Free()
		l.entries, l.room = nil, 0
	}
	l.headWords()[devicelist.HeadStamp], l.described = 0, 0
	if l.entries, err = s.d.allocateHidden(8*l.width*room, s.d.hiddenType()); err != nil {
		return err
	}
	l.room = room
	return nil
}

// describe writes the description.
func (l *madeList) describe(s *space) (err error) {
	threads := l.level.ThreadsFor(l.above.room)
	if l.counts == nil || l.threads != threads {
		if l.counts != nil {
			_ = l.counts.Free()
		}
		if l.counts, err = s.d.allocateHidden(8*devicelist.CountWords(threads), s.d.hiddenType()); err != nil {
			l.counts = nil
			return err
		}
		l.threads = threads
	}
	at := int64(8 * devicelist.HeadWords)
	l.level.Describe(l.head.words(at, l.level.DescriptionWords()), l.head.address+uint64(at), devicelist.Places{
		Head: l.head.address, Above: l.above.head.address, From: l.above.entries.address, FromWidth: l.above.width, To: l.entries.address,
		Room: l.room, Counts: l.counts.address, Threads: threads, Root: s.address(l.root)})
	l.described = l.above.room
	return nil
}

// openRoot makes the list of the root block, once.
func (l *madeList) openRoot(s *space) (err error) {
	if l.entries != nil {
		return nil
	}
	if l.head == nil {
		if l.head, err = s.d.allocate(8 * devicelist.HeadWords); err != nil {
			return err
		}
	}
	if l.entries, err = s.d.allocate(8 * l.width); err != nil {
		return err
	}
	l.headWords()[devicelist.HeadLength] = 1
	l.entries.words(0, 1)[0] = l.root
	l.room = 1
	return nil
}

// overfull reports whether a list would have had more entries than there is room for.
func (l *madeList) overfull() bool { return l.level != nil && l.head != nil && l.length() > l.room }

// hiddenType is the type of memory for what the host need not see.
func (d *device) hiddenType() uint32 {
	if d.memory.local >= 0 {
		return uint32(d.memory.local)
	}
	return d.memoryType
}
