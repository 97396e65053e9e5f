"""Redacts the traces of the corpus and compares, in Perfetto's engine, what the result says with what a copy says that is
not redacted.

    check.py WORK TP_QUERY CORPUS COMMAND...

COMMAND is postfetto cut: IN, -o, OUT and options are appended. For every trace:
- all tables have the same rows: times, depths, parents, flows, numbers, keys. Texts differ, but the same text became the
  same hash everywhere, also across the traces, and no two became one. A trace of which parts are left out (they are
  counted by the command) has fewer rows in some tables, which then are not compared.
- no text of the original is in the bytes of the result: neither one of the tables, nor any run of letters, nor any field
  of a packet or string of JSON from 4 bytes on, shown by the engine or not.
"""
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import zlib

HASH = re.compile(r"(?<![0-9])x[0-9a-f]{12}")  # and no number: 0x...
# Columns with texts of people; all others must not change.
TEXTS = {"slices": (5, 6), "tracks": (2,), "threads": (5,), "processes": (5, 6), "args": (6,), "logs": (3, 4), "frames": (0,),
         "mappings": (2,), "counter_units": (1,), "metadata": (2,)}
# What the engine itself or the format calls things.
WORDS = re.compile(
    r"x[0-9a-f]{12}|[-+.0-9eE]+|0x[0-9a-f]+|swapper(/\d+)?|thread_time|thread_instruction_count|postfetto\..*|kworker/.*|battery_stats\..*|"
    r"[A-Z]\|\d+\|?((ScreenState|battery_stats\.\w+)\|\d+)?\s*|[\[\]\d., ]+|Browser|Renderer|Running|"
    r"timekeeping_freeze|syscore_\w+|suspend_enter|(freeze|thaw)_processes|dpm_\w+|"
    r"ScreenState|(thread|process)_(name|labels|sort_index)|Profile(Chunk)?|\[No name\]|Default Track|GPU Log|Vulkan Events|"
    r"vkQueueSubmit|render stage\(\d+\)|Unknown GPU Queue \d+|unknown\(\d+\)|Linux|Darwin|x86_64|aarch64|i686|armv\w+", re.S)
# Bytes of a text, of a run of letters, and of a whole field, that are looked for; shorter ones are found anywhere.
MIN, RUN, WHOLE = 6, 8, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def plain_packets(data):
    """The bytes of a trace with those of its compressed packets (zlib) in their place."""
    out, at = bytearray(), 0
    try:
        while at < len(data):
            start = at
            tag, at = varint(data, at)
            length, at = varint(data, at)
            if tag != 10 or at + length > len(data):
                break
            packet = data[at:at + length]
            at += length
            inner = re.match(rb"\x92\x03", packet)
            if inner:
                size, begin = varint(packet, 2)
                if begin + size == len(packet):
                    out += plain_packets(zlib.decompressobj(47).decompress(packet[begin:]))
                    continue
            out += data[start:at]
    except IndexError:
        pass
    return bytes(out)


def unpacked(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data if ".json" in path else plain_packets(data)


def fields(data):
    """(number, value) of each field: bytes or a number."""
    at = 0
    try:
        while at < len(data):
            tag, at = varint(data, at)
            if tag & 7 == 2:
                length, at = varint(data, at)
                yield tag >> 3, data[at:at + length]
                at += length
            elif tag & 7 == 0:
                value, at = varint(data, at)
                yield tag >> 3, value
            elif tag & 7 in (1, 5):
                at += 8 if tag & 7 == 1 else 4
            else:
                return
    except IndexError:
        return


def is_message(data):
    """Whether fields lie in it from its first byte to its last."""
    at = 0
    try:
        while at < len(data):
            tag, at = varint(data, at)
            size, at = varint(data, at) if tag & 7 in (0, 2) else (0, at + {1: 8, 5: 4}.get(tag & 7, len(data)))
            at += size if tag & 7 == 2 else 0
    except IndexError:
        return False
    return at == len(data)


def texts_of(data, keys):
    """Fields of packets, however deep, and strings of JSON, that can be read as text; neither lists of numbers of ftrace, nor ids
    of JSON in hexadecimal digits, nor objects without a text but their keys, nor keys."""
    if re.match(rb"\s*[\[{]", data):
        return {t for t in re.findall(r'"((?:[^"\\]|\\.)*)"', data.decode("utf-8", "replace"))
                if len(t) >= WHOLE and not re.fullmatch("[0-9a-fA-F]*[0-9][0-9a-fA-F]*", t)} - keys
    found, todo = set(), [((), data)]
    while todo:
        path, message = todo.pop()
        for number, value in fields(message):
            if isinstance(value, bytes) and len(value) >= WHOLE and (path[:3] != (1, 1, 4) or number == 5):
                if is_message(value):
                    todo.append(((*path, number), value))
                if re.fullmatch(rb"[\x20-\x7e\x80-\xff]+", value):
                    found.add(value.decode("utf-8", "replace"))
    found = {t for t in found - keys if "\ufffd" not in t}
    return {t for t in found if t[0] not in "{[" or set(re.findall(r'"((?:[^"\\]|\\.)*)"', t)) - keys}


# Where keys of arguments stand: fields from the packet down to the text; a list may be gone through any number of times.
JSON = "keys of a text"
KEYS = [(12, 3, 2), (12, 1001, 2), (11, 4, [11, 12], 10), (11, 4, [11, 12], 9, JSON), (11, 4, [11, 12], 8, [3, 4], 2),
        (39, 1, 9, 1), (126, 1, 1), (33, 48, 1, 1), (5, 2, 1), (53, 6, 1), (53, 21, 3, 2), (128, 1, 6, 1), (1, 2, 327, 2, 1)]


def find_keys(message, path, found):
    if not isinstance(message, bytes):
        return
    if not path:
        found.add(message.decode("utf-8", "replace"))
        return
    if path[0] is JSON:
        found.update(re.findall(r'"((?:[^"\\]|\\.)*)"\s*:', message.decode("utf-8", "replace")))
        return
    for number, value in fields(message):
        if isinstance(path[0], list) and number in path[0]:
            find_keys(value, path, found)
        elif number == path[0]:
            find_keys(value, path[1:], found)
    if isinstance(path[0], list):
        find_keys(message, path[1:], found)


def keys_of(data):
    """Keys of arguments in plain bytes of a trace: they stay."""
    found = set()
    if re.match(rb"\s*[\[{]", data):
        find_keys(data, (JSON,), found)
        return found
    for _, packet in fields(data):
        numbers = {number for number, _ in fields(packet)}
        for path in KEYS:
            if path[0] in numbers:
                find_keys(packet, path, found)
    return found


class Judge:
    def __init__(self):
        self.bytes = b""
        self.hashes, self.texts = {}, {}
        self.faults = collections.Counter()
        self.rows = 0

    def pair(self, old, new):
        """What is wrong with a text that became another one, or None. Texts that are nowhere in the file are the engine's."""
        if old is None or new is None or old == "":
            return None if old == new else "a text came or went"
        if old == new:
            stays = len(old) > 3 and old.encode("utf-8", "surrogatepass") in self.bytes and not WORDS.fullmatch(old)
            return "a text stays" if stays else None
        shape = HASH.sub("", new)
        if self.hashes.setdefault(old, new) != new:
            return "one text has two hashes"
        if self.texts.setdefault(new, old) != old:
            return "two texts have one hash"
        # Around the hash there may be words that the engine adds: "Wakelock(x...)".
        return None if HASH.search(new) and (shape == "" or all(piece in old for piece in re.findall(r"\w+", shape))) else \
            "a text became no hash"

    def tables(self, old, new, whole):
        """Differences of the tables. Where parts are left out, other rows may follow from that."""
        if not whole:
            return
        for name, rows in old.items():
            others = new.get(name, [])
            if name in ("faults",):
                if rows != others:
                    yield f"{name}: {rows[:3]} became {others[:3]}"
                continue
            if len(rows) != len(others):
                if name != "metadata": # which names parts of a text by themselves
                    yield f"{name}: {len(rows)} rows became {len(others)}"
                continue
            texts = TEXTS.get(name, ())
            for a, b in zip(rows, others):
                self.rows += 1
                for column, (x, y) in enumerate(zip(a, b)):
                    if column == 0 and name in ("threads", "processes") and re.search(rb'"[pt]id"\s*:\s*"', self.bytes):
                        continue  # the engine numbers those whose ids are texts
                    wrong = self.pair(x, y) if column in texts else x != y and "a value changed"
                    if wrong and not is_exempt(name, a, x, y):
                        yield f"{name}: {wrong}: {a} -> {b}"

    def remains(self, old_bytes, new_bytes, old, keys):
        """Texts of the original that are still there."""
        grams = {new_bytes[i:i + MIN] for i in range(len(new_bytes) - MIN + 1)}
        for name, columns in TEXTS.items():
            for text in {row[c] for row in old.get(name, []) for c in columns if isinstance(row[c], str)}:
                raw = text.encode("utf-8", "surrogatepass")
                if len(raw) >= MIN and raw[:MIN] in grams and raw in new_bytes and raw in old_bytes and \
                        not WORDS.fullmatch(text) and text not in keys:
                    yield f"\"{text[:80]}\" is still there"
        known = set(keys.split("\0"))
        for text in texts_of(new_bytes, known) & texts_of(old_bytes, known):
            if not WORDS.fullmatch(text):
                yield f"the field \"{text[:80]}\" is still there"
        if new_bytes[:1] == b"\n":  # bundles of ftrace are numbers, and the names that the tables have
            new_bytes = b"\0".join(packet for _, packet in fields(new_bytes) if packet and packet[:1] != b"\n")
        text_of = HASH.sub("\0", new_bytes.decode("latin-1"))
        for run in set(re.findall(r"[A-Za-z_][\w./:-]{%d,}" % (RUN - 1), text_of, re.A)):
            known = any(part in keys for part in (run, run[:-1], run[1:]))  # with a byte of the next field
            noise = len(set(run)) < 5 or re.fullmatch(r"x[0-9a-f]+", run)  # bytes of numbers
            if not known and not noise and not WORDS.fullmatch(run) and run.encode("latin-1") in old_bytes:
                yield f"the run \"{run[:80]}\" is still there"


def is_exempt(table, row, old, new):
    """Settings of the recording go, the numbers of the system's release stay, and words of the kernel do."""
    if table == "metadata":
        return row[0] in ("system_release", "trace_config_pbtxt", "system_machine", "system_name") or old == new
    return table == "args" and row[1] in ("action", "source")


def main():
    work, tp_query, corpus, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    here = os.path.dirname(os.path.abspath(__file__))
    key = os.path.join(work, "key")
    with open(key, "wb") as f:
        f.write(bytes(range(32)))
    cases = sorted(os.path.join(folder, name) for folder, _, names in os.walk(corpus) for name in names
                   if re.fullmatch(r"trace\.(pftrace|pb|json)(\.gz)?", name))
    jobs, made = [], []
    for number, path in enumerate(cases):
        ending = "json" if ".json" in path else "pftrace"
        outs = [os.path.join(work, f"{number}.{which}.{ending}") for which in ("old", "new")]
        for out, options in zip(outs, ([], ["--redact", "names,args,paths", "--redact-key", key])):
            done = subprocess.run(command + [path, "-o", out, "--json", *options], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=300, check=False)
        if done.returncode:
            made.append((path, None, done.stderr.strip()[-300:]))
            continue
        made.append((path, outs[1], json.loads(done.stdout)["redacted"]))
        jobs += [{"trace": out, "queries": os.path.join(here, "sections.sql"), "out": out.rsplit(".", 1)[0]} for out in outs]
    with open(os.path.join(work, "jobs.json"), "w", encoding="utf-8") as f:
        json.dump(jobs, f)
    subprocess.run(["node", tp_query, "--batch", os.path.join(work, "jobs.json"), "--json"], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=3000, check=False)
    judge, failed, compared, partly, unread = Judge(), 0, 0, 0, 0
    for number, (path, out, counts) in enumerate(made):
        name = os.path.relpath(path, corpus)
        if out is None:
            print(f"{name}: {counts}")
            failed += 1
            continue
        old, new = load(work, number, "old"), load(work, number, "new")
        if old is None:
            unread += 1
            continue
        whole = not counts["packets"] and not counts["parts"]
        partly += not whole
        compared += 1
        judge.bytes = unpacked(path)
        kept = {text for row in old.get("threads", []) + old.get("processes", []) for text in row[5:]
                if text and text.startswith("kworker/")}
        kept |= {run.decode() for run in re.findall(rb"kworker/[\w:+.-]+", judge.bytes)}
        keys = "\0".join(keys_of(judge.bytes) | kept)
        wrong = ["the engine cannot read the result"] if new is None else list(judge.tables(old, new, whole))
        wrong += judge.remains(judge.bytes, unpacked(out), old, keys) if new is not None else []
        if wrong:
            failed += 1
            print(f"{name}: {len(wrong)} differences")
            for line in wrong[:4]:
                print("  " + line[:400])
    print(f"{compared} traces compared, {partly} of them without parts that are not understood, {judge.rows} rows, "
          f"{len(judge.hashes)} texts; {unread} that the engine does not read; {failed} failed")
    return 1 if failed or compared < 10 else 0


def load(work, number, which):
    folder = os.path.join(work, f"{number}.{which}")
    if not os.path.isdir(folder) or os.path.exists(os.path.join(folder, "load_error.txt")):
        return None
    tables = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8", errors="surrogateescape") as f:
            tables[name.rsplit(".", 1)[0]] = [tuple(row.values()) for row in json.load(f)]
    return tables


if __name__ == "__main__":
    sys.exit(main())
