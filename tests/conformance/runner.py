"""runner.py DIR [AREA]: runs the cases of a corpus against the postfetto command.

A corpus is a folder of areas, an area is a folder of cases. How the cases of an area are laid out, run and compared is
the business of that area's driver: a module with one function `run(bench, folder)` that yields a Result per case and
input format. The runner knows areas and formats, never a case.

Output: a line per failing case, totals per area and input format, and at last `N passed, M failed, K skipped`.
Exit 0 if nothing failed, 1 if something did, 2 if there was nothing to run.

--known FILE names the pairs that are known to differ, as rows `| area | case | section | reason |` of a Markdown table.
They count as skipped; a row that names a pair which is equal by now fails, so that the table stays true.
"""
import argparse
import collections
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# verdict is "passed", "failed" or "skipped"; detail says why it did not pass.
Result = collections.namedtuple("Result", "case format verdict detail")
Outcome = collections.namedtuple("Outcome", "code stdout stderr")

TIMEOUT_S = 600


class Bench:
    """What a driver works with: the binary, scratch folders, the formats asked for."""

    def __init__(self, postfetto, formats, known):
        self.postfetto = postfetto
        self.formats = formats
        self.known = known
        self.scratch_root = tempfile.mkdtemp(prefix="postfetto-conformance-")

    def wants(self, form):
        return not self.formats or form in self.formats

    def scratch(self):
        """A fresh empty folder."""
        return tempfile.mkdtemp(dir=self.scratch_root)

    def discard(self, folder):
        shutil.rmtree(folder)

    def call(self, arguments, folder):
        """Runs postfetto in the folder. A run that takes too long has code None."""
        command = [self.postfetto] + arguments
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S,
                                  check=False)
        except subprocess.TimeoutExpired as late:
            return Outcome(None, late.stdout or b"", late.stderr or b"")
        return Outcome(done.returncode, done.stdout, done.stderr)

    def close(self):
        shutil.rmtree(self.scratch_root)


def load_drivers():
    """Area -> its run function. A new area is one module and one line here."""
    sys.path[:0] = [HERE, os.path.join(ROOT, "scripts")]
    import driver_aie
    import driver_aiu
    import driver_neutrino
    import driver_opcmp
    import driver_tinygrad
    import driver_trace

    return {"aie": driver_aie.run, "aiu": driver_aiu.run, "neutrino": driver_neutrino.run,
            "opcmp": driver_opcmp.run, "perfetto": driver_trace.run, "real": driver_trace.run, "tinygrad": driver_tinygrad.run}


def list_areas(corpus, area):
    if area is not None:
        return [area] if os.path.isdir(os.path.join(corpus, area)) else []
    return sorted(name for name in os.listdir(corpus) if os.path.isdir(os.path.join(corpus, name)))


def read_known(path):
    """(area, case as a Result names it) -> reason, out of the table."""
    known = {}
    if path is None:
        return known
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if line.startswith("|") and len(cells) == 4 and cells[0] != "area" and not set(cells[0]) <= set("-: "):
                for section in cells[2].split(","):
                    known[cells[0], f"{cells[1]} {section.strip()}"] = cells[3]
    return known


def apply_known(result, reason):
    """The result of a pair that the table names."""
    if result.verdict == "failed":
        return result._replace(verdict="skipped", detail=f"known: {reason}")
    return result._replace(verdict="failed", detail="equal by now: take its row out of the table")


def run_area(bench, corpus, area, driver, named):
    """The results of one area."""
    if driver is None:
        print(f"{'FAIL' if named else 'skip'} {area}: no driver")
        yield Result(area, "-", "failed" if named else "skipped", "no driver")
        return
    for result in driver(bench, os.path.join(corpus, area)):
        reason = bench.known.get((area, result.case))
        if reason is not None:
            result = apply_known(result, reason)
        if result.verdict != "passed":
            word = "FAIL" if result.verdict == "failed" else "skip"
            print(f"{word} {area}/{result.case} [{result.format}]: {result.detail}", flush=True)
        yield result


def count_text(counts):
    return f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped"


def run_corpus(bench, corpus, areas, named):
    """Runs everything and prints it; returns the total counts."""
    drivers = load_drivers()
    total = collections.Counter()
    for area in areas:
        forms = {}
        for result in run_area(bench, corpus, area, drivers.get(area), named):
            forms.setdefault(result.format, collections.Counter())[result.verdict] += 1
            total[result.verdict] += 1
        for form, counts in forms.items():
            if form != "-":
                print(f"{area} {form}: {count_text(counts)}")
    return total


def parse_arguments():
    parser = argparse.ArgumentParser(prog="scripts/conformance", description="Runs postfetto on a corpus of traces.")
    parser.add_argument("corpus", metavar="DIR", help="the folder that holds the areas")
    parser.add_argument("area", metavar="AREA", nargs="?", help="one area only")
    parser.add_argument("--postfetto", metavar="PATH", help="the binary (default: $POSTFETTO or build/release/postfetto)")
    parser.add_argument("--format", metavar="NAME", action="append", default=[], help="only this input format (repeatable)")
    parser.add_argument("--known", metavar="FILE", help="a table of pairs that are known to differ")
    options = parser.parse_args()
    chosen = options.postfetto or os.environ.get("POSTFETTO") or os.path.join(ROOT, "build", "release", "postfetto")
    options.corpus = os.path.abspath(options.corpus)
    options.postfetto = os.path.abspath(chosen)
    if not os.access(options.postfetto, os.X_OK):
        parser.error(f"{chosen} is not there; build it with scripts/build release, or name it with --postfetto")
    if not os.path.isdir(options.corpus):
        parser.error(f"{options.corpus} is not a folder")
    return options


def main():
    options = parse_arguments()
    areas = list_areas(options.corpus, options.area)
    bench = Bench(options.postfetto, options.format, read_known(options.known))
    try:
        total = run_corpus(bench, options.corpus, areas, options.area is not None)
    finally:
        bench.close()
    if not total:
        print("nothing to run: no such area, case or format", file=sys.stderr)
    print(count_text(total))
    if not total:
        sys.exit(2)
    sys.exit(1 if total["failed"] else 0)


if __name__ == "__main__":
    # Drivers import this module by its name; let them find this very one.
    sys.modules["runner"] = sys.modules["__main__"]
    main()
