package driver

// What the tests outside the package share with those inside it.
var (
	TestOptions = options
	TestProgram = program
)
