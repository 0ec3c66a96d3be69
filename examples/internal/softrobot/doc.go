// Package softrobot simulates robots of soft tissue, in two dimensions and in three, also in water, and trains them by
// gradients: what the examples diffmpm and liquid share.
//
// In: a scene, of blocks of particles. Out: a film of a robot that was trained. The simulator is softrobot.ti. It has
// each step of a segment at an index of its own; segment.ti keeps particles from one segment to the next, where memory
// has no room for all steps; paint.ti makes pictures.
package softrobot
