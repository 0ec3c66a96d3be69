package launch

// DispatchThreads is how many threads a workgroup has, where a task is the code of one thread of a dispatch.
const DispatchThreads = 64

// What such code is given with each dispatch: words of 64 bits, in push constants. The addresses are those of the device.
const (
	PushSlots = iota // address of the words for the slots of the task
	PushErrs         // address of its [ErrorRecord]
	PushStop         // address of a word of 32 bits that is not 0 if the launch is to end
	PushLimit        // address of a word of 32 bits that becomes 1 where the driver would end a loop
	PushKey          // the launch's random key
	PushBegin        // the first iteration
	PushEnd          // the one behind the last
	PushZero         // 0, which compilers do not know
	PushWords
)

// PushBytes is their size.
const PushBytes = 8 * PushWords

// RoundLimit is the number of the specialisation constant that says after how many rounds of all loops a subgroup gives up; 0 for none.
const RoundLimit = 0
