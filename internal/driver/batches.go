package driver

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/loader"
)

// checkBatches compiles each task by itself, and all that may be together in the reverse order,
// and reports a task whose code is not the one in pieces. Code is kept and linked by task:
// it must not depend on what was compiled with it.
func (u *build) checkBatches(modules [][]llvm.Source, pieces []*loader.Piece) error {
	all := slices.Concat(modules...)
	slices.Reverse(all)
	batches := u.batches(all)
	for _, s := range all {
		batches = append(batches, []llvm.Source{s})
	}
	objects, err := u.objects(batches)
	if err != nil {
		return err
	}
	for _, object := range objects {
		again, err := loader.Cut(object)
		if err != nil {
			return err
		}
		for _, p := range again {
			i := slices.IndexFunc(pieces, func(q *loader.Piece) bool { return q.Name == p.Name })
			if i < 0 || !reflect.DeepEqual(p, pieces[i]) {
				return fmt.Errorf("kernel %s: the code of %s differs from what it is when %d others are compiled with it", u.k.Name, p.Name, len(again)-1)
			}
		}
	}
	return nil
}
