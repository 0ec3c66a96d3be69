package main

import "C"

import (
	"unsafe"

	"github.com/gotaichi/ti"
)

// The plate of the library; it lives as long as the process.
var shared *plate

//export heat_new
func heat_new(n int32) *C.char {
	rt, err := ti.New(ti.Config{})
	if err == nil {
		shared, err = load(rt, int(n))
	}
	return message(err)
}

//export heat_step
func heat_step(alpha float32) *C.char { return message(shared.Step(alpha)) }

// heat_read stores all elements in the caller's array of n numbers.
//
//export heat_read
func heat_read(to *float32, n int32) *C.char { return message(shared.T.CopyTo(unsafe.Slice(to, n))) }

// message is an error as a C string, which the caller may keep; NULL says that there is none.
func message(err error) *C.char {
	if err == nil {
		return nil
	}
	return C.CString(err.Error())
}
