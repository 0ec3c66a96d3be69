// Package floatkey writes keys of floats as ops: integers with the same order as the floats.
//
// In: a builder and a value. Out: ops that compute the key of a float, or the float of a key. Zeros of different sign have different
// keys. A NaN has the key that wins in the reduction for which the key is made ([Of]), or the key of its bits ([Flip]).
//
// Tests: internal/pass runs the golden files of reduce (TestGolden), internal/quanttest counts stored floats (TestRangesEnds).
package floatkey
