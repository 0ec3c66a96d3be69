/* The domain of go run ./bench/sparse: 256 cells along each axis, in blocks of 8, of which the outer ones stay empty,
 * so that neighbours of active cells are in the domain. Activity is a part of the 240 x 240 x 240 cells within. */
enum { CUBE = 256, LEAF = 8, BLOCKS = CUBE / LEAF, READERS = 1 << 14, READS = 64 };

/* A case at each activity, in thousandths. */
#define AT_ALL(name, function) {#name "_1", function, 1}, {#name "_10", function, 10}, {#name "_100", function, 100}, \
    {#name "_500", function, 500}, {#name "_1000", function, 1000}

static inline int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The square of a block's distance from the centre, in halves of a block. */
static inline int block_distance(int i, int j, int k) {
    int a = 2 * i + 1 - BLOCKS, b = 2 * j + 1 - BLOCKS, c = 2 * k + 1 - BLOCKS;
    return a * a + b * b + c * c;
}

static inline int ball(int permille) {  /* the least square of a radius within which are so many of the inner blocks */
    static int d[BLOCKS * BLOCKS * BLOCKS];
    int n = 0;
    for (int i = 1; i < BLOCKS - 1; i++)
        for (int j = 1; j < BLOCKS - 1; j++)
            for (int k = 1; k < BLOCKS - 1; k++) d[n++] = block_distance(i, j, k);
    qsort(d, n, sizeof *d, by_value);
    return d[(long)n * permille / 1000 - 1];
}

static inline int in_ball(int i, int j, int k, int r2) {
    return i > 0 && j > 0 && k > 0 && i < BLOCKS - 1 && j < BLOCKS - 1 && k < BLOCKS - 1 && block_distance(i, j, k) <= r2;
}

/* The band is a shell of cells; its bounds are squares of distances from the centre, in halves of a cell. */
static inline void band_of(int permille, int *low, int *high) {
    switch (permille) {
    case 1: *low = 29 * 29, *high = 37 * 37; return;
    case 10: *low = 100 * 100, *high = 108 * 108; return;
    case 100: *low = 198 * 198, *high = 218 * 218; return;
    case 500: *low = 84 * 84, *high = 239 * 239; return;
    default: *low = 0, *high = 1 << 30;
    }
}

static inline int in_band(int i, int j, int k, int low, int high) {
    int a = 2 * i + 1 - CUBE, b = 2 * j + 1 - CUBE, c = 2 * k + 1 - CUBE, d2 = a * a + b * b + c * c;
    int inner = i >= LEAF && j >= LEAF && k >= LEAF && i < CUBE - LEAF && j < CUBE - LEAF && k < CUBE - LEAF;
    return inner && d2 >= low && d2 <= high;
}

/* What a cell holds at first. */
static inline float value(int i, int j, int k) { return (i * 31 + j * 17 + k * 7) % 101 * 0.01f; }

static inline unsigned hashed(unsigned h) {
    h *= 2654435761u, h ^= h >> 15, h *= 2246822519u;
    return h ^ h >> 13;
}
