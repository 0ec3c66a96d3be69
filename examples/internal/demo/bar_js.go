package demo

// bar is nothing: there is no terminal.
func (d *Demo) bar(int, string) (advance, finish func()) { return func() {}, func() {} }
