"""The case mpm88: a node of the grid is a SIMD[f32, 4], and each thread scatters into a grid of its own."""
from mojo_harness import *
from std.math import ceildiv

comptime NP = 8192
comptime NG = 128
comptime Q = SIMD[F32, 4]
comptime GRID = NG * NG * 4


@always_inline
def weights(f: Float32) -> Q:
    return Q(0.5 * (1.5 - f) * (1.5 - f), 0.75 - (f - 1) * (f - 1), 0.5 * (f - 0.5) * (f - 0.5), 0)


def mpm88(threads: Int, seconds: Float64):
    comptime dt = Float32(2e-4)
    comptime mass = Float32(0.25 / NG / NG)
    comptime dx = Float32(1.0 / NG)
    var x = array[F32](2 * NP)
    var v = array[F32](2 * NP)
    var C = array[F32](4 * NP)
    var J = array[F32](NP)
    var parts = array[F32](threads * GRID)
    var vel = array[F32](GRID)

    def start() {imm}:
        for p in range(NP):
            x[unsafe_offset=2 * p] = Float32(p % 96) / 96 * 0.4 + 0.2
            x[unsafe_offset=2 * p + 1] = Float32(p // 96) / 96 * 0.4 + 0.2
            v[unsafe_offset=2 * p] = 0
            v[unsafe_offset=2 * p + 1] = -1
            C.unsafe_store(4 * p, Q(0))
            J[unsafe_offset=p] = 1

    def scatter(t: Int) {imm}:
        var grid = parts.unsafe_offset(t * GRID)
        for g in range(0, GRID, W):
            grid.unsafe_store(g, SIMD[F32, W](0))
        for p in range(NP * t // threads, NP * (t + 1) // threads):
            var xp = x[unsafe_offset=2 * p] * NG
            var yp = x[unsafe_offset=2 * p + 1] * NG
            var bx = Int(xp - 0.5)
            var by = Int(yp - 0.5)
            var fx = xp - Float32(bx)
            var fy = yp - Float32(by)
            var wx = weights(fx)
            var wy = weights(fy)
            var stress = -4 * dt * 400 * 0.25 * (J[unsafe_offset=p] - 1)
            var c = mass * C.unsafe_load[width=4](4 * p)
            var ai = Q(stress + c[0], c[2], 0, 0) * dx
            var aj = Q(c[1], stress + c[3], 0, 0) * dx
            var m0 = Q(mass * v[unsafe_offset=2 * p], mass * v[unsafe_offset=2 * p + 1], mass, 0)
            comptime for i in range(3):
                comptime for j in range(3):
                    var g = ((bx + i) * NG + by + j) * 4
                    var a = m0 + ai * (Float32(i) - fx) + aj * (Float32(j) - fy)
                    grid.unsafe_store(g, grid.unsafe_load[width=4](g) + wx[i] * wy[j] * a)

    def nodes(lo: Int, hi: Int) {imm}:
        for i in range(lo, hi):
            for j in range(NG):
                var g = (i * NG + j) * 4
                var s = Q(0)
                for t in range(threads):
                    s += parts.unsafe_load[width=4](t * GRID + g)
                if s[2] > 0:
                    s /= s[2]
                var vx = s[0]
                var vy = s[1] - dt * 9.8
                if (i < 3 and vx < 0) or (i > NG - 3 and vx > 0):
                    vx = 0
                if (j < 3 and vy < 0) or (j > NG - 3 and vy > 0):
                    vy = 0
                vel.unsafe_store(g, Q(vx, vy, 0, 0))

    def gather(lo: Int, hi: Int) {imm}:
        for p in range(lo, hi):
            var xp = x[unsafe_offset=2 * p] * NG
            var yp = x[unsafe_offset=2 * p + 1] * NG
            var bx = Int(xp - 0.5)
            var by = Int(yp - 0.5)
            var fx = xp - Float32(bx)
            var fy = yp - Float32(by)
            var wx = weights(fx)
            var wy = weights(fy)
            var s = Q(0)
            var ci = Q(0)
            var cj = Q(0)
            comptime for i in range(3):
                comptime for j in range(3):
                    var g = wx[i] * wy[j] * vel.unsafe_load[width=4](((bx + i) * NG + by + j) * 4)
                    s += g
                    ci += g * (Float32(i) - fx)
                    cj += g * (Float32(j) - fy)
            ci *= 4 * NG
            cj *= 4 * NG
            v[unsafe_offset=2 * p] = s[0]
            v[unsafe_offset=2 * p + 1] = s[1]
            x[unsafe_offset=2 * p] += dt * s[0]
            x[unsafe_offset=2 * p + 1] += dt * s[1]
            J[unsafe_offset=p] *= 1 + dt * (ci[0] + cj[1])
            C.unsafe_store(4 * p, Q(ci[0], cj[0], ci[1], cj[1]))

    def launch() {imm}:
        for _ in range(50):
            parallelize(scatter, threads, threads)
            chunks(NG, threads, nodes)
            chunks(NP, threads, gather)

    def check() {imm} -> Float64:
        return total(x, 2 * NP)

    start()
    bench("mpm88", launch, check, seconds)
