// Package trust says whether other users of a machine could have written what is in a folder.
//
// In: what the system tells of a folder. Out: why its contents cannot be trusted. The folders of compiled kernels and of a libLLVM that was fetched have code that
// programs run.
//
// Tests: internal/cache (TestTrust) and internal/llvm (TestFetched).
package trust
