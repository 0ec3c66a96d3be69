package launch

// An Overlapping is a Machine whose launches need not have ended when the next one begins.
type Overlapping interface {
	Machine

	// Await waits for all launches that have been started since it was called the last time. It returns those of them that have failed, in their order,
	// valid until the next launch. The caller holds the launch lock, as that of launchers does.
	Await() []Ended
}

// An Ended is how a launch that was started has ended.
type Ended struct {
	Launch int // its number among those that were started since the Await before, from 0 on
	End
}

// A Starter is a Launcher of such a machine.
type Starter interface {
	Launcher

	// Start begins a launch, as Submit does, and returns. Arguments may be filled for the next one then. Launches take effect in their order, and a
	// later one also runs if this one fails. It reports false, and nothing has been done, if this launch is to be waited for.
	Start(number uint64) bool
}
