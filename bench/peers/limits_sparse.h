/* The sparse cases of limits.c: blocks found by a table, lists of chunks. */

enum { SN = 4096, SB = 16, SNB = SN / SB, TABLE = SNB * SNB };
typedef struct { float x[256], y[256]; } leaf;
typedef struct { float x[256]; M row[16]; char pad[32]; } masked_leaf;  /* a bit for every cell */
static int *table, *active;  /* block -> its leaf (0: inactive; leaf 0 holds zeros); list of the active blocks */
static leaf *pool;

static void sparse_new(void) {
    table = alloc(TABLE * sizeof *table), active = alloc((TABLE + 16) * sizeof *active);
    pool = alloc((TABLE + 1) * sizeof *pool);
}

static int list_active(void) {  /* in order, 16 entries of the table a step */
    int n = 0;
    for (int b = 0; b < TABLE; b += 16) {
        I e = _mm512_load_si512(table + b);
        M m = _mm512_test_epi32_mask(e, e);
        _mm512_storeu_si512(active + n, _mm512_maskz_compress_epi32(m, from(b)));
        n += __builtin_popcount(m);
    }
    return n;
}

/* All blocks off, then those of the ring on; every thread takes leaves from its own part of the pool. */
static void ring(void) {
    memset(table, 0, TABLE * sizeof *table);
    PRAGMA(omp parallel) {
        int leaves = (long)TABLE * omp_get_thread_num() / omp_get_num_threads();
        PRAGMA(omp for schedule(static)) for (int b = 0; b < TABLE; b++) {
            I dj = from(b % SNB * SB - SN / 2);
            M m[SB], any = 0;
            dj = _mm512_sub_epi32(_mm512_mullo_epi32(dj, dj), seti(1000 * 1000 + 1));
            for (int i = 0, di = b / SNB * SB - SN / 2; i < SB; i++, di++) {
                m[i] = _mm512_cmplt_epu32_mask(_mm512_add_epi32(dj, seti(di * di)), seti(1200 * 1200 - 1000 * 1000 - 1));
                any |= m[i];
            }
            if (!any) continue;
            leaf *l = pool + (table[b] = ++leaves);
            for (int i = 0; i < SB; i++) st(l->x + SB * i, _mm512_maskz_mov_ps(m[i], set(1))), st(l->y + SB * i, set(0));
        }
    }
}

#define LEAF_SUM(term) SUM(list_active() * 256, ({ const leaf *l = pool + table[active[i / 256]]; int c = i % 256; term; }))

static void sparse_activate(int unused) {  /* the 16.8 M tests, 16 a vector, and clearing and writing 12 MB of leaves */
    sparse_new();
    BENCH(LEAF_SUM(l->x[c]), ring());
}

static void sparse_iterate(int unused) {  /* cache bandwidth: 12 MB of leaves; the list costs a few microseconds */
    sparse_new();
    ring();
    BENCH(LEAF_SUM(l->y[c]), int n = list_active(); PARALLEL for (int k = 0; k < n; k++) {
        leaf *l = pool + table[active[k]];
        for (int c = 0; c < 256; c++) l->y[c] = l->x[c] * 2 + l->y[c];
    });
}

static void sparse_stencil(int unused) {  /* cache bandwidth; the neighbours cost four table look-ups a block */
    sparse_new();
    ring();
    for (int k = 0, n = list_active() * 256; k < n; k++) {
        int b = active[k / 256], i = b / SNB * SB + k / SB % SB, j = b % SNB * SB + k % SB;
        pool[table[b]].x[k % 256] *= (i * 31 + j * 17) % 101 * 0.01f;
    }
    BENCH(LEAF_SUM((double)l->y[c] * l->y[c]), int n = list_active(); PARALLEL for (int k = 0; k < n; k++) {
        int b = active[k], i = b / SNB, j = b % SNB;
        leaf *l = pool + table[b];
        const float *west = pool[j ? table[b - 1] : 0].x, *east = pool[j < SNB - 1 ? table[b + 1] : 0].x;
        V up = ld(pool[i ? table[b - SNB] : 0].x + 240), c = ld(l->x), down;
        for (int r = 0; r < 256; r += 16, up = c, c = down) {
            down = ld(r < 240 ? l->x + r + 16 : pool[i < SNB - 1 ? table[b + SNB] : 0].x);
            st(l->y + r, 4 * c - up - down - SHIFT(c, ld(west + r), 15) - SHIFT(ld(east + r), c, 1));
        }
    });
}

static void sparse_bitmasked(int unused) {  /* cache bandwidth: 17 MB read and written; the bits serve as vector masks */
    sparse_new();
    masked_leaf *m = alloc((TABLE + 1) * sizeof *m);
    for (int i = 0, leaves = 0; i < SN / 2; i++)
        for (int j = i % 2; j < SN / 2; j += 2) {
            int *t = table + i / SB * SNB + j / SB;
            if (!*t) *t = ++leaves;
            m[*t].x[i % SB * SB + j % SB] = 1, m[*t].row[i % SB] |= 1 << j % SB;
        }
    BENCH(SUM((long)(TABLE + 1) * 256, m[i / 256].x[i % 256]), int n = list_active(); PARALLEL for (int k = 0; k < n; k++) {
        masked_leaf *l = m + table[active[k]];
        for (int r = 0; r < 16; r++) {
            V x = ld(l->x + 16 * r);
            st(l->x + 16 * r, _mm512_mask_add_ps(x, l->row[r], x, set(1)));
        }
    });
}

/* Lists of chunks.  Every thread computes all keys, 16 at a time, keeps those of its own cells, and so appends
 * without atomics and in order.  Chunks of 264 bytes spread over the sets of the caches, 256 would not. */
enum { CELLS = 128 * 128, CHUNK = 64, ITEMS = 1 << 20, CHUNKS = ITEMS / CHUNK + CELLS, BATCH = 512 };
typedef struct chunk { struct chunk *previous; int item[CHUNK]; } chunk;
typedef struct { chunk *last; int length; } list;

static void append_all(list *cell, chunk *chunks) {
    PRAGMA(omp parallel) {
        int me = omp_get_thread_num(), threads = omp_get_num_threads();
        int lo = CELLS * me / threads, hi = CELLS * (me + 1) / threads;
        int keys[BATCH + 16], items[BATCH + 16];
        chunk *top = chunks + (long)CHUNKS * me;
        memset(cell + lo, 0, (hi - lo) * sizeof *cell);
        for (int p = 0; p < ITEMS;) {
            int n = 0;
            for (; n < BATCH && p < ITEMS; p += 16) {
                I key = _mm512_add_epi32(_mm512_mullo_epi32(from(p), seti(1103515245)), seti(12345));
                key = _mm512_and_si512(_mm512_srli_epi32(key, 4), seti(CELLS - 1));
                M mine = _mm512_cmpge_epi32_mask(key, seti(lo)) & _mm512_cmplt_epi32_mask(key, seti(hi));
                _mm512_storeu_si512(keys + n, _mm512_maskz_compress_epi32(mine, key));
                _mm512_storeu_si512(items + n, _mm512_maskz_compress_epi32(mine, from(p)));
                n += __builtin_popcount(mine);
            }
            for (int k = 0; k < n; k++) {
                list *l = cell + keys[k];
                unsigned at = l->length++ % CHUNK;
                if (at == 0) top->previous = l->last, l->last = top++;
                l->last->item[at] = items[k];
            }
        }
    }
}

static double items(const list *cell) {  /* the sum of all */
    double s = 0;
    for (int c = 0; c < CELLS; c++) {
        const chunk *k = cell[c].last;
        for (int i = cell[c].length - 1; i >= 0; k = i % CHUNK ? k : k->previous, i--) s += k->item[i % CHUNK];
    }
    return s;
}

static void dynamic_append(int unused) {  /* store misses: a random list head and a random chunk in L2 an item, 8 cycles */
    list *cell = alloc(CELLS * sizeof *cell);
    chunk *chunks = alloc((size_t)CHUNKS * omp_get_max_threads() * sizeof *chunks);
    BENCH(items(cell), append_all(cell, chunks));
}

