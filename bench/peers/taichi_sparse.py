"""Taichi (or a fork with the same API) on the CPU, beside go run ./bench/sparse.

    python3 taichi_sparse.py [--module taichi|quadrants] [--list] [--only NAME,...] [--threads N] [--seconds S]

A case is named for what it does and for the thousandths of the domain that are active; domain.h says which these are.
"""
import sys

sys.dont_write_bytecode = True  # nothing beside the sources
from harness import CASES, main, ti, timed  # noqa: E402

N, LEAF, READERS, READS = 256, 8, 1 << 14, 64
BLOCKS = N // LEAF
BANDS = {1: (29, 37), 10: (100, 108), 100: (198, 218), 500: (84, 239)}  # halves of a cell


def at_all(f):
    """A case for each activity."""
    for permille in (1, 10, 100, 500, 1000):
        CASES[f"{f.__name__}_{permille}"] = lambda permille=permille: f(permille)
    return f


def ball(permille):
    """The least square of a radius within which are so many of the inner blocks."""
    axis = [(2 * b + 1 - BLOCKS) ** 2 for b in range(1, BLOCKS - 1)]
    return sorted(i + j + k for i in axis for j in axis for k in axis)[len(axis) ** 3 * permille // 1000 - 1]


@ti.func
def in_ball(b, r2):
    inner = b.min() > 0 and b.max() < BLOCKS - 1
    d = 2 * b + 1 - BLOCKS
    return inner and d.dot(d) <= r2


@ti.func
def value(p):
    return ti.cast((p[0] * 31 + p[1] * 17 + p[2] * 7) % 101, ti.f32) * 0.01


@ti.func
def scattered(number, n):
    h = ti.cast(number, ti.u32) * ti.u32(2654435761)
    h = (h ^ (h >> 15)) * ti.u32(2246822519)
    h = h ^ (h >> 13)
    m = ti.cast(n, ti.u32)
    return ti.Vector([ti.cast(h % m, ti.i32), ti.cast(h // m % m, ti.i32), ti.cast(h // m // m % m, ti.i32)])


def grid(sizes):
    """Fields x and y in blocks below so many levels of pointers, and the top level."""
    x, y = ti.field(ti.f32), ti.field(ti.f32)
    node, top = ti.root, None
    for size in sizes:
        node = node.pointer(ti.ijk, size)
        top = top or node
    node.dense(ti.ijk, LEAF).place(x)
    node.dense(ti.ijk, LEAF).place(y)
    return x, y, top


@ti.kernel
def fill(x: ti.template(), r2: ti.i32):
    for b in ti.grouped(ti.ndrange(BLOCKS, BLOCKS, BLOCKS)):
        if in_ball(b, r2):
            for o in ti.grouped(ti.ndrange(LEAF, LEAF, LEAF)):
                x[b * LEAF + o] = value(b * LEAF + o)


@ti.kernel
def total(x: ti.template()) -> ti.f64:
    s = ti.cast(0.0, ti.f64)
    for p in ti.grouped(x):
        s += ti.cast(x[p], ti.f64)
    return s


@ti.kernel
def squares(x: ti.template()) -> ti.f64:
    s = ti.cast(0.0, ti.f64)
    for p in ti.grouped(x):
        s += ti.cast(x[p], ti.f64) ** 2
    return s


def axpy(permille, sizes):
    x, y, _ = grid(sizes)

    @ti.kernel
    def k():
        for p in ti.grouped(x):
            y[p] = x[p] * 2.0 + y[p]
    fill(x, ball(permille))
    m, lo, _ = timed(k)
    y.fill(0)
    k()
    return m, lo, total(y)


@at_all
def iterate(permille):
    return axpy(permille, [BLOCKS])


@at_all
def iterate3(permille):
    return axpy(permille, [BLOCKS // 8, 8])


@at_all
def iterate5(permille):
    return axpy(permille, [BLOCKS // 8, 2, 2, 2])


@at_all
def stencil(permille):
    x, y, _ = grid([BLOCKS])

    @ti.kernel
    def k():
        for i, j, l in x:
            y[i, j, l] = 6 * x[i, j, l] - x[i - 1, j, l] - x[i + 1, j, l] - x[i, j - 1, l] - x[i, j + 1, l] \
                - x[i, j, l - 1] - x[i, j, l + 1]
    fill(x, ball(permille))
    m, lo, _ = timed(k)
    return m, lo, squares(y)


def reads(permille, sizes):
    x, _, _ = grid(sizes)
    out = ti.field(ti.f32, READERS)

    @ti.kernel
    def k():
        for r in out:
            s = 0.0
            for n in range(READS):
                s += x[scattered(r * READS + n, N)]
            out[r] = s
    fill(x, ball(permille))
    m, lo, _ = timed(k)
    return m, lo, float(out.to_numpy().astype("f8").sum())


@at_all
def random(permille):
    return reads(permille, [BLOCKS])


@at_all
def random3(permille):
    return reads(permille, [BLOCKS // 8, 8])


@at_all
def random5(permille):
    return reads(permille, [BLOCKS // 8, 2, 2, 2])


@at_all
def coherent(permille):
    x, _, _ = grid([BLOCKS])
    rows = ti.field(ti.f32, (N // 4, N // 4))

    @ti.kernel
    def k():
        for i, j in rows:
            s = 0.0
            for l in range(N):
                s += x[4 * i, 4 * j, l]
            rows[i, j] = s
    fill(x, ball(permille))
    m, lo, _ = timed(k)
    return m, lo, float(rows.to_numpy().astype("f8").sum())


@at_all
def band(permille):
    x, y = ti.field(ti.f32), ti.field(ti.f32)
    block = ti.root.pointer(ti.ijk, BLOCKS)
    cell = block.bitmasked(ti.ijk, LEAF)
    cell.place(x, y)
    low, high = (b * b for b in BANDS[permille]) if permille in BANDS else (0, 1 << 30)

    @ti.func
    def in_band(p):
        d = 2 * p + 1 - N
        return p.min() >= LEAF and p.max() < N - LEAF and d.dot(d) >= low and d.dot(d) <= high

    @ti.kernel
    def start():
        for p in ti.grouped(ti.ndrange(N, N, N)):
            if in_band(p):
                x[p] = value(p)

    @ti.kernel
    def grow():
        for p in ti.grouped(x):
            for a in ti.static(range(3)):
                ti.activate(cell, p - ti.Vector.unit(3, a, ti.i32))
                ti.activate(cell, p + ti.Vector.unit(3, a, ti.i32))

    @ti.kernel
    def step():
        for i, j, l in x:
            around = x[i - 1, j, l] + x[i + 1, j, l] + x[i, j - 1, l] + x[i, j + 1, l] + x[i, j, l - 1] + x[i, j, l + 1]
            y[i, j, l] = x[i, j, l] + 0.1 * (around - 6 * x[i, j, l])

    @ti.kernel
    def cut():
        for p in ti.grouped(x):
            if not in_band(p):
                ti.deactivate(cell, p)

    @ti.kernel
    def prune():
        for b in ti.grouped(block):
            found = 0
            o = 0
            while o < LEAF ** 3 and found == 0:
                found = ti.is_active(cell, b * LEAF + ti.Vector([o // LEAF // LEAF, o // LEAF % LEAF, o % LEAF]))
                o += 1
            if found == 0:
                ti.deactivate(block, b)

    @ti.kernel
    def result() -> ti.f64:
        s = ti.cast(0.0, ti.f64)
        for p in ti.grouped(x):
            s += 1 + ti.cast(y[p], ti.f64) ** 2
        return s

    def go():  # loops over cells that come and go are kernels of their own: within one, Taichi does not see them
        grow()
        step()
        cut()
        prune()
    start()
    m, lo, _ = timed(go)
    go()
    return m, lo, result()


@at_all
def append(permille):
    numbers = ti.field(ti.i32)
    cell = ti.root.pointer(ti.ijk, BLOCKS)
    cell.dynamic(ti.l, 4096, chunk_size=32).place(numbers)
    r2 = ball(permille)

    @ti.kernel
    def wipe():
        for i, j, k in cell:
            numbers[i, j, k].deactivate()

    @ti.kernel
    def sort():
        for p in range(1 << 20):
            c = scattered(p, BLOCKS)
            if in_ball(c, r2):
                numbers[c[0], c[1], c[2]].append(p)

    @ti.kernel
    def result() -> ti.f64:
        s = ti.cast(0.0, ti.f64)
        for i, j, k in cell:
            for n in range(numbers[i, j, k].length()):
                s += ti.cast(numbers[i, j, k, n], ti.f64)
        return s

    def go():
        wipe()
        sort()
    m, lo, _ = timed(go)
    return m, lo, result()


@at_all
def reactivate(permille):
    x, _, block = grid([BLOCKS])
    r2 = ball(permille)

    def go():
        block.deactivate_all()
        fill(x, r2)
    m, lo, _ = timed(go)
    return m, lo, total(x)


@at_all
def copy(permille):
    x, _, block = grid([BLOCKS])
    z = ti.field(ti.f32)
    other = ti.root.pointer(ti.ijk, BLOCKS)
    other.dense(ti.ijk, LEAF).place(z)

    @ti.kernel
    def follow():
        for b in ti.grouped(block):
            ti.activate(other, b)

    @ti.kernel
    def cells() -> ti.i32:
        n = 0
        for p in ti.grouped(z):
            n += 1
        return n

    def go():
        other.deactivate_all()
        follow()
    fill(x, ball(permille))
    m, lo, _ = timed(go)
    return m, lo, float(cells())


main()
