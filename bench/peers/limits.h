/* What limits.c and limits_sparse.h stand on: vectors of 16 floats or integers, and memory on huge pages. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <sys/mman.h>
#include "harness.h"
#include "avx512.h"

typedef __m512 V;   /* 16 floats; + - * / work on them, and contract to FMA */
typedef __m512i I;  /* 16 int32, by intrinsics */
typedef __mmask16 M;
static inline V ld(const float *p) { return _mm512_loadu_ps(p); }
static inline void st(float *p, V a) { _mm512_storeu_ps(p, a); }
static inline V set(float a) { return _mm512_set1_ps(a); }
static inline I seti(int a) { return _mm512_set1_epi32(a); }
#define LANES _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
static inline I from(int a) { return _mm512_add_epi32(seti(a), LANES); }
#define SHIFT(high, low, n) (V)_mm512_alignr_epi32((I)(high), (I)(low), n)
#define PRAGMA(x) _Pragma(#x)
#define PARALLEL PRAGMA(omp parallel for schedule(static))
#define REDUCE(r) PRAGMA(omp parallel for schedule(static) reduction(r))

/* ---- memory ---- */

static void *alloc(size_t bytes) {  /* zeroed, on huge pages, readable a little before its start and past its end */
    size_t n = (bytes + (3 << 20)) & -(size_t)(2 << 20);
    char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) abort();
    madvise(p, n, MADV_HUGEPAGE);
    return p + 65536;
}
