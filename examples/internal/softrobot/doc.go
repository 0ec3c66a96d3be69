// Package softrobot simulates robots of soft tissue, in two and three dimensions, also in water, and trains them with
// gradients. The examples diffmpm and liquid share it.
//
// In: a scene of blocks of particles. Out: a film of a trained robot. The simulator is softrobot.ti, which stores
// each step of a segment at an index of its own. If not all steps fit into memory, segment.ti passes particles from one
// segment to the next. paint.ti makes pictures.
package softrobot
