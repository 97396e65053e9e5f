"""help_pages.py: what `postfetto --help` prints, as data, for make_man.py and make_completions.py. Help pages come from the option
tables, so what is made from them cannot say anything else."""
import re
import subprocess


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout


def blocks(text):
    """The page as (heading, lines): 'Examples:' and the like begin a block, 'Usage: ...' is one line."""
    heading, lines = "", []
    for line in text.splitlines():
        found = re.match(r"(Usage): (.*)$|([A-Z][^:]*):$", line)
        if found:
            yield heading, lines
            heading, lines = found.group(1) or found.group(3), [found.group(2)] if found.group(2) else []
        else:
            lines.append(line)
    yield heading, lines


def paragraphs(lines):
    return [" ".join(part.split()) for part in "\n".join(lines).split("\n\n") if part.strip()]


def options(lines):
    """(what stands before two blanks, the explanation) for each row; explanations may begin on the next line."""
    rows = []
    for line in lines:
        if not line.strip():
            continue
        head = re.match(r" {2,6}(-\S.*?|[a-z0-9]\S*(?: \S+)*?)(?: {2,}(.*))?$", line)
        indent = len(line) - len(line.lstrip())
        if head and indent <= 6:
            rows.append([head.group(1), head.group(2) or ""])
        elif rows:
            rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
    return rows


def commands(text):
    rows = next(lines for heading, lines in blocks(text) if heading == "Commands")
    return [name for name, _ in options([line for line in rows if line.startswith(" ")])]
