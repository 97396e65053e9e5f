"""Random documents of Chrome JSON, the same for the same seed: all phases, ids of every spelling, scopes, nested and odd
arguments, members that nobody knows, times that cannot be used, texts and large numbers as ids of processes and threads,
thread clocks, flows of both kinds, documents with and without complete events, whole and cut ones."""
import json
import random

PHASES = "BEXiIRCMbnestfSTFpPNODvVc"
NAMES = ["run", "a b", "", "thread_name", "process_name", "[No name]", "\u00e9\u20ac\U0001f600", "x.y[0]", "c 1", "load"]
CATEGORIES = [None, "", "cat", "a,b", "net"]
KEYS = ["a", "a.b", "a_b", "args.x", "debug.y", "", "b[0]", "name", "est. occupancy %", "n\u00e4me"]


class Raw(str):
    """JSON text as it is."""


def dump(value):
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(key) + ":" + dump(item) for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    return json.dumps(value)


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.tame = seed % 3 == 0  # what Perfetto's engine reads as well, without what only we keep
        # Perfetto takes "a.b" and "b[0]" of an annotation for "a_b" and "b_0_".
        self.keys = KEYS if not self.tame else [key for key in KEYS if key != "a_b"]
        self.phases = self.r.choice([PHASES, "XBEi", "BEi", "ben", "XstfB", "C", "BEbenC", "XM", PHASES])
        self.pids = [1, 7, 0, 2**31, "p", "", 3.5, None, -1, 2**33] if not self.tame else [1, 7, 12]
        self.tids = [1, 7, 2, 0, "t", 2**40, 2.0, None, -5] if not self.tame else [1, 7, 2, 30]
        if self.tame and self.r.random() < 0.4:
            self.pids, self.tids = [1, 7, "p", "12"], [1, "t", "7", 2**40, 2**31]
        self.clocked = self.tame and self.r.random() < 0.4
        self.clock = 500
        self.members = {key: self.value(1) for key in ("first", "otherData") if self.r.random() < 0.2}
        self.now = 1000 * self.r.randint(0, 10**6)

    def number(self):
        return self.r.choice([0, 1, -1, 2**53 + 1, 2**63 - 1, -2**63, 0.5, 1e300, -0.25, 0.1, 1e-7, 3.141592653589793,
                              self.r.random(), Raw("0.30000000000000004"), Raw("1.50"), Raw("1E5"), Raw("-0.0"),
                              Raw(str(2**64)), Raw(str(2**63)), Raw("NaN"), Raw("Infinity"), Raw("-Infinity"),
                              Raw("10.944"), Raw("123456789.123456789")])

    def value(self, depth=0):
        kind = self.r.randrange(10 if depth < 4 else 6)
        if kind < 3:
            return self.number()
        if kind < 5:
            return self.r.choice(["", "x", "text", "\"quoted\"\\\n\t", "\u0000\u001f", "\u20ac\U0001f600", Raw('"\\ud800"'),
                                  "12", "{\"a\":1}"])
        if kind == 5:
            return self.r.choice([None, True, False])
        if kind < 8:
            items = {self.r.choice(self.keys): self.value(depth + 1) for _ in range(self.r.randrange(4))}
            if self.tame and depth:
                items["size"] = 1  # an object of nothing but empty ones has no index here, and one in the engine
            return items
        return [self.value(depth + 1) for _ in range(self.r.randrange(4))]

    def args(self):
        if self.r.random() < 0.4:
            return None
        if self.r.random() < 0.1 and not self.tame:
            return self.r.choice([[], "text", 5, Raw("null"), {}])
        return {self.r.choice(self.keys): self.value() for _ in range(self.r.randrange(5))}

    def time(self, ns):
        """ns as microseconds in some spelling."""
        whole, rest = divmod(abs(ns), 1000)
        text = ("-" if ns < 0 else "") + (f"{whole}.{rest:03d}" if rest else self.r.choice([f"{whole}", f"{whole}.0"]))
        return Raw(f'"{text}"') if self.r.random() < 0.05 and not self.tame else Raw(text)

    def identity(self):
        if self.r.random() < 0.3:
            return self.r.choice([5, "0x5", "five", "", 2.5, -3]) if not self.tame else self.r.choice([5, "0x6"])
        return self.r.choice([1, 2, "0x1", "0xab"])

    def event(self):
        r, event = self.r, {}
        phase = r.choice(self.phases)
        event["ph"] = phase
        name = r.choice(NAMES)
        if phase == "M":
            name = r.choice(["thread_name", "process_name", "process_sort_index", "thread_sort_index",
                             "process_labels", "other"])
        if name or r.random() < 0.3:
            event["name"] = name
        category = r.choice(CATEGORIES)
        if category is not None:
            event["cat"] = category
        for key, choices in (("pid", self.pids), ("tid", self.tids)):
            choice = r.choice(choices)
            if choice is not None:
                event[key] = choice
        self.now += r.choice([0, 0, 1, 500, 1000, 1000, 2500, 7])
        late = r.random() < 0.1
        if phase != "M" or r.random() < 0.3:
            event["ts"] = self.time(self.now - (r.randrange(5000) if late else 0))
        if r.random() < 0.03 and not self.tame:
            event["ts"] = r.choice([None, "now", Raw("1e400"), -5, True, {}])
        if phase == "X" or r.random() < 0.05:
            event["dur"] = self.time(r.choice([0, 1, 999, 1000, 2000, 5000, 10001, 20000][self.clocked:]))
        if r.random() < 0.03 and not self.tame:
            event["dur"] = r.choice([None, "long", -5, -0.5])
        if phase in "benSTFpstf" or r.random() < 0.05:
            if r.random() < 0.8 or self.tame:
                event["id"] = self.identity()
            elif phase not in "stf":
                event["id2"] = r.choice([{"local": "0x9"}, {"global": "0x9"}, {"local": 7}, {}, {"other": 1}])
        if phase in "iIR" and r.random() < 0.7 or r.random() < 0.02:
            event["s"] = r.choice(["t", "p", "g"])
        if phase == "f" and r.random() < 0.5:
            event["bp"] = "e"
        if not self.tame:
            self.odd(event, phase)
        if self.clocked and phase in "BEXi" and r.random() < 0.9:
            self.clock += r.randint(1, 9)
            event["tts"] = self.clock
            if phase == "X":
                event["tdur"] = r.randint(1, 9)
        if self.tame and phase in "BXbn" and r.random() < 0.2:
            event["bind_id"] = r.choice(["0x77", 78, "79"])
            event.update(r.choice([{"flow_out": True}, {"flow_in": True}, {"flow_in": True, "flow_out": True}]))
        args = self.args()
        if phase == "M" and r.random() < 0.8:
            args = {"name": r.choice(["main", "worker", "", "w\u00f6rk"])}
        if phase == "C":
            args = {r.choice(["u", "v", "w", "1 x"]): r.choice([1, 2.5, -7, 1e9, 0]) for _ in range(r.randrange(4))}
            if r.random() < 0.1 and not self.tame:
                args["odd"] = r.choice([None, "12", "x", [1], 2**53 + 1, Raw("NaN")])
        if args is not None:
            event["args"] = args
        return event

    def odd(self, event, phase):
        r = self.r
        if r.random() < 0.1:
            event[r.choice(["cname", "sf", "scope", "esf", "icount", "x\ny", "ph2"])] = self.value()
        if r.random() < 0.1:
            event["tts"] = self.time(r.randrange(10**7))
            if phase == "X":
                event["tdur"] = self.time(r.randrange(10**4))
        if r.random() < 0.05:
            event["bind_id"] = r.choice(["0x77", 77, "zz"])
            event[r.choice(["flow_in", "flow_out"])] = r.choice([True, True, False])
        if r.random() < 0.02:
            event[r.choice(["name", "cat", "pid", "tid", "id", "s", "bp", "tts"])] = r.choice([None, 5, True, [], {"a": 1}])
        if r.random() < 0.02:
            event["ph"] = r.choice(["Begin", "instant", "Q", "="])

    def document(self):
        """A document, and one of its whole events alone if it is cut (else the same)."""
        r = self.r
        texts = [dump(self.event()) for _ in range(r.choice([3, 20, 60]))]
        members = dict(self.members)
        for key in ("displayTimeUnit", "metadata", "stackFrames", "schemaVersion", "x"):
            if r.random() < 0.3:
                members[key] = {"displayTimeUnit": "ms", "schemaVersion": 1}.get(key, self.value(1))
        names = list(members)
        r.shuffle(names)
        after = [name for name in names if r.random() < 0.6]
        pair = lambda name: json.dumps(name) + ":" + dump(members[name])
        head, tail = "[", "]"
        if r.random() < 0.6:
            head = "{" + "".join(pair(name) + "," for name in names if name not in after) + '"traceEvents":['
            tail = "".join(["]", *("," + pair(name) for name in after), "}"])
        if r.random() >= 0.2:
            text = head + ",\n".join(texts) + tail
            return text, text
        whole = texts[:r.randrange(len(texts))]
        text = head + "".join(item + "," for item in whole) + texts[len(whole)][:r.randrange(len(texts[len(whole)]))]
        return text, head + ",".join(whole) + ("]" if head == "[" else "]}")


def make(seed):
    """The document of a seed as text, what of it is whole, and whether the engine reads what we read in it."""
    maker = Maker(seed)
    return *maker.document(), maker.tame
