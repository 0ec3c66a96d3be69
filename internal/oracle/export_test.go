package oracle

// Philox is philox for tests.
var Philox = philox
