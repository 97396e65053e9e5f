#!/usr/bin/env python3
"""make_man.py POSTFETTO MAN_SOURCES OUT: the manual pages, by scdoc.

A page for the command and one for each of its commands are made from what `--help` prints, which comes from the option tables; so the pages
cannot say anything else. Pages written by hand (the configuration file, the library) are the *.scd files of MAN_SOURCES.
"""
import os
import re
import subprocess
import sys

from help_pages import blocks, commands, help_of, options, paragraphs

DATE_FREE = "postfetto"  # scdoc's footer: the same bytes on every day


def escape(text):
    """Text as scdoc text: what would start markup or a macro is escaped."""
    return re.sub(r"([\\*_<>#~|]|^-)", r"\\\1", text)


def put_options(out, lines):
    for name, text in options(lines):
        out.append(f"*{escape(name)}*")
        out.append(f"\t{escape(text)}\n")


def page(program, command, names):
    text = help_of(program, *([command] if command else []))
    title = f"postfetto-{command}" if command else "postfetto"
    first = text.split("\n\n", 1)[0]
    summary = " ".join(first.split(" - ", 1)[1].split())
    out = [f"{title}(1) \"{DATE_FREE}\"\n", "# NAME\n", f"{title} - {escape(summary)}\n"]
    parts = list(blocks(text.split("\n\n", 1)[1]))
    for heading, lines in parts:
        if heading == "Usage":
            out += ["# SYNOPSIS\n", f"*{escape(lines[0])}*\n"]
            if paragraphs(lines[1:]):
                out.append("# DESCRIPTION\n")
                out += [escape(p) + "\n" for p in paragraphs(lines[1:])]
    for heading, lines in parts:
        if heading in ("", "Usage", "Examples"):
            continue
        out.append(f"# {heading.upper()}\n")
        if options(lines):
            put_options(out, [line for line in lines if line.startswith(" ")])
        rest = [line for line in lines if line and not line.startswith(" ")]
        out += [escape(p) + "\n" for p in paragraphs(rest)]
    for heading, lines in parts:
        if heading == "Examples":
            out += ["# EXAMPLES\n", "```", *[line[2:] for line in lines if line.strip()], "```\n"]
    others = ["*postfetto*(1)"] * bool(command) + [f"*postfetto-{n}*(1)" for n in names if n != command]
    out += ["# SEE ALSO\n", ", ".join(others + ["*postfetto.yaml*(5)", "*libpostfetto*(3)"]) + "\n"]
    return title, "\n".join(out)


def tidy(roff):
    """scdoc begins paragraphs that nothing stands in; mandoc counts each."""
    lines, kept = roff.splitlines(), []
    for i, line in enumerate(lines):
        following = lines[i + 1][:3].rstrip() if i + 1 < len(lines) else ".SH"
        if line == ".P" and (following in (".P", ".SH", ".RE") or (kept and kept[-1].startswith(".SH"))):
            continue
        kept.append(line)
    return "\n".join(kept) + "\n"


def write(folder, name, section, source):
    made = subprocess.run(["scdoc"], input=source, text=True, capture_output=True, check=False,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
    if made.returncode:
        sys.exit(f"{name}.{section}: {made.stderr}")
    with open(os.path.join(folder, f"{name}.{section}"), "w", encoding="utf-8") as out:
        out.write(tidy(made.stdout))


def main():
    program, sources, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    names = commands(help_of(program))
    for command in [None, *names]:
        title, source = page(program, command, names)
        write(folder, title, 1, source)
    for file in sorted(os.listdir(sources)):
        found = re.match(r"(.*)\.(\d)\.scd$", file)
        if found:
            with open(os.path.join(sources, file), encoding="utf-8") as source:
                write(folder, found.group(1), found.group(2), source.read())


main()
