package main

import (
	"github.com/gotaichi/ti/internal/script"

	"fmt"
	"strconv"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/layout"
)

// rangeFlags ask for a report on what fields take and what storing that costs.
type rangeFlags struct {
	Ranges    []string `placeholder:"NAME,…" help:"Report what numbers fields take, what each store of a packed field loses, and forms that would do; 'all' for all fields."`
	Tolerance *float64 `placeholder:"ERROR" help:"The largest error of the forms that -ranges suggests, over the largest magnitude; 0.001 unless -bits is given."`
	Bits      *int     `placeholder:"BITS" help:"The most bits that the forms of -ranges take, one element of each field together."`
}

// options are those of Runtime.Ranges.
func (r *rangeFlags) options() (o ti.RangeOptions, err error) {
	switch {
	case len(r.Ranges) == 0 && (r.Tolerance != nil || r.Bits != nil):
		return o, fmt.Errorf("-tolerance and -bits are about the forms that -ranges suggests; name fields by -ranges")
	case r.Tolerance != nil && r.Bits != nil:
		return o, fmt.Errorf("-tolerance and -bits together: give the error that is allowed, or the bits that there are")
	case r.Tolerance != nil && !(*r.Tolerance > 0 && *r.Tolerance < 1):
		return o, fmt.Errorf("-tolerance %v: it is the largest error allowed over the largest magnitude; give a number above 0 and below 1", *r.Tolerance)
	case r.Bits != nil && *r.Bits < 1:
		return o, fmt.Errorf("-bits %d: it is the most bits that one element of each field takes together; give at least 1", *r.Bits)
	case r.Tolerance != nil:
		o.Tolerance = *r.Tolerance
	case r.Bits != nil:
		o.Bits = *r.Bits
	default:
		o.Tolerance = 0.001
	}
	return o, nil
}

// counted calls f, with -ranges while what fields take is counted.
func (c *runCmd) counted(std *stdio, s *script.Session, out *report, f func() error) error {
	o, err := c.Quant.options()
	switch {
	case err != nil:
		return err
	case len(c.Quant.Ranges) == 0:
		return f()
	}
	fields, err := c.rangeFields(s)
	if err != nil {
		return err
	}
	reports, err := s.Runtime.Ranges(f, o, fields...)
	if err != nil {
		return err
	}
	for _, r := range reports {
		if c.JSON {
			out.Ranges = append(out.Ranges, rangeReportOf(&r))
		} else {
			fmt.Fprint(std.out, r)
		}
	}
	return nil
}

// rangeFields finds the fields that -ranges names.
func (c *runCmd) rangeFields(s *script.Session) (fields []ti.AnyField, err error) {
	for _, name := range c.Quant.Ranges {
		if name == "all" && s.VarNamed("all") < 0 {
			for _, v := range s.Package.Vars {
				if f := s.Fields[v.Name]; f != nil {
					fields = append(fields, f.AnyField)
				}
			}
			continue
		}
		f, err := s.Field(name)
		if err != nil {
			return nil, fmt.Errorf("-ranges %s: %w", name, err)
		}
		fields = append(fields, f.AnyField)
	}
	return fields, nil
}

// A rangeReport is a report in JSON, which has neither NaNs nor numbers as keys.
type rangeReport struct {
	Field     string           `json:"field"`
	Least     any              `json:"least"`
	Largest   any              `json:"largest"`
	Smallest  any              `json:"smallest_magnitude"`
	Exponents map[string]int64 `json:"exponents"`
	Stores    []storeReport    `json:"stores,omitempty"`
	Suggested []string         `json:"suggested,omitempty"`
	Note      string           `json:"note,omitempty"`
}

type storeReport struct {
	Position     string           `json:"position"`
	Total        int64            `json:"total"`
	Clamped      int64            `json:"clamped"`
	Flushed      int64            `json:"flushed"`
	Absorbed     int64            `json:"absorbed"`
	MeanError    any              `json:"mean_error"`
	LargestError any              `json:"largest_error"`
	Errors       map[string]int64 `json:"errors"`
}

func rangeReportOf(r *ti.RangeReport) rangeReport {
	out := rangeReport{r.Field, jsonReal(r.Least), jsonReal(r.Largest), jsonReal(r.SmallestMagnitude), keyed(r.Exponents), nil, nil, r.Note}
	for _, s := range r.Stores {
		out.Stores = append(out.Stores, storeReport{s.Position, s.Total, s.Clamped, s.Flushed, s.Absorbed, jsonReal(s.MeanError), jsonReal(s.LargestError), keyed(s.Errors)})
	}
	for _, q := range r.Suggested {
		out.Suggested = append(out.Suggested, q.String())
	}
	return out
}

// keyed gives a histogram the keys of JSON.
func keyed(h map[int]int64) map[string]int64 {
	out := make(map[string]int64, len(h))
	for e, n := range h {
		out[strconv.Itoa(e)] = n
	}
	return out
}

// jsonReal is a real number in JSON.
func jsonReal(v float64) any { return script.JSONNumber(v, layout.F64) }
