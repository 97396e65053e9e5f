"""Sizes of conversions; see run. The table of docs/size.md is the bound: a conversion that became larger fails, and so does
a row that the tables do not agree on. One per cent is allowed for gzip, whose versions differ, a hundredth for ratios."""
import decimal
import gzip
import json
import os
import subprocess
import sys
import tempfile

import floor
import parts

COLUMNS = "| case | JSON | .pftrace | ratio | floor | at best | --compress | JSON.gz | .pftrace.gz | of it | most of it is |"


def read_json(folder):
    for name, opener in (("trace.json", open), ("trace.json.gz", gzip.open)):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with opener(path, "rb") as file:
                return path, file.read()
    raise FileNotFoundError(f"no trace.json in {folder}")


def convert(postfetto, source, target, *options):
    subprocess.run([postfetto, "convert", "-q", source, "-o", target, *options], check=True)
    with open(target, "rb") as file:
        return file.read()


def measure(postfetto, folder, work):
    """The row of a case."""
    path, text = read_json(folder)
    document = json.loads(text.decode("utf-8", "surrogatepass"), parse_float=decimal.Decimal, strict=False)
    least = floor.of(document["traceEvents"] if isinstance(document, dict) else document)
    packed = convert(postfetto, path, os.path.join(work, "x.pftrace"))
    squeezed = convert(postfetto, path, os.path.join(work, "x.pftrace.gz"))
    bundled = convert(postfetto, path, os.path.join(work, "y.pftrace"), "--compress")
    json_gz = len(gzip.compress(text, 6, mtime=0))
    shares = parts.of(packed)
    most = ", ".join(f"{part} {round(100 * size / len(packed))} %" for part, size in shares.most_common(3))
    return {"JSON": len(text), ".pftrace": len(packed), "ratio": len(text) / len(packed), "floor": least,
            "at best": len(text) / least, "--compress": len(text) / len(bundled), "JSON.gz": json_gz, ".pftrace.gz": len(squeezed),
            "of it": len(squeezed) / json_gz, "most": most, "parts": shares}


def show(case, row):
    return (f"| {case} | {row['JSON']:,} | {row['.pftrace']:,} | {row['ratio']:.2f} | {row['floor']:,} | "
            f"{row['at best']:.2f} | {row['--compress']:.1f} | {row['JSON.gz']:,} | {row['.pftrace.gz']:,} | {row['of it']:.2f} | {row['most']} |")


def read_bounds(path):
    """Case -> (ratio, ratio with --compress, .pftrace.gz of JSON.gz) as docs/size.md has them."""
    bounds = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 11 and cells[0].startswith("torch-"):
                bounds[cells[0]] = (float(cells[3]), float(cells[6]), float(cells[9]))
    return bounds


def compare(case, row, bounds):
    """What is wrong with a row, or nothing."""
    if case not in bounds:
        return ["is not in the table of docs/size.md"]
    ratio, compressed, of_gz = bounds[case]
    problems = []
    if row["ratio"] < ratio - 0.01:
        problems.append(f"the JSON is {row['ratio']:.3f} times as large as the .pftrace; docs/size.md says {ratio}")
    if row["--compress"] < (compressed - 0.1) * 0.99:
        problems.append(f"with --compress the JSON is {row['--compress']:.2f} times as large; docs/size.md says {compressed}")
    if row["of it"] > (of_gz + 0.01) * 1.01:
        problems.append(f".pftrace.gz is {row['of it']:.3f} of JSON.gz; docs/size.md says {of_gz}")
    return problems


def main():
    mode, postfetto, corpus = sys.argv[1:4]
    area = os.path.join(corpus, "real")
    cases = sys.argv[4:] or sorted(name for name in os.listdir(area) if name.startswith("torch-"))
    bounds = read_bounds(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/size.md"))
    passed = failed = 0
    if mode == "--table":
        print(COLUMNS)
        print("|---" * 11 + "|")
    for case in cases:
        with tempfile.TemporaryDirectory() as work:
            row = measure(postfetto, os.path.join(area, case), work)
        if mode == "--table":
            print(show(case, row))
        elif mode == "--parts":
            print(f"{case}: {row['.pftrace']:,} bytes")
            for part, size in row["parts"].most_common():
                print(f"  {part:12} {size:12,} {100 * size / row['.pftrace']:5.1f} %")
        else:
            problems = compare(case, row, bounds)
            passed, failed = passed + (not problems), failed + bool(problems)
            print(f"{'FAIL' if problems else 'ok  '} {case} {row['ratio']:.2f} {row['of it']:.2f}"
                  + "".join(f": {problem}" for problem in problems))
    if mode == "--check":
        print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
