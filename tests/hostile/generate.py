#!/usr/bin/env python3
"""Traces that are hard on a reader: each kind makes one of its tables, searches or lists as long as the file allows.

    python3 generate.py KIND N OUT        one file; N is about the number of events
    python3 generate.py --list            the kinds

Keys that collide are made for hashes without a seed (splitmix64, multiplication by the golden ratio). All files are the
same in every run.
"""
import random
import struct
import sys

MASK = (1 << 64) - 1

# ---- protobuf ------------------------------------------------------------------------------------------------------


def varint(n):
    n &= MASK
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def V(field, n):
    return varint(field << 3) + varint(n)


def F(field, n):
    return varint(field << 3 | 1) + struct.pack("<Q", n & MASK)


def D(field, x):
    return varint(field << 3 | 1) + struct.pack("<d", x)


def B(field, b):
    b = b.encode() if isinstance(b, str) else b
    return varint(field << 3 | 2) + varint(len(b)) + b


def packet(*parts):
    return B(1, b"".join(parts))


def event(ts, kind, uuid=None, name=None, extra=b"", head=b"", seq=1):
    body = V(9, kind) + (V(11, uuid) if uuid is not None else b"") + (B(23, name) if name is not None else b"") + extra
    return packet(V(8, ts), V(10, seq), head, B(11, body))


BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
START = packet(V(10, 1), V(13, 1), V(41, 1))


def descriptor(uuid, *parts):
    return packet(V(10, 1), B(60, V(1, uuid) + b"".join(parts)))


def thread(uuid, pid, tid, name="t"):
    return descriptor(uuid, B(4, V(1, pid) + V(2, tid) + B(5, name)))


def process(uuid, pid, name="p"):
    return descriptor(uuid, B(3, V(1, pid) + B(6, name)))


def interned(*entries, head=b""):
    return packet(V(10, 1), V(13, 2), head, B(12, b"".join(entries)))


def legacy(ts, phase, *parts, name="a", uuid=1):
    return event(ts, 0, uuid, name, B(22, "c") + B(6, V(2, ord(phase)) + b"".join(parts)))


def clocks(*readings):
    return packet(V(10, 1), B(6, b"".join(B(1, V(1, c) + V(2, t)) for c, t in readings)))


def bundles(events):
    """Events of ftrace (time from 1 on, pid, kind, body), all of CPU 0, 500 a packet."""
    events = [B(2, V(1, ts) + V(2, pid) + B(kind, body)) for ts, (pid, kind, body) in enumerate(events, 1)]
    return b"".join(packet(B(1, V(1, 0) + b"".join(events[i:i + 500]))) for i in range(0, len(events), 500))


def newtask(by, pid, flags=0):
    return by, 235, V(1, pid) + B(2, "x") + V(3, flags)


def sched_free(pid):
    return pid, 240, B(1, "x") + V(2, pid)


def switch(left, right, state=1):
    return left, 4, B(1, "x") + V(2, left) + V(4, state) + B(5, "n%d" % right) + V(6, right)


def drm_job(kind, fence, number):
    """412: a ring runs it; 411: it is queued; 413: its fence is done."""
    return (7, 413, V(1, fence)) if kind == 413 else (7, kind, V(2, fence) + V(4, number) + B(6, "gfx"))


def frame(ts, kind, body):
    """4: a surface's frame, 3: what was expected of it, 2: the display's, 5: the end of one."""
    return packet(V(8, ts), B(76, B(kind, body)))


def fence(kind, context, number):
    return 7, kind, V(1, context) + V(3, number) + B(4, "ring")


def write(pid, text):
    return pid, 3, B(2, text + "\n")


def each(n, make):
    return b"".join(make(i) for i in range(n))


# ---- keys that collide ---------------------------------------------------------------------------------------------


def unxorshift(y, s):
    x = y
    for _ in range(64 // s + 1):
        x = y ^ (x >> s)
    return x


def key(i):
    """The number that splitmix64's finalizer turns into (i + 1) << 32 | 0x1234."""
    x = unxorshift((i + 1) << 32 | 0x1234, 31) * pow(0x94d049bb133111eb, -1, 1 << 64) & MASK
    x = unxorshift(x, 27) * pow(0xbf58476d1ce4e5b9, -1, 1 << 64) & MASK
    return unxorshift(x, 30)


def golden(i):
    return ((5 << 32) | (i + 1)) * pow(0x9e3779b97f4a7c15, -1, 1 << 64) & MASK


def shifted(i):
    return (i + 1) << 40


# ---- JSON ----------------------------------------------------------------------------------------------------------


def json(rows, more=""):
    return ('{"traceEvents":[' + ",\n".join(rows) + "]" + more + "}").encode()


def J(ph, ts, rest="", name="a", pid=1, tid=1):
    return '{"ph":"%s","name":"%s","pid":%s,"tid":%s,"ts":%s%s}' % (ph, name, pid, tid, ts, rest)


def X(ts, dur, rest="", **more):
    return J("X", ts, ',"dur":%s%s' % (dur, rest), **more)


def M(what, args, pid=1, tid=1):
    return J("M", 0, ',"args":{%s}' % args, name=what, pid=pid, tid=tid)


def flow(ph, i, ts, rest="", **more):
    return J(ph, ts, ',"cat":"c","id":"0x%x"%s' % (i, rest), name="f", **more)


def async_(ph, i, ts, cat="c", **more):
    return J(ph, ts, ',"cat":"%s","id":"0x%x"' % (cat, i), **more)


def shuffled(n, seed=7):
    order = list(range(n))
    random.Random(seed).shuffle(order)
    return order


def flat(rows):
    return [x for row in rows for x in row]


def frames(n, parent):
    """stackFrames, and an event for each frame."""
    rows = ['"%d":{"name":"f%d","category":"c","parent":"%d"}' % (i, i, parent(i)) for i in range(n)]
    return json([X(i, 1, ',"sf":"%d"' % i) for i in range(n)], ',"stackFrames":{%s}' % ",".join(rows))


KINDS = {
    # names, uuids, ids
    "uuid-mix": lambda n: START + each(n, lambda i: event(i, INSTANT, key(i), "x")),
    "uuid-golden": lambda n: START + each(n, lambda i: event(i, INSTANT, golden(i), "x")),
    "uuid-shift": lambda n: START + each(n, lambda i: event(i, INSTANT, shifted(i), "x")),
    "uuid-twice": lambda n: START + each(n, lambda i: event(i, INSTANT, key(i * 7919 % (n // 2)), "x")),
    "flow-mix": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", F(47, key(i)))),
    "flow-golden": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", F(47, golden(i)))),
    "flow-shift": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", F(47, shifted(i)))),
    "flow-one-id": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", F(47, 5))),
    "flow-ends-only": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", F(48, key(i)))),
    "flow-many-on-one": lambda n: START + event(1, INSTANT, 1, "x", each(n, lambda i: F(47, i + 1)))
        + event(2, INSTANT, 1, "y", each(n, lambda i: F(48, i + 1))),
    "flow-many-unordered": lambda n: START + event(9, INSTANT, 1, "x", each(n, lambda i: F(47, i + 1)))
        + each(63, lambda i: event(8 - i % 8, INSTANT, 1, "y", F(47, i + 1))),
    "flow-begins-again": lambda n: START + event(1, INSTANT, 1, "x", each(n, lambda i: F(47, i + 1)))
        + event(5, INSTANT, 1, "y", each(n, lambda i: F(48, i + 1))) + event(6, INSTANT, 1, "z", each(n, lambda i: F(47, i + 1)))
        + event(9, INSTANT, 1, "x", each(n, lambda i: F(47, i + 1))),
    "flow-unordered": lambda n: START + b"".join(event(i, INSTANT, 1, "x", F(47, i // 2)) for i in shuffled(n)),
    "iid-golden": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, None, V(10, golden(i)),
        V(13, 2) + B(12, B(2, V(1, golden(i)) + B(2, "n%d" % (i % 50)))))),
    "iid-mix": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, None, V(10, key(i)),
        V(13, 2) + B(12, B(2, V(1, key(i)) + B(2, "n"))))),
    "iid-down": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, None, V(10, n - i),
        V(13, 2) + B(12, B(2, V(1, n - i) + B(2, "n"))))),
    "iid-doubling": lambda n: START + each(n, lambda i: interned(B(2, V(1, (1 << i % 40) + i) + B(2, "n%d" % i)))),
    "iid-unknown": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, None, V(10, i + 9), V(13, 2))),
    "iid-again": lambda n: START + each(n, lambda i: interned(B(2, V(1, 3) + B(2, "n%d" % i)))),
    "iid-cleared": lambda n: each(n, lambda i: event(i, INSTANT, 1, None, V(10, 1),
        V(13, 3) + V(41, 1) + B(12, B(2, V(1, 1) + B(2, "n"))))),
    "iid-cleared-far": lambda n: each(n, lambda i: event(i, INSTANT, 1, None, V(10, 1 << 33),
        V(13, 3) + V(41, 1) + B(12, B(2, V(1, 1 << 33) + B(2, "n"))))),
    "names": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "name %d" % i)),
    "names-long-alike": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "a" * 60 + "%08d" % i + "b" * 60)),
    "names-middle": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "aaaaaaaa" + "%08d" % i + "bbbbbbbb")),
    "categories": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", B(22, "c%d" % i))),
    "categories-many": lambda n: START + event(1, INSTANT, 1, "x", each(n, lambda i: B(22, "c%d" % i))),
    "category-iids": lambda n: START + interned(each(n, lambda i: B(1, V(1, i + 1) + B(2, "c%d" % i))))
        + event(1, INSTANT, 1, "x", each(n, lambda i: V(3, i + 1)), V(13, 2)),
    # tracks
    "threads": lambda n: START + each(n // 2, lambda i: thread(i + 1, 7, i + 1) + event(i, INSTANT, i + 1, "x")),
    "threads-golden": lambda n: START + each(n // 2, lambda i: thread(i + 1, i + 1, golden(i) >> 33)
        + event(i, INSTANT, i + 1, "x")),
    "threads-again": lambda n: START + each(n // 2, lambda i: thread(i + 1, 7, 9) + event(i, INSTANT, i + 1, "x")),
    "processes-again": lambda n: START + each(n // 2, lambda i: process(i + 1, 7) + event(i, INSTANT, i + 1, "x")),
    "thread-after-events": lambda n: START + each(n // 2, lambda i: event(i, INSTANT, i + 1, "x"))
        + each(n // 2, lambda i: thread(i + 1, 7, i + 1)),
    "descriptor-again": lambda n: START + each(n, lambda i: descriptor(5, B(2, "t"))),
    "descriptor-renamed": lambda n: START + each(n, lambda i: descriptor(5, B(2, "t%d" % i), V(15, 2))),
    "descriptor-conflict": lambda n: START + each(n, lambda i: descriptor(5, B(2, "t"), V(5, i + 6))),
    "process-labels": lambda n: START + descriptor(5, B(3, V(1, 7) + each(n, lambda i: B(8, "l%d" % i)))),
    "process-labels-again": lambda n: START + each(n, lambda i: descriptor(5, B(3, V(1, 7) + B(8, "l%d" % i)))),
    "parents-chain": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "t"), V(5, i)))
        + each(n // 2, lambda i: event(i, INSTANT, i + 1, "x")),
    "parents-chain-90": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "t"),
        V(5, i if i % 90 else 0))) + each(n // 2, lambda i: event(i, INSTANT, i + 1, "x")),
    "parents-nameless": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, V(5, i if i % 90 else 0)))
        + each(n // 2, lambda i: event(i, INSTANT, i + 1, "x")),
    "parents-backwards": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "t"), V(5, i + 2)))
        + each(n // 2, lambda i: event(i, INSTANT, i + 1, "x")),
    "parents-loop": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, V(5, (i + 1) % (n // 2) + 1)))
        + each(n // 2, lambda i: event(i, INSTANT, i + 1, "x")),
    "parents-missing": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, V(5, key(i))))
        + each(n // 2, lambda i: event(i, INSTANT, i + 1, "x")),
    "siblings-by-name": lambda n: START + each(n // 3, lambda i: descriptor(i + 1, B(2, "s"))
        + event(i, BEGIN, i + 1, "x")) + each(n // 3, lambda i: event(n + i, END, i + 1)),
    "siblings-by-key": lambda n: START + each(n // 3, lambda i: descriptor(i + 1, B(2, "s"), V(15, 3), B(16, "k"))
        + event(i, BEGIN, i + 1, "x")) + each(n // 3, lambda i: event(2 * n - i, END, i + 1)),
    "siblings-staircase": lambda n: START + each(n // 3, lambda i: descriptor(i + 1, B(2, "s"))
        + event(2 * i, BEGIN, i + 1, "x") + (event(2 * i + 1, END, i - 40) if i > 40 else b"")),
    "siblings-open": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "s"))
        + event(i, BEGIN, i + 1, "x")),
    "siblings-groups": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "s%d" % i))
        + event(i, BEGIN, i + 1, "x")),
    "siblings-of-siblings": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "s"), V(5, i // 2))
        + event(i, BEGIN, i + 1, "x")),
    "state-tracks": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "s"), B(18, b""))
        + event(i, INSTANT, i + 1, "x")),
    # slices
    "begins-open": lambda n: START + each(n, lambda i: event(i, BEGIN, 1, "x")),
    "begins-open-tracks": lambda n: START + each(n, lambda i: event(i, BEGIN, i % 999, "x")),
    "begins-deep": lambda n: START + each(n // 1000, lambda k: each(500, lambda i: event(k * 1000 + i, BEGIN, 1, "x"))
        + each(500, lambda i: event(k * 1000 + 500 + i, END, 1))),
    "ends-only": lambda n: START + each(n, lambda i: event(i, END, 1)),
    "ends-by-name": lambda n: START + each(n // 2, lambda i: event(i, BEGIN, 1, "n%d" % i))
        + each(n // 2, lambda i: event(n + i, END, 1, "n%d" % i)),
    "ends-by-name-deep": lambda n: START + each(500, lambda i: event(i, BEGIN, 1, "outer"))
        + each(n, lambda i: event(i + 999, END, 1, "other")),
    "ends-of-outer": lambda n: START + each(n // 3, lambda i: event(3 * i, BEGIN, 1, "a") + event(3 * i + 1, BEGIN, 1, "b")
        + event(3 * i + 2, END, 1, "a")),
    "instants-one-time": lambda n: START + each(n, lambda i: event(5, INSTANT, 1, "x")),
    "instants-on-open": lambda n: START + each(500, lambda i: event(i, BEGIN, 1, "x"))
        + each(n, lambda i: event(i + 999, INSTANT, 1, "x")),
    "begins-unordered": lambda n: START + b"".join(event(i, 1 + i % 2, i // 2 % 9, "x") for i in shuffled(n)),
    "begins-late-ends-by-name": lambda n: START + event(50, BEGIN, 1, "x") + each(n, lambda i: event(10 + i, BEGIN, 1, "a%d" % (i % 7)))
        + each(n, lambda i: event(10 + 2 * n + i, END, 1, "a%d" % (i % 7))),
    "complete-nested": lambda n: START + thread(1, 7, 8) + each(n // 2, lambda i: legacy(i, "X", V(3, 2 * n - 2 * i)))
        + each(n // 2, lambda i: event((n + i) * 1000, INSTANT, 1, "y")),
    "begins-backwards": lambda n: START + each(n, lambda i: event(n - i, 1 + i % 2, 1, "x")),
    # sequences, clocks, packets
    "sequences": lambda n: each(n, lambda i: event(i, INSTANT, 1, "x", b"", V(13, 1) + V(41, 1), seq=i + 1)),
    "sequences-mix": lambda n: each(n, lambda i: event(i, INSTANT, 1, "x", b"", b"", seq=key(i) & 0xffffffff)),
    "sequences-turns": lambda n: each(n, lambda i: event(i, INSTANT, 1, "x", b"", b"", seq=i % 997 + 1)),
    "packets-tiny": lambda n: each(n * 8, lambda i: packet()),
    "packets-unknown": lambda n: each(n * 2, lambda i: packet(V(8, i), B(900, "x"))),
    "packets-one-byte": lambda n: each(n * 4, lambda i: packet(V(8, 1))),
    "dropped": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", b"", V(42, i & 1))),
    "defaults": lambda n: START + each(n, lambda i: packet(V(10, 1), V(13, 2), B(59, B(11, V(11, i + 1))), V(8, i),
        B(11, V(9, 3) + B(23, "x")))),
    "defaults-counters": lambda n: START + packet(V(10, 1), V(13, 2), B(59, B(11, V(11, 1) + each(60, lambda i: V(31, i)))))
        + each(n, lambda i: event(i, INSTANT, None, "x", V(12, i), V(13, 2))),
    "snapshots": lambda n: each(n, lambda i: clocks((6, i * 10), (3, i * 10 + 5)))
        + START + each(n, lambda i: event(i * 10, INSTANT, 1, "x", b"", V(58, 3))),
    "snapshots-between": lambda n: START + each(n // 2, lambda i: clocks((6, i * 10), (3, i * 10 + 5))
        + event(i * 10, INSTANT, 1, "x", b"", V(58, 3))),
    "snapshots-backwards": lambda n: each(n, lambda i: clocks((6, (n - i) * 10), (3, i * 10 + 5))),
    "snapshots-series": lambda n: each(n, lambda i: clocks((6, i), (200 + i, i))),
    "snapshots-chain": lambda n: each(n, lambda i: clocks((200 + i, i), (201 + i, i)))
        + each(n, lambda i: event(i, INSTANT, 1, "x", b"", V(58, 200 + i))),
    "snapshots-chain-turned": lambda n: each(n, lambda i: clocks((200 + n - i, i), (201 + n - i, i)))
        + clocks((6, 1), (200, 1)) + each(n, lambda i: event(i, INSTANT, 1, "x", b"", V(58, 200 + i % 9))),
    "snapshots-star": lambda n: each(n // 30, lambda i: clocks(*[(200 + i * 29 + k, i) for k in range(30)]))
        + clocks((6, 1), (200, 1)),
    "snapshots-same-31": lambda n: each(n // 30, lambda i: clocks((6, i), *[(200 + k, i) for k in range(30)])),
    "snapshots-backwards-events": lambda n: START + each(n // 3, lambda i: clocks((6, i), (200 + i % 60, n - i))
        + event(i, INSTANT, 1, "x", b"", V(58, 200 + i % 60))),
    "clocks-unknown": lambda n: START + clocks((6, 1)) + each(n, lambda i: event(i, INSTANT, 1, "x", b"", V(58, 200 + i))),
    "clocks-late": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", b"", V(58, 200 + i % 9)))
        + each(9, lambda i: clocks((6, i), (200 + i, i))),
    # counters
    "counters": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "c%d" % i), B(8, b""))
        + event(i, COUNTER, i + 1, None, V(30, i))),
    "counters-one-name": lambda n: START + each(n // 2, lambda i: descriptor(i + 1, B(2, "c"), B(8, b""))
        + event(i, COUNTER, i + 1, None, V(30, i))),
    "counters-unordered": lambda n: START + descriptor(1, B(2, "c"), B(8, b""))
        + b"".join(event(i, COUNTER, 1, None, V(30, i)) for i in shuffled(n)),
    "counters-incremental": lambda n: START + each(n // 3, lambda i: descriptor(key(i), B(2, "c"), B(8, V(5, 1))))
        + each(n // 2, lambda i: event(i, COUNTER, key(i % (n // 3)), None, V(30, 1))),
    "counter-categories": lambda n: START + descriptor(1, B(2, "c"), B(8, each(n, lambda i: B(2, "k%d" % i)))),
    # arguments
    "args-keys": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", B(4, B(10, "k%d" % i) + V(4, i)))),
    "args-many": lambda n: START + event(1, INSTANT, 1, "x", each(n, lambda i: B(4, B(10, "k%d" % i) + V(4, i)))),
    "args-same-key": lambda n: START + event(1, INSTANT, 1, "x", each(n, lambda i: B(4, B(10, "k") + V(4, i)))),
    "args-array": lambda n: START + event(1, INSTANT, 1, "x", B(4, B(10, "k") + each(n, lambda i: B(12, V(4, i))))),
    "args-dict": lambda n: START + event(1, INSTANT, 1, "x",
        B(4, B(10, "k") + each(n, lambda i: B(11, B(10, "m%d" % i) + V(4, i))))),
    "args-nested": lambda n: START + each(n // 200, lambda i: event(i, INSTANT, 1, "x", nested(200))),
    "args-strings": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", B(4, B(10, "k") + B(6, "v%d" % i)))),
    "args-alike": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", B(4, B(10, "k") + V(4, key(i))))),
    "args-legacy-json": lambda n: START + event(1, INSTANT, 1, "x",
        B(4, B(10, "k") + B(9, "{" + ",".join('"m%d":[%d]' % (i, i) for i in range(n)) + "}"))),
    # legacy events, call stacks, GPU
    "legacy-async": lambda n: START + thread(1, 7, 8) + each(n // 2, lambda i: legacy(i, "b", V(11, key(i))))
        + each(n // 2, lambda i: legacy(n + i, "e", V(11, key(i)))),
    "legacy-async-scopes": lambda n: START + thread(1, 7, 8)
        + each(n, lambda i: legacy(i, "b", V(11, 5), B(7, "s%d" % i))),
    "legacy-async-names": lambda n: START + thread(1, 7, 8)
        + each(n, lambda i: legacy(i, "S", V(6, i), name="a%d" % i)),
    "legacy-threads": lambda n: START + thread(1, 7, 8)
        + each(n, lambda i: legacy(i, "X", V(3, 1), V(18, i + 1), V(19, i + 1))),
    "legacy-complete": lambda n: START + thread(1, 7, 8) + each(n, lambda i: legacy(i, "X", V(3, n))),
    "legacy-late-thread": lambda n: START + each(n, lambda i: legacy(i, "X", V(3, 1))) + thread(1, 7, 8),
    "legacy-bind": lambda n: START + thread(1, 7, 8)
        + each(n, lambda i: legacy(i, "X", V(3, 1), V(8, key(i)), V(13, 3))),
    "stacks": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x",
        B(55, B(1, B(1, "f%d" % i)) + B(1, B(1, "g%d" % i))))),
    "stacks-deep": lambda n: START + event(1, INSTANT, 1, "x", B(55, each(n, lambda i: B(1, B(1, "f"))))),
    "stacks-interned": lambda n: START + interned(each(n // 3, lambda i: B(5, V(1, i + 1) + B(2, "f%d" % i))),
        each(n // 3, lambda i: B(6, V(1, i + 1) + V(2, i + 1))), each(n // 3, lambda i: B(7, V(1, i + 1) + V(2, i + 1))))
        + each(n // 3, lambda i: event(i, INSTANT, 1, "x", V(56, i + 1), V(13, 2))),
    "stacks-prefixes": lambda n: START + interned(B(5, V(1, 1) + B(2, "f")), B(6, V(1, 1) + V(2, 1)),
        each(n // 40, lambda i: B(7, V(1, i + 1) + V(2, 1) * 40)))
        + each(n // 40, lambda i: event(i, INSTANT, 1, "x", V(56, i + 1), V(13, 2))),
    "log-messages": lambda n: START + each(n, lambda i: event(i, INSTANT, 1, "x", B(21, V(2, 1)),
        V(13, 2) + B(12, B(20, V(1, 1) + B(2, "m%d" % i))))),
    "gpu-specifications": lambda n: START + each(n, lambda i: packet(V(10, 1), V(8, i),
        B(52, B(1, B(1, V(1, i) + B(2, "c%d" % i)))))),
    "gpu-stages": lambda n: START + each(n, lambda i: packet(V(10, 1), V(8, i),
        B(53, V(1, i) + V(2, n) + V(3, 1) + V(4, 1)))),
    "gpu-queues": lambda n: START + each(n, lambda i: packet(V(10, 1), V(8, i),
        B(53, V(1, i) + V(2, 5) + V(13, golden(i)) + V(14, 1)))),
    "gpu-waits": lambda n: START + each(n // 2, lambda i: packet(V(10, 1), V(8, i),
        B(53, V(1, i) + V(2, 5) + V(3, 1) + V(4, 1) + V(18, n - i)))),
    "gpu-submissions": lambda n: START + each(n // 2, lambda i: packet(V(10, 1), V(8, i),
        B(53, V(1, i) + V(2, 5) + V(3, 1) + V(4, 1) + V(10, 7)))),
    "gpu-counters": lambda n: START + each(n, lambda i: packet(V(10, 1), V(8, i), B(52, B(2, V(1, key(i) & 0x7fffffff) + V(2, i))))),
    "process-tree": lambda n: packet(B(2, each(n // 2, lambda i: B(1, V(1, i + 1) + V(2, i) + B(3, "c%d" % i)))
        + each(n // 2, lambda i: B(2, V(1, i + 1) + V(3, 1) + B(2, "t"))))),
    "process-stats": lambda n: START + each(n, lambda i: packet(V(8, i), B(9, B(1, V(1, i + 1) + V(2, i))))),
    "triggers": lambda n: START + each(n, lambda i: packet(V(8, i), B(46, B(1, "t%d" % i)))),
    "metadata": lambda n: START + packet(B(5, each(n, lambda i: B(2, B(1, "m%d" % i) + V(4, i))))),
    # JSON
    "json-staircase": lambda n: json(X(i, n + 1) for i in range(n)),
    "json-staircase-back": lambda n: json(X(n - i, n + 1) for i in range(n)),
    "json-staircase-shuffled": lambda n: json(X(i, n + 1) for i in shuffled(n)),
    "json-lanes": lambda n: json(X(i, n + i * 3 + i * 7919 % n) for i in range(n)),
    "json-lanes-short": lambda n: json(X(i * 2, 40 + i * 7919 % 97) for i in range(n)),
    "json-lanes-threads": lambda n: json(X(i, n, tid=i % 500) for i in range(n)),
    "json-lanes-on-begins": lambda n: json([J("B", i) for i in range(400)] + [X(500 + i, n) for i in range(n)]),
    "json-complete-deep": lambda n: json(X(i, 2 * (n - i)) for i in range(n)),
    "json-complete-one-time": lambda n: json(X(5, n - i) for i in range(n)),
    "json-complete-one-time-up": lambda n: json(X(5, i + 1) for i in range(n)),
    "json-zero-lengths": lambda n: json(X(5, 0) for i in range(n)),
    "json-begins-and-complete": lambda n: json(flat([J("B", 3 * i), X(3 * i + 1, 5)] for i in range(n // 2))),
    "json-flow-first": lambda n: json(flat([flow("f", i, i * 3), X(i * 3, n * 4), flow("s", i, i * 3 + 1)]
        for i in range(n // 3))),
    "json-flow-ends-wait": lambda n: json([X(0, 1)] + flat([flow("s", i, 0), flow("f", i, 2)] for i in range(n // 2))
        + [X(9, 1)]),
    "json-flow-ends-wait-tracks": lambda n: json(flat([X(2 * i, 1, tid=i % 99), flow("s", i, 2 * i, tid=i % 99),
        flow("f", i, 2 * i, tid=i * 7 % 99)] for i in range(n // 3))),
    "json-flow-mix": lambda n: json(flat([X(i, 1), flow("s", key(i), i)] for i in range(n // 2))),
    "json-flow-steps": lambda n: json([X(0, 2 * n), flow("s", 1, 0)] + [flow("t", 1, i) for i in range(n)]),
    "json-flow-one": lambda n: json([X(0, 2 * n)] + [flow("s", 1, i) for i in range(n)]),
    "json-flow-names": lambda n: json([X(0, 2 * n)] + [J("s", i, ',"cat":"c%d","id":%d' % (i, i), name="f%d" % i)
        for i in range(n)]),
    "json-bind-ids": lambda n: json(X(i, 1, ',"bind_id":"0x%x","flow_out":true,"flow_in":true' % key(i))
        for i in range(n)),
    "json-async": lambda n: json([async_("b", key(i), i) for i in range(n // 2)]
        + [async_("e", key(i), n + i) for i in range(n // 2)]),
    "json-async-open": lambda n: json(async_("b", i, i) for i in range(n)),
    "json-async-names": lambda n: json(async_("b", i, i, name="a%d" % i) for i in range(n)),
    "json-async-categories": lambda n: json(async_("b", 1, i, cat="c%d" % i) for i in range(n)),
    "json-async-id2": lambda n: json(J("b", i, ',"cat":"c","id2":{"local":"0x%x"}' % i, pid=i % 99) for i in range(n)),
    "json-async-old": lambda n: json(flat([async_("S", i % 9, i, name="a%d" % (i % 999)), async_("F", i % 9, i)]
        for i in range(n // 2))),
    "json-pids": lambda n: json(X(i, 1, pid=key(i) >> 1) for i in range(n)),
    "json-pids-up": lambda n: json(X(i, 1, pid=i + 1, tid=i + 1) for i in range(n)),
    "json-tids": lambda n: json(X(i, 1, tid=key(i) >> 1) for i in range(n)),
    "json-tids-golden": lambda n: json(X(i, 1, pid=i + 1, tid=golden(i) >> 1) for i in range(n)),
    "json-tids-text": lambda n: json(X(i, 1, tid='"thread %d"' % i) for i in range(n)),
    "json-tids-text-turns": lambda n: json(X(i, 1, tid='"thread %d"' % (i * 7 % 300)) for i in range(n)),
    "json-tids-fraction": lambda n: json(X(i, 1, tid="%d.5" % i) for i in range(n)),
    "json-tids-fraction-turns": lambda n: json(X(i, 1, tid="%d.5" % (i * 7 % 300)) for i in range(n)),
    "json-tids-whole-reals": lambda n: json(X(i, 1, tid="%d.0" % (i * 7 % 3000)) for i in range(n)),
    "json-tids-spellings": lambda n: json(X(i, 1, tid="1." + "0" * (i % 900 + 1)) for i in range(n)),
    "json-tids-one-real": lambda n: json(X(i, 1, tid=10 ** 30 + i) for i in range(n)),
    "json-pids-one-real": lambda n: json(X(i, 1, pid=10 ** 30 + i) for i in range(n)),
    "json-tids-negative": lambda n: json(X(i, 1, tid=-i - 1) for i in range(n)),
    "json-tids-one-text": lambda n: json(X(i, 1, pid=i % 5000, tid='"t"') for i in range(n)),
    "json-pids-text": lambda n: json(X(i, 1, pid='"process %d"' % i) for i in range(n)),
    "json-pids-fraction": lambda n: json(X(i, 1, pid="%d.25" % i) for i in range(n)),
    "json-pids-of-texts": lambda n: json(flat([X(i, 1, pid='"%d"' % i, tid=4294967296 + i)] for i in range(n))),
    "json-names": lambda n: json(X(i, 1, name="name %d" % i) for i in range(n)),
    "json-names-alike": lambda n: json(X(i, 1, name="a" * 40 + "%08d" % i + "b" * 40) for i in range(n)),
    "json-names-escaped": lambda n: json(X(i, 1, name="\\u00e4\\n%d" % i) for i in range(n)),
    "json-categories": lambda n: json(X(i, 1, ',"cat":"c%d"' % i) for i in range(n)),
    "json-counters": lambda n: json(J("C", i, ',"args":{"v":%d}' % i, name="c%d" % i) for i in range(n)),
    "json-counters-entries": lambda n: json(J("C", i, ',"args":{"v%d":%d}' % (i, i)) for i in range(n)),
    "json-counters-many-entries": lambda n: json([J("C", 1, ',"args":{%s}' % ",".join('"v%d":1' % i for i in range(n)))]),
    "json-counters-ids": lambda n: json(J("C", i, ',"id":"i%d","args":{"v":1}' % i) for i in range(n)),
    "json-counters-back": lambda n: json(J("C", n - i, ',"args":{"v":1}') for i in range(n)),
    "json-args-keys": lambda n: json(X(i, 1, ',"args":{"k%d":1}' % i) for i in range(n)),
    "json-args-many": lambda n: json([X(1, 1, ',"args":{%s}' % ",".join('"k%d":1' % i for i in range(n)))]),
    "ftrace-forks-same": lambda n: bundles(newtask(7, 5) for i in range(n)),
    "ftrace-forks": lambda n: bundles(newtask(7, 8 + i) for i in range(n)),
    "ftrace-forks-chain": lambda n: bundles(newtask(8 + i, 9 + i) for i in range(n)),
    "ftrace-threads-same": lambda n: bundles(newtask(7, 5, 0x10000) for i in range(n)),
    "ftrace-threads": lambda n: bundles(newtask(7, 8 + i, 0x10000) for i in range(n)),
    "ftrace-exits": lambda n: bundles(e for i in range(n // 2) for e in (newtask(7, 5), sched_free(5))),
    "ftrace-switches": lambda n: bundles(switch(8 + i, 9 + i) for i in range(n)),
    "ftrace-switches-back": lambda n: bundles(switch(8 + i % 2, 9 - i % 2, i % 300) for i in range(n)),
    "ftrace-wakings": lambda n: bundles((7, 20, B(1, "x") + V(2, 8 + i // 2) + V(4, 1)) for i in range(n)),
    "ftrace-renames": lambda n: bundles((7, 236, V(1, 5) + B(2, "x") + B(3, "n%d" % i)) for i in range(n)),
    "ftrace-lanes": lambda n: bundles(write(7, "S|7|a|%d" % i) for i in range(n)),
    "ftrace-lanes-back": lambda n: bundles([write(7, "S|7|a|%d" % i) for i in range(n // 2)]
        + [write(7, "F|7|a|%d" % (n // 2 - 1 - i)) for i in range(n // 2)]),
    "ftrace-lane-same": lambda n: bundles([write(7, "S|7|a|1")] * (n // 2) + [write(7, "F|7|a|1")] * (n // 2)),
    "ftrace-lanes-of-tracks": lambda n: bundles(write(7, "G|7|t%d|a|1" % i) for i in range(n)),
    "ftrace-counters": lambda n: bundles(write(7, "C|7|c%d|1" % i) for i in range(n)),
    "ftrace-begins": lambda n: bundles(write(7, "B|7|a") for i in range(n)),
    "ftrace-groups": lambda n: bundles(write(7, "B|%d|a" % (8 + i)) for i in range(n)),
    "ftrace-calls": lambda n: bundles([(7, 329, V(1, i % 500)) for i in range(n // 2)] + [(7, 330, V(1, 501))] * (n // 2)),
    "ftrace-machines": lambda n: b"".join(packet(V(98, i % 300), B(1, V(1, 0) + B(2, V(1, i + 1) + V(2, 7) + B(4, switch(8, 9)[2]))))
                                          for i in range(n)),
    "ftrace-jobs-queued": lambda n: bundles(drm_job(411, i, i) for i in range(n)),
    "ftrace-jobs-run": lambda n: bundles([drm_job(412, i, i) for i in range(n // 2)]
        + [drm_job(413, n // 2 - 1 - i, 0) for i in range(n // 2)]),
    "ftrace-job-same": lambda n: bundles([drm_job(412, 1, 1)] * (n // 2) + [drm_job(413, 1, 0)] * (n // 2)),
    "ftrace-fences": lambda n: bundles([fence(414, 1, i) for i in range(n // 2)] + [fence(416, 1, i) for i in range(n // 2)]),
    "ftrace-fence-contexts": lambda n: bundles(fence(414, i, 1) for i in range(n)),
    "ftrace-heap": lambda n: bundles((7, 351, V(1, i // 2) + V(2, 9) + V(3, 9)) for i in range(n)),
    "ftrace-commands": lambda n: bundles((7, 468, B(5, "control") + V(7, i) + V(8, 0x101)) for i in range(n)),
    "binder-calls": lambda n: bundles([(7, 50, V(1, i)) for i in range(n // 2)] + [(8, 51, V(1, i)) for i in range(n // 2)]),
    "binder-frames": lambda n: bundles([(7, 485, V(1, 0x40406300))] * (n // 2) + [(7, 486, V(1, 0x7206))] * (n // 2)),
    "binder-notes": lambda n: bundles([(7, 50, V(1, i)) for i in range(n // 2)] + [(7, 323, V(1, i)) for i in range(n // 2)]),
    "binder-locks": lambda n: bundles((i, 53 + i % 2, b"") for i in range(n)),
    "video-buffers": lambda n: bundles((7, 422, V(6, i)) for i in range(n)),
    "frames": lambda n: b"".join(frame(i, 4, V(1, i) + V(2, i) + V(3, 5) + V(4, 7)) for i in range(n // 2))
        + b"".join(frame(n, 5, V(1, i)) for i in range(n // 2)),
    "frames-to-one": lambda n: b"".join(frame(i, 4, V(1, i) + V(2, 5) + V(3, 5) + V(4, 7)) for i in range(n))
        + frame(n, 2, V(1, n) + V(2, 5) + V(3, 7)),
    "frames-back": lambda n: b"".join(frame(n - i, 3, V(1, 1) + V(2, i) + V(3, i) + V(4, i)) for i in range(n)),
    "rails": lambda n: b"".join(packet(V(8, i), B(40, B(1, V(1, i % 256) + B(2, "r%d" % i)) + B(2, V(1, i % 256) + V(3, i)) + V(3, i // 256)))
                                for i in range(n)),
    "batteries": lambda n: b"".join(packet(V(8, i), B(38, V(1, i) + B(5, "b%d" % i))) for i in range(n)),
    "perf-samples": lambda n: b"".join(packet(V(8, i), V(10, 1 + i // 2), B(66, V(1, i % 900) + V(2, i) + V(3, i) + V(6, i))) for i in range(n)),
    "perf-defaults": lambda n: packet(V(10, 1), V(13, 1), B(59, B(12, B(1, V(4, 1)) + b"".join(B(4, B(4, "f%d" % i)) for i in range(n)))))
        + b"".join(packet(V(10, 1), V(8, i), B(66, V(1, 0) + V(2, 7) + V(3, 7) + V(6, i) + V(7, i))) for i in range(2)),
    "ftrace-bundles": lambda n: b"".join(bundles([switch(8, 9)]) for i in range(n)),
    "json-args-same": lambda n: json([X(1, 1, ',"args":{%s}' % ",".join('"k":%d' % i for i in range(n)))]),
    "json-args-array": lambda n: json([X(1, 1, ',"args":{"k":[%s]}' % ",".join("1" for i in range(n)))]),
    "json-args-nested": lambda n: json(X(i, 1, ',"args":{"k":%s1%s}' % ("[" * 200, "]" * 200)) for i in range(n // 200)),
    "json-args-too-deep": lambda n: json([X(1, 1, ',"args":{"k":%s1%s}' % ("[" * n, "]" * n))]),
    "json-args-open": lambda n: ('{"traceEvents":[' + '{"args":' * n).encode(),
    "json-brackets": lambda n: ("[" * n).encode(),
    "json-quotes": lambda n: ('{"traceEvents":[' + '"' * n).encode(),
    "json-broken-events": lambda n: json(["{" + X(i, 1) for i in range(n)]),
    "json-broken-texts": lambda n: json([X(i, 1)[:-2] + '"x' for i in range(n)]),
    "json-broken-values": lambda n: json([X(i, 1, ',"args":{"k":tru}') for i in range(n)]),
    "json-backslashes": lambda n: json([X(1, 1, name="\\\\" * n)]),
    "json-blanks": lambda n: ('{"traceEvents":[' + " " * (8 * n) + X(1, 1) + "]}").encode(),
    "json-open-array": lambda n: ('[' + ",".join(X(i, 1) for i in range(n))).encode(),
    "json-keys-of-document": lambda n: json([X(1, 1)], "".join(',"k%d":%d' % (i, i) for i in range(n))),
    "json-metadata": lambda n: json([X(1, 1)], ',"metadata":{%s}' % ",".join('"k%d":%d' % (i, i) for i in range(n))),
    "json-two-documents": lambda n: b"".join(json([X(i, 1)]) for i in range(n // 4)),
    "json-names-of-threads": lambda n: json(M("thread_name", '"name":"t%d"' % i, tid=i) for i in range(n)),
    "json-names-again": lambda n: json(M("thread_name", '"name":"t%d"' % i) for i in range(n)),
    "json-sort-indexes": lambda n: json(M("thread_sort_index", '"sort_index":%d' % i, tid=i) for i in range(n)),
    "json-unknown-members": lambda n: json(X(i, 1, ',"m%d":%d' % (i, i)) for i in range(n)),
    "json-many-members": lambda n: json([X(1, 1, "".join(',"m%d":%d' % (i, i) for i in range(n)))]),
    "json-member-again": lambda n: json([X(1, 1, ',"args":{"a":1}' * n)]),
    "json-member-orders": lambda n: json(["{%s}" % ",".join(permuted(['"ph":"X"', '"name":"a"', '"pid":1', '"tid":1',
        '"ts":%d' % i, '"dur":1', '"cat":"c"'], i)) for i in range(n)]),
    "json-formats-turn": lambda n: json(X(i, 1, ("", ' ,"cat":"c"', ',"args":{}', ',"id":1', ', "cat" : "d"')[i % 5],
        name="n" * (i % 50)) for i in range(n)),
    "json-instants-scopes": lambda n: json(J("i", i, ',"s":"%s"' % "gpt"[i % 3], pid=i) for i in range(n)),
    "json-ends-by-name": lambda n: json([J("B", i, name="n%d" % i) for i in range(n // 2)]
        + [J("E", n + i, name="n%d" % i) for i in range(n // 2)]),
    "json-ends-without-match": lambda n: json([J("B", i) for i in range(500)] + [J("E", 999 + i, name="z") for i in range(n)]),
    "json-unordered": lambda n: json(X(i, 1) for i in shuffled(n)),
    "json-negative-times": lambda n: json(X(-i, 1) for i in range(n)),
    "json-bad-times": lambda n: json(J("X", '"x"', ',"dur":"y"') for i in range(n)),
    "json-long-numbers": lambda n: json([X("1." + "3" * n, 1)]),
    "json-long-numbers-many": lambda n: json(X("%d.%s" % (i, "3" * 300), 1) for i in range(n // 20)),
    "json-thread-clocks": lambda n: json(X(i, 1, ',"tts":%d,"tdur":1' % i) for i in range(n)),
    "json-frames-chain": lambda n: frames(n // 2, lambda i: i - 1),
    "json-frames-chain-back": lambda n: frames(n // 2, lambda i: i + 1),
    "json-frames-loop": lambda n: frames(n // 2, lambda i: (i + 1) % (n // 2)),
    "json-frames-star": lambda n: frames(n // 2, lambda i: 0),
    "json-stacks": lambda n: json(X(i, 1, ',"stack":["f%d","g%d"]' % (i, i)) for i in range(n)),
    "json-stack-long": lambda n: json([X(1, 1, ',"stack":[%s]' % ",".join('"f"' for i in range(n)))]),
}


def nested(depth):
    """An annotation in an annotation ..., from the innermost one on."""
    body = B(10, "k") + V(4, 1)
    for _ in range(depth):
        body = B(10, "k") + B(11, body)
    return B(4, body)


def permuted(parts, i):
    out = []
    parts = list(parts)
    while parts:
        out.append(parts.pop(i % len(parts)))
        i //= len(parts) + 1
    return out


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(KINDS))
    elif len(sys.argv) == 4 and sys.argv[1] in KINDS:
        with open(sys.argv[3], "wb") as out:
            out.write(KINDS[sys.argv[1]](int(sys.argv[2])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
