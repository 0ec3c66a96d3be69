package quantsearch

import "strconv"

// nearer takes a bit from each fixed-point form with a nearer limit: as the steps become longer with fewer bits, they become
// shorter with the limit.
func (s *search) nearer() error {
	for i, k := range s.knobs {
		if k.limit == 0 {
			continue
		}
		for found := true; found && s.best.bits[i] > k.least; {
			before := s.bits
			if err := s.nearLimit(i); err != nil {
				return err
			}
			found = s.bits < before
		}
	}
	return nil
}

// nearLimit tries a bit less for one knob with limits down to half, which leaves the step as it is. With a lower limit more
// numbers are clamped, and with a higher one the steps are longer, so that the error is least between, where a golden
// section finds it.
func (s *search) nearLimit(i int) error {
	bits, limit := s.best.bits[i], s.best.limits[i]
	at := func(bits int, limit float64) *point {
		p := s.best.clone()
		p.bits[i], p.limits[i] = bits, limit
		return p
	}
	if good, err := s.good(at(bits-1, limit/2)); good || err != nil {
		return err
	}
	e, err := s.errorOf(at(bits-1, limit))
	if err != nil {
		return err
	}
	// The error grows with the step, about in proportion.
	lo, hi := limit/2, min(limit, short(1.1*limit*s.tolerance/e))
	if !(hi > lo) {
		return nil
	}
	// Where numbers are clamped too much even with the bits that there are, lower limits are no use.
	if good, err := s.good(at(bits, hi)); !good || err != nil {
		return err
	}
	const golden = 0.618
	for hi-lo > 0.003*limit {
		x, y := hi-golden*(hi-lo), lo+golden*(hi-lo)
		ey, err := s.errorOf(at(bits-1, short(y)))
		if ey <= s.tolerance || err != nil {
			return err
		}
		ex, err := s.errorOf(at(bits-1, short(x)))
		if ex <= s.tolerance || err != nil {
			return err
		}
		if ex < ey {
			hi = y
		} else {
			lo = x
		}
	}
	return nil
}

// short rounds a number to four digits.
func short(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return v
}
