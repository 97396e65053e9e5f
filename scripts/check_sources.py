#!/usr/bin/env python3
"""check_sources.py: the rules of the house that a compiler does not know. Prints `file:line: rule` per breach.

  rooms      a room includes only itself, lower floors and the public headers; public headers include no private one
  silence    the library (every room but cli) never prints, exits or reads the environment
  locale     the library calls nothing whose answer follows the host's locale, nor prints reals with printf
  banned     functions that write without knowing how much room there is, or keep hidden state
  terms      what users read is written in the words of the field (the list is in CONTRIBUTING.md)
  words      notes of unfinished work, paths of one machine, pages that nobody outside has, tests that cannot fail
  size       no file beyond 800 lines
  names      no two files of src/ have one name
  folders    no circle of folders of src/ by what they include and call
  circles    no circle of files of src/ by what they call
  types      a type that a header defines has its name alone
  heads      comments and the map of the source name no file that is gone
  copies     what base/ has is not written again: growing arrays, refusing memory, digits, blanks, quotes
"""
import functools
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

FLOORS = {"base": 1, "wire": 2, "model": 3, "perfetto": 3, "tables": 4, "output": 4, "json": 4, "read": 5, "analyze": 5,
          "write": 5, "edit": 5, "query": 5, "cli": 6}
GENERATED_FOR = {"perfetto", "read", "write"}  # rooms that may include *.pb-c.h
BANNED = ("strcpy strcat sprintf vsprintf gets strtok atoi atol atoll atof alloca scanf sscanf fscanf strncpy strncat "
          "tmpnam tempnam mktemp rand srand asctime ctime gmtime localtime setlocale system popen").split()
LOUD = ("printf vprintf fprintf vfprintf puts fputs putchar fputc putc perror exit _exit _Exit quick_exit abort getenv "
        "secure_getenv setenv putenv signal sigaction").split()
LOCAL = ("strtod strtof strtold strerror strerror_r strcasecmp strncasecmp strcasestr strcoll strxfrm isalpha isalnum isdigit "
         "isspace isupper islower isprint ispunct isxdigit isgraph iscntrl isblank toupper tolower strftime strptime "
         "nl_langinfo localeconv newlocale uselocale mbtowc mbstowcs mbrtowc wcstombs wctomb fnmatch regcomp").split()
# the first chooses what does not translate where there is a choice, the second gives and takes texts without a point
LOCAL_HOMES = {os.path.join("src", "base", "text", name) for name in ("errno_text.c", "real_digits.c")}
TAGS = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]  # outside of literals
PHRASES = ["not " + "implemented", "place" + "holder"]
CANNOT_FAIL = [r"\|\| " + "true", r"\bassert\((true|1)\)", r"cr_assert\((true|1)\)"]
LONGEST_FILE = 800
# static functions that are copies, and what base/ has in their place
COPIES = {
    "base/budget.h": "no_memory out_of_memory",
    "base/str.h": "is_digit is_blank is_space str_is key_is starts_with begins_with has_prefix ends_with to_lower trim",
    "base/buffer.h": "put_quoted",
    "base/text/json_text.h": "put_escaped put_json_text",
}

breaches = []


def breach(path, line, rule):
    breaches.append(f"{os.path.relpath(path, ROOT)}:{line}: {rule}")


def files(folder, endings):
    for parent, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders[:] = [name for name in folders if name not in ("__pycache__", "node_modules")]
        for name in sorted(names):
            if name.endswith(endings) or (not endings and "." not in name):
                yield os.path.join(parent, name)


@functools.cache
def read_lines(path):
    with open(path, encoding="utf-8") as source:
        return source.read().splitlines()


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


@functools.cache
def code_lines(path):
    """The lines without comments and the insides of literals."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.DOTALL).splitlines()


def check_rooms():
    for room, floor in FLOORS.items():
        for path in files(os.path.join("src", room), (".c", ".h")):
            for number, line in enumerate(read_lines(path), 1):
                included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                if included:
                    check_include(path, number, room, floor, included.group(1))
    for path in files("include", (".h",)):
        for number, line in enumerate(read_lines(path), 1):
            included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if included and not included.group(1).startswith("postfetto/"):
                breach(path, number, f"a public header includes {included.group(1)}")


def check_include(path, number, room, floor, name):
    if name.endswith(".pb-c.h"):
        if room not in GENERATED_FOR:
            breach(path, number, f"room {room} includes generated {name}")
        return
    other = name.split("/")[0]
    if other in ("postfetto", room):
        return
    if other not in FLOORS:
        breach(path, number, f'"{name}" is not written as room/file.h')
    elif FLOORS[other] >= floor:
        breach(path, number, f"room {room} (floor {floor}) includes {name} (floor {FLOORS[other]})")


def check_calls():
    banned = re.compile(r"\b(" + "|".join(BANNED) + r")\s*\(")
    loud = re.compile(r"\b(" + "|".join(LOUD) + r")\s*\(|\b(stdout|stderr|environ)\b")
    for path in files("src", (".c", ".h")):
        library = not os.path.relpath(path, os.path.join(ROOT, "src")).startswith("cli" + os.sep)
        for number, line in enumerate(code_lines(path), 1):
            if "__attribute__" in line:
                continue
            found = banned.search(line)
            if found:
                breach(path, number, f"banned function {found.group(1)}")
            found = loud.search(line)
            if library and found:
                breach(path, number, f"the library uses {found.group(1) or found.group(2)}")


def check_locale():
    calls = re.compile(r"\b(" + "|".join(LOCAL) + r")\s*\(")
    reals = re.compile(r"%[-+ #0]*(\d+|\*)?(\.(\d+|\*)?)?L?[aAeEfFgG]")
    for path in files("src", (".c", ".h")):
        name = os.path.relpath(path, ROOT)
        if name.startswith(os.path.join("src", "cli", "")) or name in LOCAL_HOMES:
            continue
        text = read_lines(path)
        for number, line in enumerate(code_lines(path), 1):
            found = calls.search(line)
            if found:
                breach(path, number, f"{found.group(1)} follows the host's locale")
            if any(reals.search(literal) for literal in re.findall(r'"(?:\\.|[^"\\])*"', text[number - 1])):
                breach(path, number, "a real printed with printf follows the host's locale; see base/text/number.h")


def check_words():
    machine_path = re.compile("/wor" + r"k/|/hom" + r"e/\w")
    unpublished = re.compile(r"\bspec" + r"s/\w")
    tags = re.compile(r"\b(" + "|".join(TAGS) + r")\b")
    phrases = re.compile("|".join(PHRASES))
    cannot_fail = re.compile("|".join(CANNOT_FAIL))
    sources = [path for folder in ("src", "include", "tests", "proto") for path in
               files(folder, (".c", ".h", ".proto", ".py", ".sh", ".txt", ".mjs"))]
    sources += [path for folder in ("scripts", ".ci") for path in files(folder, ())]
    sources += list(files("scripts", (".py", ".sh")))
    for path in sources:
        for number, line in enumerate(read_lines(path), 1):
            if phrases.search(line) or tags.search(re.sub(r'"(?:\\.|[^"\\])*"', '""', line)):
                breach(path, number, "a note of unfinished work")
            if machine_path.search(line):
                breach(path, number, "a path of one machine")
            if unpublished.search(line):
                breach(path, number, "a page that nobody outside has; see docs/reference/")
            if cannot_fail.search(line):
                breach(path, number, "a check that cannot fail")


def terms():
    """[(pattern of what is not written, pattern of where it may be, what is written)], as CONTRIBUTING.md lists them"""
    def phrases(cell):
        found = [re.escape(phrase.strip()).replace("\\ ", r"\s+") for phrase in cell.split(",") if phrase.strip()]
        return r"(?<![\w.])(?:" + "|".join(found) + r")(?!\w)" if found else None

    listed = []
    for line in read_lines(os.path.join(ROOT, "CONTRIBUTING.md")):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and cells[0] != "not" and not cells[0].startswith("-"):
            listed.append((re.compile(phrases(cells[0]), re.I), cells[2] and re.compile(phrases(cells[2]), re.I), cells[1]))
    return listed


def literals(path):
    """(line, text) of the string literals of more than a word, neighbours joined, a conversion of printf as %"""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    conversion = r"%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j)?[a-zA-Z]?"
    string = r'"(?:\\.|[^"\\\n])*"'
    token = r"/\*.*?\*/|//[^\n]*|#\s*include[^\n]*|'(?:\\.|[^'\\\n])*'|(" + string + r"(?:(?:\s|\\\n|PRI\w+)*" + string + ")*)"
    for match in re.finditer(token, text, re.DOTALL):
        if match.group(1):
            joined = "".join(re.sub(conversion, "%", piece[1:-1]) for piece in re.findall(string, match.group(1)))
            if " " in joined:
                yield text.count("\n", 0, match.start()) + 1, joined.replace("\\n", " ")


def prose(path):
    """(line, text) of a page without its code"""
    fenced, lines = False, []
    for line in read_lines(path):
        fence = line.lstrip().startswith("```")
        lines.append("" if fenced or fence else re.sub(r"`[^`]*`|\]\([^)]*\)", "``", line))
        fenced ^= fence
    return enumerate(lines, 1)


def check_terms():
    listed = terms()
    if not listed:
        breach(os.path.join(ROOT, "CONTRIBUTING.md"), 1, "the list of words is gone")
    any_wrong = re.compile("|".join(wrong.pattern for wrong, _, _ in listed), re.I)
    shown = [(path, literals(path)) for path in files("src", (".c", ".h"))]
    shown += [(path, prose(path)) for path in [os.path.join(ROOT, "README.md"), *files("docs", (".md", ".scd"))]]
    for path, lines in shown:
        for number, line in lines:
            for wrong, fine, right in listed if any_wrong.search(line) else ():
                found = wrong.search(fine.sub(" ", line) if fine else line)
                if found:
                    breach(path, number, f"'{found.group(0)}': say {right} (CONTRIBUTING.md, Words)")


def check_sizes():
    for folder in ("src", "include", "tests", "scripts"):
        for path in files(folder, (".c", ".h", ".py", ".sh")):
            length = len(read_lines(path))
            if length > LONGEST_FILE:
                breach(path, length, f"{length} lines, more than {LONGEST_FILE}")


def check_names():
    first = {}
    for path in files("src", (".c", ".h")):
        other = first.setdefault(os.path.basename(path), path)
        if other != path:
            breach(path, 1, f"the name of {os.path.relpath(other, ROOT)}")


def folder_of(path):
    return os.path.relpath(os.path.dirname(path), os.path.join(ROOT, "src"))


def defining_folders():
    """name of a public function or table -> folder of the .c file that defines it"""
    folders = {}
    for path in files("src", (".c",)):
        for line in code_lines(path):
            match = re.match(r"(?!static |extern |typedef )[a-z][^;=(]*?\b(pf_\w+)(?:\(|(?:\[\w*\])? = )", line)
            if match and (match.group(0).endswith("= ") or not line.rstrip().endswith(";")):
                folders[match.group(1)] = folder_of(path)
    return folders


def used_folders():
    """folder -> {folder: one line that includes from there, or calls what is defined there}"""
    uses, defined = {}, defining_folders()
    for path in files("src", (".c", ".h")):
        own = uses.setdefault(folder_of(path), {})
        for number, line in enumerate(read_lines(path), 1):
            match = re.match(r'#include "([^"]+)/[^"/]+"', line)
            if match and os.path.isdir(os.path.join(ROOT, "src", match.group(1))):
                own.setdefault(match.group(1), (path, number))
        if path.endswith(".c"):
            for number, line in enumerate(code_lines(path), 1):
                for name in re.findall(r"\bpf_\w+", line):
                    if name in defined:
                        own.setdefault(defined[name], (path, number))
    for folder, own in uses.items():
        own.pop(folder, None)
    return uses


def reached_from(place, uses):
    reached, waiting = set(), [place]
    while waiting:
        more = uses.get(waiting.pop(), {}).keys() - reached
        reached |= more
        waiting.extend(more)
    return reached


def check_circles(what, uses):
    reached = {place: reached_from(place, uses) for place in uses}
    for place, own in sorted(uses.items()):
        for other, (path, number) in sorted(own.items()):
            if place in reached.get(other, ()):
                breach(path, number, f"uses {other}, which is in a circle of {what} with {place}")


@functools.cache
def stem_of(path):
    return os.path.splitext(os.path.relpath(path, os.path.join(ROOT, "src")))[0]


def used_files():
    """stem of a file -> {stem of the same room: one line that calls what is defined there}"""
    uses, defined = {}, {}
    for path in files("src", (".c",)):
        for line in code_lines(path):
            match = re.match(r"(?!static |extern |typedef |return\b|else\b)[a-z][\w *]*?\b(\w+)(?:\(|(?:\[\w*\])* = )", line)
            if match and (match.group(0).endswith("= ") or not line.rstrip().endswith(";")):
                defined[match.group(1)] = stem_of(path)
    for path in files("src", (".c",)):
        own = uses.setdefault(stem_of(path), {})
        for number, line in enumerate(code_lines(path), 1):
            for name in re.findall(r"\b[a-z]\w+", line):
                other = defined.get(name)
                if other and other != stem_of(path) and other.split("/")[0] == stem_of(path).split("/")[0]:
                    own.setdefault(other, (path, number))
    return uses


def check_types():
    """Types of headers; a source may call its own what it likes, unless a header has the name."""
    first = {}
    headers = list(files("include", (".h",))) + list(files("src", (".h",)))
    for path in headers + list(files("src", (".c",))):
        text = "\n".join(code_lines(path))
        for match in re.finditer(r"^\} (\w+);|^typedef (?!struct|union|enum)[^;{(]*?\b(\w+);|^(?:struct|enum|union) (\w+)\n?\{",
                                 text, re.M):
            name = next(group for group in match.groups() if group)
            other = first.setdefault(name, path) if path in headers else first.get(name, path)
            if other != path:
                line = text.count("\n", 0, match.start()) + 1
                breach(path, line, f"type {name} stands in {os.path.relpath(other, ROOT)}, too")


def check_heads():
    folders = ("src", "include", "tests", "examples")
    names = {os.path.basename(path) for folder in folders for path in files(folder, (".c", ".h"))}
    for folder in ("src", "include", "tests"):
        for path in files(folder, (".c", ".h")):
            for number, line in enumerate(read_lines(path), 1):
                if not re.search(r"/\*|^ *\*", line):
                    continue
                for match in re.finditer(r"[a-z_0-9/]{3,}\.[ch]\b(?!\w|\()", line):
                    if os.path.basename(match.group(0)) not in names and not line.startswith("#include"):
                        breach(path, number, f"{match.group(0)} is gone")

    for page in files("docs", (".md",)):
        for number, line in enumerate(read_lines(page), 1):
            for name in re.findall(r"`(src/(?!trace_processor/)[a-z_0-9/]+(?:\.[ch])?|[a-z_0-9/]+\.[ch])`", line):
                if not os.path.exists(os.path.join(ROOT, name)) and ("src/" in name or os.path.basename(name) not in names):
                    breach(page, number, f"{name} is gone")


def check_copies():
    home = {name: place for place, copies in COPIES.items() for name in copies.split()}
    copy = re.compile(r"static (?:inline )?[\w *]*?\b(" + "|".join(home) + r")\(")
    for path in files("src", (".c", ".h")):
        if os.path.relpath(path, os.path.join(ROOT, "src")).startswith("base" + os.sep):
            continue
        for number, line in enumerate(code_lines(path), 1):
            found = copy.match(line)
            if found:
                breach(path, number, f"{found.group(1)}: {home[found.group(1)]} has it")
            if re.search(r"\broom\w* \? .*\* 2 :|\brealloc\(", line):
                breach(path, number, "an array grown by hand; see base/list.h")
            if re.search(r'\bPF_ERR_MEMORY, "the system refused', line):
                breach(path, number, "a refusal of memory; see base/budget.h")


def main():
    check_names()
    check_circles("folders", used_folders())
    check_circles("files", used_files())
    check_types()
    check_heads()
    check_copies()
    check_rooms()
    check_calls()
    check_locale()
    check_terms()
    check_words()
    check_sizes()
    for line in sorted(breaches):
        print(line)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
