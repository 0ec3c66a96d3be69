package vulkan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/devicelist"
	"github.com/gotaichi/ti/internal/launch"
	ilayout "github.com/gotaichi/ti/internal/layout"
)

// This file has what a launch does about sparse trees. Where it can, it records tasks that activate cells and tasks over lists one behind the other, and between them what makes the
// lists on the device. Kernels that record wait behind each task, and so do launches that are measured: there the host makes the lists.

// openTrees are those in which a machine may look itself, so that it can make lists without asking. Package record has them.
type openTrees interface {
	launch.Trees
	// Node returns the node of a field, and the root block of its tree; nil where the machine must ask for the lists. The versions of nodes stand in their
	// control words: see [ilayout.ControlVersion].
	Node(field int) (n *ilayout.Node, root uintptr)
	// Roots returns the trees, and the addresses of their root blocks in the host's memory.
	Roots() (trees []*ilayout.Tree, at []uintptr)
}

// The trees of a launcher.
type trees struct {
	ready  bool       // what follows is known
	open   bool       // the machine may look into the trees
	tasks  []treeTask // of the kernel
	failed uint64     // where the device has the addresses of the words that say that an allocation has failed, behind their number
	steps  *area      // words of each step, and then those addresses

	joined    bool        // the launch waits behind no task
	grew      []uint64    // root blocks of the trees that have grown by tasks of which the host has not waited for the end
	recorded  []*madeList // lists that commands make for which the host has not waited, and that no task behind these changes
	unsettled []uint64    // the same of all tasks since the trees were settled
	most      uint64      // where the device has the number of iterations of the task under way
	noted     *uint64     // the same for the host; nil if the host knows the number
	copies    []*area     // lists that the host has made, by entry of the base table
	push      pushes      // of a step
	before    ordering    // of steps: each behind a barrier
}

// A treeTask is what a task does with sparse trees.
type treeTask struct {
	made  []*madeList // the list that it runs over, behind those that it is made from; none if the host makes it
	still uint64      // then the root block of its tree, if the list follows from blocks alone; or else 0
	grows []uint64    // root blocks of the trees in which it may activate cells that have blocks
	first int64       // the number of its first step
}

// A step is given the addresses of its description, of the gate, and of what is known of its task, which stands behind them.
const stepWords = devicelist.Bases + devicelist.TaskWords

// learnTrees finds out what the tasks of the kernel need, the first time.
func (w *launcher) learnTrees() error {
	t := &w.trees
	if t.ready {
		return nil
	}
	open, is := w.data.Trees.(openTrees)
	if t.ready = !is; t.ready {
		return nil
	}
	n := int64(0)
	t.tasks = make([]treeTask, len(w.k.Tasks))
	for i := range t.tasks {
		of := &t.tasks[i]
		of.made, of.still = w.listOf(open, &w.k.Tasks[i])
		of.grows, of.first = growing(open, &w.k.Tasks[i]), n
		n += int64(len(of.made)) + 1
	}
	failed := []uint64{0}
	all, roots := open.Roots()
	for i, tree := range all {
		for _, b := range tree.Blocks()[1:] {
			failed = append(failed, w.m.space.address(uint64(roots[i])+uint64(tree.BlockControl(b.ID)+ilayout.ControlFailed)))
		}
	}
	failed[0] = uint64(len(failed) - 1)
	var err error
	if t.steps, err = w.m.d.allocate(8 * (n*stepWords + int64(len(failed)))); err != nil {
		return err
	}
	copy(t.steps.words(8*n*stepWords, int64(len(failed))), failed)
	t.failed = t.steps.address + uint64(8*n*stepWords)
	t.ready, t.open = true, true
	return nil
}

// listOf returns the list of a task, behind those that it is made from, if the device makes it; or else the root block of its tree, if the host makes its list from blocks alone.
func (w *launcher) listOf(open openTrees, t *launch.Task) (way []*madeList, still uint64) {
	if len(t.Lists) != 1 || t.Lists[0].Outer > 0 || t.Lists[0].Masks {
		return nil, 0
	}
	n, root := open.Node(t.Lists[0].Node)
	if n == nil {
		return nil, 0
	}
	if way = w.m.space.lists.of(n, uint64(root)); way != nil {
		return way, 0
	}
	for p := n; p != nil; p = p.Parent() {
		if p.Kind() == ilayout.Dynamic { // of whose lists of cells the host makes what is missing
			return nil, 0
		}
	}
	return nil, uint64(root)
}

// openTrees begins a launch: tasks may take what memory there is.
func (w *launcher) openTrees() error {
	if w.data.Trees == nil {
		return nil
	}
	if err := w.learnTrees(); err != nil {
		return err
	}
	w.trees.joined = w.trees.open && !w.k.Records && w.recorder == nil
	w.trees.unsettled = w.trees.unsettled[:0]
	w.trees.waited()
	if w.trees.joined {
		w.data.Trees.Prepare()
	}
	return nil
}

// openLists sees to it that there are the lists that a task runs over and reads.
func (w *launcher) openLists(ctx context.Context, i int) error {
	if w.trees.noted = nil; w.data.Trees == nil {
		return nil
	}
	t := &w.k.Tasks[i]
	w.lengths = w.lengths[:0]
	if w.trees.joined && len(w.trees.tasks[i].made) > 0 {
		return w.makeList(ctx, i)
	}
	still := w.trees.joined && (len(t.Lists) == 0 || w.trees.tasks[i].still != 0 && !slices.Contains(w.trees.unsettled, w.trees.tasks[i].still))
	if w.trees.joined && !still {
		if err := w.flush(ctx); err != nil {
			return err
		}
		if err := w.settle(); err != nil {
			return err
		}
	}
	if !still {
		w.data.Trees.Prepare()
	}
	for _, l := range t.Lists {
		words, n, err := w.data.Trees.List(l.Node, l.Outer, l.Masks)
		if err != nil {
			return err
		}
		if err := w.copyList(l.Base, words); err != nil {
			return err
		}
		w.lengths = append(w.lengths, n)
	}
	return nil
}

// makeList has the device make the list of a task, where it is not complete. If cells were activated, only the device knows, and the task takes its length from there.
func (w *launcher) makeList(ctx context.Context, i int) error {
	t, way := &w.k.Tasks[i], w.trees.tasks[i].made
	list := way[len(way)-1]
	if err := list.open(&w.m.space); err != nil {
		return err
	}
	w.bases[t.Lists[0].Base] = list.entries.address
	old := slices.IndexFunc(way, w.trees.stale)
	pending := slices.Contains(w.trees.recorded, list)
	if old < 0 && !pending {
		w.lengths = append(w.lengths, list.length())
		return nil
	}
	w.lengths = append(w.lengths, 1)
	inner := w.extent(t)
	if pending {
		w.giveStep(w.trees.tasks[i].first+int64(len(way)-1), list.description(), i, inner, true)
		if err := w.recordStep(devicelist.Again, 1); err != nil {
			return err
		}
		old = len(way)
	}
	for n := old; n < len(way); n++ {
		if err := w.recordList(way[n], i, w.trees.tasks[i].first+int64(n), inner, n == len(way)-1); err != nil {
			return err
		}
	}
	if w.exactly(i, list.length()*inner, list.room*inner) {
		err := w.flush(ctx)
		w.lengths[0] = list.length()
		return err
	}
	w.lengths[0] = list.room
	words, at := w.step(w.trees.tasks[i].first + int64(len(way)-1))
	w.trees.noted, w.trees.most = &words[devicelist.Bases+devicelist.TaskMost], at+8*(devicelist.Bases+devicelist.TaskMost)
	return nil
}

// stale reports whether a list may have to be made anew, of which no command that is recorded makes sure.
func (t *trees) stale(l *madeList) bool {
	return l.level != nil && !slices.Contains(t.recorded, l) && (slices.Contains(t.grew, l.root) || !l.fresh())
}

// waited notes that nothing is under way.
func (t *trees) waited() { t.grew, t.recorded = t.grew[:0], t.recorded[:0] }

// exactly reports whether the host has to know the number of iterations of a task, of which it knows a guess and a bound: chunks follow from it, or the task runs in pieces. It does
// where the guess is too long for one piece, and where the bound is far too long.
func (w *launcher) exactly(i int, guess, bound int64) bool {
	if t := &w.k.Tasks[i]; t.Partial != nil || w.m.watched {
		return true
	}
	most := float64(firstPiece)
	if each := w.perIteration(i); each > 0 {
		most = float64(w.m.d.piece) / each
	}
	return float64(guess) > most || float64(bound) > farTooLong*most
}

// farTooLong is how many times as long as a piece what runs as a whole may be, where the host does not know how long it is. Systems end what takes seconds.
const farTooLong = 32

// step returns the words of a step, and their address for the device.
func (w *launcher) step(n int64) ([]uint64, uint64) {
	at := 8 * n * stepWords
	return w.trees.steps.words(at, stepWords), w.trees.steps.address + uint64(at)
}

// giveStep writes the words of a step for a task, and what its dispatches are given.
func (w *launcher) giveStep(n int64, description uint64, i int, inner int64, last bool) {
	words, at := w.step(n)
	known := at + 8*devicelist.Bases
	copy(words, []uint64{description, w.own.address + uint64(w.layout.gate), known, uint64(i + 1), uint64(inner), 0, 0})
	if last {
		words[devicelist.Bases+devicelist.TaskLast] = 1
	}
	w.trees.push = pushes{
		launch.PushSlots: at,
		launch.PushStop:  w.m.control.address + controlStop,
		launch.PushLimit: w.own.address + uint64(w.layout.limit),
		launch.PushSpace: w.m.space.entry(),
	}
}

// recordList records what makes a list, for a task.
func (w *launcher) recordList(l *madeList, i int, n, inner int64, last bool) error {
	w.giveStep(n, l.description(), i, inner, last)
	w.trees.recorded = append(w.trees.recorded, l)
	sums := (l.threads-1)/devicelist.Group + 1
	for _, s := range [...]struct {
		task    int
		threads int64
	}{{devicelist.Open, 1}, {devicelist.Count, l.threads}, {devicelist.Sum, sums}, {devicelist.Total, 1}, {devicelist.Write, l.threads}} {
		if s.task == devicelist.Sum && sums == 1 {
			continue
		}
		if err := w.recordStep(s.task, s.threads); err != nil {
			return err
		}
	}
	return nil
}

// recordStep records a step in so many threads.
func (w *launcher) recordStep(task int, threads int64) error {
	p, err := w.m.maker.pipeline(w.m, task)
	if err != nil {
		return err
	}
	push := &w.trees.push
	push[launch.PushBegin], push[launch.PushEnd] = 0, uint64(threads)
	if err := w.begins(); err != nil {
		return err
	}
	w.trees.before.begin()
	w.ordering.begin() // what comes next stands behind it
	return w.m.ring.dispatch(p, push, [3]int64{(threads-1)/launch.DispatchThreads + 1, 1, 1}, &w.trees.before, 0)
}

// growing are the root blocks of the trees in which a task may activate cells that have blocks.
func growing(trees openTrees, t *launch.Task) (roots []uint64) {
	for _, s := range t.States {
		if s.Allocation&launch.Writes != 0 {
			_, root := trees.Node(s.Field)
			roots = append(roots, uint64(root))
		}
	}
	return roots
}

// settleAfter brings the trees into order behind a task. A launch that waits behind none has the device look whether there was memory.
func (w *launcher) settleAfter(ctx context.Context, i int) error {
	if w.data.Trees == nil {
		return nil
	}
	if !w.trees.joined {
		if err := w.flush(ctx); err != nil {
			_ = w.settle()
			return err
		}
		return w.settle()
	}
	if len(w.trees.tasks[i].grows) == 0 {
		return nil
	}
	w.trees.grew, w.trees.unsettled = append(w.trees.grew, w.trees.tasks[i].grows...), append(w.trees.unsettled, w.trees.tasks[i].grows...)
	w.trees.recorded = slices.DeleteFunc(w.trees.recorded, func(l *madeList) bool { return slices.Contains(w.trees.tasks[i].grows, l.root) })
	if i == len(w.k.Tasks)-1 {
		return nil
	}
	w.giveStep(w.trees.tasks[i].first+int64(len(w.trees.tasks[i].made)), w.trees.failed, i, 0, false)
	return w.recordStep(devicelist.Check, 1)
}

// settleLast waits for the launch.
func (w *launcher) settleLast(ctx context.Context) error {
	err := w.flush(ctx)
	if _, is := err.(*stop); is || w.data.Trees == nil || !w.trees.joined {
		return err
	}
	if late := w.settle(); err == nil {
		err = late
	}
	return err
}

func (w *launcher) settle() error {
	if w.data.Trees == nil {
		return nil
	}
	w.trees.unsettled = w.trees.unsettled[:0]
	return w.data.Trees.Settle()
}

// A stop says that the device has stopped a launch: nothing of the task, and of those behind it, has run.
type stop struct {
	task  int
	cause uint64
}

func (s *stop) Error() string { return fmt.Sprintf("stopped before task %d", s.task) }

// stopped returns why the device has stopped the launch; nil if it has not. All that was recorded has ended.
func (w *launcher) stopped() error {
	if w.data.Trees == nil {
		return nil
	}
	gate := w.own.words(w.layout.gate, devicelist.GateWords)
	if gate[devicelist.GateMost] != 0 {
		return nil
	}
	return &stop{int(gate[devicelist.GateTask]) - 1, gate[devicelist.GateCause]}
}

// resume does something about a stop, so that the launch goes on there.
func (w *launcher) resume(s *stop) error {
	w.running = [2]int{w.k.Tasks[s.task].First, w.k.Tasks[s.task].Part}
	w.layout.open(&w.own)
	if s.cause == devicelist.NoMemory {
		return cmp.Or(w.settle(), launch.ErrMemory)
	}
	for i := range w.trees.tasks {
		for _, l := range w.trees.tasks[i].made {
			if l.overfull() {
				if err := l.resize(&w.m.space, max(2*l.room, l.length()*3/2)); err != nil {
					return alsoFailed(err, w.settle())
				}
			}
		}
	}
	return nil
}

// copyList copies a list that the host has made, with the 0 behind its last entry.
func (w *launcher) copyList(base int, words []uint64) error {
	lists := &w.trees.copies
	if *lists == nil {
		*lists = make([]*area, len(w.bases))
	}
	a, n := (*lists)[base], int64(8*(len(words)+1))
	if a == nil || a.Bytes() < n {
		if a != nil {
			(*lists)[base] = nil
			_ = a.Free()
		}
		var err error
		if a, err = w.m.d.allocate(n + n/2); err != nil {
			return err
		}
		(*lists)[base] = a
	}
	to := a.words(0, n/8)
	to[copy(to, words)] = 0
	w.bases[base] = a.address
	return nil
}
