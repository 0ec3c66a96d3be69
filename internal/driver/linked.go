//go:build !ti_ahead

package driver

// CompilerLinked says that the program has the passes in it. Programs that come with their code
// are built without (tag ti_ahead): a constant that is false leaves out what only it leads to.
const CompilerLinked = true
