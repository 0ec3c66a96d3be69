package main

import (
	"math"

	"github.com/gotaichi/ti"
)

// elementStiffness integrates how a voxel of edge 1 resists: entry [a][b] of the tables times the displacement of
// corner b is the force on corner a, for each unit of Lamé's parameters lambda and mu.
func elementStiffness() (lambda, mu [8][8]ti.DMat3) {
	at := [2]float64{0.5 - 0.5/math.Sqrt(3), 0.5 + 0.5/math.Sqrt(3)} // Gauss's points: exact for these polynomials
	for point := range 8 {
		var slope [8][3]float64 // of each corner's shape function
		for a := range slope {
			for d := range 3 {
				slope[a][d] = 1
				for e := range 3 {
					x := at[point>>(2-e)&1]
					switch upper := a>>(2-e)&1 == 1; {
					case d == e && !upper:
						slope[a][d] *= -1
					case d != e && upper:
						slope[a][d] *= x
					case d != e:
						slope[a][d] *= 1 - x
					}
				}
			}
		}
		for a := range 8 {
			for b := range 8 {
				for i := range 3 {
					for j := range 3 {
						lambda[a][b][i][j] += slope[a][i] * slope[b][j] / 8
						mu[a][b][i][j] += slope[a][j] * slope[b][i] / 8
						mu[a][b][i][i] += slope[a][j] * slope[b][j] / 8
					}
				}
			}
		}
	}
	return lambda, mu
}
