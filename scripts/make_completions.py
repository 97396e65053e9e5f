#!/usr/bin/env python3
"""make_completions.py POSTFETTO OUT: completions for bash (OUT/postfetto), zsh (OUT/_postfetto) and fish (OUT/postfetto.fish).

They know the commands, the passes, and the options of each with what they take, from the help pages.
"""
import json
import os
import re
import subprocess
import sys

from help_pages import blocks, commands, help_of, options


def rows_of(text):
    """(letter or "", name, value or "", choices, explanation) of every option of a page."""
    rows = []
    for heading, lines in blocks(text):
        if heading in ("", "Usage", "Examples", "Commands", "Exit codes"):
            continue
        for head, explanation in options([line for line in lines if line.startswith(" ")]):
            found = re.match(r"(?:-(\S), )?--(\S+)(?: (.*))?$", head)
            if found:
                value = found.group(3) or ""
                choices = value.split("|") if re.fullmatch(r"[\w-]+(\|[\w-]+)+", value) else []
                rows.append((found.group(1) or "", found.group(2), value, choices, explanation.split(" [default")[0]))
    return rows


def passes(program):
    listed = subprocess.run([program, "analyze", "--list", "--json"], check=True, capture_output=True, text=True).stdout
    return [row["name"] for row in json.loads(listed)["passes"]]


def collect(program):
    """{words of a command line: its options}: ("",), ("info",), ("analyze", "aie") ..."""
    names = passes(program)
    pages = {(name,): [(*row[:3], names if row[1] == "pass" else row[3], row[4]) for row in rows_of(help_of(program, name))]
             for name in commands(help_of(program))}
    for name in names:
        pages[("analyze", name)] = rows_of(help_of(program, "analyze", name))
    return pages


def words_of(rows):
    return [word for letter, name, _, _, _ in rows for word in ([f"-{letter}"] if letter else []) + [f"--{name}"]]


def bash(pages):
    names = [words[0] for words in pages if len(words) == 1]
    out = ["# bash completion for postfetto; made by scripts/make_completions.py", "_postfetto() {",
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words",
           "    COMPREPLY=()", '    if [ "$COMP_CWORD" -eq 1 ]; then',
           f'        mapfile -t COMPREPLY < <(compgen -W "{" ".join(names)} --help --version" -- "$current")',
           "        return", "    fi", '    case "${COMP_WORDS[1]} $previous" in']
    for words, rows in pages.items():
        for _, name, _, choices, _ in rows:
            if choices and len(words) == 1:
                out.append(f'    "{words[0]} --{name}") mapfile -t COMPREPLY < <(compgen -W "{" ".join(choices)}" -- "$current"); return ;;')
    out += ["    esac", '    case "${COMP_WORDS[1]} ${COMP_WORDS[2]-}" in']
    for words, rows in sorted(pages.items(), key=lambda page: -len(page[0])):
        pattern = f'"{" ".join(words)}"' if len(words) == 2 else f'"{words[0]} "*'
        out.append(f'    {pattern}) words="{" ".join(words_of(rows))}" ;;')
    inner = [words[1] for words in pages if len(words) == 2]
    out += ["    esac", '    if [ "${COMP_WORDS[1]}" = analyze ] && [ "$COMP_CWORD" -eq 2 ] && [ "${current#-}" = "$current" ]; then',
            f'        mapfile -t COMPREPLY < <(compgen -W "{" ".join(inner)}" -- "$current")',
            '    elif [ "${current#-}" != "$current" ]; then',
            '        mapfile -t COMPREPLY < <(compgen -W "${words-}" -- "$current")', "    else",
            '        mapfile -t COMPREPLY < <(compgen -f -- "$current")', "    fi", "}",
            "complete -o filenames -F _postfetto postfetto", ""]
    return "\n".join(out)


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_option(letter, name, value, choices, explanation):
    text = explanation.replace("[", "(").replace("]", ")").replace(":", " -")
    take = f":{value.replace(':', ' ')}:({' '.join(choices)})" if choices else f":{value.replace(':', ' ')}:_files" if value else ""
    specs = [f"--{name}" + ("=" if value else "")] + ([f"-{letter}"] if letter else [])
    return [quote(f"*{spec}[{text}]{take}") for spec in specs]


def zsh(pages):
    names = [words[0] for words in pages if len(words) == 1]
    out = ["#compdef postfetto", "# zsh completion for postfetto; made by scripts/make_completions.py", "_postfetto() {",
           "    if (( CURRENT == 2 )); then", f"        compadd -- {' '.join(names)} --help --version", "        return", "    fi",
           '    local command=$words[2] pass=${words[3]-}', "    shift words", "    (( CURRENT-- ))",
           '    case "$command $pass" in']
    inner = " ".join(words[1] for words in pages if len(words) == 2)
    for words, rows in sorted(pages.items(), key=lambda page: -len(page[0])):
        pattern = f'"{" ".join(words)}"' if len(words) == 2 else f'"{words[0]} "*'
        lines = [spec for row in rows for spec in zsh_option(*row)]
        out.append(f"    {pattern})")
        if words == ("analyze",):
            out += ["        if (( CURRENT == 2 )) && [[ $words[CURRENT] != -* ]]; then", f"            compadd -- {inner}",
                    "            return", "        fi"]
        out.append("        _arguments " + " \\\n            ".join(lines + ["'*:file:_files'"]) + " ;;")
    out += ["    esac", "}", '_postfetto "$@"', ""]
    return "\n".join(out)


def fish(pages):
    names = " ".join(words[0] for words in pages if len(words) == 1)
    inner = " ".join(words[1] for words in pages if len(words) == 2)
    out = ["# fish completion for postfetto; made by scripts/make_completions.py",
           f"complete -c postfetto -n __fish_use_subcommand -f -a '{names}'",
           f"complete -c postfetto -n '__fish_seen_subcommand_from analyze; and not __fish_seen_subcommand_from {inner}' -a '{inner}'"]
    for words, rows in pages.items():
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in words)
        for letter, name, value, choices, explanation in rows:
            line = f"complete -c postfetto -n '{seen}' -l {name}" + (f" -s {letter}" if letter else "")
            line += f" -x -a '{' '.join(choices)}'" if choices else " -r" if value else ""
            out.append(f"{line} -d {quote(explanation)}")
    return "\n".join(out) + "\n"


def main():
    program, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    pages = collect(program)
    for name, text in (("postfetto", bash(pages)), ("_postfetto", zsh(pages)), ("postfetto.fish", fish(pages))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)


main()
