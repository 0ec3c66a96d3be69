/* The cases of go run ./bench/sparse with OpenVDB 10: leaf iterators for loops over what is active, value accessors for
 * neighbours and other reads, auxiliary buffers of leaves for a second field, all threads of TBB.
 *
 *     g++ -std=c++17 -O3 -march=native -ffast-math -DNDEBUG openvdb_bench.cpp -o openvdb -lopenvdb -ltbb -lImath
 *     ./openvdb [--list] [--only NAME,...] [--threads N] [--seconds S]
 */
#include "vdb.h"

typedef openvdb::tree::ValueAccessor<const Tree> Accessor;

static double sum_of(Leaves &leaves, int buffer, int power) {  /* of the active cells */
    double s = 0;
    for (size_t n = 0; n < leaves.leafCount(); n++) {
        const float *y = leaves.getBuffer(n, buffer).data();
        for (auto c = leaves.leaf(n).cbeginValueOn(); c; ++c) s += power == 1 ? y[c.pos()] : (double)y[c.pos()] * y[c.pos()];
    }
    return s;
}

static void zero(Leaves &leaves) {
    leaves.foreach([&](Leaf &, size_t n) { leaves.getBuffer(n, 1).fill(0); });
}

static void iterate(int permille) {
    Tree tree(0);
    make_ball(tree, permille);
    Leaves leaves(tree, 1);
    zero(leaves);
    BENCH(sum_of(leaves, 1, 1), leaves.foreach([&](Leaf &leaf, size_t n) {
        float *y = leaves.getBuffer(n, 1).data();
        for (auto c = leaf.cbeginValueOn(); c; ++c) y[c.pos()] = *c * 2 + y[c.pos()];
    }));
}

static float around(Accessor &a, const Coord &c) {
    return a.getValue(c.offsetBy(-1, 0, 0)) + a.getValue(c.offsetBy(1, 0, 0)) + a.getValue(c.offsetBy(0, -1, 0)) +
           a.getValue(c.offsetBy(0, 1, 0)) + a.getValue(c.offsetBy(0, 0, -1)) + a.getValue(c.offsetBy(0, 0, 1));
}

static void stencil(int permille) {
    Tree tree(0);
    make_ball(tree, permille);
    Leaves leaves(tree, 1);
    zero(leaves);
    BENCH(sum_of(leaves, 1, 2), tbb::parallel_for(leaves.leafRange(), [&](const Leaves::LeafRange &range) {
        Accessor accessor(tree);
        for (auto leaf = range.begin(); leaf; ++leaf) {
            float *y = leaf.buffer(1).data();
            for (auto c = leaf->cbeginValueOn(); c; ++c) y[c.pos()] = 6 * *c - around(accessor, c.getCoord());
        }
    }));
}

static void band(int permille) {
    int low, high;
    band_of(permille, &low, &high);
    Tree tree(0);
    for (int i = 0; i < CUBE; i++)
        for (int j = 0; j < CUBE; j++)
            for (int k = 0; k < CUBE; k++)
                if (in_band(i, j, k, low, high)) tree.setValueOn(Coord(i, j, k), value(i, j, k));
    double total = 0;
    bool summed = false;
    BENCH(total, {
        openvdb::tools::dilateActiveValues(tree, 1, openvdb::tools::NN_FACE, openvdb::tools::IGNORE_TILES);
        Leaves leaves(tree, 1);
        tbb::parallel_for(leaves.leafRange(), [&](const Leaves::LeafRange &range) {
            Accessor accessor(tree);
            for (auto leaf = range.begin(); leaf; ++leaf) {
                float *y = leaf.buffer(1).data();
                for (auto c = leaf->cbeginValueOn(); c; ++c)
                    y[c.pos()] = *c + 0.1f * (around(accessor, c.getCoord()) - 6 * *c);
            }
        });
        leaves.foreach([&](Leaf &leaf, size_t) {
            for (auto c = leaf.beginValueOn(); c; ++c) {
                const Coord p = c.getCoord();
                if (!in_band(p.x(), p.y(), p.z(), low, high)) c.setValueOff();
            }
        });
        if (!summed) total = sum_of(leaves, 1, 2) + tree.activeVoxelCount(), summed = true;
        openvdb::tools::pruneInactive(tree);
    });
}

static void reactivate(int permille) {
    Tree tree(0);
    BENCH(({ Leaves leaves(tree); sum_of(leaves, 0, 1); }), tree.clear(); make_ball(tree, permille));
}

static void copy(int permille) {
    Tree tree(0);
    make_ball(tree, permille);
    std::unique_ptr<Tree> other;
    BENCH(other->activeVoxelCount(), other.reset(new Tree(tree, 0, openvdb::TopologyCopy())));
}

static void random_case(int permille) {
    Tree tree(0);
    make_ball(tree, permille);
    random_reads([&] { return Accessor(tree); });
}

static void coherent_case(int permille) {
    Tree tree(0);
    make_ball(tree, permille);
    coherent_reads([&] { return Accessor(tree); });
}

static const bench_case cases[] = {
    AT_ALL(iterate, iterate), AT_ALL(stencil, stencil), AT_ALL(band, band), AT_ALL(random, random_case),
    AT_ALL(coherent, coherent_case), AT_ALL(reactivate, reactivate), AT_ALL(copy, copy),
};

int main(int argc, char **argv) {
    openvdb::initialize();
    return run_cases(cases, sizeof cases / sizeof *cases, set_threads, argc, argv);
}
