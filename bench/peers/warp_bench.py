"""Peer side of the benchmark suite: Warp on its CPU device, the cases of taichi_bench.py that have a counterpart.

    python3 warp_bench.py [--list] [--only NAME,...]

Same sizes, initial data, checksums and output as taichi_bench.py; compilation is excluded.  Warp runs a
kernel of the CPU device on one thread.
"""
import argparse
import time

import numpy as np
import warp as wp

ap = argparse.ArgumentParser()
ap.add_argument("--only", default="")
ap.add_argument("--list", action="store_true", help="print the names of the cases")
args = ap.parse_args()
wp.config.log_level = wp.LOG_ERROR
wp.init()
wp.set_device("cpu")
wp.set_module_options({"fast_math": True, "enable_backward": False})

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def timed(launch, seconds=1.5, least=7):
    launch()
    wp.synchronize()
    t = []
    end = time.perf_counter() + seconds
    while len(t) < least or time.perf_counter() < end:
        a = time.perf_counter()
        launch()
        wp.synchronize()
        t.append(time.perf_counter() - a)
        if len(t) > 20000:
            break
    t.sort()
    return t[len(t) // 2], t[0], len(t)


def total(a):
    return float(a.numpy().astype("f8").sum())


@wp.kernel
def nop():
    pass


@case
def launch_empty():
    def many():
        for _ in range(100):
            wp.launch(nop, dim=1)
    m, lo, _ = timed(many)
    return m / 100, lo / 100, 0.0


@wp.kernel
def inc(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


@case
def launch_small():
    x = wp.zeros(1024, dtype=float)
    m, lo, _ = timed(lambda: wp.launch(inc, dim=1024, inputs=[x]))
    x.zero_()
    wp.launch(inc, dim=1024, inputs=[x])
    return m, lo, total(x)


@wp.kernel
def axpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


def ramp(n):
    return wp.array(((np.arange(n) % 1000) * 0.001).astype("f4"), dtype=float)


@case
def saxpy():
    n = 1 << 24
    x, y = ramp(n), wp.ones(n, dtype=float)
    m, lo, _ = timed(lambda: wp.launch(axpy, dim=n, inputs=[2.0, x, y]))
    y.fill_(1.0)
    wp.launch(axpy, dim=n, inputs=[2.0, x, y])
    return m, lo, total(y)


@wp.kernel
def sums(x: wp.array(dtype=float), s: wp.array(dtype=float)):
    b = wp.tid()
    t = float(0.0)
    for i in range(b * 4096, (b + 1) * 4096):
        t += x[i]
    wp.atomic_add(s, 0, t)


@case
def reduce_sum():
    """4096 elements a (logical) thread, then an atomic addition: one float accumulator for all would lose digits."""
    n = 1 << 24
    x, s = ramp(n), wp.zeros(1, dtype=float)

    def go():
        s.zero_()
        wp.launch(sums, dim=n // 4096, inputs=[x, s])
    m, lo, _ = timed(go)
    return m, lo, float(s.numpy()[0])


@wp.kernel
def sin_exp(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.sin(x[i]) * wp.exp(-x[i]) + wp.log(x[i] + 1.0)


@case
def math_sin_exp():
    n = 1 << 22
    x, y = wp.array((np.arange(n) * (10.0 / n)).astype("f4"), dtype=float), wp.zeros(n, dtype=float)
    m, lo, _ = timed(lambda: wp.launch(sin_exp, dim=n, inputs=[x, y]))
    return m, lo, total(y)


@wp.kernel
def laplace2(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    i += 1
    j += 1
    y[i, j] = 4.0 * x[i, j] - x[i - 1, j] - x[i + 1, j] - x[i, j - 1] - x[i, j + 1]


@case
def stencil2d():
    n = 4096
    i, j = np.ogrid[:n, :n]
    x = wp.array((((i * 31 + j * 17) % 101) * 0.01).astype("f4"), dtype=float)
    y = wp.zeros((n, n), dtype=float)
    m, lo, _ = timed(lambda: wp.launch(laplace2, dim=(n - 2, n - 2), inputs=[x, y]))
    return m, lo, float((y.numpy().astype("f8") ** 2).sum())


@wp.kernel
def relax(u: wp.array3d(dtype=float), d: wp.array3d(dtype=float)):
    i, j, k = wp.tid()
    i += 1
    j += 1
    k += 1
    s = u[i, j, k - 1] + u[i, j, k + 1] + u[i, j - 1, k] + u[i, j + 1, k] + u[i - 1, j, k] + u[i + 1, j, k]
    d[i, j, k] = 1.0 / 6.0 * s - u[i, j, k]


@case
def stencil3d_flat():
    n = 256
    i, j, k = np.ogrid[:n, :n, :n]
    u = wp.array((((i * 31 + j * 17 + k * 7) % 101) * 0.01).astype("f4"), dtype=float)
    d = wp.zeros((n, n, n), dtype=float)
    m, lo, _ = timed(lambda: wp.launch(relax, dim=(n - 2, n - 2, n - 2), inputs=[u, d]))
    return m, lo, float((d.numpy().astype("f8") ** 2).sum())


@wp.kernel
def paint(pixels: wp.array2d(dtype=float), n: int, t: float):
    i, j = wp.tid()
    c = wp.vec2(-0.8, wp.cos(t) * 0.2)
    z = wp.vec2(float(i) / float(n) - 1.0, float(j) / float(n) - 0.5) * 2.0
    it = int(0)
    while wp.length(z) < 20.0 and it < 50:
        z = wp.vec2(z[0] * z[0] - z[1] * z[1], z[1] * z[0] * 2.0) + c
        it += 1
    pixels[i, j] = 1.0 - float(it) * 0.02


@case
def julia():
    n = 1024
    pixels = wp.zeros((2 * n, n), dtype=float)
    m, lo, _ = timed(lambda: wp.launch(paint, dim=(2 * n, n), inputs=[pixels, n, 0.03]))
    return m, lo, total(pixels)


NG = wp.constant(128)
DX = wp.constant(1.0 / 128.0)
DT = wp.constant(2e-4)
MASS = wp.constant((0.5 / 128.0) ** 2)
E = wp.constant(400.0)


@wp.func
def weights(fx: float):
    return wp.vec3(0.5 * (1.5 - fx) * (1.5 - fx), 0.75 - (fx - 1.0) * (fx - 1.0), 0.5 * (fx - 0.5) * (fx - 0.5))


@wp.kernel
def mpm_scatter(x: wp.array(dtype=wp.vec2), v: wp.array(dtype=wp.vec2), C: wp.array(dtype=wp.mat22), J: wp.array(dtype=float),
                gv: wp.array2d(dtype=wp.vec2), gm: wp.array2d(dtype=float)):
    p = wp.tid()
    xp = x[p] / DX
    bx = int(xp[0] - 0.5)
    by = int(xp[1] - 0.5)
    fx = xp - wp.vec2(float(bx), float(by))
    wx = weights(fx[0])
    wy = weights(fx[1])
    stress = -DT * 4.0 * E * MASS * (J[p] - 1.0) / (DX * DX)
    affine = wp.mat22(stress, 0.0, 0.0, stress) + MASS * C[p]
    for i in range(3):
        for j in range(3):
            dpos = (wp.vec2(float(i), float(j)) - fx) * DX
            w = wx[i] * wy[j]
            wp.atomic_add(gv, bx + i, by + j, w * (MASS * v[p] + affine * dpos))
            wp.atomic_add(gm, bx + i, by + j, w * MASS)


@wp.kernel
def mpm_nodes(gv: wp.array2d(dtype=wp.vec2), gm: wp.array2d(dtype=float)):
    i, j = wp.tid()
    g = gv[i, j]
    if gm[i, j] > 0.0:
        g = g / gm[i, j]
    gx = g[0]
    gy = g[1] - DT * 9.8
    if i < 3 and gx < 0.0:
        gx = 0.0
    if i > NG - 3 and gx > 0.0:
        gx = 0.0
    if j < 3 and gy < 0.0:
        gy = 0.0
    if j > NG - 3 and gy > 0.0:
        gy = 0.0
    gv[i, j] = wp.vec2(gx, gy)


@wp.kernel
def mpm_gather(x: wp.array(dtype=wp.vec2), v: wp.array(dtype=wp.vec2), C: wp.array(dtype=wp.mat22), J: wp.array(dtype=float),
               gv: wp.array2d(dtype=wp.vec2)):
    p = wp.tid()
    xp = x[p] / DX
    bx = int(xp[0] - 0.5)
    by = int(xp[1] - 0.5)
    fx = xp - wp.vec2(float(bx), float(by))
    wx = weights(fx[0])
    wy = weights(fx[1])
    new_v = wp.vec2(0.0, 0.0)
    new_C = wp.mat22(0.0, 0.0, 0.0, 0.0)
    for i in range(3):
        for j in range(3):
            dpos = (wp.vec2(float(i), float(j)) - fx) * DX
            g = wx[i] * wy[j] * gv[bx + i, by + j]
            new_v += g
            new_C += 4.0 * wp.outer(g, dpos) / (DX * DX)
    v[p] = new_v
    x[p] = x[p] + DT * new_v
    J[p] = J[p] * (1.0 + DT * wp.trace(new_C))
    C[p] = new_C


@case
def mpm88():
    n = 8192
    i = np.arange(n)
    start = np.stack([(i % 96) / 96 * 0.4 + 0.2, (i // 96) / 96 * 0.4 + 0.2], 1).astype("f4")
    x, v, C = wp.zeros(n, dtype=wp.vec2), wp.zeros(n, dtype=wp.vec2), wp.zeros(n, dtype=wp.mat22)
    J, gv, gm = wp.zeros(n, dtype=float), wp.zeros((NG, NG), dtype=wp.vec2), wp.zeros((NG, NG), dtype=float)

    def init():
        x.assign(start)
        v.fill_(wp.vec2(0.0, -1.0))
        C.zero_()
        J.fill_(1.0)

    def fifty():
        for _ in range(50):
            gv.zero_()
            gm.zero_()
            wp.launch(mpm_scatter, dim=n, inputs=[x, v, C, J, gv, gm])
            wp.launch(mpm_nodes, dim=(NG, NG), inputs=[gv, gm])
            wp.launch(mpm_gather, dim=n, inputs=[x, v, C, J, gv])
    init()
    m, lo, _ = timed(fifty, 3, 3)
    init()
    fifty()
    return m, lo, total(x)


@wp.kernel
def attract(pos: wp.array(dtype=wp.vec3), vel: wp.array(dtype=wp.vec3), n: int):
    i = wp.tid()
    p = pos[i]
    a = wp.vec3(0.0, 0.0, 0.0)
    for j in range(n):
        d = pos[j] - p
        inv = 1.0 / wp.sqrt(wp.dot(d, d) + 1.0e-3)
        a += d * (inv * inv * inv)
    vel[i] = vel[i] + a * 1.0e-6


@case
def nbody():
    n = 4096
    f = np.float32
    i = np.arange(n, dtype=f)
    pos = wp.array(np.stack([np.cos(i * f(0.37)), np.sin(i * f(0.73)), np.cos(i * f(1.19))], 1), dtype=wp.vec3)
    vel = wp.zeros(n, dtype=wp.vec3)
    m, lo, _ = timed(lambda: wp.launch(attract, dim=n, inputs=[pos, vel, n]))
    vel.zero_()
    wp.launch(attract, dim=n, inputs=[pos, vel, n])
    return m, lo, float(abs(vel.numpy().astype("f8")).sum())


@wp.kernel
def live(a: wp.array2d(dtype=wp.uint8), b: wp.array2d(dtype=wp.uint8)):
    i, j = wp.tid()
    i += 1
    j += 1
    s = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j + 1]
         + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1])
    if (s | a[i, j]) == wp.uint8(3):
        b[i, j] = wp.uint8(1)
    else:
        b[i, j] = wp.uint8(0)


@case
def life():
    n = 4096
    i, j = np.ogrid[:n, :n]
    a = wp.array(((((i * 7919) ^ (j * 104729)) >> 3) & 1).astype("u1"), dtype=wp.uint8)
    b = wp.zeros((n, n), dtype=wp.uint8)
    m, lo, _ = timed(lambda: wp.launch(live, dim=(n - 2, n - 2), inputs=[a, b]))
    return m, lo, total(b)


@wp.kernel
def singular(a: wp.array(dtype=wp.mat33), s: wp.array(dtype=float)):
    i = wp.tid()
    U, S, V = wp.svd3(a[i])
    s[i] = S[0] + S[1] + S[2]


@case
def svd3():
    n = 1 << 16
    f = np.float32
    i, p, q = (g.astype(f) for g in np.ogrid[:n, :3, :3])
    a, s = wp.array(np.sin(i * f(0.1) + p * f(3) + q), dtype=wp.mat33), wp.zeros(n, dtype=float)
    m, lo, _ = timed(lambda: wp.launch(singular, dim=n, inputs=[a, s]))
    return m, lo, total(s)


@wp.kernel
def cubes(a: wp.array(dtype=wp.mat44), b: wp.array(dtype=wp.mat44)):
    i = wp.tid()
    b[i] = a[i] * a[i] * a[i]


@case
def mat4_chain():
    n = 1 << 18
    i, p, q = np.ogrid[:n, :4, :4]
    a, b = wp.array((((i + p * 4 + q) % 17) * 0.05).astype("f4"), dtype=wp.mat44), wp.zeros(n, dtype=wp.mat44)
    m, lo, _ = timed(lambda: wp.launch(cubes, dim=n, inputs=[a, b]))
    return m, lo, total(b)


@wp.kernel
def throw(seed: int, c: wp.array(dtype=int)):
    state = wp.rand_init(seed, wp.tid())
    x = wp.randf(state)
    y = wp.randf(state)
    if x * x + y * y < 1.0:
        wp.atomic_add(c, 0, 1)


@case
def monte_carlo_pi():
    n = 1 << 22
    c = wp.zeros(1, dtype=int)
    seed = [0]

    def go():
        seed[0] += 1
        c.zero_()
        wp.launch(throw, dim=n, inputs=[seed[0], c])
    m, lo, _ = timed(go)
    return m, lo, round(4 * int(c.numpy()[0]) / n, 2)


def main():
    if args.list:
        print(*CASES, sep="\n")
        return
    for name in args.only.split(",") if args.only else CASES:
        m, lo, check = CASES[name]()
        print(f"{name:18s} {m*1e6:12.3f} us  min {lo*1e6:12.3f}  check {check:.9g}", flush=True)


main()
