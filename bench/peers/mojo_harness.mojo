"""Timing, memory and flags of the Mojo peer. Each case prints one line, NAME median us min us check."""
from std.memory import Pointer
from std.memory.alloc import unsafe_alloc
from std.time import perf_counter_ns
from std.sys import simd_width_of
from std.math import ceildiv
from std.sys import argv
from max.algorithm import parallelize

comptime F32 = DType.float32
comptime W = simd_width_of[F32]()


@fieldwise_init
struct Options(Copyable):
    """What the flags say: --threads N, --seconds S, --only NAME, --list, and --plain for loops without explicit SIMD."""

    var threads: Int
    var seconds: Float64
    var only: String
    var listing: Bool
    var plain: Bool

    def wants(self, name: String, plain: Bool) -> Bool:
        """Whether to run a case. With --list it only prints the name."""
        if plain != self.plain:
            return False
        if self.listing:
            print(name)
            return False
        return self.only == "" or self.only == name


def options() raises -> Options:
    var o = Options(2, 1.5, "", False, False)
    var args = argv()
    var i = 1
    while i < len(args):
        var flag = String(args[i])
        if flag == "--list":
            o.listing = True
        elif flag == "--plain":
            o.plain = True
        elif i + 1 == len(args):
            raise Error("unknown flag, or one without its value: " + flag)
        else:
            i += 1
            if flag == "--threads":
                o.threads = atol(args[i])
            elif flag == "--seconds":
                o.seconds = atof(args[i])
            elif flag == "--only":
                o.only = String(args[i])
            else:
                raise Error("unknown flag: " + flag)
        i += 1
    return o^

comptime Ptr[dt: DType] = Pointer[Scalar[dt], MutUntrackedOrigin]
comptime Floats = Ptr[F32]


def array[dt: DType](n: Int) -> Ptr[dt]:
    var p = unsafe_alloc[Scalar[dt]](n, alignment=64)
    for i in range(n):
        p[unsafe_offset=i] = 0
    return p


def chunks[F: def(Int, Int) -> None](n: Int, threads: Int, f: F, align: Int = 1):
    """Calls f(lo, hi) for each thread's part of [0, n)."""
    var step = ceildiv(ceildiv(n, threads), align) * align

    def work(t: Int) {imm}:
        f(min(n, t * step), min(n, (t + 1) * step))

    parallelize(work, threads, threads)


def total[dt: DType](p: Ptr[dt], n: Int) -> Float64:
    var s = Float64(0)
    for i in range(n):
        s += p[unsafe_offset=i].cast[DType.float64]()
    return s


def bench[L: def() -> None, C: def() -> Float64](name: String, launch: L, check: C, seconds: Float64):
    """The launch once, for the checksum; then at least 7 times and for so many seconds."""
    launch()
    var c = check()
    var times = List[Int]()
    var end = Int(perf_counter_ns()) + Int(seconds * 1e9)
    while len(times) < 7 or (Int(perf_counter_ns()) < end and len(times) < 20000):
        var a = Int(perf_counter_ns())
        launch()
        times.append(Int(perf_counter_ns()) - a)
    sort(times)
    print(name, Float64(times[len(times) // 2]) / 1e3, "us  min", Float64(times[0]) / 1e3, " check", c)
