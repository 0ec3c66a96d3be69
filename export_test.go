package ti

// Instances returns how many instances of a kernel there are.
func Instances(k *Kernel) int {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	return len(k.instances)
}
