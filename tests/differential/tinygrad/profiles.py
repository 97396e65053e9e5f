"""Random profiles of tinygrad as plain data: the same seed always gives the same one.

A profile is {"generation", "protocol", "events", "lost", "estimates", "form"}. lost: how many events at the end a cut takes, and
how much of the first one it leaves (null: nothing is cut). form: whether an estimate with variables is told as it is "written"
here, as tinygrad's "render" shows it, or as "str" does. An event is {"class": name, field: value...}; what JSON has
no word for is an object with one member: {"decimal": text}, {"bytes": hex}, {"tuple": [...]}, {"dtype": name of the type},
and {"class": ...} once more. judge.py makes the objects of it, for it has tinygrad's classes.

Every kind of event that the generation has comes up, with the odd among them: times that are equal, negative or far apart,
lengths of 0, kernels without an execution, buffers that stay, graphs of one entry, counters beyond 2^63, streams of noise.
"""
import hashlib
import random
import struct
from decimal import Decimal

GENERATIONS = ("dec25", "mid26", "aug26")
BASES = {
    "dec25": ["AMD", "AMD:1", "AMD:10", "AMD:2", "NV", "NV:1", "CPU", "CPU:1", "METAL", "NULL", "QCOM"],
    "mid26": ["AMD", "AMD:1", "AMD:10", "AMD:2", "AMD:SDMA:0", "AMD:1:SDMA:1", "NV", "NV:COPY:0", "CPU", "CPU:1",
              "PYTHON", "PYTHON:COPY", "METAL", "NULL", "WEBGPU"],
}
BASES["aug26"] = BASES["mid26"]
HOSTS = ["USER", "TINY", "GC", "DISK", "DISK:/tmp/x", "GCX", "USERS", "TINYBOX:1"]
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "half", "bfloat16", "float",
          "double", "fp8e4m3", "fp8e5m2"]
EXPRESSIONS = ["n*4", "(n+1)*m*128", "n//3+n%7", "1+(n<<6)", "(n<<3)*m+(m<<2)", "(n*m>>2)+5", "0+4*(1*n*m)+4*(1*n)", "n*m*(n+m)*n*m"]
CALLS = ["n.maximum(m)*3", "(n<m).where(n, m*2)+1", "(n.ne(7)).where(m, n)*64", "-(n-500)", "(n+m)//(m+1)", "(n*n)%(m+2)*8"]
COUNTERS = ["SQ_BUSY_CYCLES", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "GRBM_GUI_ACTIVE", "GL2C_HIT", "SQ_WAVES", "TCP_X[0]"]
SIZES = [0, 1, 3, 64, 4096, 10**6, 10**12, 10**12 + 1, 10**15]


def decimal(text):
    return {"decimal": text}


class Maker:
    """One profile in the making. `now` is in nanoseconds; each device has its own memory."""

    def __init__(self, seed, generation):
        self.r = random.Random(f"{generation} {seed}")
        self.generation, self.later = generation, generation != "dec25"
        r = self.r
        self.start = r.choice([0, 10**9, 5 * 10**12, 10**15, r.randrange(10**16), -10**6])
        self.step = r.choice([3, 400, 5000, 10**6, 10**9])
        self.now = self.start
        self.run, self.buffer = r.randrange(100), r.randrange(100)
        self.live = {}
        self.kernels = [self.kernel(i) for i in range(r.randrange(1, 6))]
        names = r.sample(BASES[generation], r.randrange(1, 5))
        self.devices = names + r.sample(HOSTS, r.randrange(0, 4))
        self.events = []

    # ---- small things

    def odd(self, *values):
        """One of what hardly occurs, for tinygrad may refuse it, or None."""
        return self.r.choice(values) if self.r.random() < 0.01 else None

    def time(self, ns, device=""):
        r = self.r.random()
        if device == "METAL" and ns > 10**11:  # the driver gives seconds since the start of the machine as a double
            return decimal(str(Decimal(ns / 1e9) * 1000000))
        whole, rest = divmod(abs(ns), 1000)
        sign = "-" if ns < 0 else ""
        if rest == 0 and r < 0.5:
            return decimal(f"{sign}{whole}")
        return decimal(f"{sign}{whole}.{rest:03d}")

    def tick(self):
        r = self.r.random()
        if r < 0.2:
            return self.now
        self.now += self.r.randrange(1, self.step) if r < 0.95 else self.r.randrange(1, 1000 * self.step)
        return self.now

    def length(self):
        return self.r.choice([0, 1, 999, 1000, self.r.randrange(1, 10**4), self.r.randrange(1, 10**8),
                              self.r.randrange(1, 10**11), -self.r.randrange(1, 2000)][:8 if self.r.random() < .1 else 7])

    def kernel(self, i):
        plain = f"{self.r.choice(['r', 'E'])}_{self.r.randrange(1, 999)}_{i}"
        head, *rest = plain.split("_")
        coloured = head + "".join(f"\x1b[90m_\x1b[0m\x1b[{c}m{part}\x1b[0m" for c, part in zip((33, 94), rest))
        return {"plain": plain, "coloured": coloured, "key": hashlib.sha256(plain.encode()).hexdigest(), "tag": 10 + i}

    def choice_of_device(self):
        return self.r.choice(self.devices)

    def stack(self):
        frames = [{"tuple": [f"/x/{self.r.choice('abc')}.py", self.r.randrange(1, 999), "f\"n", "a = b\n"]}
                  for _ in range(self.r.randrange(0, 4))]
        return {"tuple": frames}

    def tracing_key(self):
        r = self.r
        ret = r.choice([None, None, r.randrange(0, 2**40), r.randrange(2**63), "free text", "", "ü \x1b[31mred",
                        'JSON{"step": %d, "lr": 0.1, "a": [1, {"b": null}]}' % r.randrange(99), -5, 1.5])
        if not self.later and isinstance(ret, (str, float)):
            ret = None
        return {"class": "TracingKey", "display_name": r.choice(["copy", "Schedule 3 n1", "\x1b[34mblue\x1b[0m", "", self.kernels[0]["plain"]]),
                "keys": {"tuple": r.sample(["a", "b", 7], r.randrange(0, 3))}, "ret": ret,
                "tb": r.choice([None, self.stack()])}

    # ---- ranges, points

    def range(self, device=None, kernel=None):
        r = self.r
        device = device or self.choice_of_device()
        at = self.tick()
        e = {"class": "ProfileRangeEvent", "device": device, "st": self.time(at, device)}
        kernel = kernel or (r.choice(self.kernels) if r.random() < 0.7 else None)
        e["name"] = kernel["plain"] if kernel else r.choice([self.tracing_key(), "copy", "weird \"name\"\n", ""])
        e["en"] = None if r.random() < 0.05 else self.time(at + self.length(), device)
        if self.generation == "dec25":
            e["is_copy"] = device in self.described and r.random() < 0.2
        if self.generation == "aug26":
            e["profile_key"] = {"bytes": kernel["key"]} if kernel and r.random() < 0.95 else None
        self.events.append(e)

    def point(self, device, name, key, arg):
        self.events.append({"class": "ProfilePointEvent", "device": device, "name": name, "key": key, "arg": arg,
                            "ts": self.time(self.tick())})

    def alloc(self, device):
        again = self.live.get(device) and self.r.random() < 0.05
        key = self.r.choice(self.live[device]) if again else self.buffer
        self.buffer += self.r.randrange(1, 4)
        if key not in self.live.setdefault(device, []):
            self.live[device].append(key)
        self.point(device, "alloc", key, {"dtype": {"dtype": self.r.choice(DTYPES)}, "sz": self.odd(-3, 2**62) or self.r.choice(SIZES)})

    def free(self, device):
        if self.live.get(device):
            key = self.live[device].pop(self.r.randrange(len(self.live[device])))
            self.point(device, "free", self.odd(2**32, -1, 10**6) or key, {})

    def exec(self, device):
        r = self.r
        pool = self.live.get(device, []) + [self.buffer + 1000]
        bufs = [r.choice(pool) for _ in range(r.randrange(0, 5))]
        places = range(len(bufs))
        kernel = r.choice(self.kernels)
        metadata = [{"class": "Metadata", "name": r.choice(["matmul", "relu"]), "backward": r.random() < 0.4}
                    for _ in range(r.randrange(0, 3))]
        self.run += r.randrange(1, 3)
        self.point(device, "exec", self.run,
                   {"name": kernel["coloured"], "bufs": bufs, "inputs": [i for i in places if r.random() < 0.6],
                    "outputs": [i for i in places if r.random() < 0.5], "var_vals": {"n": r.randrange(1, 50), "m": 3},
                    "metadata": metadata if metadata or self.later else r.choice([None, metadata])})

    def marker(self):
        device = self.r.choice(["TINY", self.choice_of_device()])
        name = self.r.choice([f"step @ {self.run}", "begin", "a\"b", "x @ y"])
        self.point(device, "marker", None, {"name": name, "color": self.r.choice(["gray", "red"])})

    def line(self):
        self.point(self.r.choice(["LINE:power", "LINE:AMD clock", "LINE:"]), "sample",
                   self.odd(-1, 2**64) or self.r.choice([0, 1, self.r.randrange(2**40), 2**63 - 1, 2**63 + 9, 2**64 - 1]), {})

    def json(self):
        self.point(self.choice_of_device(), "JSON", self.r.choice(["extra", "colors", "a b"]),
                   self.r.choice([1, "t", [1, 2.5, None], {"a": {"b": [True]}}, {"tuple": [1, 2]}, 2**70, -2**65, 1e300, -0.0,
                                  {"x\"y": "\u00e9\u20ac\U0001f600\x00\x7f"}]))

    def memory(self):
        device = self.choice_of_device()
        self.r.choice([self.alloc, self.alloc, self.free, self.exec, self.exec])(device)

    # ---- graphs

    def graph(self):
        r = self.r
        ents, deps, sigs, at = [], [], [], self.tick()
        for i in range(r.randrange(1, 7)):
            kernel = r.choice(self.kernels)
            e = {"class": "ProfileGraphEntry", "device": self.choice_of_device(), "st_id": len(sigs), "en_id": len(sigs) + 1,
                 "name": r.choice([kernel["plain"], "copy", self.tracing_key() if self.later else "other"])}
            sigs += [self.time(at), self.time(at + r.choice([0, 1, r.randrange(1, 10**5)]))]
            at += r.randrange(0, 2000)
            if self.generation == "dec25":
                e["is_copy"] = e["device"] in self.described and r.random() < 0.3
            if self.generation == "aug26":
                known = e["name"] == kernel["plain"]
                e["profile_key"] = {"bytes": kernel["key"]} if known and r.random() < 0.9 else None
            ents.append(e)
            deps.append([k for k in range(i) if r.random() < 0.4])
        if r.random() < 0.2:
            ents[-1]["en_id"] = ents[0]["st_id"]
        self.events.append({"class": "ProfileGraphEvent", "ents": ents, "deps": deps, "sigs": sigs})

    # ---- devices, programs and what they recorded

    def offset(self, device):
        whole = 0 if device == "METAL" else self.r.choice([0, 0, self.r.randrange(-10**6, 10**6), -self.start])
        text = self.time(whole)["decimal"]
        return decimal(text + self.r.choice(["", "25"])) if "." in text else decimal(text)

    def describe(self, device):
        e = {"class": "ProfileDeviceEvent", "device": device}
        if self.later:
            e["tdiff"] = self.offset(device)
        else:
            e.update(comp_tdiff=self.offset(device), copy_tdiff=self.r.choice([None, self.offset(device)]))
        target = self.r.choice([110000, 110501, 120000, 90402])
        e["props"] = {"gfx_target_version": target} if device.startswith("AMD") else \
            {"sm_version": self.r.choice([0x800, 0x890, 0xa04])} if device.startswith("NV") else self.r.choice([None, {}])
        return e

    def program(self, kernel, device):
        e = {"class": "ProfileProgramEvent", "device": device, "name": kernel["plain"], "lib": None, "base": None}
        if self.later:
            e["tag"] = kernel["tag"]
        if self.generation == "aug26":
            e["profile_key"] = {"bytes": kernel["key"]}
        return e

    def pmc(self, kernel, device, tag):
        r = self.r
        sched, blob = [], b""
        names = r.sample(COUNTERS, r.randrange(1, len(COUNTERS) + 1)) + ([COUNTERS[1]] if r.random() < 0.05 else [])
        if r.random() < 0.02:
            names += [f"WIDE_{i}" for i in r.sample(range(600), r.randrange(400))]
        for name in names:
            dims = [r.choice([1, 1, 1, 2, 3, 3, 17]) if r.random() < 0.1 else r.choice([1, 1, 2, 3]) for _ in range(5)]
            count = dims[0] * dims[1] * dims[2] * dims[3] * dims[4]
            most = r.choice([10, 2**20, 2**52, 2**63, 2**64])
            values = [r.randrange(r.random() < 0.95, most) * (r.random() < 0.98) for _ in range(count)]
            sched.append(dict(zip(("xcc", "inst", "se", "sa", "wgp"), dims), **{"class": "PMCSample"}, name=name, block="B",
                              off=len(blob), size=8 * count, regsample="reg" + name))
            blob += struct.pack(f"<{count}Q", *values)
        self.events.append({"class": "ProfilePMCEvent", "device": device, "kern": kernel["tag"] if self.later else kernel["plain"],
                            "sched": sched, "blob": {"bytes": blob.hex()}, "exec_tag": tag})

    def sqtt(self, kernel, device, tag):
        """Noise after a header: all that the format can say, in every order."""
        r = self.r
        low = r.choice([0x191, 0x191, 0x211, 0x211, 0x11, r.randrange(2**13) & ~0x7f | 0x11])
        blob = struct.pack("<Q", r.randrange(2**64) & ~0x1fff | low) if r.random() < 0.95 else b""
        if r.random() < 0.5:
            blob += r.randbytes(r.randrange(0, 400))
        else:
            blob += bytes(r.choice([0x01, 0x11, 0x21, 0x61, 0x71, 0xe1, 0x08, 0x09, 0x0c, 0x15, 0x00, r.randrange(256)])
                          for _ in range(r.randrange(0, 400)))
        self.events.append({"class": "ProfileSQTTEvent", "device": device, "kern": kernel["tag"] if self.later else kernel["plain"],
                            "se": r.randrange(4), "blob": {"bytes": blob.hex()}, "itrace": r.random() < 0.3, "exec_tag": tag})

    def pma(self, kernel, device, tag):
        r = self.r
        packets = []
        for _ in range(r.randrange(0, 60)):
            head = r.randrange(29) | r.choice([0, 1, 2, 33]) << 8 | (r.random() < 0.05) << 28 | r.randrange(2) << 25
            packet = bytearray(r.randbytes(32))
            packet[4:8] = struct.pack("<I", head)
            packets.append(bytes(packet))
        e = {"class": "ProfilePMAEvent", "device": device, "kern": kernel["plain"],
             "blob": {"bytes": b"".join(packets).hex()}, "exec_tag": tag}
        if self.generation == "aug26":
            e["profile_key"] = {"bytes": kernel["key"]}
        self.events.append(e)

    def records(self):
        """Counters and streams of executions, with the ranges and programs that they belong to."""
        r = self.r
        for device in [d for d in self.devices if d in self.described and d.count(":") < 2 and d[:2] in ("AM", "NV")]:
            for kernel in self.kernels + r.sample(self.kernels, r.random() < 0.1):
                if r.random() < 0.98:
                    self.events.append(self.program(kernel, device))
            for tag in [self.odd(-1, 2**40) or n for n in range(1, r.randrange(1, 4))]:
                kernel = r.choice(self.kernels)
                if device.startswith("NV"):
                    self.later and self.pma(kernel, device, tag)
                    continue
                for _ in range(r.randrange(0, 3)):
                    self.range(device, kernel)
                for kind in r.sample([self.pmc, self.sqtt], r.randrange(1, 3)):
                    kind(kernel, device, tag)

    # ---- the whole

    def estimate(self):
        r = self.r
        symbols = EXPRESSIONS if self.form == "written" else EXPRESSIONS + CALLS
        return r.choice([0, r.randrange(10**6), 10**15 + r.randrange(10**9), 2**70 + 1, *r.sample(symbols, 4)])

    def make(self):
        r = self.r
        self.described = [d for d in self.devices if r.random() < 0.6] or self.devices[:1]
        kinds = [(self.range, 10), (self.memory, 8), (self.marker, 2), (self.graph, 2)]
        kinds += [(self.line, 2), (self.json, 1)] if self.later and r.random() < 0.5 else []
        for _ in range(r.choice([0, 1, 5, 20, 60])):
            r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()
        if r.random() < 0.4:
            self.records()
        if self.generation == "aug26" and not self.events:
            self.range()
        for device in self.described + r.sample(self.described, r.random() < 0.05):
            self.events.insert(r.choice([0, len(self.events)]), self.describe(device))
        self.form = r.choice(["written", "render", "str"])
        named = [k for k in self.kernels if r.random() < 0.7] if r.random() < 0.4 else []
        lost = [r.randrange(1, 1 + len(self.events)), r.random()] if r.random() < 0.1 and len(self.events) > 2 else None
        return {"generation": self.generation, "protocol": r.choice([4, 4, 4, 5, 3, 2]), "events": self.events,
                "lost": lost, "form": self.form,
                "estimates": [dict(k, ops=self.estimate(), mem=self.estimate(), lds=self.estimate()) for k in named]}


def says_generation(profile):
    """Whether a reader can know the generation: an event says it that the others do not write so. Real profiles have one."""
    kinds = {e["class"] for e in profile["events"]}
    newest = kinds & {"ProfileRangeEvent", "ProfileGraphEvent", "ProfileProgramEvent"}
    return bool(newest) if profile["generation"] == "aug26" else "ProfileDeviceEvent" in kinds


def make(seed):
    """Profile number `seed`; the generations take turns."""
    return Maker(seed, GENERATIONS[seed % len(GENERATIONS)]).make()
