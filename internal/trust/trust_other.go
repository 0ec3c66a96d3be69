//go:build !unix

package trust

import "io/fs"

// Why trusts the folders of the user's profile, which the system keeps from others.
func Why(fs.FileInfo) string { return "" }
