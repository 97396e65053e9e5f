"""What the tests of cut, split and merge share: the engine, the command, windows, packets."""
import gzip
import json
import os
import random
import re
import select
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(os.path.dirname(HERE), folder) for folder in ("random", "roundtrip")]

from tables import Tables  # noqa: E402  pylint: disable=wrong-import-position

PATIENCE = 60  # seconds


class Engine:
    """Perfetto's engine in a process of its own; some documents make it run forever, so there is another one then."""

    def __init__(self, tp_query):
        self.command = ["node", os.path.join(HERE, "engine.mjs"), tp_query, os.path.join(HERE, "sections.sql")]
        self.process = None
        self.threads = {}  # tid of a document that the engine does not tell from others -> the one it gets

    def ask(self, path):
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(os.path.abspath(path) + "\n")
        self.process.stdin.flush()
        if select.select([self.process.stdout], [], [], PATIENCE)[0]:
            return json.loads(self.process.stdout.readline())
        self.process.kill()
        self.process.wait()
        self.process = None
        return {"crash": "no answer"}

    def tables(self, path, others=False):
        """Tables, or a text that says why there are none."""
        text = document_of(path)
        readable = self.readable(text)
        if readable == text:
            tables = self.tables_of(path, text, others)
        else:
            with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8", errors="surrogateescape") as file:
                file.write(readable)
                file.flush()
                tables = self.tables_of(file.name, readable, others)
        if isinstance(tables, Tables):
            tables.odd = bool(re.search(r'"[pt]id"\s*:\s*-?(\d+[.eE]|\d{10})', text))
        return tables

    def tables_of(self, path, text, others):
        answer = self.ask(path)
        if "slices" not in answer:
            return str(answer)
        return Tables(answer, others, ids_in(path), ends_in(path), '"attr"' in text)

    def readable(self, text):
        """A document with what the engine does not read as the format has it: it takes all threads of a process whose tids have
        more than 63 bits for one, and reads nothing after a first document. Threads get other tids, always the same ones; all
        events are in one document."""
        text = re.sub(r'("tid"\s*:\s*)(\d{19,})', lambda tid: tid[1] + str(
            self.threads.setdefault(tid[2], 77000000 + len(self.threads))), text)
        documents = documents_in(text)
        return text if len(documents) < 2 else json.dumps({"traceEvents": [
            event for one in documents for event in (one["traceEvents"] if isinstance(one, dict) else one)]})


def documents_in(text):
    """The documents of a text; none where it has something else."""
    found, decoder, at = [], json.JSONDecoder(), 0
    try:
        while at < len(text):
            one, at = decoder.raw_decode(text, at)
            found.append(one)
            at = re.compile(r"\s*").match(text, at).end()
    except ValueError:
        return []
    return found


def contents(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def document_of(path):
    """The text of a document of Chrome JSON, "" for a binary trace."""
    return contents(path).decode("utf-8", "surrogateescape") if ".json" in path else ""


def ids_in(path):
    """The numbers and texts of a document of Chrome JSON that can be ids; None for a binary trace."""
    if ".json" not in path:
        return None
    text = document_of(path).encode("utf-8", "surrogateescape")
    return {int(number) for number in re.findall(rb'"[pt]id"\s*:\s*(-?\d+)', text)} | {
        name.decode("utf-8", "replace") for name in re.findall(rb'"[pt]id"\s*:\s*"([^"]*)"', text)}


def ends_in(path):
    """Of a document: {(time, name) of a begin of an asynchronous operation: times of the ends of its id}, in ns."""
    if ".json" not in path:
        return None
    try:
        events = json.loads(contents(path))
        events = events["traceEvents"] if isinstance(events, dict) else events
        found, ends = {}, {}
        for event in events:
            key = event.get("cat"), str(event.get("id")), str(event.get("id2"))
            if event.get("ph") in ("b", "S"):
                found[round(float(event["ts"]) * 1000), event.get("name")] = key
            elif event.get("ph") in ("e", "F"):
                ends.setdefault(key, []).append(round(float(event["ts"]) * 1000))
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {begin: ends.get(key, []) for begin, key in found.items()}


def run(*command):
    """None, or what the command says when it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=PATIENCE, text=True, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return "no end"
    return f"exit {done.returncode}: {done.stderr.strip()[-300:]}" if done.returncode else None


def seed_of_run():
    """The seed, printed, and how many times more than usual there is to do."""
    seed = int(os.environ.get("POSTFETTO_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"seed {seed}", flush=True)
    return seed, 10 if os.environ.get("POSTFETTO_LONG") else 1


def flat(row):
    """The cells of a row, by name, however deep."""
    if not hasattr(row, "_asdict"):
        return {"": row} if not isinstance(row, tuple) else {f"{i}.{key}": cell for i, part in enumerate(row)
                                                            for key, cell in flat(part).items()}
    return {f"{name}.{key}".rstrip("."): cell for name, part in row._asdict().items()
            for key, cell in (flat(part) if hasattr(part, "_asdict") else {"": part}).items()}


def show(found, prefix=""):
    """Prints differences, the first rows of each: a whole row that is missing, and what differs in the row most like it."""
    for what, lost, extra in found:
        print(f"  {prefix}{what}: {len(lost)} rows are missing, {len(extra)} are not expected")
        extra = [flat(row) for row in extra[:200]]
        for row in map(flat, lost[:2]):
            print("    -", {key: cell for key, cell in row.items() if cell not in (None, ())})
            like = max(extra, key=lambda other, row=row: sum(row[key] == other.get(key) for key in row), default=None)
            if like:
                print("    +", {key: cell for key, cell in like.items() if cell != row.get(key)})
        if not lost and extra:
            print("    +", {key: cell for key, cell in extra[0].items() if cell not in (None, ())})


def pick_window(times, r, step):
    """A window that begins and ends at events, next to them, or anywhere, at multiples of a step."""
    start, end = (time - time % step for time in any_window([min(max(time, 0), 1 << 62) for time in times], r))
    return start, max(end, start + step)


def any_window(times, r):

    def point():
        return r.choice([r.choice(times) + r.choice([0, 0, 0, 1, -1]), r.randint(times[0], times[-1])])
    if r.random() < 0.5:
        start, end = sorted([max(point(), 0), max(point(), 0)])
        return start, end
    start = max(point(), 0)
    return start, start + max(1, int((times[-1] - times[0]) * 10 ** r.uniform(-4, 0)))


def read_varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def packets(data):
    """The packets of a plain trace, each with its tag and length; those of a bundle stay together."""
    found, at = [], 0
    while at < len(data):
        _, after = read_varint(data, at)
        length, after = read_varint(data, after)
        found.append(data[at:after + length])
        at = after + length
    return found


def packet_body(packet):
    return packet[read_varint(packet, 1)[1]:]


def fields(message):
    """(number, value) of each field; the value of one with a length is its bytes, of a fixed one a number."""
    at = 0
    while at < len(message):
        tag, at = read_varint(message, at)
        if tag & 7 == 0:
            value, at = read_varint(message, at)
        else:
            length, at = (8, at) if tag & 7 == 1 else (4, at) if tag & 7 == 5 else read_varint(message, at)
            value = message[at:at + length]
            at += length
        yield tag >> 3, value if tag & 7 in (0, 2) else int.from_bytes(value, "little")


def flows_on_ends(data):
    """Ids of flows that events have which end slices."""
    event, kind, legacy, phase, old, new = 11, 9, 6, 2, (36, 42), (47, 48)
    found = set()
    for packet in (part for bundle in packets(data) for part in unbundle(bundle)):
        for said in (list(fields(value)) for number, value in fields(packet_body(packet)) if number == event):
            if (kind, 2) in said or any(number == legacy and (phase, ord("E")) in fields(value) for number, value in said):
                found |= {value for number, value in said if number in old + new}
    return found


def unbundle(data):
    """A packet, or those in one of compressed packets."""
    _, start = read_varint(data, 1)
    number, after = read_varint(data, start) if start < len(data) else (0, 0)
    if number >> 3 != 50:
        return [data]
    length, after = read_varint(data, after)
    try:
        return packets(zlib.decompress(data[after:after + length]))
    except zlib.error:
        return [data]
