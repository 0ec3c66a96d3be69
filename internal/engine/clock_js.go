package engine

// costBlur is what an iteration may take although it was measured to take nothing, in nanoseconds: browsers let their clock stand still for 100 µs, so that pages cannot measure what others do, and
// probeSize iterations may pass meanwhile.
const costBlur = 100_000.0 / probeSize
