// Package floatkey writes keys of floats as ops: integers in the same order as the floats that they stand for.
//
// In: a builder and a value. Out: ops that compute the key of a float, or the float of a key. Zeros of both signs have
// different keys. A NaN has the key that wins in the reduction that the key is for ([Of]), or that of its bits ([Flip]).
//
// Tests: internal/pass runs the golden files of reduce (TestGolden), internal/quanttest counts stored floats (TestRangesEnds).
package floatkey
