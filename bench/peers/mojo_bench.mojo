"""The cases of go run ./bench in Mojo: with explicit SIMD and a chunk of the loop for each thread, or, with --plain, as
scalar loops in each thread, as one first writes them. The compiler does not vectorise these."""
from mojo_harness import *
from std.algorithm import vectorize
from std.math import sin, cos, exp, log, sqrt, iota
from mojo_mpm import mpm88


# ---- streams and reductions ----

def saxpy(o: Options):
    comptime n = 1 << 24
    var x = array[F32](n)
    var y = array[F32](n)
    for i in range(n):
        x[unsafe_offset=i] = Float32(i % 1000) * 0.001
        y[unsafe_offset=i] = 1
    var a = Float32(2)

    def part(lo: Int, hi: Int) {imm}:
        def body[w: Int](i: Int) {imm}:
            y.unsafe_store(lo + i, a * x.unsafe_load[width=w](lo + i) + y.unsafe_load[width=w](lo + i))
        vectorize[W, unroll_factor=4](hi - lo, body)

    def launch() {imm}:
        chunks(n, o.threads, part)

    def check() {imm} -> Float64:
        return total(y, n)

    bench("saxpy", launch, check, o.seconds)
    x.unsafe_free()
    y.unsafe_free()


def saxpy_plain(o: Options):
    comptime n = 1 << 24
    var x = array[F32](n)
    var y = array[F32](n)
    for i in range(n):
        x[unsafe_offset=i] = Float32(i % 1000) * 0.001
        y[unsafe_offset=i] = 1
    var a = Float32(2)

    def part(lo: Int, hi: Int) {imm}:
        for i in range(lo, hi):
            y[unsafe_offset=i] = a * x[unsafe_offset=i] + y[unsafe_offset=i]

    def launch() {imm}:
        chunks(n, o.threads, part)

    def check() {imm} -> Float64:
        return total(y, n)

    bench("saxpy", launch, check, o.seconds)
    x.unsafe_free()
    y.unsafe_free()


def reduce_sum(o: Options):
    comptime n = 1 << 24
    comptime R = 4 * W  # four accumulators side by side
    var x = array[F32](n)
    for i in range(n):
        x[unsafe_offset=i] = Float32(i % 1000) * 0.001
    var sums = array[F32](64)

    def work(t: Int) {imm}:
        var acc = SIMD[F32, R](0)
        var lo = n * t // o.threads // R * R
        var hi = n * (t + 1) // o.threads // R * R
        for i in range(lo, hi, R):
            acc += x.unsafe_load[width=R](i)
        sums[unsafe_offset=t] = acc.reduce_add()

    def launch() {imm}:
        parallelize(work, o.threads, o.threads)

    def check() {imm} -> Float64:
        return total(sums, o.threads)

    bench("reduce_sum", launch, check, o.seconds)
    x.unsafe_free()
    sums.unsafe_free()


def math_sin_exp(o: Options):
    comptime n = 1 << 22
    var x = array[F32](n)
    var y = array[F32](n)
    for i in range(n):
        x[unsafe_offset=i] = Float32(i) * Float32(10.0 / n)

    def part(lo: Int, hi: Int) {imm}:
        def body[w: Int](i: Int) {imm}:
            var v = x.unsafe_load[width=w](lo + i)
            y.unsafe_store(lo + i, sin(v) * exp(-v) + log(v + 1))
        vectorize[W](hi - lo, body)

    def launch() {imm}:
        chunks(n, o.threads, part)

    def check() {imm} -> Float64:
        return total(y, n)

    bench("math_sin_exp", launch, check, o.seconds)
    x.unsafe_free()
    y.unsafe_free()


# ---- stencils and images ----

def stencil2d[plain: Bool](o: Options):
    comptime n = 4096
    var x = array[F32](n * n)
    var y = array[F32](n * n)
    for i in range(n):
        for j in range(n):
            x[unsafe_offset=i * n + j] = Float32((31 * i + 17 * j) % 101) * 0.01

    def rows(lo: Int, hi: Int) {imm}:
        for r in range(lo, hi):
            var base = (r + 1) * n + 1
            comptime if plain:
                for p in range(base, base + n - 2):
                    var s = x[unsafe_offset=p - n] + x[unsafe_offset=p + n]
                    s += x[unsafe_offset=p - 1] + x[unsafe_offset=p + 1]
                    y[unsafe_offset=p] = 4 * x[unsafe_offset=p] - s
                continue

            def body[w: Int](j: Int) {imm}:
                var p = base + j
                var s = x.unsafe_load[width=w](p - n) + x.unsafe_load[width=w](p + n)
                s += x.unsafe_load[width=w](p - 1) + x.unsafe_load[width=w](p + 1)
                y.unsafe_store(p, 4 * x.unsafe_load[width=w](p) - s)
            vectorize[W, unroll_factor=2](n - 2, body)

    def launch() {imm}:
        chunks(n - 2, o.threads, rows)

    def check() {imm} -> Float64:
        var s = Float64(0)
        for i in range(n * n):
            s += y[unsafe_offset=i].cast[DType.float64]() * y[unsafe_offset=i].cast[DType.float64]()
        return s

    bench("stencil2d", launch, check, o.seconds)
    x.unsafe_free()
    y.unsafe_free()


def julia[width: Int](o: Options):
    comptime n = 1024
    comptime V = SIMD[F32, width]
    var pixels = array[F32](2 * n * n)
    var ci = 0.2 * cos(Float32(0.03))

    def row(i: Int) {imm}:
        for j in range(0, n, width):
            var x = V(2 * Float32(i) / n - 2)
            var y = 2 * (iota[F32, width](Float32(j))) / n - 1
            var count = V(0)
            for _ in range(50):
                var xx = x * x
                var yy = y * y
                var alive = (xx + yy).lt(400)
                if not alive.reduce_or():
                    break
                count += alive.select(V(1), V(0))
                y = (x + x) * y + ci
                x = xx - yy - 0.8
            pixels.unsafe_store(i * n + j, 1 - 0.02 * count)

    def launch() {imm}:
        parallelize(row, 2 * n, o.threads)

    def check() {imm} -> Float64:
        return total(pixels, 2 * n * n)

    bench("julia", launch, check, o.seconds)
    pixels.unsafe_free()


def julia_plain(o: Options):
    comptime n = 1024
    var pixels = array[F32](2 * n * n)
    var ci = 0.2 * cos(Float32(0.03))

    def row(i: Int) {imm}:
        for j in range(n):
            var x = 2 * Float32(i) / n - 2
            var y = 2 * Float32(j) / n - 1
            var it = 0
            while x * x + y * y < 400 and it < 50:
                var t = x * x - y * y - 0.8
                y = 2 * x * y + ci
                x = t
                it += 1
            pixels[unsafe_offset=i * n + j] = 1 - 0.02 * Float32(it)

    def launch() {imm}:
        parallelize(row, 2 * n, o.threads)

    def check() {imm} -> Float64:
        return total(pixels, 2 * n * n)

    bench("julia", launch, check, o.seconds)
    pixels.unsafe_free()


def life[plain: Bool](o: Options):
    comptime n = 4096
    comptime U8 = DType.uint8
    comptime B = simd_width_of[U8]()
    var a = array[U8](n * n)
    var b = array[U8](n * n)
    for i in range(n):
        for j in range(n):
            a[unsafe_offset=i * n + j] = UInt8(((i * 7919 ^ j * 104729) >> 3) & 1)

    def rows(lo: Int, hi: Int) {imm}:
        for r in range(lo, hi):
            var base = (r + 1) * n + 1
            comptime if plain:
                for p in range(base, base + n - 2):
                    var near = UInt8(0)
                    for di in range(-1, 2):
                        for dj in range(-1, 2):
                            if di != 0 or dj != 0:
                                near += a[unsafe_offset=p + di * n + dj]
                    b[unsafe_offset=p] = UInt8(1) if near | a[unsafe_offset=p] == 3 else UInt8(0)
                continue

            def body[w: Int](j: Int) {imm}:
                var p = base + j
                var s = SIMD[U8, w](0)
                comptime for di in range(-1, 2):
                    comptime for dj in range(-1, 2):
                        comptime if di != 0 or dj != 0:
                            s += a.unsafe_load[width=w](p + di * n + dj)
                var live = (s | a.unsafe_load[width=w](p)).eq(3)
                b.unsafe_store(p, live.cast[U8]())
            vectorize[B](n - 2, body)

    def launch() {imm}:
        chunks(n - 2, o.threads, rows)

    def check() {imm} -> Float64:
        return total(b, n * n)

    bench("life", launch, check, o.seconds)
    a.unsafe_free()
    b.unsafe_free()


# ---- particles ----

def nbody[width: Int](o: Options):
    comptime n = 4096
    comptime V = SIMD[F32, width]
    var pos = array[F32](3 * n)
    var vel = array[F32](3 * n)
    for i in range(n):
        pos[unsafe_offset=i] = cos(0.37 * Float32(i))
        pos[unsafe_offset=n + i] = sin(0.73 * Float32(i))
        pos[unsafe_offset=2 * n + i] = cos(1.19 * Float32(i))

    def part(lo: Int, hi: Int) {imm}:
        for i in range(lo, hi, width):
            var px = pos.unsafe_load[width=width](i)
            var py = pos.unsafe_load[width=width](n + i)
            var pz = pos.unsafe_load[width=width](2 * n + i)
            var ax = V(0)
            var ay = V(0)
            var az = V(0)
            for j in range(n):
                var dx = pos[unsafe_offset=j] - px
                var dy = pos[unsafe_offset=n + j] - py
                var dz = pos[unsafe_offset=2 * n + j] - pz
                var inv = 1 / sqrt(dx * dx + dy * dy + dz * dz + 1e-3)
                var f = inv * inv * inv
                ax += f * dx
                ay += f * dy
                az += f * dz
            vel.unsafe_store(i, vel.unsafe_load[width=width](i) + 1e-6 * ax)
            vel.unsafe_store(n + i, vel.unsafe_load[width=width](n + i) + 1e-6 * ay)
            vel.unsafe_store(2 * n + i, vel.unsafe_load[width=width](2 * n + i) + 1e-6 * az)

    def launch() {imm}:
        chunks(n, o.threads, part, width)

    def check() {imm} -> Float64:
        var s = Float64(0)
        for i in range(3 * n):
            s += abs(vel[unsafe_offset=i].cast[DType.float64]())
        return s

    bench("nbody", launch, check, o.seconds)
    pos.unsafe_free()
    vel.unsafe_free()


def histogram(o: Options):
    comptime n = 1 << 24
    comptime BINS = 1024
    comptime I32 = DType.int32
    var private = array[I32](o.threads * BINS)
    var bins = array[I32](BINS)

    def work(t: Int) {imm}:
        var mine = private.unsafe_offset(t * BINS)
        for b in range(BINS):
            mine[unsafe_offset=b] = 0
        for i in range(n * t // o.threads, n * (t + 1) // o.threads):
            var h = (UInt32(i) * 1103515245 + 12345) >> 8 & 1023
            mine[unsafe_offset=Int(h)] += 1

    def launch() {imm}:
        parallelize(work, o.threads, o.threads)
        for b in range(BINS):
            var s = Int32(0)
            for t in range(o.threads):
                s += private[unsafe_offset=t * BINS + b]
            bins[unsafe_offset=b] += s

    def check() {imm} -> Float64:
        var s = Float64(0)
        for b in range(BINS):
            s += bins[unsafe_offset=b].cast[DType.float64]() * bins[unsafe_offset=b].cast[DType.float64]()
        return s

    bench("histogram", launch, check, o.seconds)
    private.unsafe_free()
    bins.unsafe_free()


def main() raises:
    var o = options()
    if o.wants("saxpy", False):
        saxpy(o)
    if o.wants("reduce_sum", False):
        reduce_sum(o)
    if o.wants("math_sin_exp", False):
        math_sin_exp(o)
    if o.wants("stencil2d", False):
        stencil2d[False](o)
    if o.wants("julia", False):
        julia[4 * W](o)
    if o.wants("life", False):
        life[False](o)
    if o.wants("nbody", False):
        nbody[2 * W](o)
    if o.wants("histogram", False):
        histogram(o)
    if o.wants("mpm88", False):
        mpm88(o.threads, o.seconds)
    if o.wants("saxpy", True):
        saxpy_plain(o)
    if o.wants("stencil2d", True):
        stencil2d[True](o)
    if o.wants("julia", True):
        julia_plain(o)
    if o.wants("life", True):
        life[True](o)
    if o.wants("nbody", True):
        nbody[1](o)
