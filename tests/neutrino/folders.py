"""folders.py: what lies in a tree of recordings besides recordings (own reports, tables of others, links to runs) is read
as if it were not there; what is wrong is said with its file; several files of a kind keep apart; tables on the terminal
are ten rows long; kernels of C++ have the names that their source has."""
import csv
import json
import os
import shutil
import struct
import subprocess

from experiments import LAUNCH, put
from files import load, rows_of

CSV = "probe,original,ncu,neutrino,prologue,kernel,epilogue\n"
MANGLED = {"_Z3addPfi": "add(float*, int)",
           "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_":
           "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >"
           "(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
           "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctor": None, "ampere_sgemm_128x64": None, "_Z": None}


def outcome(checks, tree):
    """What an analysis of the tree gives: exit code, lines but those of files written, and the reports."""
    done, report = checks.analyse(tree)
    reports = {}
    for name in sorted(os.listdir(report)):
        with open(os.path.join(report, name), "rb") as file:
            reports[name] = file.read()
    shutil.rmtree(report)
    said = [line for line in done.stdout.decode().splitlines() if not line.startswith("[write]")]
    return done.returncode, said, done.stderr.decode(), reports


def check_what_is_no_recording(checks):
    tree = os.path.join(checks.scratch, "with others")
    for name in ("Apr24_1", "Apr25_2"):
        checks.make(os.path.join("with others", name), "two_maps", "--blocks", "20")
    put(tree, "latencies/attn.csv", CSV + "a,2,8,10,1,5,4\n")
    alone = outcome(checks, tree)
    checks.equal("tree alone", (0, True), (alone[0], len(alone[3]) > 8))
    for name in ("Apr00_report", "report"):
        checks.call("analyze", "neutrino", tree, "--report", os.path.join(tree, name), "-o", os.path.join(tree, name + ".pftrace"),
                    "--pictures")
        checks.equal(f"tree with {name}", alone, outcome(checks, tree))
    put(tree, "Apr00/foreign.csv", 'name,value\n"a quote that is never closed,1\n')
    put(tree, "foreign.csv", "time,kernel\n1,2\n")
    put(tree, "empty.csv", "")
    checks.equal("tree with tables of others", alone, outcome(checks, tree))
    links = {"Apr00_latest": "Apr24_1", "latest": os.path.join(tree, "Apr25_2"), "again": ".", "results": "Apr24_1/result",
             "gone": "nowhere"}
    for name, target in links.items():
        os.symlink(target, os.path.join(tree, name))
    os.symlink("..", os.path.join(tree, "latencies", "up"))
    checks.equal("tree with links", alone, outcome(checks, tree))
    outside = os.path.join(checks.scratch, "linked alone")
    os.makedirs(outside)
    os.symlink(os.path.join(tree, "Apr24_1"), os.path.join(outside, "one"))
    os.symlink(os.path.join(tree, "Apr24_1"), os.path.join(outside, "two"))
    checks.equal("a run elsewhere that links lead to", (0, 1), (checks.analyse(outside)[0].returncode,
                                                              len(rows_of(checks.analyse(outside)[1], "neutrino_launches.csv"))))


def check_files_that_are_wrong(checks):
    tree = os.path.join(checks.scratch, "wrong")
    put(tree, "a.csv", "probe,original,ncu,neutrino,prologue,kernel\na,2,8,10,1,5\n")
    put(tree, "b.csv", CSV + 'a,2,8,10,1,5,"4\n')
    put(tree, "c.csv.gz", "this is no gzip")
    put(tree, "d.bin", "short")
    done, _ = checks.analyse(tree)
    checks.equal("nothing that can be read", (3, f"postfetto: {tree}: a.csv: file: has no column 'epilogue'"),
                 (done.returncode, done.stderr.decode().strip()))
    put(tree, "good.csv", CSV + "a,2,8,x,1,5,4\n")
    done, _ = checks.analyse(tree)
    said = done.stderr.decode()
    checks.equal("one that can", 0, done.returncode)
    for name, what in (("a.csv", "file: has no column 'epilogue'"), ("b.csv", "file: "), ("d.bin", "gridDimY: the header of 32 bytes is truncated"),
                       ("good.csv", "neutrino: 'x' is not a number")):
        checks.equal(f"{name} is named", True, f": warning: {tree}/{name}: {what}" in said)
    done, _ = checks.analyse(os.path.join(tree, "b.csv"))
    checks.equal("the file alone", (3, True), (done.returncode, done.stderr.decode().startswith(f"postfetto: {tree}/b.csv: ")))


def check_loose_traces(checks):
    """A trace next to a run directory is a run of its own: it has neither its launches nor its maps."""
    tree = os.path.join(checks.scratch, "loose")
    checks.make("loose/run", "gmem_bytes", "--blocks", "3")
    other = checks.make("loose other", "block_sched", "--blocks", "3")
    os.mkdir(os.path.join(tree, "z"))
    for name in ("a.bin", "z/z.bin"):
        shutil.copy(os.path.join(other, "result", "0.500000.bin"), os.path.join(tree, name))
    done, report = checks.analyse(tree, "-o", os.path.join(checks.scratch, "loose.pftrace"))
    checks.equal("loose traces", 0, done.returncode)
    checks.equal("loose traces: whose", [f"{tree}/a.bin", f"{tree}/z/z.bin"], [row["file"] for row in rows_of(report, "neutrino_sched.csv")])


def check_accesses_of_both_forms(checks):
    """Records of accesses and a .dmat file have a document each."""
    tree = os.path.join(checks.scratch, "both forms")
    checks.make("both forms/run", "dmat", "--blocks", "3")
    with open(os.path.join(tree, "x.dmat"), "wb") as out:
        out.write(struct.pack("<QQQQQQI", 1, 1, 65536, 7, 1, 65536, 3))
    _, report = checks.analyse(tree)
    checks.equal("accesses of both forms", [f"{tree}/run/result/0.500000.bin", f"{tree}/x.dmat"],
                 [load(report, f"dmat_{i}.json")["file"] for i in (1, 2)])


def check_several_tables(checks):
    """Each has its rows, its document and its picture, and they say which it is."""
    tree = os.path.join(checks.scratch, "several")
    put(tree, "x/a.csv", CSV + "a,2,8,10,1,5,4\n")
    put(tree, "y/a.csv", CSV + "a,2,4,4,1,2,1\nb,4,1,4,2,1,1\n")
    done, report = checks.analyse(tree, "--pictures")
    checks.equal("several tables", 0, done.returncode)
    files = [f"{tree}/x/a.csv", f"{tree}/y/a.csv"]
    checks.equal("rows of tables", [(files[0], "a", "5.00"), (files[1], "a", "2.00"), (files[1], "b", "1.00")],
                 [(row["file"], row["probe"], row["neutrino_ratio"])
                  for row in rows_of(report, "neutrino_exposed_latency.csv")])
    for i, file in enumerate(files):
        found = load(report, f"exposed_latency_{i + 1}.json")
        checks.equal(f"document of table {i}", [(file, ratio) for ratio in ([5.0], [2.0, 1.0])[i]],
                     [(row["file"], row["neutrino_ratio"]) for row in found])
        checks.equal(f"picture of table {i}", True, all(os.path.getsize(os.path.join(report, f"exposed_latency_{i + 1}.{end}"))
                                                        for end in ("svg", "png")))


def check_length_of_tables(checks):
    """Thirty runs of four SMs: ten rows of each table on the terminal; thirty results and names of files; the files have all."""
    tree = os.path.join(checks.scratch, "long tree")
    first = checks.make(os.path.join("long tree", "run_00"), "block_sched", "--blocks", "8", "--sms", "4", "--slots", "1")
    for i in range(1, 30):
        shutil.copytree(first, os.path.join(tree, f"run_{i:02}"))
    done, report = checks.analyse(tree)
    blocks = done.stderr.decode().strip().split("\n\n")
    said = done.stderr.decode()
    for name, title in (("neutrino_sched", "block scheduling of each launch"), ("neutrino_sm", "block scheduling of each SM"),
                        ("neutrino_launches", "launches of all logs")):
        more = len(rows_of(report, f"{name}.csv")) - 10
        block, = (block for block in blocks if block.startswith(title))
        checks.equal(f"more rows of {name}", (True, True), (more > 0, f"\n... {more} more (--rows 0 shows all)" in block))
    checks.equal("lines of tables", True, len(said.splitlines()) < 60 and len(blocks) >= 3)
    checks.equal("results and files", (30, 30), tuple(sum(line.startswith(start) for line in done.stdout.decode().splitlines())
                                                      for start in ("No.block:", f"[write] {report}/block_sched_")))
    last = load(report, "block_sched_30.json")
    checks.equal("the last document names its trace", f"{tree}/run_29/result/0.500000.bin", last["file"])


def check_names(checks):
    """c++filt of binutils says the same of the names that are written by hand here."""
    tree = os.path.join(checks.scratch, "names")
    pair = "St4pairIiiE"
    doubled = "_Z1fI" + pair + "".join(f"St4pairIS{'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]}_S{'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]}_E"
                                       for i in range(30)) + "Evv"
    hostile = {doubled: None, "_Z1f" + "P" * 900 + "i": None, "_Z" + "N" * 1000: None, "_Z1fI" + "J" * 400 + "DpDpDp": None}
    names = {**MANGLED, **hostile}
    log = "".join(LAUNCH.format(10 + i, name, 1000 * i, "", "1 1 1", "1 1 1") for i, name in enumerate(names))
    put(tree, "event.log", log + "[exec] funcmap-find 0x1 success\n")
    done = subprocess.run([checks.postfetto, "analyze", "neutrino", tree, "--report", os.path.join(checks.scratch, "names_report")],
                          capture_output=True, check=False, timeout=20)
    checks.equal("names: exit code", 0, done.returncode)
    report = os.path.join(checks.scratch, "names_report")
    table = [row["kernel"] for row in rows_of(report, "neutrino_launches.csv")]
    for i, (name, written) in enumerate(names.items()):
        if name[4:9] != "PPPPP":  # the library decides how deep pointers may be
            checks.equal(f"name {name[:60]}", written or name, table[i])
    checks.equal("a kernel without a name", "", table[-1])
    checks.equal("names of the log", [*names, None], [launch["name"] for launch in load(report, "launches.json")])
    sql = ("SELECT name, extract_arg(arg_set_id, 'args.symbol') AS symbol FROM slice ORDER BY ts LIMIT 2")
    rows = list(csv.reader(checks.call("query", tree, sql, "--format", "csv").stdout.decode().splitlines()))
    checks.equal("slices have the names", [[written, name] for name, written in list(MANGLED.items())[:2]], rows[1:])


def check_hook(checks):
    """A run directory is one input of the hook, whatever number of files it has."""
    tree = os.path.join(checks.scratch, "hooked")
    checks.make("hooked/first", "block_sched", "--blocks", "8")
    outputs = [".enriched.pftrace", ".report.html", ".report.json", ".report.md", ".reports"]
    wanted = lambda *names: sorted([*names, *(name + end for name in names for end in outputs)])
    done = checks.call("hook", os.path.join(tree, "first") + "/")
    checks.equal("hook of a folder", (0, wanted("first")), (done.returncode, sorted(os.listdir(tree))))
    with open(os.path.join(tree, "first.report.json"), encoding="utf-8") as file:
        checks.equal("its status", "done", json.load(file)["status"])
    again = checks.call("hook", os.path.join(tree, "first")).stderr
    checks.equal("again", True, b"first.report.json is up to date" in again)
    put(tree, "first/tensor.trace", "[call]  1  [1]  4  16  x  f  a.py:1\n")
    again = checks.call("hook", os.path.join(tree, "first")).stderr
    checks.equal("a file more in it", False, b"up to date" in again)
    subprocess.run([checks.postfetto, "hook", "run", "--", "cp", "-r", "first", "second"], cwd=tree, check=True,
                   capture_output=True)
    checks.equal("hook run", wanted("first", "second"), sorted(os.listdir(tree)))
    shutil.copytree(os.path.join(tree, "first"), os.path.join(tree, "third"))
    checks.call("hook", "watch", tree, "--once")
    checks.equal("hook watch", wanted("first", "second", "third"), sorted(os.listdir(tree)))
    checks.equal("the run itself", sorted(os.listdir(os.path.join(tree, "first"))), sorted(os.listdir(os.path.join(tree, "third"))))


def check_folders(checks):
    check_hook(checks)
    check_what_is_no_recording(checks)
    check_files_that_are_wrong(checks)
    check_loose_traces(checks)
    check_accesses_of_both_forms(checks)
    check_several_tables(checks)
    check_length_of_tables(checks)
    check_names(checks)
