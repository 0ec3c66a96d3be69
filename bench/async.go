package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// batchSize is the Config.Batch of the cases async/…
const batchSize = 64

// An asyncCase is small kernels whose launches are optimised together. It is made ready with these kernels, or with what somebody
// would write who merges them by hand.
type asyncCase struct {
	name  string
	want  float64
	tol   float64
	start func(rt *ti.Runtime, merged bool) (*suite.Trial, error)
}

// async are the microbenchmarks of Hu's thesis (appendix of chapter 4), and some more.
var async = []asyncCase{
	{"async/chain_copy", 11534330.6, 1e-5, chainCopy},
	{"async/increments", 22020090.6, 1e-5, increments},
	{"async/fill_array", 6291456, 0, fillArray},
	{"async/sparse_saxpy_4", 12338.033, 1e-5, sparseSaxpy(4)},
	{"async/sparse_saxpy_4096", 65101202.2, 1e-5, sparseSaxpy(128)},
	{"async/autodiff", 10836972.1, 1e-4, autodiffLoss},
	{"async/stencil_reduction", 943711.395, 1e-4, stencilReduction},
	{"async/mpm_split", 8450.92017, 1e-4, mpmSplit},
	{"async/simple_advection", 46850.9484, 1e-4, simpleAdvection},
	{"async/multires", 231105.62, 1e-5, multires},
	{"async/deep_hierarchy", 11466.9085, 1e-5, deepHierarchy},
	{"async/heat2d", 4196142.69, 1e-5, heat2d},
	{"async/cg_64", 1525854.79, 1e-3, conjugateGradients(64)},
	{"async/cg_256", 242068760, 1e-3, conjugateGradients(256)},
	{"async/small_launches", 163840, 1e-5, smallLaunches},
	{"async/independent", 7145.35888, 1e-5, independent},
}

// applications are those of the thesis (section 8). Nobody has merged their kernels by hand.
var applications = []asyncCase{
	{"async/maccormack", 74852.6225, 1e-4, macCormack},
	{"async/mgpcg", 1.55030513, 1e-4, multigridCG},
	{"async/mls_mpm", 0.229712486, 1e-4, sparseMPM},
	{"async/mesh", 6729.85149, 1e-4, meshForces},
}

// asyncCases returns the cases for a size of batches.
func asyncCases(batch int, merged bool) (cases []suite.Case) {
	all := async
	if !merged {
		all = slices.Concat(async, applications)
	}
	for _, c := range all {
		start := func(rt *ti.Runtime) (*suite.Trial, error) { return c.start(rt, merged) }
		cases = append(cases, suite.Case{Name: c.name, Want: c.want, Tol: c.tol, Batch: batch, Start: start})
	}
	return cases
}

// asyncVariants are the cases in other forms: launched one by one, so without reuse of lists, too, and merged by hand.
func asyncVariants() []suite.Peer {
	alone := asyncCases(1, false)
	return []suite.Peer{
		&suite.Variant{Label: "sync", Cases: alone},
		&suite.Without{Variant: suite.Variant{Label: "plain", Cases: alone}, Parts: "lists"},
		&suite.Variant{Label: "merged", Cases: asyncCases(1, true)},
	}
}

// takeVariants returns the variants that a list of peers names, and the other names.
func takeVariants(names string) (variants []suite.Peer, others string) {
	var left []string
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(asyncVariants(), func(p suite.Peer) bool { return p.Name() == name })
		if i < 0 {
			left = append(left, name)
			continue
		}
		variants = append(variants, asyncVariants()[i])
	}
	return variants, strings.Join(left, ",")
}

// cases returns those that a run may select: the cases async/… run only if -run asks for them.
func (o *options) cases() []suite.Case {
	if o.Run == "" {
		return withWork(benchmarks)
	}
	return append(withWork(benchmarks), asyncCases(batchSize, false)...)
}

// compare measures the cases beside peers and variants.
func (o *options) compare(ctx context.Context, w io.Writer) ([]*suite.Row, error) {
	variants, others := takeVariants(o.Beside)
	f := o.Flags
	f.Beside = others
	return f.Compare(ctx, known, o.cases(), w, variants...)
}

// inTurn returns a function that calls functions one after the other, so often.
func inTurn(times int, steps ...func() error) func() error {
	return func() error {
		for range times {
			if err := suite.InOrder(steps...); err != nil {
				return err
			}
		}
		return nil
	}
}

// choose returns merged if that is so, else apart.
func choose(isMerged bool, merged, apart func() error) func() error {
	if isMerged {
		return merged
	}
	return apart
}

// checked is a trial whose checksum is what a launch leaves of fresh data.
func checked(reset, launch func() error, sum func() (float64, error)) *suite.Trial {
	return &suite.Trial{Launch: launch, Check: func() (float64, error) {
		if err := suite.InOrder(reset, launch); err != nil {
			return 0, err
		}
		return sum()
	}}
}
