// Package device is memory by handle: what a machine has for the data of programs, wherever that lies.
//
// In: sizes. Out: an [Area] for each dense tree, and a [Space] that sparse trees take their pools from.
//
// Three machines are meant: one whose memory is that of the host (a CPU), one that shares some memory with the host,
// and one that shares none (most GPUs). So the host reaches an area through a door:
//
//   - [Area.Host] are bytes in the host's address space, at an address that stays. Where the area is shared they are the area;
//     elsewhere they are the host's copy of it.
//   - [Area.Open] waits for launches under way, and makes these bytes what the area holds. Between Open and Close the host may
//     read them, and write them if it has asked for that. Outside it may do neither, unless the area is shared.
//   - Close makes what the host has written part of the area, before the next launch.
//   - Who keeps an address for later, as Field.At and Slice do, asks [Area.Shared] first.
//
// The host does not keep an area open while it launches. What a launch asks of the host between its tasks (lists for loops,
// records) may open areas: the machine sees to it that these calls find the memory as the tasks before have left it.
//
// Blocks of sparse trees name each other by address, on both sides of the door. So a [Space] is shared memory with one address for
// both, and who holds the launch lock may use it. A machine without such memory needs another way to name blocks.
//
// The package knows no trees and no kernels.
package device
