"""What taichi_bench.py and taichi_sparse.py have in common: the module, timing, and a main function.

    python3 PROGRAM [--module taichi|quadrants] [--list] [--only NAME,...] [--first] [--threads N] [--seconds S]

Each case prints its name, the median and the minimum wall time of one launch in
microseconds (compilation excluded, kernels synchronised), and a checksum.
"""
import argparse
import importlib
import time

ap = argparse.ArgumentParser()
ap.add_argument("--module", default="taichi")
ap.add_argument("--only", default="")
ap.add_argument("--first", action="store_true", help="print what the first launch costs more than a later one")
ap.add_argument("--list", action="store_true", help="print the names of the cases")
ap.add_argument("--threads", type=int, default=0)
ap.add_argument("--seconds", type=float, default=0, help="measure each case for so long, not for its own time")
args = ap.parse_args()
ti = importlib.import_module(args.module)

opts = dict(arch=ti.cpu, offline_cache=False, random_seed=1, log_level=ti.ERROR)
if args.threads:
    opts["cpu_max_num_threads"] = args.threads

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def once(launch):
    a = time.perf_counter()
    launch()
    ti.sync()
    return time.perf_counter() - a


def timed(launch, seconds=1.5, least=7):
    if args.seconds:
        seconds, least = args.seconds, 3
    first = once(launch)
    if args.first:
        cost = first - once(launch)
        return cost, cost, 1
    t = []
    end = time.perf_counter() + seconds
    while len(t) < least or time.perf_counter() < end:
        t.append(once(launch))
        if len(t) > 20000:
            break
    t.sort()
    return t[len(t) // 2], t[0], len(t)


@ti.kernel
def warm():
    pass


def main():
    if args.list:
        print(*CASES, sep="\n")
        return
    names = args.only.split(",") if args.only else list(CASES)
    for name in names:
        ti.init(**opts)
        if args.first:  # what a process pays once is not the case's
            once(warm)
        try:
            m, lo, check = CASES[name]()
            print(f"{name:18s} {m*1e6:12.3f} us  min {lo*1e6:12.3f}  check {check:.9g}", flush=True)
        except Exception as e:  # a case a fork no longer supports
            print(f"{name:18s} failed: {str(e)[:150]}", flush=True)
