package main

import (
	"embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

//go:embed kernels/*.ti
var kernels embed.FS

// load compiles files of kernels/ for a host, with what they have in common.
func load(rt *ti.Runtime, host any, files ...string) error {
	patterns := []string{"kernels/common.ti"}
	for _, f := range files {
		patterns = append(patterns, "kernels/"+f+".ti")
	}
	_, err := rt.Compile(ti.Files(kernels, patterns...), host)
	return err
}

// A start makes a case ready in a domain.
type start func(rt *ti.Runtime, d domain) (*suite.Trial, error)

// A kind is a case for each activity.
type kind struct {
	name   string
	tol    float64
	want   func(d domain) float64 // what the check should be
	sparse start
	array  start // nil where an array makes no sense
}

var kinds = []kind{
	{"iterate", 1e-6, wantIterate, axpy(blocks), axpy(array)},
	{"stencil", 1e-5, wantStencil, laplace(blocks), laplace(array)},
	{"band", 1e-6, wantBand, band, arrayBand},
	{"random", 1e-6, wantRandom, random(blocks), random(array)},
	{"coherent", 1e-5, wantCoherent, coherent(blocks), coherent(array)},
	{"iterate3", 1e-6, wantIterate, axpy(three), nil},
	{"iterate5", 1e-6, wantIterate, axpy(five), nil},
	{"random3", 1e-6, wantRandom, random(three), nil},
	{"random5", 1e-6, wantRandom, random(five), nil},
	{"inner", 1e-6, wantInner, inner(blocks), inner(array)},
	{"append", 0, wantAppend, sorted(false), sorted(true)},
	{"reactivate", 1e-6, wantReactivate, reactivate, nil},
	{"copy", 0, wantCopy, copied, nil},
}

// casesIn returns the cases in cubes of n cells along an edge, and those on arrays.
func casesIn(n int, permille []int, budget suite.Budget) (sparse, arrays []suite.Case) {
	for _, k := range kinds {
		for _, p := range permille {
			d := domain{n, p}
			make := func(s start) suite.Case {
				return suite.Case{
					Name:   k.name + "_" + d.String(),
					Expect: func() float64 { return k.want(d) },
					Tol:    k.tol,
					Budget: budget,
					Start:  func(rt *ti.Runtime) (*suite.Trial, error) { return s(rt, d) },
				}
			}
			sparse = append(sparse, make(k.sparse))
			if k.array != nil {
				arrays = append(arrays, make(k.array))
			}
		}
	}
	return sparse, arrays
}
