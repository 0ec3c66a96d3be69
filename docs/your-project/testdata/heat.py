import ctypes

lib = ctypes.CDLL("./libheat.so")
for f in lib.heat_new, lib.heat_step, lib.heat_read:
    f.restype = ctypes.c_char_p

def check(error):
    if error:
        raise RuntimeError(error.decode())

n = 512
check(lib.heat_new(n))
for _ in range(100):
    check(lib.heat_step(ctypes.c_float(0.2)))
t = (ctypes.c_float * (n * n))()
check(lib.heat_read(t, n * n))
print(f"{sum(t):.0f} in all, {t[256 * n + 256]:.3f} in the middle")
