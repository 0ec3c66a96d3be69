"""Peer side of the benchmark suite: Taichi (or a fork with the same API) on the CPU.

    python3 taichi_bench.py [--module taichi|quadrants] [--list] [--only NAME,...] [--first] [--threads N]

Each case has the sizes and the data of bench/cases.go, and a checksum that must agree to the tolerance there.
"""
import sys

sys.dont_write_bytecode = True  # nothing beside the sources
from harness import case, main, ti, timed  # noqa: E402
import taichi_gradient  # noqa: E402,F401
import taichi_startup  # noqa: E402,F401


@case
def launch_empty():
    """An empty kernel: what one launch costs."""
    @ti.kernel
    def nop():
        pass

    def many():
        for _ in range(100):
            nop()
    m, lo, n = timed(many)
    return m / 100, lo / 100, 0.0


@case
def launch_small():
    """A parallel loop over 1024 floats: what one small parallel launch costs."""
    x = ti.field(ti.f32, 1024)

    @ti.kernel
    def inc():
        for i in x:
            x[i] += 1.0
    m, lo, _ = timed(inc)
    x.fill(0)
    inc()
    return m, lo, float(x.to_numpy().sum())


@case
def saxpy():
    n = 1 << 24
    x, y = ti.field(ti.f32, n), ti.field(ti.f32, n)

    @ti.kernel
    def init():
        for i in x:
            x[i] = (i % 1000) * 0.001
            y[i] = 1.0

    @ti.kernel
    def k(a: ti.f32):
        for i in x:
            y[i] = a * x[i] + y[i]
    init()
    m, lo, _ = timed(lambda: k(2.0))
    init()
    k(2.0)
    return m, lo, float(y.to_numpy().astype("f8").sum())


@case
def saxpy_l2():
    """The same, 64 Ki floats: in cache."""
    n = 1 << 16
    x, y = ti.field(ti.f32, n), ti.field(ti.f32, n)

    @ti.kernel
    def init():
        for i in x:
            x[i] = (i % 1000) * 0.001
            y[i] = 1.0

    @ti.kernel
    def k(a: ti.f32):
        for i in x:
            y[i] = a * x[i] + y[i]
    init()
    m, lo, _ = timed(lambda: k(2.0))
    init()
    k(2.0)
    return m, lo, float(y.to_numpy().astype("f8").sum())


@case
def reduce_sum():
    n = 1 << 24
    x = ti.field(ti.f32, n)

    @ti.kernel
    def init():
        for i in x:
            x[i] = (i % 1000) * 0.001

    @ti.kernel
    def total() -> ti.f32:
        s = 0.0
        for i in x:
            s += x[i]
        return s
    init()
    m, lo, _ = timed(total)
    return m, lo, total()


@case
def reduce_max():
    """The 8M-float max of the performance-tuning text."""
    n = 8 << 20
    x, s = ti.field(ti.f32, n), ti.field(ti.f32, ())

    @ti.kernel
    def init():
        for i in x:
            x[i] = ((i * 7919) % 1000003) * 1e-6

    @ti.kernel
    def k():
        for i in x:
            ti.atomic_max(s[None], x[i])
    init()
    m, lo, _ = timed(k)
    return m, lo, s[None]


@case
def math_sin_exp():
    n = 1 << 22
    x, y = ti.field(ti.f32, n), ti.field(ti.f32, n)

    @ti.kernel
    def init():
        for i in x:
            x[i] = i * (10.0 / n)

    @ti.kernel
    def k():
        for i in x:
            y[i] = ti.sin(x[i]) * ti.exp(-x[i]) + ti.log(x[i] + 1.0)
    init()
    m, lo, _ = timed(k)
    return m, lo, float(y.to_numpy().astype("f8").sum())


@case
def math_pow():
    n = 1 << 22
    x, y = ti.field(ti.f32, n), ti.field(ti.f32, n)

    @ti.kernel
    def init():
        for i in x:
            x[i] = 0.5 + i * (2.0 / n)

    @ti.kernel
    def k():
        for i in x:
            y[i] = ti.pow(x[i], 1.7)
    init()
    m, lo, _ = timed(k)
    return m, lo, float(y.to_numpy().astype("f8").sum())


@case
def stencil2d():
    n = 4096
    x, y = ti.field(ti.f32, (n, n)), ti.field(ti.f32, (n, n))

    @ti.kernel
    def init():
        for i, j in x:
            x[i, j] = ((i * 31 + j * 17) % 101) * 0.01

    @ti.kernel
    def k():
        for i, j in ti.ndrange((1, n - 1), (1, n - 1)):
            y[i, j] = 4 * x[i, j] - x[i - 1, j] - x[i + 1, j] - x[i, j - 1] - x[i, j + 1]
    init()
    m, lo, _ = timed(k)
    return m, lo, float((y.to_numpy().astype("f8") ** 2).sum())


@case
def stencil3d():
    """The relaxation kernel of the thesis (7 points), 256^3, 4^3 blocks."""
    n, b = 256, 4
    u, d = ti.field(ti.f32), ti.field(ti.f32)
    ti.root.dense(ti.ijk, n // b).dense(ti.ijk, b).place(u)
    ti.root.dense(ti.ijk, n // b).dense(ti.ijk, b).place(d)

    @ti.kernel
    def init():
        for i, j, k in u:
            u[i, j, k] = ((i * 31 + j * 17 + k * 7) % 101) * 0.01

    @ti.kernel
    def step():
        for i, j, k in ti.ndrange((1, n - 1), (1, n - 1), (1, n - 1)):
            d[i, j, k] = 1.0 / 6.0 * (u[i, j, k - 1] + u[i, j, k + 1] + u[i, j - 1, k] + u[i, j + 1, k]
                                      + u[i - 1, j, k] + u[i + 1, j, k]) - u[i, j, k]
    init()
    m, lo, _ = timed(step)
    return m, lo, float((d.to_numpy().astype("f8") ** 2).sum())


@case
def stencil3d_flat():
    """The same on a plain dense array."""
    n = 256
    u, d = ti.field(ti.f32, (n, n, n)), ti.field(ti.f32, (n, n, n))

    @ti.kernel
    def init():
        for i, j, k in u:
            u[i, j, k] = ((i * 31 + j * 17 + k * 7) % 101) * 0.01

    @ti.kernel
    def step():
        for i, j, k in ti.ndrange((1, n - 1), (1, n - 1), (1, n - 1)):
            d[i, j, k] = 1.0 / 6.0 * (u[i, j, k - 1] + u[i, j, k + 1] + u[i, j - 1, k] + u[i, j + 1, k]
                                      + u[i - 1, j, k] + u[i + 1, j, k]) - u[i, j, k]
    init()
    m, lo, _ = timed(step)
    return m, lo, float((d.to_numpy().astype("f8") ** 2).sum())


@case
def julia():
    n = 1024
    pixels = ti.field(ti.f32, (n * 2, n))

    @ti.func
    def csqr(z):
        return ti.Vector([z[0] ** 2 - z[1] ** 2, z[1] * z[0] * 2])

    @ti.kernel
    def paint(t: ti.f32):
        for i, j in pixels:
            c = ti.Vector([-0.8, ti.cos(t) * 0.2])
            z = ti.Vector([i / n - 1, j / n - 0.5]) * 2
            it = 0
            while z.norm() < 20 and it < 50:
                z = csqr(z) + c
                it += 1
            pixels[i, j] = 1 - it * 0.02
    m, lo, _ = timed(lambda: paint(0.03))
    return m, lo, float(pixels.to_numpy().astype("f8").sum())


@case
def mpm88():
    """50 substeps of the 2-D MLS-MPM fluid, 8192 particles, 128^2 grid."""
    n_particles, n_grid = 8192, 128
    dx, dt = 1 / n_grid, 2e-4
    p_rho, p_vol = 1, (1 / n_grid * 0.5) ** 2
    p_mass = p_vol * p_rho
    gravity, bound, E = 9.8, 3, 400
    x = ti.Vector.field(2, ti.f32, n_particles)
    v = ti.Vector.field(2, ti.f32, n_particles)
    C = ti.Matrix.field(2, 2, ti.f32, n_particles)
    J = ti.field(ti.f32, n_particles)
    gv = ti.Vector.field(2, ti.f32, (n_grid, n_grid))
    gm = ti.field(ti.f32, (n_grid, n_grid))

    @ti.kernel
    def init():
        for i in range(n_particles):
            # a lattice, so that every implementation starts alike
            x[i] = [(i % 96) / 96 * 0.4 + 0.2, (i // 96) / 96 * 0.4 + 0.2]
            v[i] = [0, -1]
            C[i] = ti.Matrix.zero(ti.f32, 2, 2)
            J[i] = 1

    @ti.kernel
    def substep():
        for i, j in gm:
            gv[i, j] = [0, 0]
            gm[i, j] = 0
        for p in x:
            xp = x[p] / dx
            base = int(xp - 0.5)
            fx = xp - base
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            stress = -dt * 4 * E * p_vol * (J[p] - 1) / dx ** 2
            affine = ti.Matrix([[stress, 0], [0, stress]]) + p_mass * C[p]
            for i, j in ti.static(ti.ndrange(3, 3)):
                offset = ti.Vector([i, j])
                dpos = (offset - fx) * dx
                weight = w[i].x * w[j].y
                gv[base + offset] += weight * (p_mass * v[p] + affine @ dpos)
                gm[base + offset] += weight * p_mass
        for i, j in gm:
            if gm[i, j] > 0:
                gv[i, j] /= gm[i, j]
            gv[i, j].y -= dt * gravity
            if i < bound and gv[i, j].x < 0:
                gv[i, j].x = 0
            if i > n_grid - bound and gv[i, j].x > 0:
                gv[i, j].x = 0
            if j < bound and gv[i, j].y < 0:
                gv[i, j].y = 0
            if j > n_grid - bound and gv[i, j].y > 0:
                gv[i, j].y = 0
        for p in x:
            xp = x[p] / dx
            base = int(xp - 0.5)
            fx = xp - base
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            new_v = ti.Vector.zero(ti.f32, 2)
            new_C = ti.Matrix.zero(ti.f32, 2, 2)
            for i, j in ti.static(ti.ndrange(3, 3)):
                offset = ti.Vector([i, j])
                dpos = (offset - fx) * dx
                weight = w[i].x * w[j].y
                g = gv[base + offset]
                new_v += weight * g
                new_C += 4 * weight * g.outer_product(dpos) / dx ** 2
            v[p] = new_v
            x[p] += dt * v[p]
            J[p] *= 1 + dt * new_C.trace()
            C[p] = new_C

    def fifty():
        for _ in range(50):
            substep()
    init()
    m, lo, _ = timed(fifty, 3, 3)
    init()
    fifty()
    return m, lo, float(x.to_numpy().astype("f8").sum())


@case
def nbody():
    n = 4096
    pos, vel = ti.Vector.field(3, ti.f32, n), ti.Vector.field(3, ti.f32, n)

    @ti.kernel
    def init():
        for i in pos:
            pos[i] = [ti.cos(i * 0.37), ti.sin(i * 0.73), ti.cos(i * 1.19)]
            vel[i] = [0.0, 0.0, 0.0]

    @ti.kernel
    def step():
        for i in pos:
            p = pos[i]
            a = ti.Vector([0.0, 0.0, 0.0])
            for j in range(n):
                d = pos[j] - p
                r2 = d.dot(d) + 1e-3
                inv = 1.0 / ti.sqrt(r2)
                a += d * (inv * inv * inv)
            vel[i] += a * 1e-6
    init()
    m, lo, _ = timed(step)
    init()
    step()
    return m, lo, float(abs(vel.to_numpy().astype("f8")).sum())


@case
def life():
    """Game of Life, 4096^2 cells of u8, brute force, one step."""
    n = 4096
    a, b = ti.field(ti.u8, (n, n)), ti.field(ti.u8, (n, n))

    @ti.kernel
    def init():
        for i, j in a:
            a[i, j] = ti.cast((((i * 7919) ^ (j * 104729)) >> 3) & 1, ti.u8)

    @ti.kernel
    def step():
        for i, j in ti.ndrange((1, n - 1), (1, n - 1)):
            s = 0
            for di, dj in ti.static(ti.ndrange((-1, 2), (-1, 2))):
                s += ti.cast(a[i + di, j + dj], ti.i32)
            live = ti.cast(a[i, j], ti.i32)
            s -= live
            b[i, j] = ti.cast(1 if s == 3 or (s == 2 and live == 1) else 0, ti.u8)
    init()
    m, lo, _ = timed(step)
    return m, lo, float(b.to_numpy().astype("f8").sum())


@case
def histogram():
    """Scatter with atomics: 2^24 samples into 1024 bins."""
    n, bins = 1 << 24, 1024
    h = ti.field(ti.i32, bins)

    @ti.kernel
    def k():
        for i in range(n):
            h[(i * 1103515245 + 12345) >> 8 & 1023] += 1
    m, lo, _ = timed(k)
    h.fill(0)
    k()
    a = h.to_numpy().astype("f8")
    return m, lo, float((a * a).sum())


@case
def svd3():
    """SVD of 2^16 3x3 matrices."""
    n = 1 << 16
    a, s = ti.Matrix.field(3, 3, ti.f32, n), ti.field(ti.f32, n)

    @ti.kernel
    def init():
        for i in a:
            for p, q in ti.static(ti.ndrange(3, 3)):
                a[i][p, q] = ti.sin(i * 0.1 + p * 3.0 + q)

    @ti.kernel
    def k():
        for i in a:
            U, S, V = ti.svd(a[i])
            s[i] = S[0, 0] + S[1, 1] + S[2, 2]
    init()
    m, lo, _ = timed(k)
    return m, lo, float(s.to_numpy().astype("f8").sum())


@case
def mat4_chain():
    """Products of 4x4 matrices, 2^18 of them."""
    n = 1 << 18
    a, b = ti.Matrix.field(4, 4, ti.f32, n), ti.Matrix.field(4, 4, ti.f32, n)

    @ti.kernel
    def init():
        for i in a:
            for p, q in ti.static(ti.ndrange(4, 4)):
                a[i][p, q] = ((i + p * 4 + q) % 17) * 0.05

    @ti.kernel
    def k():
        for i in a:
            b[i] = a[i] @ a[i] @ a[i]
    init()
    m, lo, _ = timed(k)
    return m, lo, float(b.to_numpy().astype("f8").sum())


@case
def monte_carlo_pi():
    n = 1 << 22

    @ti.kernel
    def k() -> ti.i32:
        c = 0
        for i in range(n):
            x, y = ti.random(), ti.random()
            if x * x + y * y < 1:
                c += 1
        return c
    m, lo, _ = timed(k)
    return m, lo, round(4 * k() / n, 2)


def sparse_pointer(n, b):
    x, y = ti.field(ti.f32), ti.field(ti.f32)
    blk = ti.root.pointer(ti.ij, n // b)
    blk.dense(ti.ij, b).place(x, y)
    return blk, x, y


@case
def sparse_activate():
    """Writes that activate a ring of a 4096^2 pointer/dense(16) grid, after deactivating all of it."""
    n = 4096
    blk, x, y = sparse_pointer(n, 16)

    @ti.kernel
    def ring():
        for i, j in ti.ndrange(n, n):
            r = (i - n // 2) ** 2 + (j - n // 2) ** 2
            if r > 1000 ** 2 and r < 1200 ** 2:
                x[i, j] = 1.0

    def go():
        blk.deactivate_all()
        ring()
    m, lo, _ = timed(go)
    return m, lo, float(x.to_numpy().astype("f8").sum())


@case
def sparse_iterate():
    """Struct-for over the active cells of that grid (list generation included)."""
    n = 4096
    blk, x, y = sparse_pointer(n, 16)

    @ti.kernel
    def ring():
        for i, j in ti.ndrange(n, n):
            r = (i - n // 2) ** 2 + (j - n // 2) ** 2
            if r > 1000 ** 2 and r < 1200 ** 2:
                x[i, j] = 1.0

    @ti.kernel
    def k():
        for i, j in x:
            y[i, j] = x[i, j] * 2.0 + y[i, j]
    ring()
    m, lo, _ = timed(k)
    y.fill(0)
    k()
    return m, lo, float(y.to_numpy().astype("f8").sum())


@case
def sparse_stencil():
    """5-point stencil over the active cells, reads may fall on inactive neighbours."""
    n = 4096
    blk, x, y = sparse_pointer(n, 16)

    @ti.kernel
    def ring():
        for i, j in ti.ndrange(n, n):
            r = (i - n // 2) ** 2 + (j - n // 2) ** 2
            if r > 1000 ** 2 and r < 1200 ** 2:
                x[i, j] = (i * 31 + j * 17) % 101 * 0.01

    @ti.kernel
    def k():
        for i, j in x:
            y[i, j] = 4 * x[i, j] - x[i - 1, j] - x[i + 1, j] - x[i, j - 1] - x[i, j + 1]
    ring()
    m, lo, _ = timed(k)
    return m, lo, float((y.to_numpy().astype("f8") ** 2).sum())


@case
def sparse_bitmasked():
    """Iterate a bitmasked leaf with half of its cells active."""
    n = 4096
    x = ti.field(ti.f32)
    ti.root.pointer(ti.ij, n // 16).bitmasked(ti.ij, 16).place(x)

    @ti.kernel
    def init():
        for i, j in ti.ndrange(n // 2, n // 2):
            if (i + j) % 2 == 0:
                x[i, j] = 1.0

    @ti.kernel
    def k():
        for i, j in x:
            x[i, j] += 1.0
    @ti.kernel
    def reset():
        for i, j in x:
            x[i, j] = 1.0
    init()
    m, lo, _ = timed(k)
    reset()
    k()
    return m, lo, float(x.to_numpy().astype("f8").sum())


@case
def dynamic_append():
    """Particles into cells: append 2^20 indices to the lists of 128^2 cells, then clear them."""
    n, cells = 1 << 20, 128
    l = ti.field(ti.i32)
    c = ti.root.dense(ti.ij, cells)
    d = c.dynamic(ti.k, 4096, chunk_size=64)
    d.place(l)

    @ti.kernel
    def fill():
        for p in range(n):
            h = (p * 1103515245 + 12345) >> 4
            l[h & 127, (h >> 7) & 127].append(p)

    @ti.kernel
    def wipe():
        for i, j in c:
            l[i, j].deactivate()

    def go():
        wipe()
        fill()
    @ti.kernel
    def total() -> ti.i64:
        s = ti.i64(0)
        for i, j in c:
            for q in range(l[i, j].length()):
                s += l[i, j, q]
        return s
    m, lo, _ = timed(go)
    return m, lo, float(total())


main()
