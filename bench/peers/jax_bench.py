"""The cases of layers of neural networks (autodiff_convolution, …) in JAX, there and back.

    python3 jax_bench.py [--list] [--only NAME,...] [--threads N] [--seconds S]

Prints what taichi_bench.py prints.
"""
import argparse
import os
import time

ap = argparse.ArgumentParser()
ap.add_argument("--only", default="")
ap.add_argument("--list", action="store_true", help="print the names of the cases")
ap.add_argument("--threads", type=int, default=0)
ap.add_argument("--seconds", type=float, default=1.5, help="how long to measure each case")
args = ap.parse_args()

if args.threads and hasattr(os, "sched_setaffinity"):  # JAX takes as many threads as there are processors for it
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np


def waves(shape, *factors):
    grid = np.meshgrid(*[np.arange(n) for n in shape], indexing="ij")
    return jnp.asarray(np.sin(sum(f * g for f, g in zip(factors, grid))), jnp.float32)


def convolution():
    """A layer of 3x3 weights from 8 to 16 channels, of 64 pictures of 16^2 cells."""
    x = waves((64, 16, 16, 8), 0.7, 1.3, 0.9, 2.1)
    w = 0.2 * waves((3, 3, 8, 16), 1.1, 0.6, 1.9, 0.8)

    def loss(x, w, b):
        y = jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jnp.sum(jax.nn.relu(y + b) ** 2)
    return loss, (x, w, jnp.zeros(16))


def dense():
    """A layer of 128 channels, of 256 rows."""
    a = waves((256, 128), 0.7, 1.3)
    m = 0.2 * waves((128, 128), 1.1, 0.6)

    def loss(a, m, b):
        return jnp.sum(jax.nn.relu(a @ m + b) ** 2)
    return loss, (a, m, jnp.zeros(128))


def attention():
    """4 heads of 32 channels, in 8 sequences of 64 tokens."""
    shape = (8, 4, 64, 32)
    q, k = waves(shape, 0.3, 1.7, 0.9, 2.1), waves(shape, 1.3, 0.7, 1.9, 1.1)
    v, weight = waves(shape, 0.4, 2.7, 0.2, 3.1), waves(shape, 2.3, 0.1, 1.2, 0.6)

    def loss(q, k, v):
        s = jnp.einsum("bhtc,bhuc->bhtu", q, k) / jnp.sqrt(jnp.float32(32))
        o = jnp.einsum("bhtu,bhuc->bhtc", jax.nn.softmax(s), v)
        return jnp.sum(weight * o * o)
    return loss, (q, k, v)


CASES = {"autodiff_convolution": convolution, "autodiff_dense": dense, "autodiff_attention": attention}


def measure(name):
    loss, leaves = CASES[name]()
    there_and_back = jax.jit(jax.value_and_grad(loss, argnums=tuple(range(len(leaves)))))
    _, gradients = jax.block_until_ready(there_and_back(*leaves))
    times, end = [], time.perf_counter() + args.seconds
    while len(times) < 7 or time.perf_counter() < end:
        start = time.perf_counter()
        jax.block_until_ready(there_and_back(*leaves))
        times.append(time.perf_counter() - start)
    times.sort()
    check = sum(float(np.sum(np.asarray(g, "f8") ** 2)) for g in gradients)
    print(f"{name:18s} {times[len(times) // 2] * 1e6:12.3f} us  min {times[0] * 1e6:12.3f}  check {check:.9g}", flush=True)


if args.list:
    print(*CASES, sep="\n")
else:
    for name in args.only.split(",") if args.only else CASES:
        measure(name)
