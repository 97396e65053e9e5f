"""second_flops.py: floating-point operations and bytes of operators, computed once more from the JSON: products of
matrices by their result, convolutions by their output, attention pair by pair where it is causal."""
import ast
import math

SIZES = {"float": 4, "c10::BFloat16": 2, "c10::Half": 2, "double": 8, "int": 4, "long int": 8, "bool": 1, "c10::Float8_e4m3fn": 1}
# By name: what it is, the first operand, what is added or masks, the first setting.
NAMES = {"mm": ("matmul", 0, None), "addmm": ("matmul", 1, 0), "bmm": ("matmul", 0, None), "baddbmm": ("matmul", 1, 0),
         "matmul": ("matmul", 0, None), "linear": ("linear", 0, 2), "convolution": ("convolution", 0, 2),
         "_convolution": ("convolution", 0, 2), "convolution_backward": ("backward", 0, None),
         "scaled_dot_product_attention": ("attention", 5, 3), "_scaled_dot_product_flash_attention": ("attention", 4, None),
         "_scaled_dot_product_efficient_attention": ("attention", 6, 3),
         "_scaled_dot_product_cudnn_attention": ("attention", 6, 3)}


def known(e):
    return e.category == "cpu_op" and e.name.startswith("aten::") and e.name[6:] in NAMES


def matmul(a, b):
    """Operations and the result's elements, of two lists of dimensions."""
    a, b = [1] * (len(a) == 1) + a, b + [1] * (len(b) == 1)
    batch_a, batch_b = a[:-2], b[:-2]
    longest = max(len(batch_a), len(batch_b))
    batch_a, batch_b = [1] * (longest - len(batch_a)) + batch_a, [1] * (longest - len(batch_b)) + batch_b
    result = math.prod(max(x, y) for x, y in zip(batch_a, batch_b)) * a[-2] * b[-1]
    assert a[-1] == b[-2]
    return 2 * result * a[-1], result


def convolved(x, w, settings):
    """Elements of the output of one that is not transposed."""
    stride, padding, dilation = settings
    out = x[0] * w[0]
    for i, length in enumerate(x[2:]):
        kernel = dilation[i] * (w[2 + i] - 1) + 1
        out *= len(range(0, length + 2 * padding[i] - kernel + 1, stride[i]))
    return out


def work(e):
    """(operations, bytes) of a call; None: not known."""
    kind, first, more = NAMES[e.name[6:]]
    dims, types = e.args["Input Dims"], e.args["Input type"]
    said = e.args.get("Concrete Inputs")
    moved = lambda i: math.prod(dims[i]) * SIZES[types[i]] if i is not None and dims[i] else 0
    if kind in ("matmul", "linear"):
        a, b = dims[first], dims[first + 1]
        flop, result = matmul(a, b[::-1] if kind == "linear" else b)
        return flop, moved(first) + moved(first + 1) + moved(more) + result * SIZES[types[first]]
    if kind == "attention":
        q, k, v = dims[:3]
        pairs = k[-2] * q[-2] if said and said[first] == "False" else sum(min(i + 1, k[-2]) for i in range(q[-2]))
        heads = math.prod(q[:-2])
        size = moved(0) + moved(1) + moved(2) + moved(more) + heads * q[-2] * v[-1] * SIZES[types[0]]
        return (2 * heads * pairs * (q[-1] + v[-1]) if said else None), size
    if not said:
        return None, None
    if kind == "convolution":
        assert said[6] == "False"
        out = convolved(dims[0], dims[1], [ast.literal_eval(text) for text in said[3:6]])
        flop = 2 * out * math.prod(dims[1][1:])
        return flop, moved(0) + moved(1) + moved(more) + out * SIZES[types[0]]
    assert said[7] == "False"
    asked = ast.literal_eval(said[10])
    forward = 2 * math.prod(dims[0]) * math.prod(dims[2][1:])
    size = moved(0) + sum(2 * moved(i) if i == 1 else 2 * moved(2) for i in (1, 2) if asked[0] and asked[1])
    if asked[0] != asked[1]:
        size += moved(1) + moved(2)
    return forward * (asked[0] + asked[1]), size + asked[2] * dims[0][1] * SIZES[types[2]]


def rows(trace, tflops, gbs):
    """By name and inputs: calls, times, work, and the shares of peaks."""
    outer = set()
    for e in trace.events:
        up = e.parent if known(e) else None
        while up and not known(up):
            up = up.parent
        outer.add(id(up))
    found, counted = {}, {}
    for e in trace.events:
        if known(e) and id(e) not in outer and "Input Dims" in e.args:
            key = e.name, str(e.args["Input Dims"]), str(e.args["Input type"])
            key += (str(e.args.get("Concrete Inputs")) if NAMES[e.name[6:]][0] not in ("matmul", "linear") else "",)
            flop, size = work(e)
            row = found.setdefault(key, {"calls": 0, "host_ns": 0, "launched": 0, "device_ns": 0, "one": (flop, size),
                                         "type": e.args["Input type"][NAMES[e.name[6:]][1] if not key[3] else 0]})
            row["calls"] += 1
            row["host_ns"] += e.length
            counted[id(e)] = row
    for e in trace.device_events:
        at = e.call.parent if e.call else None
        while at and id(at) not in counted:
            at = at.parent
        if at:
            counted[id(at)]["launched"] += 1
            counted[id(at)]["device_ns"] += e.length
    return [dict(finish(row, tflops, gbs, bool(trace.device_events)), name=key[0]) for key, row in found.items()]


def finish(row, tflops, gbs, on_device):
    flop, size = row.pop("one")
    time = row["device_ns"] if on_device else row["host_ns"]
    row["flop"] = None if flop is None else flop * row["calls"]
    row["bytes"] = None if size is None else size * row["calls"]
    row["tflop_per_s"] = row["flop"] / time / 1e3 if time and flop is not None else None
    row["bandwidth_gb_per_s"] = row["bytes"] / time if time and size is not None else None
    row["intensity"] = flop / size if flop is not None and size else None
    shares = [x for x in (row["tflop_per_s"] and row["tflop_per_s"] / tflops, row["bandwidth_gb_per_s"] and row["bandwidth_gb_per_s"] / gbs) if x]
    row["peak_percent"] = 100 * max(shares) if shares else None
    row["bound"] = None if row["intensity"] is None else "compute" if row["intensity"] * gbs >= tflops * 1e3 else "memory"
    return row
