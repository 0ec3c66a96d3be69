package llvm

import (
	"crypto/sha256"
	"fmt"
	"os"
	"sync"

	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/llvm"
)

// EnvObjects names the folder in which compilers keep the objects that libLLVM has made, and
// find them again; without it they keep none. It is there for tests: several in a hundred
// processes load the same kernels, and all but the time of libLLVM is the same as without.
const EnvObjects = "TI_OBJECTS"

// keptObjects opens the folder that [EnvObjects] names when it is asked first; nil without one.
func keptObjects() func() (*cache.Cache, error) {
	dir := os.Getenv(EnvObjects)
	if dir == "" {
		return nil
	}
	return sync.OnceValues(func() (*cache.Cache, error) {
		c, err := cache.Open(cache.Options{Dir: dir, Policy: cache.Never})
		if err != nil {
			return nil, fmt.Errorf("%s=%q: %w", EnvObjects, dir, err)
		}
		return c, nil
	})
}

// compile returns the object of sources, which libLLVM makes unless it is kept. Whoever
// verifies tasks asks libLLVM each time.
func (t *translation) compile(o llvm.Options, sources ...llvm.Source) ([]byte, error) {
	if t.kept == nil || t.o.VerifyTasks {
		return t.lib.Compile(o, sources...)
	}
	objects, err := t.kept()
	if err != nil {
		return nil, err
	}
	about, err := t.lib.Key(nil, o)
	if err != nil { // a library without an identity
		return t.lib.Compile(o, sources...)
	}
	key := objectKey(about, sources)
	if object, ok := objects.Get(key); ok {
		return object, nil
	}
	object, err := t.lib.Compile(o, sources...)
	if err == nil {
		objects.Put(key, object)
	}
	return object, err
}

// objectKey covers all that an object depends on: the sources in their order, and about,
// which is the library, the target and the pipelines.
func objectKey(about []byte, sources []llvm.Source) cache.Key {
	h := sha256.New()
	fmt.Fprintf(h, "object 1 %d\n%s", len(about), about)
	for _, s := range sources {
		fmt.Fprintf(h, "\n%q %d\n%s", s.Name, len(s.Text), s.Text)
	}
	return cache.Key(h.Sum(nil))
}
