#!/usr/bin/env python3
"""test_bench.py POSTFETTO: that the bench works, on tiny inputs and one round; no time is tested.

Every case that --list names must give a row, every row a time above zero, every goal a line; the numbers must be there as
JSON, also of the comparison with saved ones; what is missing must be said. Prints `ok NAME` or `not ok NAME` and counts.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bench  # noqa: E402
import cases  # noqa: E402
import goals  # noqa: E402


class Test:
    def __init__(self, postfetto, folder):
        self.base = [sys.executable, os.path.join(HERE, "bench.py"), "--quick", "--postfetto", os.path.abspath(postfetto),
                     "--work", os.path.join(folder, "work"), "--engine", os.path.join(folder, "engine"), "--shared",
                     os.path.join(folder, "shared")]
        self.saved = os.path.join(folder, "saved.json")
        self.passed = self.failed = 0

    def claim(self, name, good, why=""):
        self.passed += bool(good)
        self.failed += not good
        print(f"ok {name}" if good else f"not ok {name}\n    {why}")

    def run(self, *arguments):
        done = subprocess.run([*self.base, "--save", self.saved, *arguments], capture_output=True, text=True, check=False)
        if done.returncode == 0 and "--list" not in arguments:
            with open(self.saved, encoding="utf-8") as source:
                return done, json.load(source)
        return done, {"rows": []}

    def test_commit(self):
        path, os.environ["PATH"] = os.environ["PATH"], os.path.dirname(self.saved)
        try:
            options = argparse.Namespace(postfetto=os.path.join(bench.ROOT, "build", "release", "postfetto"))
            self.claim("bench: says what it measured without git", "git is not installed" in bench.measured(options))
        finally:
            os.environ["PATH"] = path

    def test_cases(self):
        names = [case.name for case in cases.all_cases(False)]
        listed, _ = self.run("--list")
        self.claim("bench: --list names all cases", listed.stdout.splitlines() == names, listed.stdout)
        done, result = self.run()
        self.claim("bench: runs", done.returncode == 0, done.stderr)
        expected = [f"{name}: {sub}" for name in names if name.startswith("query") for sub in cases.QUERIES]
        expected += [f"{name}: {sub}" for name in names if name.startswith("build") for sub in ("build and write", "import of the result")]
        expected += [f"{cases.everyday_case(kind).name}: {sub}" for kind, (queries, _, _) in cases.EVERYDAY.items() for sub in queries]
        expected += [f"{cases.bare_case().name}: {sub}" for sub in cases.everyday.BARE]
        expected += [name for name in names if not name.startswith(("query", "build", "everyday"))]
        rows = {row["case"]: row for row in result["rows"]}
        self.claim("bench: a row for every case", sorted(rows) == sorted(expected), sorted(set(expected) ^ set(rows)))
        idle = [name for name, row in rows.items() if any(one["min_s"] <= 0 for one in row["results"].values())]
        self.claim("bench: every time is above zero", rows and not idle, idle)
        empty = [name for name, row in rows.items() if row["group"] == "import" and row["results"]["1 thread"]["events"] < 400]
        self.claim("bench: every import has events", rows and not empty, empty)
        silent = [name for name in rows if f"| {name} |" not in done.stdout]
        self.claim("bench: every row is printed", rows and not silent, silent)
        self.claim("bench: says what is missing", "skipped: the comparison with Perfetto's engine: " in done.stderr, done.stderr)

    def test_collections(self):
        done, result = self.run("--large", "--only", "64 small ranks")
        used = {label: one for row in result.get("rows", []) for label, one in row["results"].items()}
        self.claim("bench: collections of ranks", done.returncode == 0 and sorted(used) == ["merge alone", "one worker", "two workers"], done.stderr)
        self.claim("bench: time and memory of all processes", used and all(one["cpu_s"] > 0 and one["peak_rss_kb"] > 1000 for one in used.values()) and
                   used["merge alone"]["cpu_s"] < used["one worker"]["cpu_s"] and "| 64 small ranks | " in done.stdout, done.stdout)

    def test_goals(self):
        done, result = self.run("--goals")
        self.claim("bench: --goals", done.returncode == 0, done.stderr)
        works = [goal["work"] for goal in result.get("goals", [])]
        self.claim("bench: a line for every goal", works == [goal.work for goal in goals.GOALS], works)
        silent = [work for work in works if f"| {work} |" not in done.stdout]
        self.claim("bench: every goal is printed", works and not silent, silent)

    def test_readme(self):
        path = self.saved + ".md"
        with open(path, "w", encoding="utf-8") as target:
            target.write(f"before\n{goals.FIRST_MARK}\nold\n{goals.LAST_MARK}\nbehind\n")
        self.run("--goals", "--only", "tiny", "--readme", path)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        good = text.startswith(f"before\n{goals.FIRST_MARK}\nMeasured: ") and text.endswith(f"|\n{goals.LAST_MARK}\nbehind\n")
        self.claim("bench: --readme", good and "old" not in text and "| tiny.json, whole process |" in text, text)
        done, _ = self.run("--goals", "--only", "tiny", "--readme", self.saved)
        self.claim("bench: --readme without marks", done.returncode == 1 and "lacks" in done.stderr, done.stderr)

    def test_options(self):
        done, first = self.run("--only", "start, tiny.json")
        self.claim("bench: --only", [row["case"] for row in first["rows"]] == ["start, tiny.json"], done.stderr)
        with open(self.saved, "rb") as source, open(self.saved + ".old", "wb") as target:
            target.write(source.read())
        done, _ = self.run("--only", "start, tiny.json", "--compare", self.saved + ".old")
        self.claim("bench: --compare", "| start, tiny.json | ours | " in done.stdout and "-> after" in done.stdout, done.stdout)
        done, _ = self.run("--only", "no such case")
        self.claim("bench: an unknown case", done.returncode == 2 and "no case has no such case" in done.stderr, done.stderr)
        done, _ = self.run("--only", "start, tiny.json", "--clean")
        self.claim("bench: --clean", done.returncode == 0 and not os.listdir(self.base[self.base.index("--work") + 1]), done.stderr)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: test_bench.py POSTFETTO")
    with tempfile.TemporaryDirectory() as folder:
        test = Test(sys.argv[1], folder)
        test.test_commit()
        test.test_cases()
        test.test_collections()
        test.test_goals()
        test.test_readme()
        test.test_options()
    print(f"{test.passed} passed, {test.failed} failed, 0 skipped")
    sys.exit(1 if test.failed else 0)


if __name__ == "__main__":
    main()
