package variant

// NewJudge makes m record from its first launch on what runs within [Judge.Record]. It has to be called before
// programs are loaded.
func (m *Maker) NewJudge() *Judge {
	m.judge = &Judge{}
	return m.judge
}
