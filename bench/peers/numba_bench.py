"""Peer side of the benchmark suite: Numba on the CPU, the cases of taichi_bench.py that have a counterpart.

    python3 numba_bench.py [--list] [--only NAME,...] [--threads N]

Same sizes, initial data, checksums and output as taichi_bench.py; compilation is excluded.  Kernels are
njit(parallel=True, fastmath=True) with prange; float constants are spelled F(...), or Numba computes in
double precision.  Without SVML installed sin, exp and log are scalar calls.
"""
import argparse
import math
import time

import numba
import numpy as np
from numba import njit, prange

ap = argparse.ArgumentParser()
ap.add_argument("--only", default="")
ap.add_argument("--list", action="store_true", help="print the names of the cases")
ap.add_argument("--threads", type=int, default=0)
args = ap.parse_args()
if args.threads:
    numba.set_num_threads(args.threads)

F = np.float32
kernel = njit(parallel=True, fastmath=True)
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def timed(launch, seconds=1.5, least=7):
    launch()
    t = []
    end = time.perf_counter() + seconds
    while len(t) < least or time.perf_counter() < end:
        a = time.perf_counter()
        launch()
        t.append(time.perf_counter() - a)
        if len(t) > 20000:
            break
    t.sort()
    return t[len(t) // 2], t[0], len(t)


def total(a):
    return float(a.astype("f8").sum())


@case
def launch_empty():
    """A compiled function without a body: Numba has no launch of its own."""
    @njit
    def nop():
        pass

    def many():
        for _ in range(100):
            nop()
    m, lo, _ = timed(many)
    return m / 100, lo / 100, 0.0


@case
def launch_small():
    x = np.zeros(1024, F)

    @kernel
    def inc(x):
        for i in prange(x.size):
            x[i] += F(1)
    m, lo, _ = timed(lambda: inc(x))
    x[:] = 0
    inc(x)
    return m, lo, total(x)


@case
def saxpy():
    n = 1 << 24
    x, y = ((np.arange(n) % 1000) * 0.001).astype(F), np.ones(n, F)

    @kernel
    def k(a, x, y):
        for i in prange(x.size):
            y[i] = a * x[i] + y[i]
    m, lo, _ = timed(lambda: k(F(2), x, y))
    y[:] = 1
    k(F(2), x, y)
    return m, lo, total(y)


@case
def reduce_sum():
    n = 1 << 24
    x = ((np.arange(n) % 1000) * 0.001).astype(F)

    @kernel
    def k(x):
        s = F(0)
        for i in prange(x.size):
            s += x[i]
        return s
    m, lo, _ = timed(lambda: k(x))
    return m, lo, float(k(x))


@case
def math_sin_exp():
    n = 1 << 22
    x, y = (np.arange(n) * (10.0 / n)).astype(F), np.zeros(n, F)

    @kernel
    def k(x, y):
        for i in prange(x.size):
            y[i] = math.sin(x[i]) * math.exp(-x[i]) + math.log(x[i] + F(1))
    m, lo, _ = timed(lambda: k(x, y))
    return m, lo, total(y)


@case
def stencil2d():
    n = 4096
    i, j = np.ogrid[:n, :n]
    x, y = (((i * 31 + j * 17) % 101) * 0.01).astype(F), np.zeros((n, n), F)

    @kernel
    def k(x, y):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                y[i, j] = F(4) * x[i, j] - x[i - 1, j] - x[i + 1, j] - x[i, j - 1] - x[i, j + 1]
    m, lo, _ = timed(lambda: k(x, y))
    return m, lo, total(y.astype("f8") ** 2)


@case
def stencil3d_flat():
    n = 256
    i, j, k = np.ogrid[:n, :n, :n]
    u, d = (((i * 31 + j * 17 + k * 7) % 101) * 0.01).astype(F), np.zeros((n, n, n), F)

    @kernel
    def step(u, d):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    d[i, j, k] = F(1 / 6) * (u[i, j, k - 1] + u[i, j, k + 1] + u[i, j - 1, k] + u[i, j + 1, k]
                                             + u[i - 1, j, k] + u[i + 1, j, k]) - u[i, j, k]
    m, lo, _ = timed(lambda: step(u, d))
    return m, lo, total(d.astype("f8") ** 2)


@case
def julia():
    n = 1024
    pixels = np.zeros((2 * n, n), F)

    @kernel
    def paint(pixels, t):
        cr, ci = F(-0.8), F(math.cos(t) * 0.2)
        for i in prange(2 * n):
            for j in range(n):
                x, y = (F(i) / F(n) - F(1)) * F(2), (F(j) / F(n) - F(0.5)) * F(2)
                it = 0
                while x * x + y * y < F(400) and it < 50:
                    x, y = x * x - y * y + cr, y * x * F(2) + ci
                    it += 1
                pixels[i, j] = F(1) - F(it) * F(0.02)
    m, lo, _ = timed(lambda: paint(pixels, F(0.03)))
    return m, lo, total(pixels)


@case
def mpm88():
    """Numba has no atomics on the CPU: each thread scatters into a grid of its own."""
    n_particles, n_grid = 8192, 128
    threads = numba.get_num_threads()
    dx, dt = F(1 / n_grid), F(2e-4)
    inv_dx, p_mass = F(n_grid), F((0.5 / n_grid) ** 2)
    press = F(-2e-4 * 4 * 400 * 0.25)
    i = np.arange(n_particles)
    start = np.stack([(i % 96) / 96 * 0.4 + 0.2, (i // 96) / 96 * 0.4 + 0.2], 1).astype(F)
    x, v = np.zeros((n_particles, 2), F), np.zeros((n_particles, 2), F)
    C, J = np.zeros((n_particles, 2, 2), F), np.zeros(n_particles, F)
    parts, gv = np.zeros((threads, n_grid, n_grid, 3), F), np.zeros((n_grid, n_grid, 2), F)

    @njit(fastmath=True, inline="always")
    def weight(fx, i):
        if i == 0:
            return F(0.5) * (F(1.5) - fx) * (F(1.5) - fx)
        if i == 1:
            return F(0.75) - (fx - F(1)) * (fx - F(1))
        return F(0.5) * (fx - F(0.5)) * (fx - F(0.5))

    @kernel
    def scatter(x, v, C, J, parts):
        for t in prange(threads):
            parts[t] = F(0)
            for p in range(n_particles * t // threads, n_particles * (t + 1) // threads):
                xp, yp = x[p, 0] * inv_dx, x[p, 1] * inv_dx
                bx, by = int(xp - F(0.5)), int(yp - F(0.5))
                fx, fy = xp - F(bx), yp - F(by)
                stress = press * (J[p] - F(1))
                a00, a01 = stress + p_mass * C[p, 0, 0], p_mass * C[p, 0, 1]
                a10, a11 = p_mass * C[p, 1, 0], stress + p_mass * C[p, 1, 1]
                for i in range(3):
                    for j in range(3):
                        rx, ry = (F(i) - fx) * dx, (F(j) - fy) * dx
                        w = weight(fx, i) * weight(fy, j)
                        parts[t, bx + i, by + j, 0] += w * (p_mass * v[p, 0] + a00 * rx + a01 * ry)
                        parts[t, bx + i, by + j, 1] += w * (p_mass * v[p, 1] + a10 * rx + a11 * ry)
                        parts[t, bx + i, by + j, 2] += w * p_mass

    @kernel
    def nodes(parts, gv):
        for i in prange(n_grid):
            for j in range(n_grid):
                vx, vy, m = F(0), F(0), F(0)
                for t in range(threads):
                    vx += parts[t, i, j, 0]
                    vy += parts[t, i, j, 1]
                    m += parts[t, i, j, 2]
                if m > F(0):
                    vx /= m
                    vy /= m
                vy -= dt * F(9.8)
                if i < 3 and vx < F(0):
                    vx = F(0)
                if i > n_grid - 3 and vx > F(0):
                    vx = F(0)
                if j < 3 and vy < F(0):
                    vy = F(0)
                if j > n_grid - 3 and vy > F(0):
                    vy = F(0)
                gv[i, j, 0] = vx
                gv[i, j, 1] = vy

    @kernel
    def gather(x, v, C, J, gv):
        for p in prange(n_particles):
            xp, yp = x[p, 0] * inv_dx, x[p, 1] * inv_dx
            bx, by = int(xp - F(0.5)), int(yp - F(0.5))
            fx, fy = xp - F(bx), yp - F(by)
            vx, vy, c00, c01, c10, c11 = F(0), F(0), F(0), F(0), F(0), F(0)
            for i in range(3):
                for j in range(3):
                    w = weight(fx, i) * weight(fy, j)
                    gx, gy = w * gv[bx + i, by + j, 0], w * gv[bx + i, by + j, 1]
                    rx, ry = F(4) * inv_dx * (F(i) - fx), F(4) * inv_dx * (F(j) - fy)
                    vx += gx
                    vy += gy
                    c00 += gx * rx
                    c01 += gx * ry
                    c10 += gy * rx
                    c11 += gy * ry
            v[p, 0], v[p, 1] = vx, vy
            x[p, 0] += dt * vx
            x[p, 1] += dt * vy
            J[p] *= F(1) + dt * (c00 + c11)
            C[p, 0, 0], C[p, 0, 1], C[p, 1, 0], C[p, 1, 1] = c00, c01, c10, c11

    def init():
        x[:], v[:], C[:], J[:] = start, [0, -1], 0, 1

    def fifty():
        for _ in range(50):
            scatter(x, v, C, J, parts)
            nodes(parts, gv)
            gather(x, v, C, J, gv)
    init()
    m, lo, _ = timed(fifty, 3, 3)
    init()
    fifty()
    return m, lo, total(x)


@case
def nbody():
    n = 4096
    i = np.arange(n, dtype=F)
    pos = np.stack([np.cos(i * F(0.37)), np.sin(i * F(0.73)), np.cos(i * F(1.19))])
    vel = np.zeros((3, n), F)

    @kernel
    def step(pos, vel):
        for i in prange(n):
            px, py, pz = pos[0, i], pos[1, i], pos[2, i]
            ax, ay, az = F(0), F(0), F(0)
            for j in range(n):
                dx, dy, dz = pos[0, j] - px, pos[1, j] - py, pos[2, j] - pz
                inv = F(1) / math.sqrt(dx * dx + dy * dy + dz * dz + F(1e-3))
                f = inv * inv * inv
                ax += dx * f
                ay += dy * f
                az += dz * f
            vel[0, i] += ax * F(1e-6)
            vel[1, i] += ay * F(1e-6)
            vel[2, i] += az * F(1e-6)
    m, lo, _ = timed(lambda: step(pos, vel))
    vel[:] = 0
    step(pos, vel)
    return m, lo, total(abs(vel))


@case
def life():
    n = 4096
    i, j = np.ogrid[:n, :n]
    a, b = ((((i * 7919) ^ (j * 104729)) >> 3) & 1).astype("u1"), np.zeros((n, n), "u1")

    @kernel
    def step(a, b):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                s = np.uint8(a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j + 1]
                             + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1])
                b[i, j] = np.uint8(1) if (s | a[i, j]) == 3 else np.uint8(0)
    m, lo, _ = timed(lambda: step(a, b))
    return m, lo, total(b)


@case
def svd3():
    """Numba's linalg.svd needs LAPACK and takes one matrix a call: one-sided Jacobi by hand, singular values only."""
    n = 1 << 16
    i, p, q = np.ogrid[:n, :3, :3]
    a, s = np.sin(i.astype(F) * F(0.1) + p.astype(F) * F(3) + q.astype(F)).astype(F), np.zeros(n, F)

    @njit(fastmath=True, inline="always")
    def rotate(a0, a1, a2, b0, b1, b2):
        d = b0 * b0 + b1 * b1 + b2 * b2 - a0 * a0 - a1 * a1 - a2 * a2
        g = F(2) * (a0 * b0 + a1 * b1 + a2 * b2)
        t = g / (abs(d) + math.sqrt(d * d + g * g + F(1e-30)))
        if d < F(0):
            t = -t
        c = F(1) / math.sqrt(F(1) + t * t)
        w = c * t
        return c * a0 - w * b0, c * a1 - w * b1, c * a2 - w * b2, w * a0 + c * b0, w * a1 + c * b1, w * a2 + c * b2

    @kernel
    def k(a, s):
        for i in prange(n):
            a0, a1, a2 = a[i, 0, 0], a[i, 1, 0], a[i, 2, 0]
            b0, b1, b2 = a[i, 0, 1], a[i, 1, 1], a[i, 2, 1]
            c0, c1, c2 = a[i, 0, 2], a[i, 1, 2], a[i, 2, 2]
            for _ in range(4):
                a0, a1, a2, b0, b1, b2 = rotate(a0, a1, a2, b0, b1, b2)
                a0, a1, a2, c0, c1, c2 = rotate(a0, a1, a2, c0, c1, c2)
                b0, b1, b2, c0, c1, c2 = rotate(b0, b1, b2, c0, c1, c2)
            s[i] = (math.sqrt(a0 * a0 + a1 * a1 + a2 * a2) + math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
                    + math.sqrt(c0 * c0 + c1 * c1 + c2 * c2))
    m, lo, _ = timed(lambda: k(a, s))
    return m, lo, total(s)


@case
def mat4_chain():
    n = 1 << 18
    i, p, q = np.ogrid[:n, :4, :4]
    a, b = (((i + p * 4 + q) % 17) * 0.05).astype(F), np.zeros((n, 4, 4), F)

    @kernel
    def k(a, b):
        for i in prange(n):
            for p in range(4):
                x0, x1, x2, x3 = a[i, p, 0], a[i, p, 1], a[i, p, 2], a[i, p, 3]
                for _ in range(2):
                    y0 = x0 * a[i, 0, 0] + x1 * a[i, 1, 0] + x2 * a[i, 2, 0] + x3 * a[i, 3, 0]
                    y1 = x0 * a[i, 0, 1] + x1 * a[i, 1, 1] + x2 * a[i, 2, 1] + x3 * a[i, 3, 1]
                    y2 = x0 * a[i, 0, 2] + x1 * a[i, 1, 2] + x2 * a[i, 2, 2] + x3 * a[i, 3, 2]
                    y3 = x0 * a[i, 0, 3] + x1 * a[i, 1, 3] + x2 * a[i, 2, 3] + x3 * a[i, 3, 3]
                    x0, x1, x2, x3 = y0, y1, y2, y3
                b[i, p, 0], b[i, p, 1], b[i, p, 2], b[i, p, 3] = x0, x1, x2, x3
    m, lo, _ = timed(lambda: k(a, b))
    return m, lo, total(b)


@case
def monte_carlo_pi():
    n = 1 << 22

    @kernel
    def k():
        c = 0
        for i in prange(n):
            x, y = np.random.random(), np.random.random()
            if x * x + y * y < 1:
                c += 1
        return c
    m, lo, _ = timed(k)
    return m, lo, round(4 * k() / n, 2)


def main():
    if args.list:
        print(*CASES, sep="\n")
        return
    for name in args.only.split(",") if args.only else CASES:
        m, lo, check = CASES[name]()
        print(f"{name:18s} {m*1e6:12.3f} us  min {lo*1e6:12.3f}  check {check:.9g}", flush=True)


main()
