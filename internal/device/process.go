package device

import "github.com/gotaichi/ti/internal/memory"

// Process is the memory of this process, for machines that are its processors.
type Process struct{}

var (
	_ Memory = Process{}
	_ Space  = Process{}
)

// Allocate returns an area of so many bytes, rounded up.
func (Process) Allocate(bytes int64) (Area, error) {
	r, err := memory.Map(bytes)
	if err != nil {
		return nil, err
	}
	return Of(r), nil
}

// Space is all of the process.
func (p Process) Space() Space { return p }

// Map is [memory.Map].
func (Process) Map(bytes int64) (*memory.Region, error) { return memory.Map(bytes) }

// Reserve is [memory.Reserve].
func (Process) Reserve(bytes int64) (*memory.Region, error) { return memory.Reserve(bytes) }

// Most leaves much of what processors can address.
func (Process) Most() int64 { return 1 << 44 }

// Of is a region as an area.
func Of(r *memory.Region) Area { return process{r} }

// process is an area of the process. A pointer is all that it is, so that an Area is made of it without an allocation.
type process struct{ region *memory.Region }

func (p process) Bytes() int64   { return p.region.Len() }
func (p process) Shared() bool   { return true }
func (p process) Host() []byte   { return p.region.Bytes() }
func (p process) Map(bool) error { return nil }
func (p process) Unmap() error   { return nil }
func (p process) Retire() error  { return p.region.Retire() }
func (p process) Free() error    { return p.region.Free() }
