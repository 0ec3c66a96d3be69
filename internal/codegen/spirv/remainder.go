package spirv

import (
	"github.com/gotaichi/ti/internal/codegen/remainder"
	"github.com/gotaichi/ti/internal/ir"
)

// remainder is the exact remainder of floats, with the sign of the dividend.
func (f *function) remainder(k ir.Kind, a, b id) id {
	fn := f.remainders[k]
	if fn == nil {
		fn = remainder.Func(k)
		f.remainders[k] = fn
	}
	n, err := f.function(fn)
	if err != nil && f.failed == nil {
		f.failed = err
	}
	return f.called(f.kind(k), n, a, b)
}
