// Package note collects remarks for users: what passes have made of a loop or an access, or why they could not.
//
// In: reasons from a table (reasons.go), each with a position in the source and arguments. Out: a list of notes, in the order in which
// passes make them, with a remedy where there is one.
//
// Invariants: notes have no influence on code, and a nil [Notes] collects none. The texts of a reason are in one row of the table.
//
// Tests: internal/driver has a kernel for each reason (TestEveryReason), internal/pass those of promises (TestPromiseNotes).
package note
