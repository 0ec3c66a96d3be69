/* The cases of taichi_bench.py written by hand in C: the "physical limit" side of the suite.
 *
 *     gcc -O3 -march=native -mprefer-vector-width=512 -ffast-math -fno-math-errno -fopenmp limits.c -o limits -lm
 *     ./limits [--list] [--only NAME,...] [--threads N] [--seconds S] [--divide N]
 *
 * Made for AVX-512 (F, BW, DQ, VL); the table at the end says which cases are left without.  Same sizes, initial data and
 * checksums as the Python side, same lines: NAME, median and minimum of one launch, checksum.  Arrays sit on huge
 * pages.  The comment on a case says what bounds it; "bandwidth" is that of the first cache level that holds its
 * arrays.  One check differs: reduce_sum, 8380134.5, is right; a single float accumulator per thread drifts to 8384319.
 */
#include "limits.h"

static float *floats(size_t n) { return alloc(n * sizeof(float)); }

/* ---- loops, reductions, streams ---- */

static void launch_empty(int unused) {  /* fork and join of the team, which spins in between */
    BENCH(0, for (int i = 0; i < 100; i++) { PRAGMA(omp parallel) __asm__ volatile(""); });
    median /= 100, best /= 100;
}

static void launch_small(int unused) {  /* fork and join: 64 vectors of work do not show */
    float *x = floats(1024);
    BENCH(SUM(1024, x[i]), PARALLEL for (int i = 0; i < 1024; i++) x[i] += 1);
}

static void saxpy_n(long n) {
    float *restrict x = floats(n), *restrict y = floats(n);
    PARALLEL for (long i = 0; i < n; i++) x[i] = (i % 1000) * 0.001f, y[i] = 1;
    BENCH(SUM(n, y[i]), PARALLEL for (long i = 0; i < n; i++) y[i] = 2 * x[i] + y[i]);
}

static void saxpy(int unused) { saxpy_n(1 << 24); }     /* bandwidth: 192 MB a launch */
static void saxpy_l2(int unused) { saxpy_n(1 << 16); }  /* L2 bandwidth and the fork and join */

static void reduce_sum(int unused) {  /* bandwidth: 64 MB read */
    long n = 1 << 24;
    float *x = floats(n), s;
    for (long i = 0; i < n; i++) x[i] = (i % 1000) * 0.001f;
    BENCH(s, s = 0; REDUCE(+ : s) for (long i = 0; i < n; i++) s += x[i]);
}

static void reduce_max(int unused) {  /* bandwidth: 32 MB read */
    long n = 8 << 20;
    float *x = floats(n), s;
    for (long i = 0; i < n; i++) {
        int r = (int)((uint32_t)i * 7919u) % 1000003;
        x[i] = (r + (r < 0 ? 1000003 : 0)) * 1e-6f;
    }
    BENCH(s, s = 0; REDUCE(max : s) for (long i = 0; i < n; i++) s = x[i] > s ? x[i] : s);
}

/* ---- elementary functions: inlined polynomials, about one ulp on the usual ranges ---- */

static inline V nearest(V x) { return _mm512_roundscale_ps(x, 0); }

static inline V ln_mantissa(V x, V *e) {  /* x = m 2^e with m in [sqrt 1/2, sqrt 2): ln m */
    V m = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
    M high = _mm512_cmp_ps_mask(m, set(1.41421356f), _CMP_GE_OQ);
    *e = _mm512_getexp_ps(x);
    *e = _mm512_mask_add_ps(*e, high, *e, set(1));
    V r = _mm512_mask_mul_ps(m, high, m, set(0.5f)) - 1, q = 0.12905503f - 0.0762306077f * r;
    q = ((q * r - 0.132429811f) * r + 0.141816349f) * r - 0.166090567f;
    q = (((q * r + 0.200019846f) * r - 0.250015848f) * r + 0.333333255f) * r - 0.499999883f;
    return q * (r * r) + r;
}

static inline V exp_scaled(V r, V n) {  /* 2^n e^r, |r| <= ln(2) / 2 */
    V q = ((0.00138131424f * r + 0.00836941904f) * r + 0.0416684568f) * r + 0.166665148f;
    return _mm512_scalef_ps((q * r + 0.499999931f) * (r * r) + r + 1, n);
}

static inline V vexp(V x) {
    V n = nearest(x * 1.44269504f), r = _mm512_fnmadd_ps(n, set(0x1.62ep-1f), x);
    return exp_scaled(_mm512_fnmadd_ps(n, set(3.19461849e-5f), r), n);
}

static inline V vlog(V x) { V e, m = ln_mantissa(x, &e); return e * 0.693147181f + m; }

static inline V vpow(V x, float y) {  /* 2^n e^r: y e is split without rounding it */
    V e, t = ln_mantissa(x, &e) * y, n = nearest(e * y + t * 1.44269504f);
    return exp_scaled(_mm512_fmsub_ps(e, set(y), n) * 0.693147181f + t, n);
}

static inline V vsin(V x) {
    V n = nearest(x * 0.318309886f), r = _mm512_fnmadd_ps(n, set(0x1.9218p+1f), x);
    r = _mm512_fnmadd_ps(n, set(0.000235231715f), r);
    V s = r * r, q = ((2.60548113e-6f * s - 0.000198094747f) * s + 0.00833306461f) * s - 0.166666595f;
    return _mm512_xor_ps(q * (s * r) + r, (V)_mm512_slli_epi32(_mm512_cvtps_epi32(n), 31));
}

static void math_sin_exp(int unused) {  /* flops: 50 vector operations for 16 elements; calls of the C library take 1.6 times */
    long n = 1 << 22;
    float *x = floats(n), *y = floats(n);
    for (long i = 0; i < n; i++) x[i] = i * (10.0f / n);
    BENCH(SUM(n, y[i]), PARALLEL for (long i = 0; i < n; i += 16)
        st(y + i, vsin(ld(x + i)) * vexp(-ld(x + i)) + vlog(ld(x + i) + 1)));
}

static void math_pow(int unused) {  /* flops: 32 vector operations for 16 elements; calls of powf take 3.3 times */
    long n = 1 << 22;
    float *x = floats(n), *y = floats(n);
    for (long i = 0; i < n; i++) x[i] = 0.5f + i * (2.0f / n);
    BENCH(SUM(n, y[i]), PARALLEL for (long i = 0; i < n; i += 16) st(y + i, vpow(ld(x + i), 1.7f)));
}

/* ---- stencils, images ---- */

/* Vector v of a row of nv vectors, streamed past the cache; the row's end cells stay as they are. */
static inline void put(float *p, long v, long nv, V a) {
    if (v == 0 || v == nv - 1) _mm512_mask_storeu_ps(p, v ? 0x7fff : 0xfffe, a);
    else _mm512_stream_ps(p, a);
}

static void stencil2d(int unused) {  /* bandwidth: 64 MB read, 64 MB written (streaming: no read for ownership) */
    long n = 4096;
    float *x = floats(n * n), *y = floats(n * n);
    for (long i = 0; i < n * n; i++) x[i] = ((i / n * 31 + i % n * 17) % 101) * 0.01f;
    BENCH(SUM(n * n, (double)y[i] * y[i]), PARALLEL for (long i = 1; i < n - 1; i++)
        for (long j = 0; j < n; j += 16) {
            const float *p = x + i * n + j;
            put(y + (p - x), j / 16, n / 16, 4 * ld(p) - ld(p - n) - ld(p + n) - ld(p - 1) - ld(p + 1));
        });
}

static inline float relax_start(long i, long j, long k) { return ((i * 31 + j * 17 + k * 7) % 101) * 0.01f; }

static void stencil3d_flat(int unused) {  /* bandwidth: 64 MB read, 64 MB written; three planes stay in L2 */
    long n = 256;
    float *u = floats(n * n * n), *d = floats(n * n * n);
    for (long i = 0; i < n * n * n; i++) u[i] = relax_start(i / n / n, i / n % n, i % n);
    BENCH(SUM(n * n * n, (double)d[i] * d[i]), PARALLEL for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            for (long k = 0; k < n; k += 16) {
                const float *p = u + (i * n + j) * n + k;
                if (k == 0 || k == n - 16) __builtin_prefetch(d + (p - u) + 2 * n, 1);  /* lines to be stored in part */
                V s = ld(p - 1) + ld(p + 1) + ld(p - n) + ld(p + n) + ld(p - n * n) + ld(p + n * n);
                put(d + (p - u), k / 16, n / 16, s * (1 / 6.0f) - ld(p));
            });
}

/* Blocks of 4^3: a vector is a (j, k) slice of a block, so the i neighbours are whole vectors, the j neighbours
 * shifts by four lanes across two blocks, the k neighbours permutations of two.  16 block rows stay in L2. */
static void relax_blocked(const float *u, float *d, long nb) {
    const long bj = 64 * nb, bk = 64, bi = 64 * nb * nb;
    const I next = _mm512_setr_epi32(1, 2, 3, 16, 5, 6, 7, 20, 9, 10, 11, 24, 13, 14, 15, 28);
    const I prev = _mm512_setr_epi32(19, 0, 1, 2, 23, 4, 5, 6, 27, 8, 9, 10, 31, 12, 13, 14);
    PARALLEL for (long row = 0; row < nb * nb; row++)
        for (long i = row / 16 % nb, j = row / 16 / nb * 16 + row % 16, k = 0; k < nb; k++) {
            const float *p = u + i * bi + j * bj + k * bk;
            M in = (j ? -1 : 0xfff0) & (j < nb - 1 ? -1 : 0x0fff) & (k ? -1 : 0xeeee) & (k < nb - 1 ? -1 : 0x7777);
            V below = ld(i ? p - bi + 48 : p), c = ld(p), above;
            for (int s = 0; s < 4; s++, p += 16, below = c, c = above) {
                above = ld(s < 3 ? p + 16 : i < nb - 1 ? p - 48 + bi : p);
                V js = SHIFT(c, ld(p - bj), 12) + SHIFT(ld(p + bj), c, 4);
                V ks = _mm512_permutex2var_ps(c, prev, ld(p - bk)) + _mm512_permutex2var_ps(c, next, ld(p + bk));
                V r = (ks + js + below + above) * (1 / 6.0f) - c;
                if ((i == 0 && s == 0) || (i == nb - 1 && s == 3)) continue;
                if (in == 0xffff) _mm512_stream_ps(d + (p - u), r);
                else _mm512_mask_storeu_ps(d + (p - u), in, r);
            }
        }
}

static void stencil3d(int unused) {  /* bandwidth, as on the flat array; four shuffles a vector hide under it */
    long n = 256, nb = n / 4;
    float *u = floats(n * n * n), *d = floats(n * n * n);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                u[((i / 4 * nb + j / 4) * nb + k / 4) * 64 + i % 4 * 16 + j % 4 * 4 + k % 4] = relax_start(i, j, k);
    BENCH(SUM(n * n * n, (double)d[i] * d[i]), relax_blocked(u, d, nb));
}

static void julia(int unused) {  /* flops: nine vector operations for 16 pixel iterations, a quarter of them idle */
    enum { n = 1024 };
    float *pixels = floats(2 * n * n);
    const V cr = set(-0.8f), ci = set(cosf(0.03f) * 0.2f);
    /* 4 rows of 16 pixels side by side hide the latency; a lane that has escaped runs on, its count stands. */
    BENCH(SUM(2 * n * n, pixels[i]), PRAGMA(omp parallel for schedule(dynamic, 4)) for (int i = 0; i < 2 * n; i += 4)
        for (int j = 0; j < n; j += 16) {
            V x[4], y[4], count[4];
            M alive[4];
            for (int v = 0; v < 4; v++) {
                x[v] = set(((float)(i + v) / n - 1) * 2), count[v] = set(0), alive[v] = 0xffff;
                y[v] = (_mm512_cvtepi32_ps(from(j)) * (1.0f / n) - 0.5f) * 2;
            }
            for (int it = 0, any = 1; it < 50 && any; it++) {
                any = 0;
                for (int v = 0; v < 4; v++) {
                    V xx = x[v] * x[v], yy = y[v] * y[v];
                    alive[v] = _mm512_mask_cmp_ps_mask(alive[v], xx + yy, set(400), _CMP_LT_OQ);
                    any |= alive[v];
                    count[v] = _mm512_mask_add_ps(count[v], alive[v], count[v], set(1));
                    y[v] = (x[v] + x[v]) * y[v] + ci, x[v] = (xx - yy) + cr;
                }
            }
            for (int v = 0; v < 4; v++) st(pixels + (i + v) * n + j, 1 - count[v] * 0.02f);
        });
}

/* 64 cells a vector: sums of three rows, then of three columns.  With t the sum of all nine cells and c the
 * middle one, the cell lives iff (t - c) | c == 3. */
static inline void life_row(const uint8_t *a, uint8_t *b, long columns, long stride) {
    uint8_t sums[64 + stride + 64];  /* of the columns; those outside only reach cells that are masked */
    for (long j = 0; j < stride; j += 64) {
        I s = _mm512_add_epi8(_mm512_loadu_si512(a + j - stride), _mm512_loadu_si512(a + j + stride));
        _mm512_storeu_si512(sums + 64 + j, _mm512_add_epi8(s, _mm512_loadu_si512(a + j)));
    }
    for (long j = 0; j < stride; j += 64) {
        const uint8_t *p = sums + 64 + j;
        I c = _mm512_loadu_si512(a + j);
        I t = _mm512_add_epi8(_mm512_loadu_si512(p - 1), _mm512_loadu_si512(p + 1));
        t = _mm512_or_si512(_mm512_sub_epi8(_mm512_add_epi8(t, _mm512_loadu_si512(p)), c), c);
        __mmask64 live = _mm512_cmpeq_epi8_mask(t, _mm512_set1_epi8(3)) & -(uint64_t)(j ? 1 : 2);
        if (j == stride - 64) live &= (1ull << (columns - 1 - j)) - 1;
        _mm512_storeu_si512(b + j, _mm512_maskz_mov_epi8(live, _mm512_set1_epi8(1)));
    }
}

static void life(int unused) {  /* bandwidth: 16 MB read, 16 MB written */
    enum { n = 4096 };
    uint8_t *a = alloc(n * n), *b = alloc(n * n);
    for (long i = 0; i < n * n; i++) a[i] = ((i / n * 7919) ^ (i % n * 104729)) >> 3 & 1;
    BENCH(SUM(n * n, b[i]), PARALLEL for (long i = 1; i < n - 1; i++) life_row(a + i * n, b + i * n, n, n));
}

/* ---- particles ---- */

/* All pairs: 32 targets in registers against one source at a time.  From y ~ r^-1 (14 bits) one step gives r^-3
 * to float precision: r^-3 = y^3 (1 + 3/2 h), h = 1 - r^2 y^2. */
static void nbody(int unused) {  /* flops: 17 vector operations for 16 of the 16.8 M pairs */
    enum { n = 4096 };
    float (*pos)[n] = alloc(3 * n * sizeof(float)), (*vel)[n] = alloc(3 * n * sizeof(float));
    for (int i = 0; i < n; i++) pos[0][i] = cosf(i * 0.37f), pos[1][i] = sinf(i * 0.73f), pos[2][i] = cosf(i * 1.19f);
    BENCH(SUM(n, fabs(vel[0][i]) + fabs(vel[1][i]) + fabs(vel[2][i])), PARALLEL for (int i = 0; i < n; i += 32) {
        V a[2][3] = {};
        for (int j = 0; j < n; j++)
            for (int t = 0; t < 2; t++) {
                V d[3], r2 = set(1e-3f);
                for (int c = 0; c < 3; c++) d[c] = set(pos[c][j]) - ld(pos[c] + i + 16 * t), r2 = d[c] * d[c] + r2;
                V y = _mm512_rsqrt14_ps(r2), yy = y * y, h = 1 - r2 * yy, y3 = y * yy, f = y3 + (y3 * 1.5f) * h;
                for (int c = 0; c < 3; c++) a[t][c] = d[c] * f + a[t][c];
            }
        for (int t = 0; t < 2; t++)
            for (int c = 0; c < 3; c++) st(vel[c] + i + 16 * t, ld(vel[c] + i + 16 * t) + a[t][c] * 1e-6f);
    });
}

/* MPM: particles in structures of arrays, 16 at a time for their own arithmetic; a grid node is four floats, so
 * that three neighbouring nodes of a row are one vector, and the nine nodes of a particle three loads or stores.
 * In between, quads of values are transposed within the 128-bit lanes.  Each thread scatters into a grid of its
 * own: no atomics, one barrier after it. */
enum { NP = 8192, NG = 128, ROW = 4 * (NG + 4), GRID = (NG + 4) * ROW };
static struct { float x[2][NP], v[2][NP], C[2][2][NP], J[NP]; } mp __attribute__((aligned(64)));
static const float dt = 2e-4f, p_mass = 0.25f / NG / NG;
#define SPREAD _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)

static inline V quad(const float *p) { return _mm512_broadcast_f32x4(_mm_load_ps(p)); }

static inline void transpose4(V a, V b, V c, V d, float q[64]) {  /* q[16 k + 4 l ..]: the quad of particle 4 l + k */
    __m512d ab = (__m512d)_mm512_unpacklo_ps(a, b), AB = (__m512d)_mm512_unpackhi_ps(a, b);
    __m512d cd = (__m512d)_mm512_unpacklo_ps(c, d), CD = (__m512d)_mm512_unpackhi_ps(c, d);
    st(q, (V)_mm512_unpacklo_pd(ab, cd)), st(q + 16, (V)_mm512_unpackhi_pd(ab, cd));
    st(q + 32, (V)_mm512_unpacklo_pd(AB, CD)), st(q + 48, (V)_mm512_unpackhi_pd(AB, CD));
}

static inline void mpm_weights(int p, int *node, V fx[2], V w[2][3]) {  /* 16 particles: first node, offset, weights */
    I base[2];
    for (int a = 0; a < 2; a++) {
        V xp = ld(mp.x[a] + p) * NG;
        base[a] = _mm512_cvttps_epi32(xp - 0.5f), fx[a] = xp - _mm512_cvtepi32_ps(base[a]);
        w[a][0] = 0.5f * (1.5f - fx[a]) * (1.5f - fx[a]);
        w[a][1] = 0.75f - (fx[a] - 1) * (fx[a] - 1);
        w[a][2] = 0.5f * (fx[a] - 0.5f) * (fx[a] - 0.5f);
    }
    _mm512_store_si512(node, _mm512_add_epi32(_mm512_mullo_epi32(base[0], seti(ROW)), _mm512_slli_epi32(base[1], 2)));
}

static void mpm_scatter(int lo, int hi, float *grid) {
    const V column = _mm512_cvtepi32_ps(SPREAD), zero = set(0);
    _Alignas(64) float qm[64], qi[64], qj[64], qw[64], qr[64];
    _Alignas(64) int node[16];
    for (int p = lo; p < hi; p += 16) {
        V fx[2], w[2][3], m0[2], ai[2], aj[2], stress = (-dt * 4 * 400 * 0.25f) * (ld(mp.J + p) - 1);
        mpm_weights(p, node, fx, w);
        for (int c = 0; c < 2; c++) {  /* momentum to node (i, j), unweighted: m0 + i ai + j aj */
            ai[c] = (p_mass * ld(mp.C[c][0] + p) + (c == 0 ? stress : zero)) * (1.0f / NG);
            aj[c] = (p_mass * ld(mp.C[c][1] + p) + (c == 1 ? stress : zero)) * (1.0f / NG);
            m0[c] = p_mass * ld(mp.v[c] + p) - fx[0] * ai[c] - fx[1] * aj[c];
        }
        transpose4(m0[0], m0[1], set(p_mass), zero, qm);
        transpose4(ai[0], ai[1], zero, zero, qi), transpose4(aj[0], aj[1], zero, zero, qj);
        transpose4(w[1][0], w[1][1], w[1][2], zero, qw), transpose4(w[0][0], w[0][1], w[0][2], zero, qr);
        for (int q = 0; q < 64; q += 4) {
            float *g = grid + node[q % 16 + q / 16];
            V wj = _mm512_permutevar_ps(quad(qw + q), SPREAD);
            V a = wj * (quad(qm + q) + column * quad(qj + q)), b = wj * quad(qi + q);
            for (int i = 0; i < 3; i++, g += ROW, a += b) st(g, ld(g) + set(qr[q + i]) * a);
        }
    }
}

static void mpm_gather(int lo, int hi, const float *vel) {
    _Alignas(64) float qw[64], q0[64], q2[64], qs[64], qu[64], s[64], u[64];
    _Alignas(64) int node[16];
    for (int p = lo; p < hi; p += 16) {
        V fx[2], w[2][3], trace = set(0);
        mpm_weights(p, node, fx, w);
        transpose4(w[1][0], w[1][1], w[1][2], w[0][1], qw);
        transpose4(w[0][0], w[0][0], set(0), set(0), q0), transpose4(w[0][2], w[0][2], 2 * w[0][2], 2 * w[0][2], q2);
        for (int q = 0; q < 64; q += 4) {  /* over the nine nodes: (sum w v, sum w i v), (sum w j v) */
            const float *g = vel + node[q % 16 + q / 16];
            V r = quad(q0 + q) * ld(g) + set(qw[q + 3]) * ld(g + ROW) + quad(q2 + q) * ld(g + 2 * ROW);
            r *= _mm512_permutevar_ps(quad(qw + q), SPREAD);
            __m128 r1 = _mm512_extractf32x4_ps(r, 1), r2 = _mm512_extractf32x4_ps(r, 2);
            _mm_store_ps(qs + q, _mm512_castps512_ps128(r) + r1 + r2), _mm_store_ps(qu + q, r1 + r2 + r2);
        }
        transpose4(ld(qs), ld(qs + 16), ld(qs + 32), ld(qs + 48), s);
        transpose4(ld(qu), ld(qu + 16), ld(qu + 32), ld(qu + 48), u);
        for (int c = 0; c < 2; c++) {
            V v = ld(s + 16 * c);
            V ci = (ld(s + 32 + 16 * c) - fx[0] * v) * (4.0f * NG), cj = (ld(u + 16 * c) - fx[1] * v) * (4.0f * NG);
            st(mp.v[c] + p, v), st(mp.x[c] + p, ld(mp.x[c] + p) + dt * v);
            st(mp.C[c][0] + p, ci), st(mp.C[c][1] + p, cj);
            trace += c ? cj : ci;
        }
        st(mp.J + p, ld(mp.J + p) * (1 + dt * trace));
    }
}

static void mpm_nodes(int i, float *grids, int threads, float *vel) {  /* row i: add up, clear, velocities as (x, y, x, y) */
    for (int j = i * ROW; j < i * ROW + 4 * NG; j += 16) {
        V g = set(0), z = g;
        for (int t = 0; t < threads; t++) g += ld(grids + t * GRID + j);
        V m = _mm512_permute_ps(g, 0xaa);
        M some = _mm512_cmp_ps_mask(m, z, _CMP_GT_OQ);
        if (!some) continue;  /* nobody reads there */
        for (int t = 0; t < threads; t++) st(grids + t * GRID + j, z);
        V v = _mm512_permute_ps(_mm512_maskz_div_ps(some, g, m), 0x44);
        v = _mm512_mask_sub_ps(v, 0xaaaa, v, set(dt * 9.8f));
        if (i < 3) v = _mm512_mask_max_ps(v, 0x5555, v, z);
        if (i > NG - 3) v = _mm512_mask_min_ps(v, 0x5555, v, z);
        if (j == i * ROW) v = _mm512_mask_max_ps(v, 0x0aaa, v, z);
        if (j == i * ROW + 4 * NG - 16) v = _mm512_mask_min_ps(v, 0xaa00, v, z);
        st(vel + j, v);
    }
}

static void mpm88(int unused) {  /* instructions (loads, stores, shuffles) and two barriers a substep; all of it in L2 */
    float *grids = floats((omp_get_max_threads() + 1) * GRID), *vel = grids + omp_get_max_threads() * GRID;
    memset(&mp, 0, sizeof mp);
    for (int i = 0; i < NP; i++) {
        mp.x[0][i] = (i % 96) / 96.0f * 0.4f + 0.2f, mp.x[1][i] = (i / 96) / 96.0f * 0.4f + 0.2f;
        mp.v[1][i] = -1, mp.J[i] = 1;
    }
    BENCH(SUM(NP, (double)mp.x[0][i] + mp.x[1][i]), PRAGMA(omp parallel) {
        int me = omp_get_thread_num(), threads = omp_get_num_threads();
        int lo = NP / 16 * me / threads * 16, hi = NP / 16 * (me + 1) / threads * 16;
        for (int step = 0; step < 50; step++) {
            mpm_scatter(lo, hi, grids + me * GRID);
            PRAGMA(omp barrier)
            PRAGMA(omp for schedule(static, 4)) for (int i = 0; i < NG; i++) mpm_nodes(i, grids, threads, vel);
            mpm_gather(lo, hi, vel);
        }
    });
}

/* ---- scatter, small matrices, random numbers ---- */

static void histogram(int unused) {  /* stores: one increment of a private bin in L1 a sample, about a cycle */
    double h[1024];
    BENCH(SUM(1024, h[i] * h[i]), memset(h, 0, sizeof h); PRAGMA(omp parallel) {
        int bins[2][1024] = {};
        PRAGMA(omp for schedule(static)) for (int i = 0; i < 1 << 24; i += 2) {
            bins[0][(i * 1103515245u + 12345u) >> 8 & 1023]++;
            bins[1][((i + 1) * 1103515245u + 12345u) >> 8 & 1023]++;
        }
        PRAGMA(omp critical) for (int b = 0; b < 1024; b++) h[b] += bins[0][b] + bins[1][b];
    });
}

/* One-sided Jacobi: turn columns p and q of 16 matrices until they are orthogonal.  The angle may be rough, only
 * (c, s) must be a unit vector.  GROUPS of 16 matrices side by side hide the latency. */
enum { GROUPS = 4 };
static inline V dot3(const V *a, const V *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void rotate(V m[GROUPS][3][3], int p, int q) {
    for (int j = 0; j < GROUPS; j++) {
        V *a = m[j][p], *b = m[j][q];
        V d = dot3(b, b) - dot3(a, a), g = 2 * dot3(a, b), hyp = d * d + g * g + 1e-30f;
        V t = g * _mm512_rcp14_ps(_mm512_abs_ps(d) + hyp * _mm512_rsqrt14_ps(hyp));
        t = _mm512_mask_sub_ps(t, _mm512_movepi32_mask((I)d), set(0), t);
        V r = 1 + t * t, y = _mm512_rsqrt14_ps(r), c = y * (1.5f - 0.5f * r * y * y), s = c * t;
        for (int i = 0; i < 3; i++) {
            V u = a[i], v = b[i];
            a[i] = c * u - s * v, b[i] = s * u + c * v;
        }
    }
}

static void svd3(int unused) {  /* flops: 12 rotations of 45 vector operations for 16 matrices; S only, no U, V */
    int n = 1 << 16;
    float *a = floats(9 * n), *s = floats(n);
    const I lanes = _mm512_mullo_epi32(from(0), seti(9));
    for (int i = 0; i < 9 * n; i++) a[i] = sinf(i / 9 * 0.1f + i % 9 / 3 * 3.0f + i % 3);
    BENCH(SUM(n, s[i]), PARALLEL for (int i = 0; i < n; i += 16 * GROUPS) {
        V m[GROUPS][3][3], t[3];  /* columns */
        for (int j = 0; j < GROUPS; j++)
            for (int e = 0; e < 9; e++) m[j][e % 3][e / 3] = _mm512_i32gather_ps(lanes, a + 9 * (i + 16 * j) + e, 4);
        for (int sweep = 0; sweep < 4; sweep++) rotate(m, 0, 1), rotate(m, 0, 2), rotate(m, 1, 2);
        for (int j = 0; j < GROUPS; j++) {
            for (int c = 0; c < 3; c++) t[c] = _mm512_sqrt_ps(dot3(m[j][c], m[j][c]));
            st(s + i + 16 * j, t[0] + t[1] + t[2]);
        }
    });
}

/* x @ a, a 4x4 matrix a vector: column k of x along the rows times row k of a down the columns. */
#define COLUMN(x, k) _mm512_permute_ps(x, 0x55 * k)
static inline V mul4(V x, const V *row) {
    return COLUMN(x, 0) * row[0] + COLUMN(x, 1) * row[1] + COLUMN(x, 2) * row[2] + COLUMN(x, 3) * row[3];
}

static void mat4_chain(int unused) {  /* bandwidth: 16 MB read, 16 MB written */
    int n = 1 << 18;
    float *a = floats(16 * n), *b = floats(16 * n);
    for (int i = 0; i < 16 * n; i++) a[i] = ((i / 16 + i % 16) % 17) * 0.05f;
    BENCH(SUM(16 * n, b[i]), PARALLEL for (int i = 0; i < 16 * n; i += 16) {
        V row[4] = {quad(a + i), quad(a + i + 4), quad(a + i + 8), quad(a + i + 12)};
        st(b + i, mul4(mul4(ld(a + i), row), row));
    });
}

static inline V xor128(I s[4]) {  /* Marsaglia's generator in every lane; 24 bits, as a float below 2^24 */
    I t = _mm512_xor_si512(s[0], _mm512_slli_epi32(s[0], 11));
    s[0] = s[1], s[1] = s[2], s[2] = s[3];
    t = _mm512_xor_si512(t, _mm512_srli_epi32(t, 8));
    s[3] = _mm512_ternarylogic_epi32(s[3], _mm512_srli_epi32(s[3], 19), t, 0x96);
    return _mm512_cvtepi32_ps(_mm512_srli_epi32(s[3], 8));
}

static void monte_carlo_pi(int unused) {  /* integer operations: 18 vector operations for 16 samples */
    int n = 1 << 22, c, launch = 0;
    BENCH(round(400.0 * c / n) / 100, c = 0; launch++; PRAGMA(omp parallel reduction(+ : c)) {
        uint64_t z = (launch * 256 + omp_get_thread_num()) * 0x9e3779b97f4a7c15u;
        uint32_t seeds[4][16];
        for (int w = 0; w < 64; w++) z = z * 0x5851f42d4c957f2du + 1, seeds[w / 16][w % 16] = z >> 32;
        I s[4];
        memcpy(s, seeds, sizeof s);
        PRAGMA(omp for schedule(static)) for (int i = 0; i < n; i += 16) {
            V x = xor128(s), y = xor128(s);
            c += __builtin_popcount(_mm512_cmp_ps_mask(x * x + y * y, set(0x1p48f), _CMP_LT_OQ));
        }
    });
}

#include "limits_sparse.h"
#ifndef EMULATED
#include "limits_quant.h"
#endif

/* ---- the table of cases ---- */

#define CASE(name) {#name, name, 0}
static const bench_case cases[] = {
    CASE(launch_empty), CASE(launch_small), CASE(saxpy), CASE(saxpy_l2), CASE(reduce_sum), CASE(reduce_max),
    CASE(stencil2d), CASE(stencil3d_flat), CASE(histogram), CASE(svd3), CASE(mat4_chain),
    CASE(sparse_activate), CASE(sparse_iterate), CASE(sparse_stencil), CASE(sparse_bitmasked), CASE(dynamic_append),
#ifndef EMULATED  /* emulated masks and scaling cost these cases more than what they measure */
    CASE(math_sin_exp), CASE(math_pow), CASE(stencil3d), CASE(julia), CASE(mpm88), CASE(nbody), CASE(life),
    CASE(monte_carlo_pi), QUANT_CASES,
#endif
};

int main(int argc, char **argv) {
    return run_cases(cases, sizeof cases / sizeof *cases, omp_set_num_threads, argc, argv);
}
