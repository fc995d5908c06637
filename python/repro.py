#!/usr/bin/env python3
# Runs ops of a profile alone and times them. Made by dprof repro.
# Needs PyTorch and a device. Usage: python3 THIS_FILE [RUNS]
import statistics
import sys

import torch

WARM_UP = 10
RUNS = 50
# Bytes that are overwritten before each run, so that no operand is in a cache: more than the caches of any device.
FLUSHED = 512 * 1024**2


class T:
    """A tensor with random values; indices are at least 0 and less than `below`."""

    def __init__(self, shape, dtype, strides=None, values="normal", below=None, on_host=False, grad=False):
        self.shape, self.dtype, self.strides = shape, dtype, strides
        self.values, self.below, self.on_host, self.grad = values, below, on_host, grad


class Op:
    """
    A call, and what the profile recorded: whether a product of FP32 operands ran in TF32, times in ns, and kernels as (name,
    mean time in ns, number in the profile).
    """

    def __init__(self, kernel, name, args, kwargs, backward, tf32, recorded_ns, recorded, calls, share):
        self.kernel, self.name, self.args, self.kwargs, self.backward = kernel, name, args, kwargs, backward
        self.tf32, self.recorded_ns, self.recorded, self.calls, self.share = tf32, recorded_ns, recorded, calls, share


# BEGIN OPS
DEVICE = "cuda"
OPS = []
# END OPS


# Numbers of PyTorch's ScalarType and MemoryFormat.
DTYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64",
    8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16", 23: "float8_e5m2",
    24: "float8_e4m3fn", 25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz", 27: "uint16", 28: "uint32", 29: "uint64",
    44: "float8_e8m0fnu", 45: "float4_e2m1fn_x2",
}  # fmt: skip
FORMATS = {0: "contiguous_format", 1: "preserve_format", 2: "channels_last", 3: "channels_last_3d"}
# Types to which PyTorch cannot convert other types.
ONLY_BYTES = ("float4_e2m1fn_x2", "float8_e8m0fnu")


class Unfit(Exception):
    """The op cannot run here."""


def dtype_named(name):
    dtype = getattr(torch, name, None)
    if dtype is None:
        raise Unfit(f"this PyTorch has no torch.{name}")
    return dtype


def filled(count, tensor):
    """A vector of `count` elements with the values that the tensor needs."""
    dtype, place = dtype_named(tensor.dtype), "cpu" if tensor.on_host else DEVICE
    if tensor.values == "zeros":
        return torch.zeros(count, dtype=dtype, device=place)
    if tensor.below is not None:
        return torch.randint(0, max(tensor.below, 1), (count,), device=place).to(dtype)
    if tensor.dtype == "bool":
        return torch.rand(count, device=place) < 0.5
    if tensor.dtype in ONLY_BYTES:
        return torch.randint(0, 256, (count,), dtype=torch.uint8, device=place).view(dtype)
    if dtype.is_complex:
        return torch.randn(count, dtype=dtype, device=place)
    if not dtype.is_floating_point:
        return torch.randint(1, 8, (count,), device=place).to(dtype)
    make = torch.rand if tensor.values == "uniform" else torch.randn
    return make(count, device=place).to(dtype)


def made(value):
    """The value that is passed for an argument."""
    if isinstance(value, list):
        return [made(item) for item in value]
    if not isinstance(value, T):
        return value
    strides, elements = value.strides, 1
    if strides is None:
        strides = []
        for extent in reversed(value.shape):
            strides.insert(0, elements)
            elements *= max(extent, 1)
    elements = 1 + sum((extent - 1) * stride for extent, stride in zip(value.shape, strides))
    if 0 in value.shape:
        elements = 0
    found = filled(elements, value).as_strided(value.shape, strides)
    return found.requires_grad_(True) if value.grad else found


def kind_of(parameter):
    """Whether a parameter of a schema is optional, whether it takes a list, and the kind of its values."""
    text = str(parameter.type)
    listed = "List[" in text or "[]" in text
    kinds = ("Tensor", "number", "Scalar", "SymInt", "int", "float", "bool", "str", "Device")
    return text.startswith("Optional") or text.endswith("?"), listed, next((k for k in kinds if k in text), text)


def fits(parameter, value):
    optional, listed, kind = kind_of(parameter)
    if value is None:
        return optional or parameter.has_default_value() or parameter.name == "device"
    if isinstance(value, list):
        if not listed:
            return False
        return all(item is None or isinstance(item, torch.Tensor) == (kind == "Tensor") for item in value)
    if isinstance(value, torch.Tensor):
        return kind == "Tensor" and not listed
    if isinstance(value, bool):
        return kind in ("bool", "number", "Scalar") and not listed
    if isinstance(value, int):
        if parameter.name in ("memory_format", "layout") or parameter.name.endswith("dtype"):
            return True
        return kind in ("int", "SymInt", "float", "number", "Scalar")
    if isinstance(value, float):
        return kind in ("float", "number", "Scalar") and not listed
    return kind == "str"


def passed(parameter, value, has_tensors):
    """The value in the form that the parameter takes."""
    name = parameter.name
    optional, listed, kind = kind_of(parameter)
    if name == "device" and value is None:
        return None if has_tensors else DEVICE
    if isinstance(value, int) and not isinstance(value, bool):
        if name.endswith("dtype"):
            return dtype_named(DTYPES[value])
        if name == "memory_format":
            return getattr(torch, FORMATS[value])
        if name == "layout":
            return torch.strided
        if listed:
            return [value]
        if kind == "float":
            return float(value)
    return value


def overload_of(name, args):
    """The overload of an op of the dispatcher that takes these arguments, which are in the order of its schema."""
    namespace, op = name.split("::")
    try:
        packet = getattr(getattr(torch.ops, namespace), op)
    except AttributeError:
        raise Unfit(f"this PyTorch has no op {name}; if a library defines it, import that above") from None
    overloads = [getattr(packet, overload) for overload in packet.overloads()]
    for overload in sorted(overloads, key=lambda found: abs(len(found._schema.arguments) - len(args))):
        parameters = overload._schema.arguments
        rest = parameters[len(args) :]
        if len(args) <= len(parameters) and all(p.has_default_value() for p in rest):
            if all(fits(p, value) for p, value in zip(parameters, args)):
                return overload, parameters
    raise Unfit(f"no overload of {name} in this PyTorch takes the {len(args)} recorded arguments")


def dispatched(name, args):
    """A call of an op of the dispatcher."""
    overload, parameters = overload_of(name, args)
    left = [parameter.name for parameter in parameters[len(args) :]]
    if left:
        print(f"  {', '.join(left)}: not recorded; the defaults of PyTorch are used")
    has_tensors = any(isinstance(value, (torch.Tensor, list)) for value in args)
    positional, keywords = [], {}
    for parameter, value in zip(parameters, args):
        optional, _, kind = kind_of(parameter)
        if value is None and not optional and parameter.name != "device":
            print(f"  {parameter.name}: not recorded; PyTorch's default {parameter.default_value!r} is used")
            value = parameter.default_value
        if parameter.kwarg_only:
            keywords[parameter.name] = passed(parameter, value, has_tensors)
        else:
            positional.append(passed(parameter, value, has_tensors))
    return lambda: overload(*positional, **keywords)


def function_named(path):
    """A function of Python: torch.nn.functional.linear, torch.Tensor.add_."""
    found = torch
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)
    if not callable(found):
        raise Unfit(f"this PyTorch has no {path}")
    return found


def tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def call_of(op):
    args = [made(value) for value in op.args]
    kwargs = {name: made(value) for name, value in op.kwargs.items()}
    if "::" in op.name:
        return dispatched(op.name, args)
    function = function_named(op.name)
    if not op.backward:
        return lambda: function(*args, **kwargs)
    inputs = [found for found in tensors_in([args, list(kwargs.values())]) if found.requires_grad]
    results = [found for found in tensors_in([function(*args, **kwargs)]) if found.requires_grad]
    if not inputs or not results:
        raise Unfit("no result of the call has a gradient")
    gradients = [torch.randn_like(found) for found in results]
    return lambda: torch.autograd.grad(results, inputs, gradients, retain_graph=True, allow_unused=True)


def times_of(call, runs):
    """Times of `runs` runs in ns. The device is still busy with the flush when a run is launched, so launch time does not count."""
    device = getattr(torch, DEVICE)
    cache = torch.empty(FLUSHED, dtype=torch.int8, device=DEVICE)
    for _ in range(WARM_UP):
        call()
    device.synchronize()
    found = []
    for _ in range(runs):
        start, end = device.Event(enable_timing=True), device.Event(enable_timing=True)
        cache.zero_()
        start.record()
        call()
        end.record()
        device.synchronize()
        found.append(start.elapsed_time(end) * 1e6)
    return found


def kernels_of(call):
    """Kernels of one run, as name and ns."""
    from torch.profiler import ProfilerActivity, profile

    activity = getattr(ProfilerActivity, DEVICE.upper(), None)
    if activity is None:
        return None
    with profile(activities=[ProfilerActivity.CPU, activity]) as profiler:
        call()
        getattr(torch, DEVICE).synchronize()
    events = [event for event in profiler.events() if "CPU" not in str(event.device_type)]
    return [(event.name, event.time_range.elapsed_us() * 1e3) for event in events]


def show(op, runs):
    where = f"kernel {op.kernel}" if op.calls is None else f"{op.calls} calls, {op.share:.2f} % of the kernels' time"
    print(f"{'gradient of ' if op.backward else ''}{op.name} ({where})")
    for name, ns, count in op.recorded:
        print(f"  profile {ns:12.0f} ns  {name}{'' if count == 1 else f' (mean of {count})'}")
    if op.tf32 is not None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = op.tf32
    call = call_of(op)
    found = times_of(call, runs)
    median = statistics.median(found)
    ratio = "" if not op.recorded_ns else f", {median / op.recorded_ns:.2f} times the profile's {op.recorded_ns:.0f} ns"
    print(f"  here    {median:12.0f} ns  median of {runs} runs, least {min(found):.0f} ns{ratio}")
    names = [name for name, _, _ in op.recorded]
    kernels = kernels_of(call)
    if kernels is None:
        print("  kernels: PyTorch's profiler does not record those of this device")
    for name, ns in kernels or []:
        same = "  (as in the profile)" if name in names else ""
        print(f"  kernel  {ns:12.0f} ns  {name}{same}")


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    failed = 0
    print(f"PyTorch {torch.__version__}, {getattr(torch, DEVICE).get_device_name()}")
    for op in OPS:
        try:
            show(op, runs)
        except Exception as error:
            failed += 1
            print(f"  cannot run: {str(error) or type(error).__name__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
