"""Runs with the python of a peer (scripts/peers tinygrad-GENERATION): what tinygrad itself makes of profiles.

A line of JSON on standard input is {"profile": a profile (profiles.py), "path": where to pickle it}; the answer is a line:
{"timeline": base64 of the served bytes or null, "refused": kind of the error, "pmc", "all_pmc", "packets", "estimates": a file
of them for the command}. Objects are of tinygrad's own classes, so the pickle is what tinygrad writes.
"""
import base64
import io
import json
import pickle
import sys
import types
from contextlib import redirect_stdout
from decimal import Decimal

from tinygrad import device as device_module, helpers
from tinygrad.dtype import dtypes
from tinygrad.uop.ops import UOp, KernelInfo
from tinygrad.viz import serve

try:
    from tinygrad.renderer.amd import sqtt
except ImportError:
    sqtt = None
from tinygrad.runtime import ops_amd
from tinygrad.renderer import Estimates
try:
    from tinygrad.runtime import ops_nv
except ImportError:
    ops_nv = None

FIRST = not hasattr(serve, "VizData")  # dec25: state lives in the module


def class_named(name):
    for module in (helpers, device_module, ops_amd, ops_nv):
        if hasattr(module, name):
            return getattr(module, name)
    raise KeyError(name)


def build(value):
    if isinstance(value, list):
        return [build(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "class" in value:
        fields = {key: build(item) for key, item in value.items() if key != "class"}
        if value["class"] == "Metadata" and "caller" in class_named("Metadata").__dataclass_fields__:
            fields["caller"] = "f"
        return class_named(value["class"])(**fields)
    if len(value) == 1:
        (kind, item), = value.items()
        if kind == "decimal":
            return Decimal(item)
        if kind == "bytes":
            return bytes.fromhex(item)
        if kind == "tuple":
            return tuple(build(one) for one in item)
        if kind == "dtype" and isinstance(item, str):
            return getattr(dtypes, item)
    return {key: build(item) for key, item in value.items()}


# ---- what the compiler expects of kernels

VARIABLES = {name: UOp.variable(name, 1, 100) for name in ("n", "m")}


def amount(value):
    return eval(value, {}, VARIABLES) if isinstance(value, str) else value


def told(value, form):
    """An amount as a file of estimates tells it."""
    if not isinstance(value, str) or form == "written":
        return value
    return amount(value).render() if form == "render" else str(amount(value))


def estimates_file(profile):
    return {kernel["coloured"]: {"function_name": kernel["plain"],
                                 **{key: told(kernel[key], profile["form"]) for key in ("ops", "mem", "lds")}}
            for kernel in profile["estimates"]}


def kernel_info(kernel):
    """With the estimates, where the class has room for them."""
    estimates = Estimates(ops=amount(kernel["ops"]), lds=amount(kernel["lds"]), mem=amount(kernel["mem"]))
    if "estimates" in KernelInfo.__dataclass_fields__:
        return KernelInfo(name=kernel["coloured"], estimates=estimates)
    spec = serve.ProgramSpec(kernel["coloured"], "", "", UOp.sink())
    spec.__dict__["estimates"] = estimates
    return spec


def rewrites_of(profile):
    """What rewrites.pkl would have told the server, by name or, since aug26, by key."""
    kernels = profile["estimates"]
    if FIRST:
        serve.ctxs, serve.ref_map = [{"name": k["coloured"], "steps": []} for k in kernels], {}
        serve.trace = types.SimpleNamespace(keys=[helpers.TracingKey("", ret=kernel_info(k)) for k in kernels])
        serve.ref_map.update({k["plain"]: i for i, k in enumerate(kernels)})
        serve.device_ts_diffs.clear()
        serve.device_props.clear()
        return None
    data = serve.VizData()
    for i, kernel in enumerate(kernels):
        info = kernel_info(kernel)
        key = bytes.fromhex(kernel["key"]) if profile["generation"] == "aug26" else kernel["plain"]
        data.ref_map[key] = i
        data.ctxs.append({"name": kernel["coloured"], "steps": [], "ki": info,
                          "prg": types.SimpleNamespace(src=[types.SimpleNamespace(arg=info)])})
    return data


# ---- results


def flat(sample, blob):
    values = memoryview(blob[sample.off:sample.off + sample.size]).cast("Q").tolist()
    return {"name": sample.name, "block": sample.block, "dims": [sample.xcc, sample.inst, sample.se, sample.sa, sample.wgp],
            "off": sample.off, "size": sample.size, "reg": sample.regsample, "sum": sum(values), "values": values}


def counters(events):
    return [{"kern": e.kern, "exec_tag": e.exec_tag, "device": e.device, "table": serve.unpack_pmc(e),
             "flat": [flat(s, e.blob) for s in e.sched]} for e in events if type(e).__name__ == "ProfilePMCEvent"]


class Durations(dict):
    """Of kernels that the device did not time there are none, where the server would stop."""

    class Runs(list):
        def __getitem__(self, i):
            return super().__getitem__(i) if i < len(self) else None

    def __missing__(self, key):
        return self.Runs()


def all_counters(data):
    """The server's table, asked for as its page does."""
    contexts = serve.ctxs if FIRST else data.ctxs
    for context in contexts:
        for step in context["steps"]:
            if step["query"].startswith("/all-pmc"):
                key = "data" if "data" in step else "_data"
                durations, found = step[key]
                step[key] = Durations({k: Durations.Runs(v) for k, v in durations.items()}), found
                return serve.get_render(step["query"]) if FIRST else serve.get_render(data, step["query"])
    return None


def packet_row(packet):
    fields = {}
    for name in [*packet._fields, *(["cu"] if "wgp" in packet._fields else [])]:
        if name != "encoding" and not name.startswith("_"):
            try:
                value = getattr(packet, name)
            except ValueError as unknown:  # an operation without a name
                value = int(str(unknown).split(" ", 1)[0])
            fields[name] = value.name if hasattr(value, "name") else value
    raw = packet._raw & ((1 << 4 * packet._size_nibbles) - 1)
    return [str(packet._time), type(packet).__name__, hex(raw), fields]


def cut(events, lost, protocol):
    """The pickle without its end: `lost` events, of the first of which a part is left. Lists of 2 to 1000 items are one batch,
    so a shorter list differs in its end only, two bytes, and in the length of its frame."""
    number, part = lost
    kept = max(2, len(events) - number)
    least = len(pickle.dumps(events[:kept], protocol)) - 2
    most = len(pickle.dumps(events[:kept + 1], protocol)) - 2
    return kept, pickle.dumps(events, protocol)[:least + int(part * (most - least))]


def judge(profile, path):
    answer = {"timeline": None, "refused": None, "pmc": None, "all_pmc": None, "packets": None,
              "estimates": estimates_file(profile)}
    events = build(profile["events"])
    stored = pickle.dumps(events, protocol=profile["protocol"])
    if profile["lost"] and 2 < len(events) < 1000 and len(stored) < 50000:  # one batch, one frame
        kept, stored = cut(events, profile["lost"], profile["protocol"])
        events = events[:kept]
    answer["events"] = len(events)
    with open(path, "wb") as out:
        out.write(stored)
    data = rewrites_of(profile)
    try:
        served = serve.get_profile(events) if FIRST else serve.get_profile(data, events)
        answer["timeline"] = served and base64.b64encode(served).decode()
    except Exception as problem:
        answer["refused"] = f"{type(problem).__name__}: {problem}"
    try:
        answer["pmc"] = counters(events)
        answer["all_pmc"] = all_counters(data)
    except Exception as problem:
        answer["pmc_refused"] = f"{type(problem).__name__}: {problem}"
    if sqtt:
        answer["packets"] = [[packet_row(p) for p in sqtt.decode(e.blob)] for e in events
                             if type(e).__name__ == "ProfileSQTTEvent"]
    return answer


def main():
    for line in sys.stdin:
        request = json.loads(line)
        with redirect_stdout(io.StringIO()):
            answer = judge(request["profile"], request["path"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
