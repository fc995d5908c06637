"""Stands for PyTorch in tests of the scripts of dprof repro: tensors without data, and a record of each call.

FAKE_TORCH_LOG names the file for the record: one JSON object for each distinct call, with what it was passed.
"""
import atexit
import json
import os
import sys
import types

__version__ = "0 (stub)"
version = types.SimpleNamespace(hip=None, cuda="0")

_FLOATS = "float16 bfloat16 float32 float64 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz"
_INTEGERS = "uint8 int8 int16 int32 int64 uint16 uint32 uint64"
_log = []


class dtype:
    def __init__(self, name):
        self.name = name
        self.is_floating_point = name in _FLOATS.split()
        self.is_complex = name.startswith("complex")

    def __repr__(self):
        return "torch." + self.name


for _name in (_FLOATS + " " + _INTEGERS + " bool complex64 complex128").split():
    globals()[_name] = dtype(_name)


class memory_format:
    def __init__(self, name):
        self.name = name


contiguous_format, preserve_format, channels_last, channels_last_3d, strided = map(
    memory_format, ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d", "strided")
)


def _contiguous(shape):
    strides, elements = [], 1
    for extent in reversed(shape):
        strides.insert(0, elements)
        elements *= max(extent, 1)
    return strides


class Tensor:
    def __init__(self, shape, kind, place="cpu", strides=None, low=None, high=None):
        self.shape, self.dtype, self.place = list(shape), kind, place
        self.strides = _contiguous(self.shape) if strides is None else list(strides)
        self.low, self.high, self.requires_grad = low, high, False

    def to(self, kind):
        return Tensor(self.shape, kind, self.place, self.strides, self.low, self.high)

    def view(self, kind):
        return self.to(kind)

    def as_strided(self, shape, strides):
        elements = 0 if 0 in shape else 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
        assert self.shape == [elements], f"{self.shape} elements hold no {shape} by {strides}"
        return Tensor(shape, self.dtype, self.place, strides, self.low, self.high)

    def requires_grad_(self, wanted):
        assert self.dtype.is_floating_point or self.dtype.is_complex
        self.requires_grad = wanted
        return self

    def __lt__(self, other):
        return Tensor(self.shape, bool_, self.place)

    def t(self):
        return Tensor(self.shape[::-1], self.dtype, self.place, self.strides[::-1])

    def zero_(self):
        return self

    def copy_(self, source):
        return self

    def sum(self):
        return self


bool_ = globals()["bool"]


def _extents(size):
    return list(size[0]) if len(size) == 1 and isinstance(size[0], (list, tuple)) else [int(n) for n in size]


def randn(*size, dtype=None, device="cpu"):
    return Tensor(_extents(size), dtype or float32, device)  # noqa: F821


rand = zeros = empty = ones = randn


def randint(low, high, size, dtype=None, device="cpu"):
    return Tensor(size, dtype or int64, device, None, low, high)  # noqa: F821


def randn_like(tensor):
    return Tensor(tensor.shape, tensor.dtype, tensor.place)


empty_like = randn_like


def _shown(value):
    if isinstance(value, Tensor):
        found = {"shape": value.shape, "dtype": value.dtype.name, "strides": value.strides, "device": value.place}
        if value.high is not None and value.dtype.name.startswith("int64"):
            found["below"] = value.high
        if value.requires_grad:
            found["grad"] = True
        return found
    if isinstance(value, (list, tuple)):
        return [_shown(item) for item in value]
    if isinstance(value, (dtype, memory_format)):
        return repr(value) if isinstance(value, dtype) else value.name
    return repr(value) if isinstance(value, float) and value in (float("inf"), -float("inf")) else value


def _record(name, args, kwargs):
    call = {"call": name, "args": _shown(args), "kwargs": {key: _shown(value) for key, value in kwargs.items()}}
    if call not in _log:
        _log.append(call)
    first = next((value for value in args if isinstance(value, Tensor)), None)
    result = Tensor([1] if first is None else first.shape, float32)  # noqa: F821
    result.requires_grad = any(isinstance(value, Tensor) and value.requires_grad for value in args)
    return result


def _write():
    if "FAKE_TORCH_LOG" in os.environ:
        with open(os.environ["FAKE_TORCH_LOG"], "w") as file:
            file.writelines(json.dumps(call) + "\n" for call in _log)


atexit.register(_write)


# Schemas in a short form: name:kind, * before keywords, = before a default, | between overloads. Kinds: T tensor, n number,
# i int, f float, b bool, s text, ty type, lay layout, dev device, mf format in memory; [] for a list, ? where None fits.
_KINDS = {"T": "Tensor", "n": "number", "i": "int", "f": "float", "b": "bool", "s": "str", "dev": "Device", "gen": "Generator"}
_KINDS.update({"ty": "int", "lay": "int", "mf": "int"})
_MAKE = "* dtype:ty?=None layout:lay?=None device:dev?=None pin_memory:b?=None"
_BINARY = "self:T other:T | self:T other:n"
_SUM = "self:T other:T * alpha:n=1 | self:T other:n alpha:n=1"
_INDEXED = "self:T dim:i index:T"
_WINDOW = "self:T kernel_size:i[] stride:i[]=[] padding:i[]=0 dilation:i[]=1 ceil_mode:b=False"
_REDUCED = "self:T * dtype:ty?=None | self:T dim:i[]? keepdim:b=False * dtype:ty?=None | self:T dim:i[]? keepdim:b=False * dtype:ty?=None out:T"
_CONV = "input:T weight:T bias:T?=None stride:i[]=1 padding:i[]=0 dilation:i[]=1 groups:i=1"
_NORM = "input:T weight:T? bias:T? running_mean:T? running_var:T? training:b momentum:f eps:f"
SCHEMAS = {
    "mm": "self:T mat2:T", "bmm": "self:T mat2:T", "matmul": "self:T other:T", "linear": "input:T weight:T bias:T?=None",
    "addmm": "self:T mat1:T mat2:T * beta:n=1 alpha:n=1",
    "conv2d": _CONV + " | input:T weight:T bias:T?=None stride:i[]=1 padding:s=valid dilation:i[]=1 groups:i=1",
    "convolution": "input:T weight:T bias:T? stride:i[] padding:i[] dilation:i[] transposed:b output_padding:i[] groups:i",
    "cudnn_convolution": "self:T weight:T padding:i[] stride:i[] dilation:i[] groups:i benchmark:b deterministic:b allow_tf32:b",
    "convolution_backward": "grad_output:T input:T weight:T bias_sizes:i[]? stride:i[] padding:i[] dilation:i[] transposed:b output_padding:i[] groups:i output_mask:b[]",
    "layer_norm": "input:T normalized_shape:i[] weight:T?=None bias:T?=None eps:f=1e-05 cudnn_enable:b=True",
    "native_layer_norm_backward": "grad_out:T input:T normalized_shape:i[] mean:T rstd:T weight:T? bias:T? output_mask:b[]",
    "group_norm": "input:T num_groups:i weight:T?=None bias:T?=None eps:f=1e-05 cudnn_enabled:b=True",
    "rms_norm": "input:T normalized_shape:i[] weight:T?=None eps:f?=None",
    "batch_norm": _NORM + " cudnn_enabled:b", "native_batch_norm": _NORM,
    "native_batch_norm_backward": "grad_out:T input:T weight:T? running_mean:T? running_var:T? save_mean:T? save_invstd:T? train:b eps:f output_mask:b[]",
    "softmax": "self:T dim:i dtype:ty?=None", "log_softmax": "self:T dim:i dtype:ty?=None", "_softmax": "self:T dim:i half_to_float:b",
    "_log_softmax_backward_data": "grad_output:T output:T dim:i input_dtype:ty",
    "embedding": "weight:T indices:T padding_idx:i=-1 scale_grad_by_freq:b=False sparse:b=False",
    "index_select": _INDEXED, "gather": _INDEXED + " * sparse_grad:b=False",
    "scaled_dot_product_attention": "query:T key:T value:T attn_mask:T?=None dropout_p:f=0.0 is_causal:b=False * scale:f?=None enable_gqa:b=False",
    "add": _SUM, "add_": _SUM, "sub": _SUM, "rsub": "self:T other:T * alpha:n=1 | self:T other:n alpha:n=1",
    "mul": _BINARY, "mul_": _BINARY, "div": _BINARY, "eq": _BINARY, "lt": _BINARY, "gt": _BINARY,
    "pow": "self:T exponent:T | self:T exponent:n",
    "relu": "self:T", "relu_": "self:T", "tanh": "self:T", "sigmoid": "self:T", "cos": "self:T", "rsqrt": "self:T", "neg": "self:T",
    "silu": "self:T", "exp": "self:T", "all": "self:T | self:T dim:i keepdim:b=False", "zero_": "self:T",
    "gelu": "self:T * approximate:s=none", "threshold_backward": "grad_output:T self:T threshold:n",
    "max_pool2d": _WINDOW, "adaptive_avg_pool2d": "self:T output_size:i[]",
    "max_pool2d_with_indices_backward": "grad_output:T self:T kernel_size:i[] stride:i[] padding:i[] dilation:i[] ceil_mode:b indices:T",
    "mse_loss": "self:T target:T reduction:i=1", "mse_loss_backward": "grad_output:T self:T target:T reduction:i",
    "nll_loss_nd": "self:T target:T weight:T?=None reduction:i=1 ignore_index:i=-100",
    "nll_loss_backward": "grad_output:T self:T target:T weight:T? reduction:i ignore_index:i total_weight:T",
    "sum": _REDUCED, "mean": _REDUCED, "argmax": "self:T dim:i?=None keepdim:b=False",
    "cat": "tensors:T[] dim:i=0", "_foreach_add_": "self:T[] scalar:n | self:T[] other:T[] * alpha:n=1",
    "contiguous": "self:T * memory_format:mf=0", "clone": "self:T * memory_format:mf?=None", "reshape": "self:T shape:i[]",
    "to": "self:T dtype:ty non_blocking:b=False copy:b=False memory_format:mf?=None",
    "masked_fill": "self:T mask:T value:T | self:T mask:T value:n", "masked_fill_": "self:T mask:T value:T | self:T mask:T value:n",
    "where": "condition:T self:T other:T", "fill_": "self:T value:n | self:T value:T",
    "ones_like": "self:T " + _MAKE + " memory_format:mf?=None", "arange": "end:n " + _MAKE + " | start:n end:n " + _MAKE,
    "full": "size:i[] fill_value:n " + _MAKE, "copy_": "self:T src:T non_blocking:b=False",
    "_scaled_mm": "self:T mat2:T scale_a:T scale_b:T bias:T?=None scale_result:T?=None out_dtype:ty?=None use_fast_accum:b=False",
}  # fmt: skip


class _Parameter:
    def __init__(self, word, kwarg_only):
        name, rest = word.split(":")
        kind, _, default = rest.partition("=")
        optional, listed = kind.endswith("?"), "[]" in kind
        text = _KINDS[kind.rstrip("?").removesuffix("[]")]
        text = f"List[{text}]" if listed else text
        self.name, self.kwarg_only = name, kwarg_only
        self.type = f"Optional[{text}]" if optional else text
        self._has_default, self.default_value = "=" in rest, default

    def has_default_value(self):
        return self._has_default


class _Overload:
    def __init__(self, op, words):
        at = words.index("*") if "*" in words else len(words)
        parameters = [_Parameter(word, i > at) for i, word in enumerate(words) if word != "*"]
        self._op, self._schema = op, types.SimpleNamespace(arguments=parameters)

    def __call__(self, *args, **kwargs):
        names = [parameter.name for parameter in self._schema.arguments]
        positional = [parameter.name for parameter in self._schema.arguments if not parameter.kwarg_only]
        assert len(args) <= len(positional) and set(kwargs) <= set(names), (self._op, args, kwargs)
        return _record("aten::" + self._op, args, kwargs)


class _Packet:
    def __init__(self, op):
        for i, text in enumerate(SCHEMAS[op].split(" | ")):
            setattr(self, f"overload{i}", _Overload(op, text.split()))

    def overloads(self):
        return list(vars(self))


class _Namespace:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, op):
        if self._name != "aten" or op not in SCHEMAS:
            raise AttributeError(op)
        return _Packet(op)


class _Ops:
    def __getattr__(self, name):
        return _Namespace(name)


class _Functions:
    """Functions of Python: any name, recorded with its path."""

    def __init__(self, path):
        self._path = path

    def __getattr__(self, name):
        if name.startswith("__") and name.strip("_") not in ("add", "mul", "iadd", "truediv"):
            raise AttributeError(name)
        return lambda *args, **kwargs: _record(f"{self._path}.{name}", args, kwargs)


ops = _Ops()
nn = types.SimpleNamespace(functional=_Functions("torch.nn.functional"))
_functions = _Functions("torch")
addmm, cat, stack, embedding, bmm, relu = (getattr(_functions, n) for n in "addmm cat stack embedding bmm relu".split())
mm, matmul, layer_norm, zeros_like = (getattr(_functions, n) for n in "mm matmul layer_norm zeros_like".split())
for _name in ("add_", "mul_", "__add__", "__mul__", "__iadd__", "softmax", "log_softmax", "contiguous"):
    setattr(Tensor, _name, getattr(_Functions("torch.Tensor"), _name))


def _scaled_mm(a, b, scale_a=None, scale_b=None, out_dtype=None):
    return _record("torch._scaled_mm", [a, b], {})


def _int_mm(a, b):
    raise RuntimeError("no such product\non this device")


def _grad(outputs, inputs, gradients, retain_graph=False, allow_unused=False):
    _log.append({"call": "torch.autograd.grad", "args": [len(outputs), _shown(inputs)], "kwargs": {}}) if not any(
        call["call"] == "torch.autograd.grad" for call in _log
    ) else None


autograd = types.SimpleNamespace(grad=_grad)
_matmul = types.SimpleNamespace(allow_tf32=False)
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=_matmul), cudnn=types.SimpleNamespace(allow_tf32=True))


class _Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        pass

    def elapsed_time(self, end):
        """In ms."""
        return 0.5


_PROPERTIES = types.SimpleNamespace(total_memory=42_000_000_000, gcnArchName="")
cuda = types.SimpleNamespace(
    Event=_Event,
    synchronize=lambda: None,
    set_device=lambda number: None,
    current_device=lambda: 0,
    mem_get_info=lambda: (40 << 30, 40 << 30),
    get_device_name=lambda: "NVIDIA A100-SXM4-40GB",
    get_device_capability=lambda: (8, 0),
    get_device_properties=lambda number: _PROPERTIES,
)
sys.modules["torch.nn"] = nn
