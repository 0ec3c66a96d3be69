/* Simulators with their adjoints on paper, for handc.c: as gathers, with a parallel loop for each step and all steps kept. */

enum { SPRINGS = 4096, STEPS = 64, SHORE = 128, WAVES = 256, WIDE = SHORE + 32 };

typedef float springs[STEPS + 1][SPRINGS + 16];  /* spring SPRINGS is spring 0, and gradients have one before the first */

static void swing_back(springs x, springs gx, springs gv, const float *k, float *gk) {
    memset(gx, 0, sizeof(springs)), memset(gv, 0, sizeof(springs)), memset(gk, 0, SPRINGS * sizeof *gk);
    PARALLEL for (int i = 0; i < SPRINGS; i++) gx[STEPS][i] += 2 * x[STEPS][i];
    for (int t = STEPS - 1; t >= 0; t--) {
        const float *a = gx[t + 1], *b = gv[t + 1];
        float last = 0.001f * (b[SPRINGS - 1] + 0.01f * a[SPRINGS - 1]);
        PARALLEL for (int i = 0; i < SPRINGS; i++) {
            float g = b[i] + 0.01f * a[i], before = i ? 0.001f * (b[i - 1] + 0.01f * a[i - 1]) : last;
            gk[i] -= 0.01f * g * x[t][i];
            gv[t][i] += 0.999f * g;
            gx[t][i] += a[i] - k[i] * 0.01f * g + before;
        }
    }
}

static void autodiff_springs(int unused) {
    static springs x, v, gx, gv;
    static float k[SPRINGS], gk[SPRINGS], loss;
    for (int i = 0; i < SPRINGS; i++) k[i] = 1 + 0.1f * sinf(i), x[0][i] = cosf(i * 0.5f);
    BENCH(SUM(SPRINGS, gk[i]) + 0 * loss,
        for (int t = 0; t < STEPS; t++) {
            x[t][SPRINGS] = x[t][0];
            PARALLEL for (int i = 0; i < SPRINGS; i++) {
                v[t + 1][i] = 0.999f * v[t][i] + 0.01f * (0.1f * x[t][i + 1] - k[i] * x[t][i]);
                x[t + 1][i] = x[t][i] + 0.01f * v[t + 1][i];
            }
        }
        loss = SUM(SPRINGS, x[STEPS][i] * x[STEPS][i]);
        swing_back(x, gx, gv, k, gk));
    (void)unused;
}

typedef float surface[SHORE + 2][WIDE];  /* cells in rows 1… and columns 8…, with zeros around */

static void wave(surface *h) {
    for (int t = 2; t < WAVES; t++) {
        PARALLEL for (int i = 1; i <= SHORE; i++) {
            const float *q = h[t - 1][i], *u = h[t - 1][i - 1], *d = h[t - 1][i + 1], *r = h[t - 2][i];
            for (int j = 8; j < 8 + SHORE; j++)
                h[t][i][j] = 2 * q[j] + (u[j] + d[j] + q[j - 1] + q[j + 1] - 4 * q[j]) / 3 - r[j];
        }
    }
}

static void wave_back(surface *g) {
    for (int t = WAVES - 1; t >= 2; t--) {
        PARALLEL for (int i = 1; i <= SHORE; i++) {
            const float *o = g[t][i], *u = g[t][i - 1], *d = g[t][i + 1];
            for (int j = 8; j < 8 + SHORE; j++) {
                g[t - 1][i][j] += 2 * o[j] + (u[j] + d[j] + o[j - 1] + o[j + 1] - 4 * o[j]) / 3;
                g[t - 2][i][j] -= o[j];
            }
        }
    }
}

static void there_and_back(surface *h, surface *g, float target[SHORE][SHORE], float initial[SHORE][SHORE]) {
    for (int i = 0; i < SHORE; i++) memcpy(&h[0][i + 1][8], initial[i], sizeof initial[i]);
    wave(h);
    PARALLEL for (int t = 0; t < WAVES; t++) memset(g[t], 0, sizeof(surface));
    PARALLEL for (int i = 0; i < SHORE; i++) for (int j = 0; j < SHORE; j++)
        g[WAVES - 1][i + 1][j + 8] = 2 * (h[WAVES - 1][i + 1][j + 8] - target[i][j]) / (SHORE * SHORE);
    wave_back(g);
}

static void autodiff_wave(int unused) {
    static float target[SHORE][SHORE], initial[SHORE][SHORE];
    surface *h = alloc(WAVES * sizeof *h), *g = alloc(WAVES * sizeof *g);
    for (int i = 0; i < SHORE; i++) for (int j = 0; j < SHORE; j++) {
        float r = hypotf((float)i / SHORE - 0.5f, (float)j / SHORE - 0.5f);
        target[i][j] = r >= 0.2f && r < 0.3f;
    }
    there_and_back(h, g, target, initial);
    for (int i = 0; i < SHORE; i++) for (int j = 0; j < SHORE; j++) initial[i][j] = -g[0][i + 1][j + 8];
    BENCH(SUM(SHORE * SHORE, g[0][i / SHORE + 1][i % SHORE + 8] * g[0][i / SHORE + 1][i % SHORE + 8]),
        there_and_back(h, g, target, initial));
    (void)unused;
}


/* ---- smoke: periodic, rows by threads, columns in vectors with the first and last apart ---- */

enum { AIR = 110, AIRS = 100, SWEEPS = 6, AIR_CELLS = AIR * AIR };
typedef float plane[AIR_CELLS];

static plane u[2][AIRS], v[2][AIRS], divergence[AIRS], pressure[AIRS * SWEEPS + 1], soot[AIRS], wind[2], ring;
static plane gu[2][AIRS], gv[2][AIRS], gdivergence[AIRS], gpressure[AIRS * SWEEPS + 1], gsoot[AIRS], scattered[64][2];  /* by thread */

#define UP(r) (((r) + 1) % AIR * AIR)
#define DOWN(r) (((r) + AIR - 1) % AIR * AIR)
#define EACH_CELL(...) PARALLEL for (int r = 0; r < AIR; r++) { \
        const int up = UP(r), down = DOWN(r), row = r * AIR; \
        { const int c = 0, west = AIR - 1, east = 1; __VA_ARGS__ } \
        for (int c = 1; c < AIR - 1; c++) { const int west = c - 1, east = c + 1; __VA_ARGS__ } \
        { const int c = AIR - 1, west = AIR - 2, east = 0; __VA_ARGS__ } \
    }

typedef struct { int c00, c01, c10, c11; float a, b; } origin;

static inline int around(int i) { i %= AIR; return i < 0 ? i + AIR : i; }

static inline origin where_from(const float *p, const float *q, int r, int c) {
    float x = r - p[r * AIR + c], y = c - q[r * AIR + c], fx = floorf(x), fy = floorf(y);
    int i = around((int)fx), j = around((int)fy), i1 = i + 1 < AIR ? i + 1 : 0, j1 = j + 1 < AIR ? j + 1 : 0;
    return (origin){i * AIR + j, i * AIR + j1, i1 * AIR + j, i1 * AIR + j1, x - fx, y - fy};
}

/* n planes moved with the velocity (p, q) */
static inline __attribute__((always_inline)) void advect(const float *p, const float *q, int n, const float **from, float **to) {
    PARALLEL for (int r = 0; r < AIR; r++) for (int c = 0; c < AIR; c++) {
        origin o = where_from(p, q, r, c);
        for (int k = 0; k < n; k++) {
            const float *f = from[k];
            to[k][r * AIR + c] = (1 - o.a) * ((1 - o.b) * f[o.c00] + o.b * f[o.c01]) + o.a * ((1 - o.b) * f[o.c10] + o.b * f[o.c11]);
        }
    }
}

/* Each thread scatters into planes of its own, which are then added up. */
static inline __attribute__((always_inline)) void advect_back(const float *p, const float *q, int n, const float **from, float **gto, float **gfrom, float *gp, float *gq) {
    #pragma omp parallel
    {
        int me = omp_get_thread_num(), threads = omp_get_num_threads();
        for (int k = 0; k < n; k++) memset(scattered[me][k], 0, sizeof(plane));
        #pragma omp for schedule(static)
        for (int r = 0; r < AIR; r++) for (int c = 0; c < AIR; c++) {
            origin o = where_from(p, q, r, c);
            float ga = 0, gb = 0;
            for (int k = 0; k < n; k++) {
                const float *f = from[k], g = gto[k][r * AIR + c];
                float *s = scattered[me][k];
                s[o.c00] += (1 - o.a) * (1 - o.b) * g, s[o.c01] += (1 - o.a) * o.b * g;
                s[o.c10] += o.a * (1 - o.b) * g, s[o.c11] += o.a * o.b * g;
                ga += g * ((1 - o.b) * (f[o.c10] - f[o.c00]) + o.b * (f[o.c11] - f[o.c01]));
                gb += g * ((1 - o.a) * (f[o.c01] - f[o.c00]) + o.a * (f[o.c11] - f[o.c10]));
            }
            gp[r * AIR + c] -= ga, gq[r * AIR + c] -= gb;
        }
        for (int k = 0; k < n; k++) {
            #pragma omp for schedule(static)
            for (int i = 0; i < AIR_CELLS; i++) for (int t = 0; t < threads; t++) gfrom[k][i] += scattered[t][k][i];
        }
    }
}

static void blow(void) {
    memcpy(v[0][0], wind[0], sizeof(plane)), memcpy(v[1][0], wind[1], sizeof(plane));
    for (int t = 1; t < AIRS; t++) {
        float *restrict x = u[0][t], *restrict y = u[1][t], *restrict d = divergence[t], *restrict vx = v[0][t], *restrict vy = v[1][t];
        advect(v[0][t - 1], v[1][t - 1], 2, (const float *[]){v[0][t - 1], v[1][t - 1]}, (float *[]){x, y});
        EACH_CELL(d[row + c] = -0.5f * (x[up + c] - x[down + c] + y[row + east] - y[row + west]);)
        for (int k = (t - 1) * SWEEPS; k < t * SWEEPS; k++) {
            const float *q = pressure[k];
            float *restrict o = pressure[k + 1];
            EACH_CELL(o[row + c] = 0.25f * (d[row + c] + q[down + c] + q[up + c] + q[row + west] + q[row + east]);)
        }
        const float *q = pressure[t * SWEEPS];
        EACH_CELL(vx[row + c] = x[row + c] - 0.5f * (q[up + c] - q[down + c]); vy[row + c] = y[row + c] - 0.5f * (q[row + east] - q[row + west]);)
        advect(vx, vy, 1, (const float *[]){soot[t - 1]}, (float *[]){soot[t]});
    }
}

static void blow_back(void) {
    PARALLEL for (int t = 0; t < AIRS; t++) {
        for (int k = 0; k < 2; k++) memset(gu[k][t], 0, sizeof(plane)), memset(gv[k][t], 0, sizeof(plane));
        memset(gdivergence[t], 0, sizeof(plane)), memset(gsoot[t], 0, sizeof(plane));
        memset(gpressure[t * SWEEPS], 0, SWEEPS * sizeof(plane));
    }
    PARALLEL for (int i = 0; i < AIR_CELLS; i++) gsoot[AIRS - 1][i] = 2.0f / AIR_CELLS * (soot[AIRS - 1][i] - ring[i]);
    for (int t = AIRS - 1; t > 0; t--) {
        float *restrict gx = gu[0][t], *restrict gy = gu[1][t], *restrict gd = gdivergence[t];
        const float *hx = gv[0][t], *hy = gv[1][t];
        advect_back(v[0][t], v[1][t], 1, (const float *[]){soot[t - 1]}, (float *[]){gsoot[t]}, (float *[]){gsoot[t - 1]}, gv[0][t], gv[1][t]);
        {
            float *restrict q = gpressure[t * SWEEPS];
            EACH_CELL(gx[row + c] += hx[row + c]; gy[row + c] += hy[row + c];
                      q[row + c] += 0.5f * (hx[up + c] - hx[down + c] + hy[row + east] - hy[row + west]);)
        }
        for (int k = t * SWEEPS - 1; k >= (t - 1) * SWEEPS; k--) {
            const float *o = gpressure[k + 1];
            float *restrict q = gpressure[k];
            EACH_CELL(gd[row + c] += 0.25f * o[row + c]; q[row + c] += 0.25f * (o[up + c] + o[down + c] + o[row + west] + o[row + east]);)
        }
        EACH_CELL(gx[row + c] += 0.5f * (gd[up + c] - gd[down + c]); gy[row + c] += 0.5f * (gd[row + east] - gd[row + west]);)
        float *from[] = {v[0][t - 1], v[1][t - 1]}, *g[] = {gv[0][t - 1], gv[1][t - 1]};
        advect_back(from[0], from[1], 2, (const float **)from, (float *[]){gx, gy}, g, g[0], g[1]);
    }
}

static void autodiff_smoke(int unused) {
    for (int r = 0; r < AIR; r++) for (int c = 0; c < AIR; c++) {
        float x = (r + 0.5f) / AIR - 0.5f, y = (c + 0.5f) / AIR - 0.5f, d = hypotf(x, y);
        ring[r * AIR + c] = d >= 0.2f && d < 0.3f;
        soot[0][r * AIR + c] = sinf(20 * x) * sinf(20 * y) > 0;
    }
    blow(), blow_back();
    for (int k = 0; k < 2; k++) for (int i = 0; i < AIR_CELLS; i++) wind[k][i] = -100 * gv[k][0][i];
    BENCH(SUM(AIR_CELLS, gv[0][0][i] * gv[0][0][i] + gv[1][0][i] * gv[1][0][i]), blow(); blow_back());
    (void)unused;
}

/* ---- an elastic square by the material point method: each thread scatters into a grid of its own ---- */

enum { NODES = 120, GRID = NODES * NODES, POINTS = 6400, MOVES = 128 };

typedef struct { float x[2][POINTS], v[2][POINTS], c[4][POINTS], f[4][POINTS]; } points;
typedef struct { float p[2][GRID], u[2][GRID], m[GRID]; } nodes;

static const float DT = 3e-4f, INV = NODES, STIFF = 100, GRAVITY = 9.8f;
static points *body, *gbody;
static nodes *grids, gnodes;
static float (*own)[GRID][3], launch_velocity[2], launch_back[2];

typedef struct { int base; float fx, fy, wx[3], wy[3]; } stencil9;

static inline stencil9 around_point(const points *b, int p) {
    float x = b->x[0][p] * INV, y = b->x[1][p] * INV;
    int i = (int)(x - 0.5f), j = (int)(y - 0.5f);
    x -= i, y -= j;
    return (stencil9){i * NODES + j, x, y,
        {0.5f * (1.5f - x) * (1.5f - x), 0.75f - (x - 1) * (x - 1), 0.5f * (x - 0.5f) * (x - 0.5f)},
        {0.5f * (1.5f - y) * (1.5f - y), 0.75f - (y - 1) * (y - 1), 0.5f * (y - 0.5f) * (y - 0.5f)}};
}

/* what the derivative of the weights gives to the position */
static inline float slope(float f, const float g[3]) { return 2 * g[1] * (1 - f) - g[0] * (1.5f - f) + g[2] * (f - 0.5f); }

enum { BATCH = 64 };  /* particles of which what is alike is computed in vectors */

typedef struct { float a[4][BATCH]; } affines;

/* The new deformation of particles lo to hi, and the affine momentum that they scatter. */
static inline void deform(const points *b, const float f[4][POINTS], int lo, int hi, affines *out) {
    for (int p = lo; p < hi; p++) {
        float f0 = f[0][p], f1 = f[1][p], f2 = f[2][p], f3 = f[3][p];
        float det = f0 * f3 - f1 * f2, x = f0 + f3, y = f2 - f1, s = 1 / sqrtf(x * x + y * y), c = x * s, n = y * s;
        float d0 = f0 - c, d1 = f1 + n, d2 = f2 - n, d3 = f3 - c, k = -4 * DT * INV * INV, bulk = STIFF * (det - 1) * det;
        out->a[0][p - lo] = b->c[0][p] + k * (2 * STIFF * (d0 * f0 + d1 * f1) + bulk);
        out->a[1][p - lo] = b->c[1][p] + k * 2 * STIFF * (d0 * f2 + d1 * f3);
        out->a[2][p - lo] = b->c[2][p] + k * 2 * STIFF * (d2 * f0 + d3 * f1);
        out->a[3][p - lo] = b->c[3][p] + k * (2 * STIFF * (d2 * f2 + d3 * f3) + bulk);
    }
}

static inline void stretch(const points *b, float f[4][POINTS], int lo, int hi) {
    for (int p = lo; p < hi; p++) {
        float c0 = 1 + DT * b->c[0][p], c1 = DT * b->c[1][p], c2 = DT * b->c[2][p], c3 = 1 + DT * b->c[3][p];
        float f0 = b->f[0][p], f1 = b->f[1][p], f2 = b->f[2][p], f3 = b->f[3][p];
        f[0][p] = c0 * f0 + c1 * f2, f[1][p] = c0 * f1 + c1 * f3, f[2][p] = c2 * f0 + c3 * f2, f[3][p] = c2 * f1 + c3 * f3;
    }
}

static void share_out(int n, int *lo, int *hi) {
    int me = omp_get_thread_num(), threads = omp_get_num_threads();
    *lo = n / threads * me, *hi = me == threads - 1 ? n : n / threads * (me + 1);
}

static inline int stopped(int i, float u) { return (i < 3 && u < 0) || (i > NODES - 3 && u > 0); }

static void scatter(points *b, points *next, nodes *g) {
    #pragma omp parallel
    {
        int lo, hi, threads = omp_get_num_threads();
        float (*mine)[3] = own[omp_get_thread_num()];
        memset(mine, 0, sizeof *own);
        share_out(POINTS, &lo, &hi);
        for (int from = lo; from < hi; from += BATCH) {
            int to = from + BATCH < hi ? from + BATCH : hi;
            affines k;
            stretch(b, next->f, from, to), deform(b, next->f, from, to, &k);
            for (int p = from; p < to; p++) {
                stencil9 s = around_point(b, p);
                float vx = b->v[0][p], vy = b->v[1][p], a0 = k.a[0][p - from], a1 = k.a[1][p - from], a2 = k.a[2][p - from], a3 = k.a[3][p - from];
                for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) {
                    float dx = (i - s.fx) / INV, dy = (j - s.fy) / INV, w = s.wx[i] * s.wy[j], *n = mine[s.base + i * NODES + j];
                    n[0] += w * (vx + a0 * dx + a1 * dy), n[1] += w * (vy + a2 * dx + a3 * dy), n[2] += w;
                }
            }
        }
        #pragma omp barrier
        share_out(GRID, &lo, &hi);
        for (int n = lo; n < hi; n++) {
            float px = 0, py = 0, m = 0;
            for (int t = 0; t < threads; t++) px += own[t][n][0], py += own[t][n][1], m += own[t][n][2];
            float ux = px / (m + 1e-10f), uy = py / (m + 1e-10f) - DT * GRAVITY;
            g->p[0][n] = px, g->p[1][n] = py, g->m[n] = m;
            g->u[0][n] = stopped(n / NODES, ux) ? 0 : ux, g->u[1][n] = stopped(n % NODES, uy) ? 0 : uy;
        }
    }
}

static void collect(points *b, points *next, const nodes *g) {
    PARALLEL for (int p = 0; p < POINTS; p++) {
        stencil9 s = around_point(b, p);
        float vx = 0, vy = 0, c0 = 0, c1 = 0, c2 = 0, c3 = 0;
        for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) {
            int n = s.base + i * NODES + j;
            float w = s.wx[i] * s.wy[j], x = w * g->u[0][n], y = w * g->u[1][n], dx = i - s.fx, dy = j - s.fy;
            vx += x, vy += y, c0 += x * dx, c1 += x * dy, c2 += y * dx, c3 += y * dy;
        }
        next->v[0][p] = vx, next->v[1][p] = vy, next->x[0][p] = b->x[0][p] + DT * vx, next->x[1][p] = b->x[1][p] + DT * vy;
        next->c[0][p] = 4 * INV * c0, next->c[1][p] = 4 * INV * c1, next->c[2][p] = 4 * INV * c2, next->c[3][p] = 4 * INV * c3;
    }
}

/* back through collect, for particles lo to hi */
static void collect_back(const points *b, points *gb, const points *gnext, const nodes *g, float (*mine)[3], int lo, int hi) {
    for (int p = lo; p < hi; p++) {
        stencil9 s = around_point(b, p);
        float gx = gnext->x[0][p], gy = gnext->x[1][p], vx = gnext->v[0][p] + DT * gx, vy = gnext->v[1][p] + DT * gy;
        float c0 = 4 * INV * gnext->c[0][p], c1 = 4 * INV * gnext->c[1][p], c2 = 4 * INV * gnext->c[2][p], c3 = 4 * INV * gnext->c[3][p];
        float wx[3] = {0}, wy[3] = {0}, fx = 0, fy = 0;
        for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) {
            int n = s.base + i * NODES + j;
            float ux = g->u[0][n], uy = g->u[1][n], dx = i - s.fx, dy = j - s.fy, w = s.wx[i] * s.wy[j];
            float ax = vx + c0 * dx + c1 * dy, ay = vy + c2 * dx + c3 * dy, gw = ux * ax + uy * ay;
            mine[n][0] += w * ax, mine[n][1] += w * ay;
            wx[i] += gw * s.wy[j], wy[j] += gw * s.wx[i], fx -= w * (ux * c0 + uy * c2), fy -= w * (ux * c1 + uy * c3);
        }
        gb->x[0][p] += gx + INV * (fx + slope(s.fx, wx)), gb->x[1][p] += gy + INV * (fy + slope(s.fy, wy));
    }
}

/* back through scatter, for particles lo to hi, whose number is a batch at most */
static void scatter_back(const points *b, const points *next, points *gb, const points *gnext, int lo, int hi) {
    affines k, h;
    deform(b, next->f, lo, hi, &k);
    for (int p = lo; p < hi; p++) {
        stencil9 s = around_point(b, p);
        float vx = b->v[0][p], vy = b->v[1][p], a0 = k.a[0][p - lo], a1 = k.a[1][p - lo], a2 = k.a[2][p - lo], a3 = k.a[3][p - lo];
        float wx[3] = {0}, wy[3] = {0}, fx = 0, fy = 0, gvx = 0, gvy = 0, h0 = 0, h1 = 0, h2 = 0, h3 = 0;
        for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) {
            int n = s.base + i * NODES + j;
            float gx = gnodes.p[0][n], gy = gnodes.p[1][n], dx = (i - s.fx) / INV, dy = (j - s.fy) / INV, w = s.wx[i] * s.wy[j];
            float gw = gx * (vx + a0 * dx + a1 * dy) + gy * (vy + a2 * dx + a3 * dy) + gnodes.m[n];
            gvx += w * gx, gvy += w * gy, h0 += w * gx * dx, h1 += w * gx * dy, h2 += w * gy * dx, h3 += w * gy * dy;
            fx -= w * (gx * a0 + gy * a2) / INV, fy -= w * (gx * a1 + gy * a3) / INV, wx[i] += gw * s.wy[j], wy[j] += gw * s.wx[i];
        }
        gb->x[0][p] += INV * (fx + slope(s.fx, wx)), gb->x[1][p] += INV * (fy + slope(s.fy, wy));
        gb->v[0][p] += gvx, gb->v[1][p] += gvy;
        h.a[0][p - lo] = h0, h.a[1][p - lo] = h1, h.a[2][p - lo] = h2, h.a[3][p - lo] = h3;
    }
    for (int p = lo; p < hi; p++) {
        float f0 = next->f[0][p], f1 = next->f[1][p], f2 = next->f[2][p], f3 = next->f[3][p];
        float det = f0 * f3 - f1 * f2, x = f0 + f3, y = f2 - f1, s = 1 / sqrtf(x * x + y * y), c = x * s, n = y * s;
        float d0 = f0 - c, d1 = f1 + n, d2 = f2 - n, d3 = f3 - c, e = -4 * DT * INV * INV, twice = 2 * STIFF * e;
        float h0 = h.a[0][p - lo], h1 = h.a[1][p - lo], h2 = h.a[2][p - lo], h3 = h.a[3][p - lo];
        /* of the stress (f - r) fᵀ with respect to the first and to the second factor */
        float e0 = twice * (h0 * f0 + h1 * f2), e1 = twice * (h0 * f1 + h1 * f3), e2 = twice * (h2 * f0 + h3 * f2), e3 = twice * (h2 * f1 + h3 * f3);
        float g0 = gnext->f[0][p] + e0 + twice * (h0 * d0 + h2 * d2), g1 = gnext->f[1][p] + e1 + twice * (h0 * d1 + h2 * d3);
        float g2 = gnext->f[2][p] + e2 + twice * (h1 * d0 + h3 * d2), g3 = gnext->f[3][p] + e3 + twice * (h1 * d1 + h3 * d3);
        float gdet = e * STIFF * (2 * det - 1) * (h0 + h3);
        float gc = -(e0 + e3), gn = -(e2 - e1), turn = (gc * y - gn * x) * s * s * s, gx = turn * y, gy = -turn * x;
        g0 += gdet * f3 + gx, g1 -= gdet * f2 + gy, g2 += gy - gdet * f1, g3 += gdet * f0 + gx;
        float c0 = 1 + DT * b->c[0][p], c1 = DT * b->c[1][p], c2 = DT * b->c[2][p], c3 = 1 + DT * b->c[3][p];
        float o0 = b->f[0][p], o1 = b->f[1][p], o2 = b->f[2][p], o3 = b->f[3][p];
        gb->f[0][p] += c0 * g0 + c2 * g2, gb->f[1][p] += c0 * g1 + c2 * g3, gb->f[2][p] += c1 * g0 + c3 * g2, gb->f[3][p] += c1 * g1 + c3 * g3;
        gb->c[0][p] += h0 + DT * (g0 * o0 + g1 * o1), gb->c[1][p] += h1 + DT * (g0 * o2 + g1 * o3);
        gb->c[2][p] += h2 + DT * (g2 * o0 + g3 * o1), gb->c[3][p] += h3 + DT * (g2 * o2 + g3 * o3);
    }
}

static void move_back(const points *b, const points *next, points *gb, const points *gnext, const nodes *g) {
    #pragma omp parallel
    {
        int lo, hi, from, to, threads = omp_get_num_threads();
        float (*mine)[3] = own[omp_get_thread_num()];
        memset(mine, 0, sizeof *own);
        share_out(POINTS, &lo, &hi);
        collect_back(b, gb, gnext, g, mine, lo, hi);
        #pragma omp barrier
        share_out(GRID, &from, &to);
        for (int n = from; n < to; n++) {
            float x = 0, y = 0, inv = 1 / (g->m[n] + 1e-10f), ux = inv * g->p[0][n], uy = inv * g->p[1][n] - DT * GRAVITY;
            for (int t = 0; t < threads; t++) x += own[t][n][0], y += own[t][n][1];
            x = stopped(n / NODES, ux) ? 0 : x * inv, y = stopped(n % NODES, uy) ? 0 : y * inv;
            gnodes.p[0][n] = x, gnodes.p[1][n] = y, gnodes.m[n] = -inv * (g->p[0][n] * x + g->p[1][n] * y);
        }
        #pragma omp barrier
        for (int p = lo; p < hi; p += BATCH) scatter_back(b, next, gb, gnext, p, p + BATCH < hi ? p + BATCH : hi);
    }
}

static void fall(void) {
    double x = 0, y = 0;
    for (int p = 0; p < POINTS; p++) body[0].v[0][p] = launch_velocity[0], body[0].v[1][p] = launch_velocity[1];
    for (int t = 0; t < MOVES - 1; t++) scatter(body + t, body + t + 1, grids + t), collect(body + t, body + t + 1, grids + t);
    for (int p = 0; p < POINTS; p++) x += body[MOVES - 1].x[0][p], y += body[MOVES - 1].x[1][p];
    PARALLEL for (int t = 0; t < MOVES; t++) memset(gbody + t, 0, sizeof *gbody);
    for (int p = 0; p < POINTS; p++)
        gbody[MOVES - 1].x[0][p] = (x / POINTS - 0.3) / POINTS, gbody[MOVES - 1].x[1][p] = (y / POINTS - 0.6) / POINTS;
    for (int t = MOVES - 2; t >= 0; t--) move_back(body + t, body + t + 1, gbody + t, gbody + t + 1, grids + t);
    for (int k = 0; k < 2; k++) launch_back[k] = SUM(POINTS, gbody[0].v[k][i]);
}

static void autodiff_mpm(int unused) {
    body = alloc(MOVES * sizeof *body), gbody = alloc(MOVES * sizeof *body), grids = alloc(MOVES * sizeof *grids), own = alloc(64 * sizeof *own);
    for (int p = 0; p < POINTS; p++) {
        body[0].x[0][p] = (0.5f * (p / 80) + 10) / INV, body[0].x[1][p] = (0.5f * (p % 80) + 25) / INV;
        body[0].f[0][p] = body[0].f[3][p] = 1;
    }
    launch_velocity[0] = 1, launch_velocity[1] = -2;
    BENCH(launch_back[0] - launch_back[1], fall());
    median /= MOVES - 1, best /= MOVES - 1;
    (void)unused;
}
