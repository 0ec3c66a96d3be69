//go:build !js

package engine

// costBlur is what an iteration may take although it was measured to take nothing, in nanoseconds.
const costBlur = 0.0
