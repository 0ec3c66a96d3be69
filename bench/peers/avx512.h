/* The intrinsics of AVX-512 that limits.c needs, on any x86-64 with AVX2: where the processor lacks them, those
 * of SIMDe (libsimde-dev in Debian), which makes two vectors of 8 of each of 16, and what SIMDe 0.7.4 lacks. */
#include <immintrin.h>
#ifndef __AVX512F__
#define EMULATED
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

#define _mm512_cvtepi32_ps(a) ((__m512)__builtin_convertvector((lanes16)(a), float __attribute__((vector_size(64)))))
#define _mm512_cvtps_epi32(a) whole(a)
#define _mm512_cvttps_epi32(a) ((__m512i)__builtin_convertvector((float __attribute__((vector_size(64))))(a), lanes16))
static inline __m512i whole(__m512 a) { /* rounded to the nearest */
    __m256 h[2];
    __m256i n[2];
    __m512i r;
    __builtin_memcpy(h, &a, sizeof a);
    n[0] = _mm256_cvtps_epi32(h[0]), n[1] = _mm256_cvtps_epi32(h[1]);
    __builtin_memcpy(&r, n, sizeof r);
    return r;
}
static inline void stream(float *p, __m512 a) {
    __m256 h[2];
    __builtin_memcpy(h, &a, sizeof a);
    _mm256_stream_ps(p, h[0]), _mm256_stream_ps(p + 8, h[1]);
}
static inline void store_masked(float *p, int mask, __m512 a) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    for (int i = 0; i < 2; i++, mask >>= 8, p += 8) {
        __m256 h[2];
        __builtin_memcpy(h, &a, sizeof a);
        _mm256_maskstore_ps(p, _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask), bit), bit), h[i]);
    }
}
static inline __m512 permuted(__m512 a, __m512i n) { /* within each four lanes */
    __m256 h[2];
    __m256i k[2];
    __builtin_memcpy(h, &a, sizeof a), __builtin_memcpy(k, &n, sizeof n);
    h[0] = _mm256_permutevar_ps(h[0], k[0]), h[1] = _mm256_permutevar_ps(h[1], k[1]);
    __builtin_memcpy(&a, h, sizeof a);
    return a;
}
static inline __m512 gathered(__m512i n, const float *p) {
    __m256i k[2];
    __m256 h[2];
    __m512 a;
    __builtin_memcpy(k, &n, sizeof n);
    h[0] = _mm256_i32gather_ps(p, k[0], 4), h[1] = _mm256_i32gather_ps(p, k[1], 4);
    __builtin_memcpy(&a, h, sizeof a);
    return a;
}
#define _mm512_i32gather_ps(n, p, scale) gathered(n, p)
#define _mm512_mask_cmp_ps_mask(m, a, b, op) ((m) & _mm512_cmp_ps_mask(a, b, op))
#define _mm512_permute_ps(a, n) permuted(a, _mm512_set4_epi32((n) >> 6 & 3, (n) >> 4 & 3, (n) >> 2 & 3, (n) & 3))
#define _mm512_stream_ps stream
#define _mm512_permutevar_ps permuted
#define _mm512_mask_storeu_ps(p, m, a) store_masked(p, m, a)

/* Estimates of 12 bits instead of 14. */
#define ESTIMATE(name, half) \
    static inline __m512 name(__m512 x) { \
        __m256 h[2]; \
        __builtin_memcpy(h, &x, sizeof x); \
        h[0] = half(h[0]), h[1] = half(h[1]); \
        __builtin_memcpy(&x, h, sizeof x); \
        return x; \
    }
ESTIMATE(rsqrt_estimate, _mm256_rsqrt_ps)
ESTIMATE(rcp_estimate, _mm256_rcp_ps)
#define NEAREST(x) _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
ESTIMATE(rounded, NEAREST)
#undef _mm512_roundscale_ps
#define _mm512_roundscale_ps(x, n) rounded(x)
#define _mm512_rsqrt14_ps rsqrt_estimate
#define _mm512_rcp14_ps rcp_estimate
/* The exponent and the significand of normal numbers, and x * 2^n where 2^n is normal: all that the maths here asks for. */
#define _mm512_getexp_ps(x) \
    _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_srli_epi32(_mm512_slli_epi32((__m512i)(x), 1), 24), _mm512_set1_epi32(127)))
#define _mm512_getmant_ps(x, norm, sign) \
    (__m512)_mm512_or_si512(_mm512_and_si512((__m512i)(x), _mm512_set1_epi32((int)0x807fffff)), _mm512_set1_epi32(0x3f800000))
#undef _mm512_scalef_ps
#define _mm512_scalef_ps(x, n) \
    ((x) * (__m512)_mm512_slli_epi32(_mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127)), 23))
#endif
