"""The judge can fail: a copy of a trace without one of its events, or with one moved by 1 ns, is not equal to it.

  judge_test.py TP_QUERY WORK
"""
import os
import re
import sys

import generate
from tables import differences
from tools import Engine, packets

FEATURES = ("args", "counters", "extra", "flows", "named")
EVENT = re.compile(rb"\x68\x02[\x5a\xaa]")  # flags, then an event


def copies(original):
    """Without one packet that has a time; with a larger time in one."""
    for at, data in list(enumerate(original))[::5]:
        body = data.find(b"\x40", 2, 7)  # TracePacket.timestamp, which comes first in a packet
        if body < 0 or not EVENT.search(data):
            continue
        yield f"without packet {at}", original[:at] + original[at + 1:]
        changed = bytearray(data)
        changed[body + 1] ^= 1
        yield f"packet {at} moved", original[:at] + [bytes(changed)] + original[at + 1:]


def main(tp_query, work):
    engine, path = Engine(tp_query), os.path.join(work, "judged.pftrace")
    original = packets(generate.trace(3, FEATURES))
    tables, unseen, tried = None, [], 0
    for what, some in [("the same", original), *copies(original)]:
        with open(path, "wb") as file:
            file.write(b"".join(some))
        other = engine.tables(path)
        tables = tables or other
        tried += 1
        if bool(differences(tables.rows(), other.rows())) != (what != "the same"):
            unseen.append(what)
    print(f"judge: {tried - len(unseen)} of {tried} copies judged as they are; wrong: {unseen[:20]}")
    return 1 if unseen or tried < 30 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
