/* Sparse grids and adjoints written by hand in plain C: what a programmer gets from blocks behind a table of pointers, a
 * list of the blocks there are, and a compiler that vectorises; and from a derivative on paper, as gathers, with a parallel
 * loop for each step and all steps kept, as a kernel language has them.
 *
 *     gcc -O3 -march=native -ffast-math -fno-math-errno -fopenmp handc.c -o handc -lm
 *     ./handc [--list] [--only NAME,...] [--threads N] [--seconds S]
 *
 * sparse_iterate, sparse_stencil and autodiff_* are cases of go run ./bench, the others of go run ./bench/sparse.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sys/mman.h>
#include "harness.h"
#include "domain.h"

#define PRAGMA(x) _Pragma(#x)
#define PARALLEL PRAGMA(omp parallel for schedule(static))

static void *alloc(size_t bytes) {  /* zeroed, on huge pages */
    size_t n = (bytes + (2 << 20)) & -(size_t)(2 << 20);
    char *p = (char *)mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) abort();
    madvise(p, n, MADV_HUGEPAGE);
    return p;
}

/* ---- a ring of blocks of 16 x 16 cells in a domain of 4096 x 4096 ---- */

enum { EDGE = 4096, SIDE = 16, ROW = EDGE / SIDE, TILE = SIDE * SIDE };
typedef struct { float x[TILE], y[TILE]; } tile;

static tile nothing, *tiles, **table;  /* for each block its tile; for a missing one a tile of zeros */
static int *active, count;

static int in_ring(int i, int j) {
    int r = (i - EDGE / 2) * (i - EDGE / 2) + (j - EDGE / 2) * (j - EDGE / 2);
    return r > 1000 * 1000 && r < 1200 * 1200;
}

static void list_tiles(void) {  /* counted in the time of a launch, as the other programs make lists, too */
    count = 0;
    for (int b = 0; b < ROW * ROW; b++)
        if (table[b] != &nothing) active[count++] = b;
}

static void make_ring(int wave) {
    int used = 0;
    tiles = alloc(sizeof *tiles * ROW * ROW), table = alloc(sizeof *table * ROW * ROW), active = alloc(sizeof *active * ROW * ROW);
    for (int b = 0; b < ROW * ROW; b++) {
        table[b] = &nothing;
        for (int c = 0; c < TILE; c++) {
            int i = b / ROW * SIDE + c / SIDE, j = b % ROW * SIDE + c % SIDE;
            if (!in_ring(i, j)) continue;
            if (table[b] == &nothing) table[b] = tiles + used++;
            table[b]->x[c] = wave ? (i * 31 + j * 17) % 101 * 0.01f : 1;
        }
    }
    list_tiles();
}

#define TILES_SUM(term) SUM((long)count * TILE, ({ const tile *t = table[active[i / TILE]]; int c = i % TILE; term; }))

static void sparse_iterate(int unused) {
    make_ring(0);
    BENCH(TILES_SUM(t->y[c]), list_tiles(); PARALLEL for (int k = 0; k < count; k++) {
        tile *t = table[active[k]];
        for (int c = 0; c < TILE; c++) t->y[c] = t->x[c] * 2 + t->y[c];
    });
}

static void sparse_stencil(int unused) {
    make_ring(1);
    BENCH(TILES_SUM((double)t->y[c] * t->y[c]), list_tiles(); PARALLEL for (int k = 0; k < count; k++) {
        int b = active[k];  /* never at the border of the domain */
        tile *t = table[b];
        const float *north = table[b - ROW]->x + TILE - SIDE, *south = table[b + ROW]->x;
        const float *west = table[b - 1]->x, *east = table[b + 1]->x;
        for (int r = 0; r < SIDE; r++) {
            const float *c = t->x + r * SIDE, *up = r ? c - SIDE : north, *down = r < SIDE - 1 ? c + SIDE : south;
            float wide[SIDE + 2];  /* the row between its neighbours */
            wide[0] = west[r * SIDE + SIDE - 1], wide[SIDE + 1] = east[r * SIDE];
            memcpy(wide + 1, c, SIDE * sizeof *c);
            for (int j = 0; j < SIDE; j++) t->y[r * SIDE + j] = 4 * c[j] - up[j] - down[j] - wide[j] - wide[j + 2];
        }
    });
}

/* ---- a ball of blocks of 8 x 8 x 8 cells ---- */

enum { CELLS = LEAF * LEAF * LEAF };
typedef struct { float x[CELLS], y[CELLS]; } leaf;

static leaf none, *leaves, *grid[BLOCKS][BLOCKS][BLOCKS];
static int places[BLOCKS * BLOCKS * BLOCKS], used;
#define LEAF_OF(place) (&grid[0][0][0])[place]

static void list_leaves(void) {
    used = 0;
    for (int b = 0; b < BLOCKS * BLOCKS * BLOCKS; b++)
        if (LEAF_OF(b) != &none) places[used++] = b;
}

static void make_ball(int permille) {
    int r2 = ball(permille), n = 0;
    leaves = alloc(sizeof *leaves * BLOCKS * BLOCKS * BLOCKS);
    for (int b = 0; b < BLOCKS * BLOCKS * BLOCKS; b++) {
        int i = b / BLOCKS / BLOCKS, j = b / BLOCKS % BLOCKS, k = b % BLOCKS;
        LEAF_OF(b) = &none;
        if (!in_ball(i, j, k, r2)) continue;
        leaf *l = LEAF_OF(b) = leaves + n++;
        for (int c = 0; c < CELLS; c++) l->x[c] = value(i * LEAF + c / LEAF / LEAF, j * LEAF + c / LEAF % LEAF, k * LEAF + c % LEAF);
    }
    list_leaves();
}

#define LEAVES_SUM(term) SUM((long)used * CELLS, ({ const leaf *l = LEAF_OF(places[i / CELLS]); int c = i % CELLS; term; }))

static void iterate(int permille) {
    make_ball(permille);
    BENCH(LEAVES_SUM(l->y[c]), list_leaves(); PARALLEL for (int n = 0; n < used; n++) {
        leaf *l = LEAF_OF(places[n]);
        for (int c = 0; c < CELLS; c++) l->y[c] = l->x[c] * 2 + l->y[c];
    });
}

static inline void relax(leaf *l, const float *front, const float *back, const float *north, const float *south,
                         const float *west, const float *east) {
    for (int i = 0; i < LEAF; i++)
        for (int j = 0; j < LEAF; j++) {
            const float *c = l->x + (i * LEAF + j) * LEAF;
            const float *f = i ? c - LEAF * LEAF : front + j * LEAF, *b = i < LEAF - 1 ? c + LEAF * LEAF : back + j * LEAF;
            const float *n = j ? c - LEAF : north + i * LEAF * LEAF, *s = j < LEAF - 1 ? c + LEAF : south + i * LEAF * LEAF;
            float wide[LEAF + 2];
            wide[0] = west[(i * LEAF + j) * LEAF + LEAF - 1], wide[LEAF + 1] = east[(i * LEAF + j) * LEAF];
            memcpy(wide + 1, c, LEAF * sizeof *c);
            for (int k = 0; k < LEAF; k++)
                l->y[(i * LEAF + j) * LEAF + k] = 6 * c[k] - f[k] - b[k] - n[k] - s[k] - wide[k] - wide[k + 2];
        }
}

static void stencil(int permille) {
    make_ball(permille);
    BENCH(LEAVES_SUM((double)l->y[c] * l->y[c]), list_leaves(); PARALLEL for (int n = 0; n < used; n++) {
        int b = places[n];  /* never at the border of the domain */
        relax(LEAF_OF(b), LEAF_OF(b - BLOCKS * BLOCKS)->x + CELLS - LEAF * LEAF, LEAF_OF(b + BLOCKS * BLOCKS)->x,
              LEAF_OF(b - BLOCKS)->x + LEAF * (LEAF - 1), LEAF_OF(b + BLOCKS)->x, LEAF_OF(b - 1)->x, LEAF_OF(b + 1)->x);
    });
}

static float outs[READERS];

static void random_reads(int permille) {
    make_ball(permille);
    BENCH(SUM(READERS, outs[i]), PARALLEL for (int r = 0; r < READERS; r++) {
        float s = 0;
        for (int n = 0; n < READS; n++) {
            unsigned h = hashed(r * READS + n);
            int i = h % CUBE, j = h / CUBE % CUBE, k = h / CUBE / CUBE % CUBE;
            s += grid[i / LEAF][j / LEAF][k / LEAF]->x[(i % LEAF * LEAF + j % LEAF) * LEAF + k % LEAF];
        }
        outs[r] = s;
    });
}

static void coherent_reads(int permille) {
    static float rows[CUBE / 4 * CUBE / 4];
    make_ball(permille);
    BENCH(SUM(CUBE / 4 * CUBE / 4, rows[i]), PRAGMA(omp parallel for collapse(2) schedule(static))
        for (int i = 0; i < CUBE / 4; i++) for (int j = 0; j < CUBE / 4; j++) {
            float s = 0;
            for (int k = 0; k < CUBE; k++)
                s += grid[4 * i / LEAF][4 * j / LEAF][k / LEAF]->x[(4 * i % LEAF * LEAF + 4 * j % LEAF) * LEAF + k % LEAF];
            rows[i * CUBE / 4 + j] = s;
        });
}

#include "handc_gradient.h"

static const bench_case cases[] = {
    {"autodiff_springs", autodiff_springs, 0}, {"autodiff_wave", autodiff_wave, 0},
    {"autodiff_smoke", autodiff_smoke, 0}, {"autodiff_mpm", autodiff_mpm, 0},
    {"sparse_iterate", sparse_iterate, 0}, {"sparse_stencil", sparse_stencil, 0},
    AT_ALL(iterate, iterate), AT_ALL(stencil, stencil), AT_ALL(random, random_reads), AT_ALL(coherent, coherent_reads),
};

int main(int argc, char **argv) {
    return run_cases(cases, sizeof cases / sizeof *cases, omp_set_num_threads, argc, argv);
}
