/* The intrinsics of AVX-512 that limits_sparse.h needs, on any x86-64 with AVX2: where the processor lacks them, those
 * of SIMDe (libsimde-dev in Debian), which makes two vectors of 8 of each of 16, and what SIMDe 0.7.4 lacks. */
#include <immintrin.h>
#ifndef __AVX512F__
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

typedef int lanes16 __attribute__((vector_size(64)));
#define _mm512_alignr_epi32(high, low, n) \
    (__m512i)__builtin_shufflevector((lanes16)(low), (lanes16)(high), (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, \
        (n) + 6, (n) + 7, (n) + 8, (n) + 9, (n) + 10, (n) + 11, (n) + 12, (n) + 13, (n) + 14, (n) + 15)
#define _mm512_cmplt_epi32_mask(a, b) _mm512_cmpgt_epi32_mask(b, a)
/* Unsigned order is the signed one of numbers whose highest bit is the other. */
#define _mm512_cmplt_epu32_mask(a, b) \
    _mm512_cmpgt_epi32_mask(_mm512_xor_si512(b, _mm512_set1_epi32(INT32_MIN)), _mm512_xor_si512(a, _mm512_set1_epi32(INT32_MIN)))
#endif
