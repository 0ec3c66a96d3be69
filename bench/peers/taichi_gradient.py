"""The cases of taichi_bench.py that are differentiated: each goes through all steps and back."""
from harness import case, ti, timed


@case
def autodiff_springs():
    """64 steps of 4096 springs, there and back."""
    n, steps = 4096, 64
    x = ti.field(ti.f32, (steps + 1, n), needs_grad=True)
    v = ti.field(ti.f32, (steps + 1, n), needs_grad=True)
    stiffness = ti.field(ti.f32, n, needs_grad=True)
    loss = ti.field(ti.f32, (), needs_grad=True)

    @ti.kernel
    def init():
        for i in stiffness:
            stiffness[i] = 1.0 + 0.1 * ti.sin(i * 1.0)
            x[0, i] = ti.cos(i * 0.5)

    @ti.kernel
    def swing(t: ti.i32):
        for i in range(n):
            f = -stiffness[i] * x[t, i] + 0.1 * x[t, (i + 1) % n]
            v[t + 1, i] = 0.999 * v[t, i] + 0.01 * f
            x[t + 1, i] = x[t, i] + 0.01 * v[t + 1, i]

    @ti.kernel
    def energy():
        for i in range(n):
            loss[None] += x[steps, i] ** 2

    def go():
        loss[None] = 0
        with ti.ad.Tape(loss):
            for t in range(steps):
                swing(t)
            energy()
    init()
    m, lo, _ = timed(go)
    return m, lo, float(stiffness.grad.to_numpy().astype("f8").sum())


@case
def autodiff_wave():
    """254 steps of a surface of 128^2 cells, there and back."""
    n, steps = 128, 256
    h = ti.field(ti.f32, (steps, n, n), needs_grad=True)
    initial = ti.field(ti.f32, (n, n), needs_grad=True)
    target = ti.field(ti.f32, (n, n))
    loss = ti.field(ti.f32, (), needs_grad=True)

    @ti.kernel
    def ring():
        for i, j in target:
            r = (ti.Vector([i, j]) / n - 0.5).norm()
            target[i, j] = 1.0 if r >= 0.2 and r < 0.3 else 0.0

    @ti.kernel
    def start():
        for i, j in initial:
            h[0, i, j] = initial[i, j]

    @ti.func
    def at(t, i, j):
        r = 0.0
        if i >= 0 and j >= 0 and i < n and j < n:
            r = h[t, i, j]
        return r

    @ti.kernel
    def wave(t: ti.i32):
        for i, j in initial:
            l = at(t - 1, i - 1, j) + at(t - 1, i + 1, j) + at(t - 1, i, j - 1) + at(t - 1, i, j + 1) - 4 * at(t - 1, i, j)
            h[t, i, j] = 2 * h[t - 1, i, j] + l / 3 - h[t - 2, i, j]

    @ti.kernel
    def compare():
        for i, j in target:
            loss[None] += (target[i, j] - h[steps - 1, i, j]) ** 2 / (n * n)

    def go():
        loss[None] = 0
        with ti.ad.Tape(loss):
            start()
            for t in range(2, steps):
                wave(t)
            compare()
    ring()
    m, lo, _ = timed(go)
    initial.fill(0)
    go()
    initial.from_numpy(-initial.grad.to_numpy())
    go()
    return m, lo, float((initial.grad.to_numpy().astype("f8") ** 2).sum())


@case
def autodiff_smoke():
    """100 steps of smoke in a periodic square of 110^2 cells, with 6 sweeps each, there and back."""
    n, steps, sweeps = 110, 100, 6
    grid = lambda steps: ti.field(ti.f32, (steps, n, n), needs_grad=True)
    v, u = (ti.Vector.field(2, ti.f32, (steps, n, n), needs_grad=True) for _ in range(2))
    div, p, smoke = grid(steps), grid(steps * sweeps + 1), grid(steps)
    wind = ti.Vector.field(2, ti.f32, (n, n), needs_grad=True)
    target = ti.field(ti.f32, (n, n))
    loss = ti.field(ti.f32, (), needs_grad=True)

    @ti.kernel
    def begin():
        for i, j in target:
            q = (ti.Vector([i, j]) + 0.5) / n - 0.5
            target[i, j] = 1.0 if q.norm() >= 0.2 and q.norm() < 0.3 else 0.0
            smoke[0, i, j] = 1.0 if ti.sin(20 * q[0]) * ti.sin(20 * q[1]) > 0 else 0.0

    @ti.func
    def wrap(i):
        return (i % n + n) % n

    @ti.func
    def carried(f: ti.template(), t, vel, i, j):
        x = ti.Vector([i, j]) - vel
        c = ti.floor(x)
        w = x - c
        a, b = ti.cast(c[0], ti.i32), ti.cast(c[1], ti.i32)
        a, b = wrap(a), wrap(b)
        a1, b1 = wrap(a + 1), wrap(b + 1)
        return (1 - w[0]) * ((1 - w[1]) * f[t, a, b] + w[1] * f[t, a, b1]) + w[0] * ((1 - w[1]) * f[t, a1, b] + w[1] * f[t, a1, b1])

    @ti.kernel
    def blow():
        for i, j in wind:
            v[0, i, j] = wind[i, j]

    @ti.kernel
    def advect(t: ti.i32):
        for i, j in target:
            u[t, i, j] = carried(v, t - 1, v[t - 1, i, j], i, j)

    @ti.kernel
    def diverge(t: ti.i32):
        for i, j in target:
            div[t, i, j] = -0.5 * (u[t, wrap(i + 1), j][0] - u[t, wrap(i - 1), j][0] + u[t, i, wrap(j + 1)][1] - u[t, i, wrap(j - 1)][1])

    @ti.kernel
    def sweep(t: ti.i32, k: ti.i32):
        for i, j in target:
            p[k, i, j] = (div[t, i, j] + p[k - 1, wrap(i - 1), j] + p[k - 1, wrap(i + 1), j] + p[k - 1, i, wrap(j - 1)] + p[k - 1, i, wrap(j + 1)]) / 4

    @ti.kernel
    def project(t: ti.i32):
        for i, j in target:
            k = t * sweeps
            v[t, i, j] = u[t, i, j] - 0.5 * ti.Vector([p[k, wrap(i + 1), j] - p[k, wrap(i - 1), j], p[k, i, wrap(j + 1)] - p[k, i, wrap(j - 1)]])

    @ti.kernel
    def carry(t: ti.i32):
        for i, j in target:
            smoke[t, i, j] = carried(smoke, t - 1, v[t, i, j], i, j)

    @ti.kernel
    def compare():
        for i, j in target:
            loss[None] += (smoke[steps - 1, i, j] - target[i, j]) ** 2 / (n * n)

    def go():
        loss[None] = 0
        with ti.ad.Tape(loss):
            blow()
            for t in range(1, steps):
                advect(t)
                diverge(t)
                for k in range((t - 1) * sweeps + 1, t * sweeps + 1):
                    sweep(t, k)
                project(t)
                carry(t)
            compare()
    begin()
    go()
    wind.from_numpy(-100 * wind.grad.to_numpy())
    m, lo, _ = timed(go)
    return m, lo, float((wind.grad.to_numpy().astype("f8") ** 2).sum())


@case
def autodiff_mpm():
    """A step of an elastic square of 6400 particles (MLS-MPM), there and back; of 127, all kept."""
    n, side, steps = 120, 80, 128
    dx, dt, stiff, gravity = 1 / n, 3e-4, 100, 9.8
    count = side * side
    vectors = lambda *shape: ti.Vector.field(2, ti.f32, shape, needs_grad=True)
    matrices = lambda *shape: ti.Matrix.field(2, 2, ti.f32, shape, needs_grad=True)
    x, v, c, f = vectors(steps, count), vectors(steps, count), matrices(steps, count), matrices(steps, count)
    momentum, velocity = vectors(steps, n, n), vectors(steps, n, n)
    mass = ti.field(ti.f32, (steps, n, n), needs_grad=True)
    first, centre = ti.Vector.field(2, ti.f32, (), needs_grad=True), ti.Vector.field(2, ti.f32, (), needs_grad=True)
    loss = ti.field(ti.f32, (), needs_grad=True)

    @ti.kernel
    def place():
        for p in range(count):
            x[0, p] = dx * (0.5 * ti.Vector([p // side, p % side]) + ti.Vector([10, 25]))
            f[0, p] = ti.Matrix([[1.0, 0.0], [0.0, 1.0]])

    @ti.kernel
    def start():
        for p in range(count):
            v[0, p] = first[None]

    @ti.kernel
    def scatter(t: ti.i32):
        for p in range(count):
            base = ti.cast(x[t, p] / dx - 0.5, ti.i32)
            fx = x[t, p] / dx - ti.cast(base, ti.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            g = (ti.Matrix.identity(ti.f32, 2) + dt * c[t, p]) @ f[t, p]
            f[t + 1, p] = g
            r, _ = ti.polar_decompose(g)
            j = g.determinant()
            stress = 2 * stiff * (g - r) @ g.transpose() + ti.Matrix.identity(ti.f32, 2) * stiff * j * (j - 1)
            affine = c[t, p] - 4 * dt / dx ** 2 * stress
            for i, k in ti.static(ti.ndrange(3, 3)):
                o = ti.Vector([i, k])
                weight = w[i][0] * w[k][1]
                momentum[t, base + o] += weight * (v[t, p] + affine @ ((ti.cast(o, ti.f32) - fx) * dx))
                mass[t, base + o] += weight

    @ti.kernel
    def nodes(t: ti.i32):
        for i, j in ti.ndrange(n, n):
            u = momentum[t, i, j] / (mass[t, i, j] + 1e-10)
            u[1] -= dt * gravity
            if i < 3 and u[0] < 0 or i > n - 3 and u[0] > 0:
                u[0] = 0
            if j < 3 and u[1] < 0 or j > n - 3 and u[1] > 0:
                u[1] = 0
            velocity[t, i, j] = u

    @ti.kernel
    def collect(t: ti.i32):
        for p in range(count):
            base = ti.cast(x[t, p] / dx - 0.5, ti.i32)
            fx = x[t, p] / dx - ti.cast(base, ti.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            nv, nc = ti.Vector([0.0, 0.0]), ti.Matrix([[0.0, 0.0], [0.0, 0.0]])
            for i, k in ti.static(ti.ndrange(3, 3)):
                g = w[i][0] * w[k][1] * velocity[t, base[0] + i, base[1] + k]
                nv += g
                nc += 4 / dx * g.outer_product(ti.cast(ti.Vector([i, k]), ti.f32) - fx)
            v[t + 1, p] = nv
            c[t + 1, p] = nc
            x[t + 1, p] = x[t, p] + dt * nv

    @ti.kernel
    def average():
        for p in range(count):
            centre[None] += x[steps - 1, p] / count

    @ti.kernel
    def score():
        d = centre[None] - ti.Vector([0.3, 0.6])
        loss[None] = 0.5 * d.dot(d)

    def go():
        momentum.fill(0)
        mass.fill(0)
        centre.fill(0)
        with ti.ad.Tape(loss):
            start()
            for t in range(steps - 1):
                scatter(t)
                nodes(t)
                collect(t)
            average()
            score()
    place()
    first[None] = [1, -2]
    m, lo, _ = timed(go)
    g = first.grad[None]
    return m / (steps - 1), lo / (steps - 1), float(g[0]) - float(g[1])
