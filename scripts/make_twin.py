#!/usr/bin/env python3
"""make_twin.py IN.json[.gz] OUT.pftrace[.gz]: an AIE trace in Chrome JSON as a binary Perfetto trace.

An independent second opinion on our reader and our writer: it shares no code with either, only the field numbers of the
format, and uses nothing beyond Python's standard library. One JSON event becomes one packet, in file order:

  process_name metadata  a track descriptor of the process (again with the same uuid when the name changes)
  first event of a tid   a track descriptor of the thread
  B / E / i              a TrackEvent begin / end / instant, with its name on the end as well

Names are interned and inline by turns. Cycles are written as nanoseconds, without any clock. Exit 3 if a binary trace
cannot hold what the analysis reads: process ids that are not int32, a time that is negative or not a number. Events
that the analysis does not read are left out where they have no usable time.
"""
import gzip
import json
import sys

TRACE_PACKET = 1
PACKET_TIMESTAMP, PACKET_SEQUENCE, PACKET_EVENT, PACKET_INTERNED, PACKET_FLAGS = 8, 10, 11, 12, 13
PACKET_DESCRIPTOR, PACKET_FIRST = 60, 87
FLAG_CLEARED, FLAG_NEEDS_STATE = 1, 2
EVENT_TYPE, EVENT_NAME_IID, EVENT_TRACK, EVENT_NAME = 9, 10, 11, 23
EVENT_TYPES = {"B": 1, "E": 2, "i": 3, "I": 3}
INTERNED_NAMES, ENTRY_IID, ENTRY_NAME = 2, 1, 2
TRACK_UUID, TRACK_PROCESS, TRACK_THREAD = 1, 3, 4
PROCESS_PID, PROCESS_NAME = 1, 6
THREAD_PID, THREAD_TID, THREAD_NAME = 1, 2, 5

SEQUENCE = 77
NO_TID = 0x7FFFFFFF  # events without a usable tid share this thread of their process
READ_EVENTS = {("INSTR_EVENT_0", "B"), ("INSTR_EVENT_1", "E"), ("LOCK_STALL", "B"), ("LOCK_STALL", "E")}


class NoTwin(Exception):
    """The trace holds something that a binary trace cannot."""


def varint(value):
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
    return varint(field << 3 | 2) + varint(len(data)) + data


def load_events(data):
    """The list of events of a JSON document, in either form, gzipped or not."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    document = json.loads(data.decode("utf-8"))
    return document["traceEvents"] if isinstance(document, dict) else document


def cycles(ts):
    """A time as aie.md section 1 reads it."""
    try:
        value = int(None if isinstance(ts, bool) else ts)
    except (TypeError, ValueError, OverflowError):
        raise NoTwin(f"a time is not a number: {ts!r}") from None
    if not 0 <= value < 1 << 63:
        raise NoTwin(f"a time does not fit: {ts!r}")
    return value


def check_pid(pid):
    if not is_integer(pid, 32):
        raise NoTwin(f"a process id is not an int32: {pid!r}")


def is_integer(value, bits):
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << bits - 1) <= value < 1 << bits - 1


def thread_id(event):
    tid = event.get("tid")
    return tid if is_integer(tid, 64) else NO_TID


def args_name(event):
    """args.name of a metadata event, None where there is none."""
    args = event.get("args")
    return args.get("name") if isinstance(args, dict) else None


class Twin:
    """Writes packets; remembers which tracks and names are known."""

    def __init__(self, thread_names):
        self.thread_names = thread_names
        self.packets = []
        self.uuids = {}
        self.iids = {}
        self.events = 0

    def packet(self, body, flags=0):
        if not self.packets:
            body += number(PACKET_FIRST, 1)
            flags |= FLAG_CLEARED
        body += number(PACKET_SEQUENCE, SEQUENCE)
        if flags:
            body += number(PACKET_FLAGS, flags)
        self.packets.append(text(TRACE_PACKET, body))

    def uuid(self, key):
        return self.uuids.setdefault(key, 1000 + 7 * len(self.uuids))

    def describe_process(self, pid, name):
        process = number(PROCESS_PID, pid)
        if name is not None:
            process += text(PROCESS_NAME, name)
        track = number(TRACK_UUID, self.uuid(pid)) + text(TRACK_PROCESS, process)
        self.packet(text(PACKET_DESCRIPTOR, track))

    def thread(self, pid, tid):
        """The uuid of a thread's track, described where it is first used."""
        key = (pid, tid)
        if key not in self.uuids:
            thread = number(THREAD_PID, pid) + number(THREAD_TID, tid)
            if key in self.thread_names:
                thread += text(THREAD_NAME, self.thread_names[key])
            self.packet(text(PACKET_DESCRIPTOR, number(TRACK_UUID, self.uuid(key)) + text(TRACK_THREAD, thread)))
        return self.uuids[key]

    def event(self, kind, ts, track, name):
        interned, flags = b"", 0
        if self.events % 2 == 0:
            flags = FLAG_NEEDS_STATE
            if name not in self.iids:
                self.iids[name] = len(self.iids) + 1
                entry = number(ENTRY_IID, self.iids[name]) + text(ENTRY_NAME, name)
                interned = text(PACKET_INTERNED, text(INTERNED_NAMES, entry))
            named = number(EVENT_NAME_IID, self.iids[name])
        else:
            named = text(EVENT_NAME, name)
        body = number(EVENT_TYPE, kind) + named + number(EVENT_TRACK, track)
        self.packet(number(PACKET_TIMESTAMP, ts) + interned + text(PACKET_EVENT, body), flags)
        self.events += 1


def make_twin(events):
    """The bytes of the binary trace; raises NoTwin."""
    events = [event for event in events if isinstance(event, dict)]
    names = {}
    for event in events:
        if event.get("ph") == "M" and event.get("name") == "thread_name" and is_integer(event.get("pid"), 32):
            name = args_name(event)
            if isinstance(name, str):
                names[(event["pid"], thread_id(event))] = name
    twin = Twin(names)
    for event in events:
        phase, name = event.get("ph"), event.get("name")
        if phase == "M" and name == "process_name":
            add_process(twin, event)
        elif isinstance(phase, str) and phase in EVENT_TYPES and isinstance(name, str):
            add_event(twin, event, phase, name)
    return b"".join(twin.packets)


def add_process(twin, event):
    check_pid(event.get("pid"))
    name = args_name(event)
    if name is not None and not isinstance(name, str):
        raise NoTwin(f"a process name is not a text: {name!r}")
    twin.describe_process(event["pid"], name)


def add_event(twin, event, phase, name):
    try:
        check_pid(event.get("pid"))
        ts = cycles(event.get("ts"))
    except NoTwin:
        if (name, phase) in READ_EVENTS:
            raise
        return
    twin.event(EVENT_TYPES[phase], ts, twin.thread(event["pid"], thread_id(event)), name)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: make_twin.py IN.json[.gz] OUT.pftrace[.gz]")
    with open(sys.argv[1], "rb") as source:
        events = load_events(source.read())
    try:
        data = make_twin(events)
    except NoTwin as reason:
        print(f"no twin: {reason}", file=sys.stderr)
        sys.exit(3)
    if sys.argv[2].endswith(".gz"):
        data = gzip.compress(data, 9, mtime=0)
    with open(sys.argv[2], "wb") as target:
        target.write(data)


if __name__ == "__main__":
    main()
