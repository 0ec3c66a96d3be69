/* The cases of go run ./bench/quant by hand: a name alone is the packed case, NAME_plain the one on numbers as C has
 * them. Forms are those of the cases: fixed-point codes are numbers times a power of two, so that codes are computed
 * with; a float of 30 bits is one of C without its last two digits. */

static long most(void) { return (1l << 28) / divisor; }
static long side(void) { return 41690 / lrint(sqrt(divisor)); }

/* Every SAMPLE-th element counts in a checksum. */
#define SAMPLED(n, term) ({ double s_ = 0; for (long i = 0; i < (n); i += 1 + (n) / 1000) s_ += (term); s_; })
#define STREAM(p, a) _mm512_stream_si512((void *)(p), a)
#define LOAD(p) _mm512_loadu_si512(p)
#define AND _mm512_and_si512
#define OR _mm512_or_si512

/* ---- stores ---- */

static void halves(int unused) {  /* bandwidth: 1 GB written, past the caches */
    long n = most();
    uint32_t *w = alloc(4 * n);
    BENCH(SAMPLED(n, (int16_t)w[i] + 3.0 * (int16_t)(w[i] >> 16)), PARALLEL for (long i = 0; i < n; i += 16) {
        I v = AND(from(i), seti(32767));
        STREAM(w + i, OR(v, _mm512_slli_epi32(v, 16)));
    });
}

static void halves_plain(int unused) {  /* bandwidth: 2 GB written */
    long n = most();
    int *a = alloc(4 * n), *b = alloc(4 * n);
    BENCH(SAMPLED(n, a[i] + 3.0 * b[i]), PARALLEL for (long i = 0; i < n; i += 16) {
        I v = AND(from(i), seti(32767));
        STREAM(a + i, v), STREAM(b + i, v);
    });
}

static void bytes(int unused) {  /* bandwidth: 1 GB read, for the fourth byte, and written */
    long n = most();
    uint32_t *w = alloc(4 * n);
    BENCH(SAMPLED(n, (int8_t)w[i] + 3.0 * (int8_t)(w[i] >> 8)), PARALLEL for (long i = 0; i < n; i += 16) {
        I b = AND(from(i + 1), seti(127)), c = AND(from(i + 2), seti(127));
        I v = OR(AND(from(i), seti(127)), OR(_mm512_slli_epi32(b, 8), _mm512_slli_epi32(c, 16)));
        _mm512_storeu_si512(w + i, OR(AND(LOAD(w + i), seti(0xff000000)), v));
    });
}

static void bytes_plain(int unused) {  /* bandwidth: 3 GB written */
    long n = most();
    int *a = alloc(4 * n), *b = alloc(4 * n), *c = alloc(4 * n);
    BENCH(SAMPLED(n, a[i] + 3.0 * b[i]), PARALLEL for (long i = 0; i < n; i += 16) {
        STREAM(a + i, AND(from(i), seti(127)));
        STREAM(b + i, AND(from(i + 1), seti(127)));
        STREAM(c + i, AND(from(i + 2), seti(127)));
    });
}

/* ---- histograms ---- */

static inline uint32_t bin(uint32_t i, int bins) { return i * 2654435761u >> 8 & (bins - 1); }

static double total(int bins, const uint32_t *count) { return SUM(bins, i % 7 * (double)(count[i] & 15)); }

/* Bins of 4 bits, two in a byte.  Each thread counts modulo 256 in bytes of its own, of which low halves are added up. */
static void histogram_packed(int bins) {  /* stores: an increment a sample, in L1 or L2 */
    int samples = most() / 16 + 12345, threads = omp_get_max_threads();
    uint8_t *packed = alloc(bins / 2), *own = alloc((size_t)threads * bins);
    uint32_t *wide = alloc(4 * bins);
    BENCH((({ for (int i = 0; i < bins; i++) wide[i] = packed[i / 2] >> i % 2 * 4; }), total(bins, wide)), PRAGMA(omp parallel) {
        uint8_t *b = own + (size_t)omp_get_thread_num() * bins;
        memset(b, 0, bins);
        PRAGMA(omp for schedule(static)) for (int i = 0; i < samples; i++) b[bin(i, bins)]++;
        PRAGMA(omp for schedule(static)) for (int i = 0; i < bins / 2; i++) {
            uint8_t low = packed[i], high = packed[i] >> 4;
            for (int t = 0; t < threads; t++) low += own[t * bins + 2 * i], high += own[t * bins + 2 * i + 1];
            packed[i] = (low & 15) | high << 4;
        }
    });
}

/* Bins of 32 bits.  Each thread counts in bytes, so that a million of them fit into L2; one in 256 goes on to the bins. */
static void histogram_plain(int bins) {
    int samples = most() / 16 + 12345, threads = omp_get_max_threads();
    uint32_t *count = alloc(4 * bins);
    uint8_t *own = alloc((size_t)threads * bins);
    BENCH(total(bins, count), PRAGMA(omp parallel) {
        uint8_t *b = own + (size_t)omp_get_thread_num() * bins;
        memset(b, 0, bins);
        PRAGMA(omp for schedule(static)) for (int i = 0; i < samples; i++) {
            uint32_t k = bin(i, bins);
            if (!++b[k]) __atomic_fetch_add(count + k, 256, __ATOMIC_RELAXED);
        }
        PRAGMA(omp for schedule(static)) for (int i = 0; i < bins; i++)
            for (int t = 0; t < threads; t++) count[i] += own[t * bins + i];
    });
}

/* ---- products of matrices, a row in a word of 64 bits: three codes of 16, in steps of 2^-14 ---- */

static inline uint64_t code14(float x) { return (uint16_t)(int16_t)(x * 16384); }

static inline V codes(const uint64_t *p) {  /* four words: their codes, and 0, as floats */
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((void *)p)));
}

static inline __m256i row_by(V p, const V *q) {  /* four rows by four matrices */
    V r = _mm512_permute_ps(p, 0) * q[0] + _mm512_permute_ps(p, 0x55) * q[1] + _mm512_permute_ps(p, 0xaa) * q[2];
    return _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(r));  /* saturates; no sum is beyond 2^31 */
}

static void product_start(long i, float p[3][3], float q[3][3]) {
    float v = (i & 7) / 8.0f;
    float a[3][3] = {{v, 0.5f, 0}, {0, v, 0.25f}, {0.5f, 0, v}}, b[3][3] = {{0.5f, 0, v}, {v, 0.25f, 0}, {0, v, 0.5f}};
    memcpy(p, a, sizeof a), memcpy(q, b, sizeof b);
}

static void product(int unused) {  /* bandwidth: 1.5 GB read, 0.75 GB written past the caches */
    long n = most() / 8;
    uint64_t *a[3], *b[3], *c[3];
    for (int r = 0; r < 3; r++) a[r] = alloc(8 * n), b[r] = alloc(8 * n), c[r] = alloc(8 * n);
    PARALLEL for (long i = 0; i < n; i++) {
        float p[3][3], q[3][3];
        product_start(i, p, q);
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                a[r][i] |= code14(p[r][k]) << 16 * k;
                b[r][i] |= code14(q[r][k]) << 16 * k;
            }
    }
    BENCH(SAMPLED(n, ((int16_t)c[1][i] + 2.0 * (int16_t)(c[1][i] >> 32)) / 16384), PARALLEL for (long i = 0; i < n; i += 8) {
        V q[2][3];
        for (int r = 0; r < 3; r++) q[0][r] = codes(b[r] + i) * 0x1p-14f, q[1][r] = codes(b[r] + i + 4) * 0x1p-14f;
        for (int r = 0; r < 3; r++) {
            __m256i low = row_by(codes(a[r] + i), q[0]), high = row_by(codes(a[r] + i + 4), q[1]);
            STREAM(c[r] + i, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
        }
    });
}

/* Rows of vec3, x y z x y z: 16 matrices are three vectors of each row, of which element l of vector v needs element k
 * of the row of matrix (16 v + l) / 3. */
static void product_plain(int unused) {  /* bandwidth: 2.3 GB read, 1.1 GB written past the caches */
    long n = most() / 8;
    float *a[3], *b[3], *c[3];
    I at[3][3];  /* indices into the vectors that start two elements before, and two behind */
    for (int v = 0; v < 3; v++)
        for (int k = 0; k < 3; k++) {
            int32_t index[16];
            for (int l = 0; l < 16; l++) {
                int x = (16 * v + l) / 3 * 3 + k - 16 * v + 2;  /* 0 to 19 */
                index[l] = x < 16 ? x : x - 4 + 16;
            }
            at[v][k] = LOAD(index);
        }
    for (int r = 0; r < 3; r++) a[r] = floats(3 * n), b[r] = floats(3 * n), c[r] = floats(3 * n);
    PARALLEL for (long i = 0; i < n; i++) {
        float p[3][3], q[3][3];
        product_start(i, p, q);
        for (int r = 0; r < 3; r++) memcpy(a[r] + 3 * i, p[r], 12), memcpy(b[r] + 3 * i, q[r], 12);
    }
    BENCH(SAMPLED(n, c[1][3 * i] + 2.0 * c[1][3 * i + 2]), PARALLEL for (long i = 0; i < 3 * n; i += 48)
        for (int v = 0; v < 3; v++)
            for (int r = 0; r < 3; r++) {
                const float *p = a[r] + i + 16 * v;
                V x = _mm512_permutex2var_ps(ld(p - 2), at[v][0], ld(p + 2)) * ld(b[0] + i + 16 * v);
                V y = _mm512_permutex2var_ps(ld(p - 2), at[v][1], ld(p + 2)) * ld(b[1] + i + 16 * v);
                V z = _mm512_permutex2var_ps(ld(p - 2), at[v][2], ld(p + 2)) * ld(b[2] + i + 16 * v);
                _mm512_stream_ps(c[r] + i + 16 * v, x + y + z);
            });
}

/* ---- x = s y + x ---- */

static inline I encode30(V a) {  /* 8 bits of exponent, 21 digits: rounded to even; what is too large, and 0, -0 and NaN apart */
    I bits = (I)a, u = AND(bits, seti(0x7fffffff));
    M zero = _mm512_fpclass_ps_mask(a, 0x01 | 0x80 | 0x02 | 0x04 | 0x20);  /* and what is less than any number here */
    I t = _mm512_sub_epi32(u, _mm512_ternarylogic_epi32(_mm512_srli_epi32(bits, 2), seti(1), u, 0x3f));  /* u + 1 + odd */
    t = _mm512_min_epu32(t, seti(0x7f7fffff));
    return _mm512_maskz_srli_epi32(~zero, _mm512_ternarylogic_epi32(t, bits, seti(0x80000000), 0xf8), 2);
}

static inline V decode30(I code) { return (V)_mm512_slli_epi32(code, 2); }  /* of what encode30 made */

static void saxpy_float(int unused) {  /* bandwidth: 2 GB read, 1 GB written, and nearly the arithmetic */
    long n = most();
    uint32_t *x = alloc(4 * n), *y = alloc(4 * n);
    volatile float factor = 0.5f;
    PARALLEL for (long i = 0; i < n; i += 16) {
        V v = _mm512_cvtepi32_ps(AND(from(i), seti(15))) / 16, w = _mm512_cvtepi32_ps(AND(from(i), seti(3))) / 4;
        _mm512_storeu_si512(x + i, encode30(v)), _mm512_storeu_si512(y + i, encode30(w));
    }
    BENCH(SAMPLED(n, ({ uint32_t b_ = x[i] << 2; float f_; memcpy(&f_, &b_, 4); f_; })), V s = set(factor); factor = 0;
        PARALLEL for (long i = 0; i < n; i += 16)
            _mm512_storeu_si512(x + i, encode30(s * decode30(LOAD(y + i)) + decode30(LOAD(x + i)))));
}

static void saxpy_plain(int unused) {  /* bandwidth: 2 GB read, 1 GB written */
    long n = most();
    float *x = floats(n), *y = floats(n);
    volatile float factor = 0.5f;
    PARALLEL for (long i = 0; i < n; i++) x[i] = (i & 15) / 16.0f, y[i] = (i & 3) / 4.0f;
    BENCH(SAMPLED(n, x[i]), float s = factor; factor = 0;
        PARALLEL for (long i = 0; i < n; i++) x[i] = s * y[i] + x[i]);
}

static inline V decode16(const int16_t *p) { return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((void *)p))); }

static void saxpy_fixed(int unused) {  /* bandwidth: 1 GB read, 0.5 GB written */
    long n = most();
    int16_t *x = alloc(2 * n), *y = alloc(2 * n);
    volatile float factor = 0.5f;
    PARALLEL for (long i = 0; i < n; i++) x[i] = (i & 15) * 256, y[i] = (i & 3) * 1024;
    BENCH(SAMPLED(n, x[i] / 4096.0), V s = set(factor); factor = 0;  /* |s| < 2^15, so that no sum is beyond 2^31 */
        PARALLEL for (long i = 0; i < n; i += 32) {
            __m256i r[2];
            for (int k = 0; k < 2; k++)
                r[k] = _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(s * decode16(y + i + 16 * k) + decode16(x + i + 16 * k)));
            _mm512_storeu_si512(x + i, _mm512_inserti64x4(_mm512_castsi256_si512(r[0]), r[1], 1));
        });
}

/* ---- Life on 41690 x 41696 cells, whose border is dead ---- */

static inline int alive_at(long i, long j) { return ((uint32_t)i * 7919u ^ (uint32_t)j * 104729u) >> 3 & 1; }

/* The columns' sums over three rows have two bits, s and t.  With those of the columns beside them, the nine cells add
 * up to x + 2 (y + c) + 4 z; the cell lives where that is 3, or 4 and it lives. */
static inline I next_bits(const uint32_t *s, const uint32_t *t, I cell) {
    I sm = LOAD(s), tm = LOAD(t);
    I sl = OR(_mm512_slli_epi32(sm, 1), _mm512_srli_epi32(LOAD(s - 1), 31)), sr = OR(_mm512_srli_epi32(sm, 1), _mm512_slli_epi32(LOAD(s + 1), 31));
    I tl = OR(_mm512_slli_epi32(tm, 1), _mm512_srli_epi32(LOAD(t - 1), 31)), tr = OR(_mm512_srli_epi32(tm, 1), _mm512_slli_epi32(LOAD(t + 1), 31));
    I x = _mm512_ternarylogic_epi32(sl, sm, sr, 0x96), c = _mm512_ternarylogic_epi32(sl, sm, sr, 0xe8);
    I y = _mm512_ternarylogic_epi32(tl, tm, tr, 0x96), z = _mm512_ternarylogic_epi32(tl, tm, tr, 0xe8);
    I odd = _mm512_ternarylogic_epi32(y, c, z, 0x14);                    /* y + c + 2 z is 1: with x, 3 */
    I even = AND(_mm512_ternarylogic_epi32(y, c, z, 0x42), cell);        /* it is 2: without x, 4 */
    return _mm512_ternarylogic_epi32(x, odd, even, 0xca);
}

static void life_packed(int unused) {  /* bandwidth: 0.2 GB read, 0.2 GB written past the caches */
    long rows = side(), words = (rows + 31) / 32, stride = (words + 15) & -16;  /* rows begin with a line of the cache */
    uint32_t *a = alloc(4 * rows * stride), *b = alloc(4 * rows * stride);
    PARALLEL for (long i = 0; i < rows; i++)
        for (long j = 0; j < 32 * words; j++) a[i * stride + j / 32] |= (uint32_t)alive_at(i, j) << j % 32;
    BENCH(SUM(rows * stride, __builtin_popcount(b[i])), PARALLEL for (long i = 1; i < rows - 1; i++) {
        uint32_t sums[2][16 + stride + 16];
        for (long j = 0; j < stride; j += 16) {
            const uint32_t *p = a + i * stride + j;
            I above = LOAD(p - stride), cell = LOAD(p), below = LOAD(p + stride);
            _mm512_storeu_si512(sums[0] + 16 + j, _mm512_ternarylogic_epi32(above, cell, below, 0x96));
            _mm512_storeu_si512(sums[1] + 16 + j, _mm512_ternarylogic_epi32(above, cell, below, 0xe8));
        }
        for (long j = 0; j < stride; j += 16) {
            I next = next_bits(sums[0] + 16 + j, sums[1] + 16 + j, LOAD(a + i * stride + j));
            if (j == 0) next = AND(next, _mm512_mask_mov_epi32(seti(-1), 1, seti(-2)));
            if (j == stride - 16) {  /* behind the last word, and the last cell of it */
                next = _mm512_maskz_mov_epi32((2u << (words - 1 - j)) - 1, next);
                next = AND(next, _mm512_mask_mov_epi32(seti(-1), 1 << (words - 1 - j), seti(INT32_MAX)));
            }
            STREAM(b + i * stride + j, next);
        }
    });
}

static void life_plain(int unused) {  /* bandwidth: 1.7 GB read, 1.7 GB written past the caches */
    long rows = side(), columns = (rows + 31) / 32 * 32, stride = (columns + 63) & -64;
    uint8_t *a = alloc(rows * stride), *b = alloc(rows * stride);
    PARALLEL for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++) a[i * stride + j] = alive_at(i, j);
    BENCH(SUM(rows * stride, b[i]), PARALLEL for (long i = 1; i < rows - 1; i++) life_row(a + i * stride, b + i * stride, columns, stride));
}

#define QUANT_CASES {"halves", halves, 0}, {"halves_plain", halves_plain, 0}, {"bytes", bytes, 0}, {"bytes_plain", bytes_plain, 0}, \
    {"histogram_64", histogram_packed, 64}, {"histogram_64_plain", histogram_plain, 64}, \
    {"histogram_1m", histogram_packed, 1 << 20}, {"histogram_1m_plain", histogram_plain, 1 << 20}, \
    {"product", product, 0}, {"product_plain", product_plain, 0}, {"saxpy_float", saxpy_float, 0}, {"saxpy_float_plain", saxpy_plain, 0}, \
    {"saxpy_fixed", saxpy_fixed, 0}, {"saxpy_fixed_plain", saxpy_plain, 0}, {"life_bits", life_packed, 0}, {"life_bits_plain", life_plain, 0}
