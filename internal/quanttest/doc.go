// Package quanttest has the run tests of quantised types: kernels on packed fields, compiled and on
// the oracle, must give the same bits. What an assignment to numbers that share an exponent is, lowering decides for
// both; a model of assignments judges that.
package quanttest
