#!/usr/bin/env python3
"""Damaged and lying inputs of `cut`, `split`, `merge` and `cut --redact`: no crash, bounded memory and time, nothing half.

    edits.py POSTFETTO FIXTURES

Inputs are small traces cut short, with bytes flipped, with lengths of gigabytes, and bombs: gzip, zstd and compressed
packets that unpack to GROWN bytes, compressed packets in each other. Each command is to end within SECONDS with an exit
code of the contract and LEAST more memory than for the trace as it was. What it wrote is read again by `info`; where it
failed, the file that was there before is as it was, and nothing else is in its folder. The seed is printed
(POSTFETTO_SEED).
"""
import gzip
import os
import random
import resource
import subprocess
import sys
import tempfile
import zlib

from generate import B, START, V, event, packet

SECONDS = 20
ROOM = 300 << 20  # of address space beyond what is always mapped
GROWN = 1 << 30
LIMITS = ["--max-memory", "64M", "--max-plain", "64M", "--jobs", "1"]
BEFORE = b"what was there before"


def bombs():
    zeros = zlib.compressobj(9)
    deep = START + event(1, 3, 5, "x")
    for _ in range(5):
        deep = packet(B(50, zlib.compress(deep)))
    block = b"".join(zeros.compress(bytes(1 << 20)) for _ in range(GROWN >> 20)) + zeros.flush()
    names = START + packet(V(10, 1), V(13, 2), B(12, b"".join(B(2, V(1, i + 1) + B(2, "n" * 900)) for i in range(2000))))
    yield "compressed packets that grow", START + packet(B(50, block))
    yield "compressed packets in each other", deep
    yield "gzip that grows", gzip.compress(START) + gzip.compress(packet(B(50, block)))
    yield "many copies of names", names + b"".join(packet(V(10, 1), V(13, 2), V(8, i), B(11, V(9, 3) + V(10, i % 2000 + 1)))
                                                   for i in range(2000))
    for length in (0x7FFFFFFF, 0xFFFFFFFF, (1 << 63) - 1, (1 << 64) - 1):
        yield "a packet of %d bytes" % length, START + event(1, 3, 5, "x") + b"\n" + V(1, length)[1:] + b"\x40\x05"
        yield "a name of %d bytes" % length, START + packet(V(8, 1), V(10, 1), b"\x5a\x0a\x48\x01\xba\x01" + V(1, length)[1:])
    yield "times at both ends", START + event(0, 1, 5, "x") + event((1 << 63) - 1, 2, 5) + event((1 << 64) - 1, 3, 5, "y")


def damaged(rng, whole):
    for _ in range(4):
        yield "cut short", whole[:rng.randrange(1, len(whole))]
        b = bytearray(whole)
        for _ in range(rng.choice([1, 4, 40])):
            b[rng.randrange(len(b))] ^= 1 << rng.randrange(8)
        yield "flipped bits", bytes(b)


def inputs(rng, fixtures):
    for name in ("aie_small.pftrace", "aie_small.json", "aie_small.pftrace.gz", "containers/small_packets_zstd.pftrace"):
        with open(os.path.join(fixtures, name), "rb") as f:
            whole = f.read()
        for how, data in damaged(rng, whole):
            yield "%s, %s" % (name, how), data
    bad = sorted(n for n in os.listdir(os.path.join(fixtures, "bad")) if n.endswith((".json", ".pftrace", ".gz")))
    for name in bad if os.environ.get("POSTFETTO_LONG") == "1" else rng.sample(bad, 12):
        with open(os.path.join(fixtures, "bad", name), "rb") as f:
            yield name, f.read()
    yield from bombs()


def commands(path, good, out):
    yield "cut", ["cut", path, "-o", out, "--from", "+1us", "--to", "-1us"]
    yield "select", ["cut", path, "-o", out, "--process", "*", "--min-dur", "1us"]
    yield "redact", ["cut", path, "-o", out, "--redact", "names,args,paths"]
    yield "split", ["split", path, "-o", out + ".d", "--parts", "3"]
    yield "merge", ["merge", good, path, "-o", out]


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words):
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit)


def fault(postfetto, folder, words, out):
    """What is wrong with a command, or None."""
    with open(out, "wb") as f:
        f.write(BEFORE)
    there = set(os.listdir(folder))
    try:
        done = run([postfetto, *words, *LIMITS])
    except subprocess.TimeoutExpired:
        return "not done in %d s" % SECONDS
    if done.returncode not in (0, 2, 3, 5):
        return "exit code %d: %s" % (done.returncode, done.stderr[-300:].decode(errors="replace"))
    if done.returncode and not done.stderr.startswith(b"postfetto: "):
        return "no reason is given"
    parts = out + ".d"
    if words[0] == "split":
        written = sorted(os.path.join(parts, n) for n in os.listdir(parts)) if os.path.isdir(parts) else []
        if done.returncode and any(n.endswith("index.json") for n in written):
            return "an index of parts that failed"
    else:
        with open(out, "rb") as f:
            kept = f.read() == BEFORE
        if kept != (done.returncode != 0):
            return "exit code %d, and the output is %s" % (done.returncode, "as it was" if kept else "another one")
        written = [] if kept else [out]
        if set(os.listdir(folder)) != there:
            return "more files are there: %s" % (set(os.listdir(folder)) - there)
    for file in written:
        if not file.endswith("index.json"):
            back = run([postfetto, "info", "-q", file, "--jobs", "1"])
            if back.returncode:
                return "what it wrote cannot be read: %s" % back.stderr[-300:].decode(errors="replace")
    return None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    postfetto, fixtures = os.path.realpath(sys.argv[1]), sys.argv[2]
    seed = int(os.environ.get("POSTFETTO_SEED", random.randrange(1000000)))
    print("seed %d" % seed)
    good = os.path.join(os.path.realpath(fixtures), "aie_small.pftrace")
    passed = failed = 0
    for name, data in inputs(random.Random(seed), fixtures):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace")
            with open(path, "wb") as f:
                f.write(data)
            for what, words in commands(path, good, ""):
                kind = ".json" if what != "merge" and data[:1] in b"[{ \t\r\n\xef" and data[:1] != b"\n" else ".pftrace"
                out = os.path.join(folder, what + kind)
                words = dict(commands(path, good, out))[what]
                wrong = fault(postfetto, folder, words, out)
                passed += wrong is None
                failed += wrong is not None
                if wrong:
                    print("not ok: %s of %s: %s" % (what, name, wrong))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
