#!/usr/bin/env python3
# Measures what this device reaches with PyTorch: matrix products by type, copies and reductions.
# Made by dprof repro --device-peaks. Usage: python3 THIS_FILE [DEVICE_NUMBER] > peaks.json; then dprof --peaks peaks.json
import json
import re
import sys

import torch

# Extents of square products; the best rate counts.
SIZES = (2048, 4096, 8192, 16384)
# Bytes that copies and reductions read: more than the caches of any device.
BYTES = (1 << 30, 1 << 31)
WARM_UP = 5
RUNS = 20

# BEGIN VENDOR
VENDOR = []
# END VENDOR


def least_time(call):
    """The shortest time of a run in seconds."""
    for _ in range(WARM_UP):
        call()
    times = []
    for _ in range(RUNS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e-3)
    return min(times)


def plain(dtype):
    """A function that prepares a product of two matrices of this type."""

    def prepare(size):
        a, b = (torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
        return lambda: torch.mm(a, b)

    return prepare


def tf32(size):
    torch.backends.cuda.matmul.allow_tf32 = True
    return plain(torch.float32)(size)


def fp8(size):
    fnuz = torch.version.hip is not None and "gfx94" in getattr(properties(), "gcnArchName", "")
    dtype = torch.float8_e4m3fnuz if fnuz else torch.float8_e4m3fn
    a, b = (torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
    scale = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(a, b.t(), scale_a=scale, scale_b=scale, out_dtype=torch.bfloat16)


def int8(size):
    a, b = (torch.randint(-8, 8, (size, size), device="cuda").to(torch.int8) for _ in range(2))
    return lambda: torch._int_mm(a, b.t())


# By type: a function that takes the extent of a square product and returns a call that computes it.
PRODUCTS = {
    "fp32": plain(torch.float32),
    "fp64": plain(torch.float64),
    "tf32": tf32,
    "bf16": plain(torch.bfloat16),
    "fp16": plain(torch.float16),
    "fp8": fp8,
    "int8": int8,
}


def properties():
    return torch.cuda.get_device_properties(torch.cuda.current_device())


def on_matrix_unit(kind):
    """Whether a product of this type runs on the matrix unit. Only some devices of NVIDIA have one for FP64, none for FP32."""
    if torch.version.hip is not None:
        return "gfx9" in getattr(properties(), "gcnArchName", "")
    if kind == "fp64":
        return torch.cuda.get_device_capability() in ((8, 0), (9, 0), (10, 0))
    return kind != "fp32"


def product_rate(kind):
    """FLOP/s of the best size; None where the device or PyTorch has no such product."""
    best, free = None, torch.cuda.mem_get_info()[0]
    for size in SIZES:
        if 24 * size * size > free:
            break
        torch.backends.cuda.matmul.allow_tf32 = False
        try:
            rate = 2 * size**3 / least_time(PRODUCTS[kind](size))
        except (RuntimeError, AttributeError, TypeError) as error:
            note(f"{kind}: not measured: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
            return best
        best = rate if best is None else max(best, rate)
    return best


def memory_rates():
    """Bytes/s of a copy, which reads and writes, and of a reduction, which reads."""
    copies, reads, free = [], [], torch.cuda.mem_get_info()[0]
    for size in BYTES:
        if 3 * size > free:
            break
        source = torch.randn(size // 4, device="cuda")
        target = torch.empty_like(source)
        copies.append(2 * size / least_time(lambda: target.copy_(source)))
        reads.append(size / least_time(source.sum))
        del source, target
    if not copies:
        sys.exit(f"device_peaks: needs {3 * BYTES[0] >> 30} GiB of free device memory")
    return max(copies), max(reads)


def architecture():
    if torch.version.hip is not None:
        return getattr(properties(), "gcnArchName", "").split(":")[0]
    major, minor = torch.cuda.get_device_capability()
    return f"sm{major}{minor}"


def vendor_row():
    """What the vendor states about this device; None for a device that is not in the table of dprof."""
    name, memory = torch.cuda.get_device_name(), properties().total_memory
    for row in VENDOR:
        fits = row["memory"] is None or row["memory"][0] <= memory <= row["memory"][1]
        if re.search(row["pattern"], name, re.IGNORECASE if row["ignore_case"] else 0) and fits:
            return row
    return None


def note(text):
    print(text, file=sys.stderr)


def compare(what, measured, stated, unit, scale):
    ratio = "" if not stated else f", {100 * measured / stated:.0f} % of the vendor's {stated / scale:.4g}"
    note(f"{what}: {measured / scale:.4g} {unit}{ratio}")


def measured_peaks():
    row = vendor_row()
    stated = {} if row is None else row["peaks"]
    copy, read = memory_rates()
    for what, rate in (("copy", copy), ("reduction", read)):
        compare(what, rate, None if row is None else row["bytesPerS"], "GB/s", 1e9)
    peaks = {"matrix": {}, "vector": {}}
    for kind in PRODUCTS:
        rate = product_rate(kind)
        if rate is None:
            continue
        unit = "matrix" if on_matrix_unit(kind) else "vector"
        peaks[unit][kind] = rate
        compare(f"{kind} products", rate, stated.get(unit, {}).get(kind), "TFLOP/s", 1e12)
    # What was not measured, such as the rates of the vector units for other types.
    unmeasured = []
    for unit, rates in stated.items():
        for kind, rate in rates.items():
            if kind not in peaks[unit]:
                peaks[unit][kind] = rate
                unmeasured.append(f"{unit} {kind}")
    rest = f"; as stated by the vendor: {', '.join(unmeasured)}" if unmeasured else ""
    device = {
        "name": f"{torch.cuda.get_device_name()}, measured",
        "source": f"measured with PyTorch {torch.__version__}: products up to {SIZES[-1]}, copies, sums{rest}",
        "arch": architecture(),
        "bytesPerS": max(copy, read),
        "peaks": peaks,
    }
    if row is not None:
        device["vendor"] = {"name": row["name"], "bytesPerS": row["bytesPerS"], "peaks": row["peaks"]}
    return device


def main():
    if len(sys.argv) > 1:
        torch.cuda.set_device(int(sys.argv[1]))
    print(json.dumps(measured_peaks(), indent=2))


if __name__ == "__main__":
    main()
