/* What openvdb_bench.cpp and nanovdb_bench.cpp have in common. */
#include <openvdb/openvdb.h>
#include <openvdb/tools/Morphology.h>
#include <openvdb/tools/Prune.h>
#include <openvdb/tree/LeafManager.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <memory>
#include <vector>
#include "harness.h"
#include "domain.h"

typedef openvdb::FloatTree Tree;  /* leaves of 8 x 8 x 8 cells, as here; above them nodes of 16^3, of 32^3, and a map */
typedef Tree::LeafNodeType Leaf;
typedef openvdb::tree::LeafManager<Tree> Leaves;
typedef tbb::blocked_range<size_t> Range;
using openvdb::Coord;

static std::unique_ptr<tbb::global_control> control;
static void set_threads(int n) {
    control.reset(new tbb::global_control(tbb::global_control::max_allowed_parallelism, n));
}

static void touch_ball(Tree &tree, int permille) {  /* the leaves, all of their cells active */
    int r2 = ball(permille);
    for (int i = 0; i < BLOCKS; i++)
        for (int j = 0; j < BLOCKS; j++)
            for (int k = 0; k < BLOCKS; k++)
                if (in_ball(i, j, k, r2)) tree.touchLeaf(Coord(i * LEAF, j * LEAF, k * LEAF))->setValuesOn();
}

static void write_leaf(Leaf &leaf) {
    float *x = leaf.buffer().data();
    const Coord o = leaf.origin();
    for (int c = 0; c < LEAF * LEAF * LEAF; c++)
        x[c] = value(o.x() + c / LEAF / LEAF, o.y() + c / LEAF % LEAF, o.z() + c % LEAF);
}

static void make_ball(Tree &tree, int permille) {
    touch_ball(tree, permille);
    Leaves(tree).foreach([](Leaf &leaf, size_t) { write_leaf(leaf); });
}

/* The reads, by accessors that make_accessor makes, one for each task. */
template <typename Make> static void random_reads(const Make &make_accessor) {
    static float out[READERS];
    BENCH(SUM(READERS, out[i]), tbb::parallel_for(Range(0, READERS), [&](const Range &range) {
        auto accessor = make_accessor();
        for (size_t r = range.begin(); r != range.end(); r++) {
            float s = 0;
            for (int n = 0; n < READS; n++) {
                unsigned h = hashed(r * READS + n);
                s += accessor.getValue({int(h % CUBE), int(h / CUBE % CUBE), int(h / CUBE / CUBE % CUBE)});
            }
            out[r] = s;
        }
    }));
}

template <typename Make> static void coherent_reads(const Make &make_accessor) {
    enum { ROWS = CUBE / 4 };
    static float out[ROWS * ROWS];
    BENCH(SUM(ROWS * ROWS, out[i]), tbb::parallel_for(Range(0, ROWS * ROWS), [&](const Range &range) {
        auto accessor = make_accessor();
        for (size_t r = range.begin(); r != range.end(); r++) {
            float s = 0;
            for (int k = 0; k < CUBE; k++) s += accessor.getValue({int(r / ROWS * 4), int(r % ROWS * 4), k});
            out[r] = s;
        }
    }));
}
