/* The cases of go run ./bench/sparse that change no topology with NanoVDB 10, on the CPU: leaves of a grid in one
 * piece of memory, read accessors, all threads of TBB.
 *
 *     g++ -std=c++17 -O3 -march=native -ffast-math -DNDEBUG nanovdb_bench.cpp -o nanovdb -lopenvdb -ltbb -lImath
 *     ./nanovdb [--list] [--only NAME,...] [--threads N] [--seconds S]
 */
#include "vdb.h"
#include <nanovdb/NanoVDB.h>
#include <nanovdb/util/OpenToNanoVDB.h>

/* A grid made from OpenVDB's, and a second field as an array in the order of leaves. */
struct Grid {
    nanovdb::GridHandle<nanovdb::HostBuffer> handle;
    nanovdb::FloatGrid *grid;
    std::vector<float> y;

    Grid(int permille) {
        auto open = openvdb::FloatGrid::create(0);
        make_ball(open->tree(), permille);
        handle = nanovdb::openToNanoVDB(*open);
        grid = handle.grid<float>();
        y.resize((size_t)count() * LEAF * LEAF * LEAF);
    }
    uint32_t count() const { return grid->tree().nodeCount(0); }
    const nanovdb::NanoLeaf<float> *leaves() const { return grid->tree().getFirstLeaf(); }
    double sum(int power) const {
        double s = 0;
        for (uint32_t n = 0; n < count(); n++)
            for (auto c = leaves()[n].beginValueOn(); c; ++c) {
                double v = y[(size_t)n * LEAF * LEAF * LEAF + c.pos()];
                s += power == 1 ? v : v * v;
            }
        return s;
    }
};

static void iterate(int permille) {
    Grid g(permille);
    BENCH(g.sum(1), tbb::parallel_for(Range(0, g.count()), [&](const Range &range) {
        for (size_t n = range.begin(); n != range.end(); n++) {
            float *y = &g.y[n * LEAF * LEAF * LEAF];
            for (auto c = g.leaves()[n].beginValueOn(); c; ++c) y[c.pos()] = *c * 2 + y[c.pos()];
        }
    }));
}

static void stencil(int permille) {
    Grid g(permille);
    BENCH(g.sum(2), tbb::parallel_for(Range(0, g.count()), [&](const Range &range) {
        auto a = g.grid->getAccessor();
        for (size_t n = range.begin(); n != range.end(); n++) {
            float *y = &g.y[n * LEAF * LEAF * LEAF];
            for (auto c = g.leaves()[n].beginValueOn(); c; ++c) {
                const nanovdb::Coord p = c.getCoord();
                y[c.pos()] = 6 * *c - a.getValue(p.offsetBy(-1, 0, 0)) - a.getValue(p.offsetBy(1, 0, 0)) -
                             a.getValue(p.offsetBy(0, -1, 0)) - a.getValue(p.offsetBy(0, 1, 0)) -
                             a.getValue(p.offsetBy(0, 0, -1)) - a.getValue(p.offsetBy(0, 0, 1));
            }
        }
    }));
}

static void random_case(int permille) {
    Grid g(permille);
    random_reads([&] { return g.grid->getAccessor(); });
}

static void coherent_case(int permille) {
    Grid g(permille);
    coherent_reads([&] { return g.grid->getAccessor(); });
}

static const bench_case cases[] = {
    AT_ALL(iterate, iterate), AT_ALL(stencil, stencil), AT_ALL(random, random_case), AT_ALL(coherent, coherent_case),
};

int main(int argc, char **argv) {
    openvdb::initialize();
    return run_cases(cases, sizeof cases / sizeof *cases, set_threads, argc, argv);
}
