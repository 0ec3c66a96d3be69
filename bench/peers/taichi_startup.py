"""Kernels that are long to compile: what bench's startup cases ten and loops are compared with.

Taichi reads a kernel's text from its file, so the kernels that are made up here are written to one.
"""
import importlib.util
import inspect
import os
import tempfile

from harness import CASES, case


def load(text, name):
    """Return the function called name of a module with this text."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, name + "_made.py")
    with open(path, "w") as f:
        f.write("from harness import ti, timed\n\n\n" + text)
    spec = importlib.util.spec_from_file_location(name + "_made", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


@case
def ten():
    """mpm88 with the loops of a substep ten times in a kernel."""
    text = inspect.getsource(CASES["mpm88"])
    head, rest = text.split("    def substep():\n")
    body, tail = rest.split("\n    def fifty():", 1)
    text = head + "    def substep():\n" + body * 10 + "\n    def fifty():" + tail
    text = text.replace("@case\n", "").replace("range(50)", "range(1)").replace("def mpm88", "def ten")
    return load(text, "ten")()


@case
def loops():
    """400 loops in a kernel, each with a number of its own."""
    lines = ["def loops():", "    J = ti.field(ti.f32, 8192)", "", "    @ti.kernel", "    def step(dt: ti.f32):"]
    for i in range(400):
        lines += ["        for p in J:", f"            J[p] = J[p] * dt + {i + 2}"]
    lines += ["    m, lo, _ = timed(lambda: step(2e-4))", "    return m, lo, 0.0"]
    return load("\n".join(lines) + "\n", "loops")()
