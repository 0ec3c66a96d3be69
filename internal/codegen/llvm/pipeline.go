package llvm

import "github.com/gotaichi/ti/internal/llvm"

// Pipeline is how the text is to be compiled at an optimisation level of 0 to 3,
// for this machine.
func Pipeline(level int) llvm.Options {
	o := llvm.Options{OptLevel: level, InlineLate: Late, MaxFrame: MaxFrame}
	if level == 0 {
		o.Passes = []string{"always-inline"}
		o.NoVector = true
		return o
	}
	o.Passes = []string{[...]string{1: "default<O1>", 2: "default<O2>", 3: "default<O3>"}[min(level, 3)]}
	// What follows the late inlining: the inlined bodies need cleaning up, and
	// what they compute alike in every iteration leaves the loop.
	o.LatePasses = "cgscc(inline),globaldce,function(sroa,early-cse<memssa>,instcombine,simplifycfg,loop-mssa(licm),gvn,instcombine,simplifycfg,adce)"
	return o
}

// RuntimePipeline is how the functions of the sparse runtime are compiled. Their text is
// close to what is best: the passes that look for loops and callees take twice as long, and
// find nothing.
func RuntimePipeline(level int) llvm.Options {
	o := llvm.Options{OptLevel: level, NoVector: true, MaxFrame: MaxFrame}
	if level > 0 {
		o.Passes = []string{"function(early-cse<memssa>,instcombine,simplifycfg,loop-mssa(licm),gvn,instcombine,simplifycfg,adce)"}
	}
	return o
}
