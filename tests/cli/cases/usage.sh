# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# What is said where a command line asks for nothing, for two things at once, or for something that is not there; texts of
# listings that scripts read. Sourced by run.sh.

# usage NAME WORDS... : MESSAGE: wrong usage, said in this one line.
usage() {
    local name=$1 words=()
    shift
    while [ "$1" != : ]; do
        words+=("$1")
        shift
    done
    run "${words[@]}"
    expect "$name" 2 out= "err=postfetto: $2"
}

usage "check without a file" check : "check: no file is named; write postfetto check FILE..."
usage "convert without a file" convert -o x.json : "convert: no input is named; write postfetto convert IN... -o OUT"
usage "query without a file" query : "query: no trace is named; write postfetto query FILE SQL"
usage "query --json and --format" query tiny.json --json --format csv "SELECT 1" : \
    "query: --json contradicts --format csv; leave out one of them"
usage "query -d as a table" query tiny.json -d d --format table "SELECT 1" : \
    "query: -d writes csv, json, arrow or parquet; leave out --format table"
usage "info --formats with a file" info --formats tiny.json : "info: --formats takes no file; leave out 'tiny.json'"
usage "a word far from all options" info --wxyzwxyz tiny.json : \
    "info: unknown option '--wxyzwxyz'; 'postfetto info --help' lists the options"
usage "an option of 70 letters" info "--$(printf 'j%.0s' {1..70})" tiny.json : \
    "info: unknown option '--$(printf 'j%.0s' {1..70})'; 'postfetto info --help' lists the options"
usage "a pass whose name comes after an option of its own" analyze --M 3 aie : \
    "analyze: no input is named; write postfetto analyze aie FILE [options]"
usage "a pass after an option with its value" analyze --M=3 aie : \
    "analyze: no input is named; write postfetto analyze aie FILE [options]"
usage "-- and no pass" analyze -- : "analyze: no pass is named; 'postfetto analyze --list' shows the passes"
usage "a pass after --" analyze --report r -- aie : \
    "analyze: no input is named; write postfetto analyze aie FILE [options]"
usage "all options that are missing" analyze --iterations=3 -- aie tiny.json : \
    "analyze aie needs --M, --K, --N, --row, --col, --warmup; see postfetto analyze aie --help"
usage "a drawing of what is no trace" analyze opcmp tiny.json -o x.json : \
    "analyze: unknown pass 'opcmp'; 'postfetto analyze --list' shows the passes"
run info -- tiny.json --json
expect "after -- all words are files" 3 out= "err~^postfetto: --json: cannot be opened: "
run analyze aie --stages
expect "a pass of one piece" 0 out= "err=postfetto: aie: is one piece and has no stages"
run query tiny.json "SELECT * FROM zzzzqqq"
expect "no table is near" 2 out= \
    "err=postfetto: SQL: at byte 14: no such table: zzzzqqq; SELECT name FROM sqlite_master lists the tables"
run query tiny.json -d tiny.json -- "-- @name a
SELECT 1"
expect "query -d: a file is no folder" 6 out= \
    "err=postfetto: tiny.json: is not a folder and cannot be created as one; choose another with -d"
run info --verbose tiny.json
expect "--verbose: how long and which dialect" 0 "err~^postfetto: tiny\.json: read in [0-9]+\.[0-9]{3} s, dialect chrome-json$"
run info --verbose -q tiny.json
expect "-q silences --verbose" 0 err=
for sql in "DROP TABLE slice" "CREATE VIRTUAL TABLE x USING y(1)" "DELETE FROM slice" "UPDATE slice SET ts = 1" \
    "INSERT INTO slice VALUES (1)" "ALTER TABLE slice RENAME TO s"; do
    run query tiny.json "$sql"
    expect "query refuses: $sql" 2 out= \
        "err~^postfetto: SQL: at byte [0-9]+: (.* is not allowed; a query can read the trace and make temporary tables|table slice may not be modified)$"
done

# The list of passes, as scripts see it: an option that must be given, one with a unit, the role of the trace.
run analyze --list --json
claim "analyze --list --json: all of an option" python3 - "$OUT" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["schema_version"] == 1 and list(document) == ["schema_version", "passes"]
passes = {p["name"]: p for p in document["passes"]}
assert [p["name"] for p in document["passes"]] == ["aie", "aiu", "gpu", "host", "neutrino", "tinygrad"], list(passes)
for p in passes.values():
    assert list(p) == ["name", "summary", "inputs", "options", "tables", "stages"], p
    assert all(list(o) == ["name", "letter", "type", "choices", "within", "unit", "default", "required", "repeatable",
                           "help"] for o in p["options"])
options = {o["name"]: o for o in passes["aie"]["options"]}
assert options["M"]["required"] is True and options["M"]["default"] is None and options["M"]["type"] == "integer"
assert options["clock-ghz"]["unit"] == "GHz" and options["clock-ghz"]["required"] is False
assert passes["aiu"]["inputs"][0]["most"] is None, "as many files as there are ranks"
assert "--stages" not in options
END
run analyze aiu --stages
claim "analyze --list --json has the stages of --stages" python3 - "$OUT" "$PF" <<'END'
import json, subprocess, sys
listed = json.loads(subprocess.run([sys.argv[2], "analyze", "--list", "--json"], capture_output=True, check=True).stdout)
stages = next(p for p in listed["passes"] if p["name"] == "aiu")["stages"]
lines = open(sys.argv[1]).read().splitlines()
names, seen = [], {}
for line in lines:
    name = line.split(":")[0].split(" ")[0]
    base = name.split("#")[0]
    seen[base] = seen.get(base, 0) + 1
    assert name == (base if seen[base] == 1 else f"{base}#{seen[base]}"), name
    names.append(base)
assert names == stages and len(stages) > 10, (names, stages)
END

# Formats and dialects: the text and the JSON say the same.
run info --formats
cp "$OUT" formats.txt
run info --formats --json
claim "info --formats: text and JSON" python3 - "$OUT" formats.txt <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read()
formats, dialects = text.split("\n\nDialects (--dialect NAME):\n")
first = lambda part: [line.split()[0] for line in part.splitlines() if line.startswith("  ") and line[2] != " "]
assert document["schema_version"] == 1
assert formats.startswith("Formats (--input-format NAME):\n")
assert first(formats) == [f["name"] for f in document["formats"]]
assert first(dialects) == [d["name"] for d in document["dialects"]]
assert text.endswith("\n\nEvery file may be plain, gzip, zstd, or alone in a zip.\n")
plain = " ".join(text.split())
tables = 0
for entry in document["formats"]:
    assert f'{entry["name"]} {" ".join(entry["summary"].split())}' in plain, entry
    if entry["tables"]:
        assert "tables: " + ", ".join(t["name"] for t in entry["tables"]) in plain, entry
        assert all(t["summary"] for t in entry["tables"])
        tables += len(entry["tables"])
assert tables > 20
assert all(f'{d["name"]} {" ".join(d["summary"].split())}' in plain for d in document["dialects"])
END
run info --formats -o formats.out
claim "info --formats -o" cmp -s formats.txt formats.out
rm -f formats.txt formats.out

# What a warning says and when a note is shown.
printf '[{"name": "outer", "ph": "X", "ts": 1, "dur": 5, "pid": 1}, {"name": "crosses", "ph": "X", "ts": 3, "dur": 9, "pid": 1}]' >spill.json
note='spill\.json: note: complete events put on an overlap lane \(slice_spill_overlapping_complete_event, 1 time\)$'
run query spill.json "SELECT 1 AS n"
expect "what loses nothing is not mentioned" 0 err=
run query --verbose spill.json "SELECT 1 AS n"
expect "--verbose mentions it" 0 "err~^postfetto: $note"
run query aie_cut.json "SELECT 1 AS n"
expect "a warning has its place, its name and its count" 0 \
    "err~^postfetto: aie_cut\.json: at byte [0-9]+: warning: the document ends in the middle \(postfetto_json_truncated, 1 time\)$"
rm spill.json
