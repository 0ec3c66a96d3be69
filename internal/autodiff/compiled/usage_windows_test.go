package compiled_test

import "time"

// processorTime is not available here.
func processorTime() time.Duration { return 0 }
