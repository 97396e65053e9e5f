"""report.py POSTFETTO REPORT.json: what the hook wrote about a trace in the current folder, put together a second time.

The documents in the JSON are those that info, check and analyze print for the same file and options; the Markdown next to
it is made here from the JSON. Exit status 1 with a line for each part that differs.
"""
import json
import os
import re
import subprocess
import sys

KEYS = ["schema_version", "postfetto.version", "postfetto.key", "trace", "input_hash", "input_bytes", "status", "exit_code",
        "reason", "findings", "passed", "enriched", "html", "not_run", "passes", "check", "info"]
FACTS = ["format", "dialect", "compression", "input_bytes", "plain_bytes", "time_unit", "start", "end", "length"]
failures = []


def equal(what, expected, found):
    if expected != found:
        failures.append(what)
        print(f"{what}: expected {expected!r}, got {found!r}")


def call(*words):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_documents(report):
    trace = report["trace"]
    equal("keys", KEYS, list(report))
    equal("schema", 1, report["schema_version"])
    equal("version", call("--version")[1].split()[1], report["postfetto.version"])
    equal("bytes", os.path.getsize(trace), report["input_bytes"])
    equal("info", json.loads(call("info", "--json", trace)[1]), report["info"])
    if report["check"]:
        equal("check", json.loads(call("check", "--json", trace)[1]), report["check"])
    if report["enriched"]:
        hashes = call("query", report["enriched"], "-q",
                      "SELECT str_value FROM metadata WHERE name GLOB '*.postfetto.input_hash'")
        equal("hash", f'"str_value"\n"{report["input_hash"]}"\n', hashes[1])


def check_pass(report, one, first):
    equal("keys of a pass", ["name", "options", "exit_code", "summary", "messages", "reports"], list(one))
    folder = f"{report['trace']}.reports" + (f"/{one['name']}" if len(report["passes"]) > 1 else "")
    if one["exit_code"] in (0, 1):
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        page = [] if first else [f"{report['trace']}.reports/{one['name']}.html"]
        equal("reports", [path for path in paths if os.path.isfile(path)] + page, one["reports"])
        code, out, err = call("analyze", one["name"], *one["options"], "--json", "--report", "again", report["trace"])
        equal("summary", json.loads(out), one["summary"])
        equal("messages", err.splitlines(), [line for line in one["messages"] if "--fail-if" not in line])
        equal("exit code without thresholds", 0, code)
    else:
        equal("summary and reports", (None, []), (one["summary"], one["reports"]))


def escaped(text):
    return re.sub(r"([\\`*_{}\[\]<>#|!&])", r"\\\1", str(text))


def fenced(lines):
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "".join(f"{line}\n" for line in [fence, *lines, fence])


def markdown_of(report):
    out = f"# {escaped(report['trace'])}\n\n"
    if report["status"] != "done":
        out += f"**{report['status'].capitalize()}**: {escaped(report['reason'])}\n\n"
    if report["findings"] + report["passed"]:
        out += "".join(f"- {escaped(text)}\n" for text in report["findings"] + report["passed"]) + "\n"
    if report["check"] and not report["check"]["ok"]:
        lost = [one["description"] for one in report["check"]["damage"] if one["loss"]]
        out += "**Damaged**: a part of the recording is lost.\n\n" + "".join(f"- {escaped(one)}\n" for one in lost) + "\n"
    if report["check"] and not report["passes"] and not report["not_run"]:
        out += "No pass fits this trace.\n\n"
    if report["enriched"]:
        out += f"Open {escaped(report['enriched'])} in ui.perfetto.dev to see the findings in the trace.\n\n"
    out += f"Read {escaped(report['html'])} for pictures and tables.\n\n"
    if report["not_run"]:
        out += "".join(f"- {escaped(one['name'])} did not run: {escaped(one['reason'])}\n" for one in report["not_run"]) + "\n"
    if report["info"]:
        out += "## Trace\n\n| | |\n|---|---|\n"
        out += "".join(f"| {key} | {escaped(report['info'][key])} |\n" for key in FACTS) + "\n"
    for one in report["passes"]:
        out += f"## {one['name']}\n\n"
        if one["exit_code"] > 1:
            out += f"Failed with exit code {one['exit_code']}.\n\n"
        if one["messages"]:
            out += fenced(one["messages"]) + "\n"
        if one["reports"]:
            out += "".join(f"- {escaped(path)}\n" for path in one["reports"]) + "\n"
    return out + f"postfetto {report['postfetto.version']}\n"


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read()
    report = json.loads(text)
    equal("layout", json.dumps(report, indent=2, ensure_ascii=False) + "\n", text)
    check_documents(report)
    for one in report["passes"]:
        check_pass(report, one, one is report["passes"][0])
    with open(re.sub("json$", "md", sys.argv[2]), encoding="utf-8") as file:
        equal("Markdown", markdown_of(report), file.read())
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
