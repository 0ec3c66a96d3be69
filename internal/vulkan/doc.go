// Package vulkan runs kernels on devices that have a Vulkan driver.
//
// In: modules of SPIR-V (package codegen/spirv). Out: a [launch.Machine] that runs them on a device.
//
//	api       the functions of Vulkan that it calls, and the structures that they take
//	loader    finds the loader
//	candidate devices, in the order in which programs number them
//	report    what people are told of devices
//	device    opens one
//	area      memory, which device and host share, or of which the host has a copy
//	parts     parts of larger allocations for small areas
//	staging   copies between the two
//	machine  code, and what a runtime asks of it
//	block    workgroups, and the pipelines for them
//	pipelines what the driver has made of modules, on disk
//	floats   what the driver's floats are like, and what strict maths does about it
//	probe    numbers that show it
//	launcher launches
//	trees    sparse trees: what is done before and behind tasks that work on them
//	madelist lists that the device makes, and their memory
//	maker    the code that makes them
//	space    where sparse trees lie: in memory of the host,
//	mirror   or in the device's, page by page with a copy for the host,
//	riders   of which some pages move with the commands of a launch
//	ordering between which dispatches of a launch barriers stand
//	pieces   long tasks, in pieces that take some milliseconds
//	ring     submissions: one is recorded while the device works on the other one
//	overlap  launches that need not have ended when the next one begins
//	turns    what llvmpipe cannot do at the same time
//
// It needs a loader (libvulkan.so.1) and a driver for Vulkan 1.2 with numbers of 64 bits, device addresses of buffers and memory that is visible to the host.
// A driver that runs on the host's processors, such as llvmpipe, has no number 0, so that programs must name it.
//
// A launch submits its tasks in command buffers, with a barrier between tasks that have anything in common (TestBarriersLeftOut), and waits. Where the host must read what a task has left to go on
// (a bound, or whether the kernel has returned), it submits what there is before. A kernel without such tasks takes one submission.
//
// Lists of blocks of pointer nodes are made on the device between the tasks of a launch, and their lengths stay there (package devicelist). Each task of a kernel with sparse trees reads
// how many iterations there are to run: none where the device has stopped the launch, since a list had no room or a task no memory. Then the host does something about it, and goes on there.
//
// A task that takes long runs in pieces, each submitted by itself. How long it takes is measured, and no result depends on it (TestPieces).
//
// A launch that is started (launch.Starter) is recorded into a submission with others, and nobody waits for it before Await.
//
// Trees are in memory of the device. Where the host sees all or most of that (memorytypes.go has the rule), both share it. Otherwise an area is apart: the host
// has a copy, which lacks nothing while it is mapped, and what the host has written goes to the device when commands of a launch that may use the area are
// recorded next. A launch counts as writing all areas that it is bound to, when its commands have ended. TI_VULKAN_MEMORY=apart keeps areas apart on all devices, so
// that tests do it on llvmpipe. What the host gives to launches and takes from them (frames, records, lists, memory of the caller) is in memory that both see.
//
// Blocks of sparse trees name each other by addresses of the host. On cards, and where areas are apart, they lie in the device's memory; the host's copy is kept by pages, which are fetched when the host
// looks at them, and given to the device with the next launch if it has changed them (device.Mirror).
//
// Invariants: a launch has ended when Submit returns, and so have all that were started before; one that was started has ended when Await returns. Once a device is lost, each call that can fail returns an error that is [diag.ErrDevice]. No area is mapped while commands are recorded or run. Each task of a launch has a record of errors of its own, so that the first that failed is known.
//
// Tests: internal/vulkan compares programs with the oracle (TestPrograms; TestBlocks for blocks and grids), and each operation on numbers that are hard to round (TestNumbers), where there
// is a driver; without one the tests say so and end. TestApartHost, TestApartSparse, TestApartRandom, TestApartTrees and the like keep trees apart, and TestApartMoves counts what is moved. A driver that fails on demand has each call fail (TestFaults, TestOverlapFaults). On the devices of package simulator programs run without a driver, and what
// Vulkan leaves undefined is reported (TestSimulated). TestLists, TestListGrows and TestListWaits are about lists on the device. spirv-val checks their modules (TestValid). Random kernels are in
// internal/runtest/random.
package vulkan
