package engine

// platformRecords bounds the room for the records of a thread: Windows charges it
// against the page file when it is reserved.
const platformRecords = 256 << 20
