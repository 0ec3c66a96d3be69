// Package quanttest has the run tests of quantised types: kernels on packed fields must give the same bits compiled and on
// the oracle. Both share the lowering of assignments to numbers that share an exponent, which is tested against a model.
package quanttest
