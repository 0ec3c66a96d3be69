package store

// noCopy makes go vet report copies of the types that contain it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
