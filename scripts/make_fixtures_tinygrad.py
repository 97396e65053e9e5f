#!/usr/bin/env python3
"""Writes pickles in the manner of tinygrad's profiles: fixtures/tinygrad_small.pkl, the malicious ones of fixtures/bad,
and, for benchmarks, a profile of any size. Always the same bytes.

usage: make_fixtures_tinygrad.py [--check] [FOLDER]     (default: fixtures of this repository)
                                                        --check: exit 1 if the files there are not these
       make_fixtures_tinygrad.py --large EVENTS OUT     a profile of that many kernels

The opcodes are put together by hand, so that every Python writes the same, and what no pickler would write is possible.
"""
import struct
import sys

from fixture_files import write_or_check


class Pickle:
    """Protocol 4. Texts and classes are put into the memo once and fetched from then on, as Python does it."""

    def __init__(self):
        self.out = bytearray(b"\x80\x04")
        self.memo = {}
        self.count = 0

    def raw(self, data):
        self.out += data

    def memoize(self, key=None):
        self.out += b"\x94"
        if key is not None:
            self.memo[key] = self.count
        self.count += 1

    def fetch(self, key):
        index = self.memo.get(key)
        if index is not None:
            self.out += b"h" + bytes([index]) if index < 256 else b"j" + struct.pack("<I", index)
        return index is not None

    def text(self, text):
        if not self.fetch(text):
            data = text.encode()
            self.out += b"\x8c" + bytes([len(data)]) + data
            self.memoize(text)

    def integer(self, value):
        if 0 <= value < 256:
            self.out += b"K" + bytes([value])
        elif -1 << 31 <= value < 1 << 31:
            self.out += b"J" + struct.pack("<i", value)
        else:
            data = value.to_bytes(9, "little", signed=True)
            self.out += b"\x8a" + bytes([len(data)]) + data

    def named(self, name):
        """A class: "module.name"."""
        key = ("class", name)
        if not self.fetch(key):
            module, _, last = name.rpartition(".")
            self.text(module)
            self.text(last)
            self.out += b"\x93"
            self.memoize(key)

    def decimal(self, text):
        self.named("decimal.Decimal")
        data = text.encode()
        self.out += b"\x8c" + bytes([len(data)]) + data
        self.memoize()
        self.out += b"\x85"
        self.memoize()
        self.out += b"R"
        self.memoize()

    def members(self, fields):
        self.out += b"}"
        self.memoize()
        if fields:
            self.out += b"("
            for key, value in fields.items():
                self.value(key)
                self.value(value)
            self.out += b"u"

    def object(self, name, fields):
        self.named(name)
        self.out += b")\x81"
        self.memoize()
        self.members(fields)
        self.out += b"b"

    def items(self, values):
        self.out += b"("
        for value in values:
            self.value(value)

    def value(self, value):
        if value is None or value is True or value is False:
            self.out += {None: b"N", True: b"\x88", False: b"\x89"}[value]
        elif isinstance(value, int):
            self.integer(value)
        elif isinstance(value, str):
            self.text(value)
        elif isinstance(value, bytes):
            self.out += b"B" + struct.pack("<I", len(value)) + value
            self.memoize()
        elif isinstance(value, dict):
            self.members(value)
        elif isinstance(value, list):
            self.out += b"]"
            self.memoize()
            for at in range(0, len(value), 1000):
                self.items(value[at:at + 1000])
                self.out += b"e"
        elif isinstance(value, Time):
            self.decimal(value.text)
        elif isinstance(value, Event):
            self.object(value.name, value.fields)
        else:
            self.call(value)

    def call(self, call):
        self.named(call.name)
        self.items(call.args)
        self.out += b"t"
        self.memoize()
        self.out += b"R"
        self.memoize()

    def profile(self, events):
        self.value(events)
        return bytes(self.out + b".")


class Time:
    def __init__(self, ns):
        self.text = f"{ns // 1000}.{ns % 1000:03d}"


class Event:
    def __init__(self, name, /, **fields):
        self.name = ("tinygrad.device." if "Graph" in name or "Device" in name else "tinygrad.helpers.") + name
        self.fields = fields


class Call:
    def __init__(self, name, /, *args):
        self.name, self.args = name, list(args)


# ---- a small profile

FLOAT = Call("tinygrad.dtype.DType", 13, 32, "float", "f", 1, None)


def kernel(device, name, start, length, key=None):
    return Event("ProfileRangeEvent", device=device, name=name, st=Time(start), en=Time(start + length))


def point(device, name, key, arg, ts):
    return Event("ProfilePointEvent", device=device, name=name, key=key, arg=arg, ts=Time(ts))


def execution(device, name, run, buffers, ts):
    return point(device, "exec", run, {"metadata": [Event("Metadata", name="matmul", caller="", backward=run % 2 == 1)],
                                       "var_vals": {}, "bufs": buffers, "name": f"\x1b[34m{name}\x1b[0m",
                                       "outputs": [0], "inputs": list(range(1, len(buffers)))}, ts)


def small():
    """Two iterations of two kernels and a copy on a device whose clock is a millisecond late, then a graph."""
    base, late = 5_000_000_000, 1_000_000
    events = [Event("ProfileDeviceEvent", device="AMD", tdiff=Time(late), props={"gfx_target_version": 110000}),
              Event("ProfileRangeEvent", device="USER", name=Event("TracingKey", display_name="step", keys=[], ret=None,
                                                                   tb=None), st=Time(base), en=Time(base + 900_000))]
    for step in range(3):
        at = base + 200_000 * step
        events.append(point("TINY", "marker", None, {"name": f"train @ {step}", "color": "gray"}, at))
        if step < 2:
            events += [execution("AMD", "r_16", 10 + step, [1, 0], at + 1_000),
                       kernel("AMD", "r_16", at + 2_500 - late, 40_250),
                       execution("AMD", "E_4", 20 + step, [2, 1], at + 1_500),
                       kernel("AMD", "E_4", at + 50_000 - late, 7_125),
                       Event("ProfileRangeEvent", device="AMD:SDMA:0",
                             name=Event("TracingKey", display_name="TINY -> AMD", keys=[], ret=4096, tb=None),
                             st=Time(at + 60_000), en=Time(at + 62_000))]
    entries = [Event("ProfileGraphEntry", device="AMD", name=f"g_{i}", st_id=2 * i, en_id=2 * i + 1) for i in range(3)]
    signals = [Time(base + 700_000 + 10_000 * i - late) for i in range(6)]
    events.append(Event("ProfileGraphEvent", ents=entries, deps=[[], [0], [0, 1]], sigs=signals))
    for buffer, items in ((0, 1024), (1, 256), (2, 1)):
        events.append(point("AMD", "alloc", buffer, {"dtype": FLOAT, "sz": items}, base + 500 + buffer))
    events.append(point("AMD", "free", 1, {}, base + 300_000))
    return Pickle().profile(events)


# ---- malicious pickles

SYSTEM = b"\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x0etouch /tmp/ran\x94\x85\x94R\x94"
POINT_CLASS = b"\x8c\x10tinygrad.helpers\x94\x8c\x11ProfileRangeEvent\x94\x93\x94"
HEAD = b"\x80\x04]\x94("


def malicious():
    yield "pkl_call_system", HEAD + SYSTEM + b"e."
    yield "pkl_build_system", HEAD + b"\x8c\x02os\x94\x8c\x06system\x94\x93\x94)\x81\x94}\x94\x8c\x01a\x94\x8c\x03rm \x94sbe."
    yield "pkl_instance", HEAD + b"(\x8c\x01x\x94iposix\nsystem\ne."
    yield "pkl_extension", HEAD + b"\x82\x01e."
    yield "pkl_persistent", HEAD + b"\x8c\x01x\x94Qe."
    yield "pkl_class_of_numbers", HEAD + b"K\x01K\x02\x93e."
    yield "pkl_memo_bomb", HEAD + b"K\x01r\xff\xff\xff\xff0e."
    yield "pkl_memo_unset", HEAD + b"j\x40\x42\x0f\x00e."
    yield "pkl_long_text", HEAD + b"\x8d" + struct.pack("<Q", 1 << 62) + b"abce."
    yield "pkl_long_bytes", HEAD + b"\x8e" + struct.pack("<Q", (1 << 64) - 1) + b"abce."
    yield "pkl_long_integer", HEAD + b"\x8b" + struct.pack("<I", 1 << 31) + b"abce."
    yield "pkl_wide_integer", HEAD + b"\x8b" + struct.pack("<I", 300) + b"\x7f" * 300 + b"e."
    yield "pkl_no_value", HEAD + b"}\x94(\x8c\x01a\x94ue."
    yield "pkl_into_a_tuple", HEAD + b"K\x01\x85K\x02ae."
    yield "pkl_below_the_mark", b"\x80\x04]\x94K\x01(ae."
    yield "pkl_without_stop", b"\x80\x04]\x94"
    yield "pkl_not_a_list", b"\x80\x04]\x94\x85."
    yield "pkl_billion_laughs", (HEAD + event_with(b"\x8c\x04name\x94" + laughs(40)) + b"e.")
    yield "pkl_recursive", HEAD + event_with(b"\x8c\x04name\x94]\x94h\x06a") + b"e."
    yield "pkl_recursive_list", b"\x80\x04]\x94h\x00a."
    yield "pkl_deep", b"\x80\x04" + b"]" * 5000 + b"a" * 4999 + b"."
    yield "pkl_deep_field", HEAD + event_with(b"\x8c\x04name\x94" + b"]" * 1000 + b"a" * 999) + b"e."
    yield "pkl_many_times", b"\x80\x04]\x94(" + event_with(b"\x8c\x04name\x94\x8c\x01n\x94") + b"h\x04" * 9000 + b"e."
    yield "pkl_shared_graph", shared_graph()
    yield "pkl_bad_times", bad_times()


def event_with(field):
    """An event with times and one more field, which begins at memo index 5."""
    return (POINT_CLASS + b")\x81\x94}" + b"(" + field + b"\x8c\x06device\x94\x8c\x01D\x94\x8c\x02st\x94K\x01"
            b"\x8c\x02en\x94K\x02ub")


def laughs(levels):
    """Pairs of the pair before: 2 ** levels values when they are written out."""
    return b"]" + b"2\x86" * levels


def shared_graph():
    """A thousand entries that all wait for the same list of a thousand entries, again and again."""
    entry = Event("ProfileGraphEntry", device="AMD", name="e", st_id=0, en_id=1)
    p = Pickle()
    p.raw(b"]")
    p.memoize()
    p.raw(b"(")
    p.named("tinygrad.device.ProfileGraphEvent")
    p.raw(b")\x81")
    p.memoize()
    p.raw(b"}(")
    p.text("ents")
    p.raw(b"](")
    p.value(entry)
    p.raw(b"2" * 999 + b"e")
    p.text("deps")
    p.raw(b"](](" + b"K\x00" * 1000 + b"e" + b"2" * 999 + b"e")
    p.text("sigs")
    p.value([1, 2])
    p.raw(b"ube.")
    return bytes(p.out)


def bad_times():
    """Times that are no times: two of seven ranges can be read."""
    p = Pickle()
    p.raw(b"]")
    p.memoize()
    p.raw(b"(")
    for start in ("NaN", "1e999999999", "soon", "", "1" * 60, "12.5", "-3.25"):
        p.named("tinygrad.helpers.ProfileRangeEvent")
        p.raw(b")\x81")
        p.memoize()
        p.raw(b"}(")
        p.text("device")
        p.text("AMD")
        p.text("name")
        p.text("k")
        p.text("st")
        p.decimal(start)
        p.text("en")
        p.value(None)
        p.raw(b"ub")
    p.raw(b"e.")
    return bytes(p.out)


# ---- files


def large(count):
    """Kernels on two devices, each with its execution, and a copy now and then."""
    events, at = [], 7_000_000_000_000
    for i in range(count):
        device = f"AMD:{i % 2}"
        name = f"r_{i % 61}_16_{i % 7}"
        at += 5_000 + 137 * (i % 11)
        if i % 2 == 0:
            events.append(execution(device, name, i, [i % 4096, (i + 1) % 4096], at - 2_000))
        events.append(kernel(device, name, at, 1_000 + 37 * (i % 101)))
    return Pickle().profile(events)


def files():
    yield "tinygrad_small.pkl", small()
    for name, data in malicious():
        yield f"bad/{name}.pkl", data


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--large":
        with open(sys.argv[3], "wb") as out:
            out.write(large(int(sys.argv[2])))
        return 0
    return write_or_check(files())


if __name__ == "__main__":
    sys.exit(main())
