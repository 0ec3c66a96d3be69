// Package quanttest has the run tests of quantised types: kernels on packed fields, compiled and on
// the oracle, must give the same bits.
package quanttest
