"""trees.py: a tree of recordings says of each what the recording alone says: documents with numbers, tables with all rows.
Of many launches the first 30 result lines and names of documents are printed, faults beyond a hundred are counted, and more than four million accesses are listed by clock and page only if asked for."""
import collections
import json
import os
import re
import shutil
import struct

from files import load, rows_of

RUNS = [("a", "block_sched"), ("b", "dmat"), ("c", "block_sched"), ("d", "two_maps"), ("e", "dmat"), ("f", "gmem_bytes"),
        ("g", "tensorop"), ("h", "progress"), ("i", "progress"), ("j", "two_maps")]
TITLES = ["block scheduling of each launch, the longest first", "block scheduling of each SM, the longest first",
          "memory accesses of each launch, the most first", "accesses of each tensor, the most first",
          "global memory bytes of each launch, the most first", "tensor operations of each launch, the most first",
          "sampled progress of each launch, the most samples first", "launches by kernel, the longest time first",
          "launches of all logs, the longest kernel first", "sections of the first trace that has several"]
ACCESSES = ("--layout", "v2", "--map", "DMAT:thread:clock=u64,addr=u64:{}")


def read(report, name):
    with open(os.path.join(report, name), "rb") as file:
        return file.read()


def kernel_times(launches):
    """All launches are of one kernel."""
    sums = {key: f"{sum(one[key] for one in launches):.6f}" for key in ("prologue_ms", "kernel_ms", "epilogue_ms")}
    return {"kernel": "generated_kernel", "launches": str(len(launches)), "measured": str(len(launches)), **sums,
            "original_ms": "", "probe_mem": str(max(one["probe_mem"] for one in launches))}


def expected_of(checks, tree):
    """By stem the files of the recordings one by one; by table the rows of all; launches."""
    files, rows, launches = collections.defaultdict(list), collections.defaultdict(list), []
    for name, _ in RUNS:
        _, report = checks.analyse(os.path.join(tree, name))
        for file in sorted(os.listdir(report)):
            stem, ending = os.path.splitext(file)
            if file == "launches.json":
                launches += load(report, file)
            elif file == "neutrino_kernel_times.csv":
                rows[file] = [kernel_times(launches)]
            elif ending == ".csv":
                # The table of sections is that of the first trace that has several.
                rows[file] += rows_of(report, file) if file != "neutrino_multi.csv" or not rows[file] else []
            elif file != "multi.json" or not files[stem, ending]:
                files[stem, ending].append(read(report, file))
    return files, rows, launches


def check_tree(checks):
    tree = os.path.join(checks.scratch, "tree")
    for i, (name, kind) in enumerate(RUNS):
        checks.make(os.path.join("tree", name), kind, "--blocks", str(6 + i), "--seed", str(i + 1))
    files, rows, launches = expected_of(checks, tree)
    expected = {}
    for (stem, ending), contents in files.items():
        for i, content in enumerate(contents):
            expected[stem + (f"_{i + 1}" if len(contents) > 1 else "") + ending] = content
    done, report = checks.analyse(tree)
    checks.equal("tree: exit code", 0, done.returncode)
    checks.equal("tree: files", sorted([*expected, *rows, "launches.json"]), sorted(os.listdir(report)))
    for name, content in expected.items():
        found = read(report, name)
        if name[-6:-5].isdigit() and name.endswith(".json"):  # each of several names its trace
            found = json.loads(found)
            checks.equal(f"tree: {name} names a trace", True, os.path.exists(found.pop("file")))
            found, content = list(found.items()), list(json.loads(content).items())
        checks.equal(f"tree: {name}", content, found)
    for name, lines in rows.items():
        checks.equal(f"tree: {name}", lines, rows_of(report, name))
    checks.equal("tree: launches", launches, load(report, "launches.json"))
    checks.equal("tree: tables on the terminal", sorted(TITLES),
                 sorted(re.sub(r" \(10 of \d+\)$", "", next(line for line in block.split("\n") if "more rows" not in line))
                        for block in done.stderr.decode().strip().split("\n\n") if "\n" in block))
    summary = json.loads(checks.call("analyze", "neutrino", tree, "--json", "-q").stdout)
    for document in summary.values():
        if isinstance(document, dict):
            document.pop("file", None)
    wanted = {name[:-5]: json.loads(content) for name, content in expected.items() if name.endswith(".json")}
    checks.equal("tree: --json", {"schema_version": 1, "launches": launches, **wanted}, summary)


def check_faults(checks):
    """Traces that are cut: a line for each of the first hundred faults, one for the rest."""
    tree = os.path.join(checks.scratch, "faults")
    one = checks.make(os.path.join("faults", "run_000"), "block_sched", "--blocks", "2")
    path = os.path.join("result", "0.500000.bin")
    with open(os.path.join(one, path), "r+b") as file:
        file.truncate(os.path.getsize(os.path.join(one, path)) - 1)
    for count, more in ((100, []), (103, ["3 more faults are in table neutrino_fault"])):
        for i in range(1, count):
            shutil.copytree(one, os.path.join(tree, f"run_{i:03}"), dirs_exist_ok=True)
        lines = checks.call("analyze", "neutrino", tree, "--only", "event_log").stderr.decode().splitlines()
        said = [f"postfetto: {tree}: warning: {os.path.join(tree, f'run_{i:03}', path)}: section 0 data: is truncated: 7 of 8 "
                "units are complete and kept" for i in range(min(count, 100))]
        checks.equal(f"{count} faults", said + [f"postfetto: {tree}: warning: {line}" for line in more],
                     [line for line in lines if " warning: " in line and "postfetto_records_cut" not in line])


def check_many_launches(checks):
    """Thirty result lines and thirty names of documents, whatever their number; tables and documents have all."""
    tree = os.path.join(checks.scratch, "many launches")
    one = checks.make(os.path.join("many launches", "run_000"), "gmem_bytes", "--blocks", "2")
    for i in range(1, 45):
        shutil.copytree(one, os.path.join(tree, f"run_{i:03}"))
    done, report = checks.analyse(tree)
    out, said = done.stdout.decode().splitlines(), done.stderr.decode()
    checks.equal("many launches: lines", (30, 30, 45),
                 (sum(line.startswith("gmem_bytes:") for line in out), sum("gmem_bytes_" in line for line in out),
                  sum(name.startswith("gmem_bytes_") for name in os.listdir(report))))
    checks.equal("many launches: what is said", (True, True, True), (
        "15 more result lines are in the tables and in --json" in said, "... 35 more (--rows 0 shows all)" in said,
        said.startswith("Threads moved ")))


def check_many_accesses(checks):
    """Records that are all zero are records, too: a file with a hole in it."""
    path = os.path.join(checks.scratch, "many.bin")
    for threads, options, written in ((1000, (), True), (1001, (), False), (1001, ("--page-table",), True)):
        with open(path, "wb") as file:
            file.write(struct.pack("<8I2IQ", 1, 1, 1, threads, 1, 1, 0, 1, 16 * 4000, 1, 48))
            file.truncate(48 + 16 * 4000 * threads)
        done, report = checks.analyse(path, *(word.format(4000) for word in ACCESSES), *options)
        said = f"{path}: more than 4 million accesses; --page-table writes them by clock and page"
        checks.equal(f"{4000 * threads} accesses, {options}", (0, 4000 * threads, written, not written),
                     (done.returncode, load(report, "dmat.json")["records"], "page_reference.tsv" in os.listdir(report),
                      said in done.stderr.decode().splitlines()))


def check_trees(checks):
    check_tree(checks)
    check_faults(checks)
    check_many_launches(checks)
    check_many_accesses(checks)
