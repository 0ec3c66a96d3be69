//go:build !windows

package engine

// platformRecords bounds the room for the records of a thread: address space alone
// costs next to nothing.
const platformRecords = mostRecords
