//go:build ti_ahead

package driver

const CompilerLinked = false
