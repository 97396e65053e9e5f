# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# Thresholds: --fail-if with its verdicts, values, usage errors, annotations and JUnit documents. The values are those of
# tiny.json: slices of 3000 and 500 ns, one sample.

says() { # says RC TEXT FAIL_IF...: query with thresholds only
    local want=$1 text=$2 name=$3 args=()
    for condition in "${@:3}"; do
        args+=(--fail-if "$condition")
    done
    run query tiny.json "${args[@]}"
    expect "--fail-if $name" "$want" out= "err=$text"
}
says 0 "" "select min(dur) > 900 from slice" "0" "0.0" "(select count(*) from slice) <> 2"
says 1 "postfetto: tiny.json: --fail-if 'select min(dur) < 900 from slice' is true: min(dur) = 500" \
    "select min(dur) < 900 from slice"
says 1 "postfetto: tiny.json: --fail-if '(select count(*) from slice) > 1 or 1' is true: (select count(*) from slice) = 2" \
    "(select count(*) from slice) > 1 or 1"
says 1 "postfetto: tiny.json: --fail-if 'select dur > 600, name from slice order by ts desc' is true: dur = 3000, name = 'a'" \
    "select dur > 600, name from slice order by ts desc"
says 1 "postfetto: tiny.json: --fail-if 'with s as (select dur d from slice) select max(d) / 2 >= 1500 from s' is true: max(d) / 2 = 1500" \
    "with s as (select dur d from slice) select max(d) / 2 >= 1500 from s"
says 1 "postfetto: tiny.json: --fail-if 'select max(value) > 5 from counter where value > 100' measured nothing: max(value) = NULL" \
    "select max(value) > 5 from counter where value > 100"
says 1 "postfetto: tiny.json: --fail-if 'select 1 from slice where 0' measured nothing: no row" "select 1 from slice where 0"
says 1 "postfetto: tiny.json: --fail-if 'select name from slice' measured nothing: name = 'a'" "select name from slice"
says 1 "postfetto: tiny.json: --fail-if 'not (1 = 2)' is true
postfetto: tiny.json: --fail-if 'select count(*) from slice' is true: count(*) = 2" "not (1 = 2)" "0" "select count(*) from slice"
says 2 "postfetto: query: --fail-if 'select duh > 5 from slice': no such column: duh" "0" "select duh > 5 from slice"
says 2 "postfetto: query: --fail-if 'create perfetto table x as select 1': gives no result; write an expression, or a query whose first column is one" \
    "create perfetto table x as select 1"
run query missing.json --fail-if 'select 1 from nowhere'
expect "a wrong threshold is told before the input is opened" 2 out= "err~no such table: nowhere"
run query tiny.json 'SELECT 1 AS x' --fail-if 1
expect "rows are written before the verdict" 1 'out="x"
1' "err~--fail-if '1' is true"
run query tiny.json -q --fail-if 1
expect "-q does not hide a finding" 1 out= "err~--fail-if '1' is true"
run query tiny.json 'SELECT 1' --annotations github
expect "--annotations without a threshold" 2 out= "err~add --fail-if"
run query tiny.json 'SELECT 1' --fail-if 0 --annotations gitlab
expect "--annotations of a service that is not known" 2 out= "err~--annotations takes one of github, not 'gitlab'"
run query tiny.json 'SELECT 1 AS x' -o rows.csv --fail-if "1 -- 100%
" --fail-if 0 --annotations github
expect "--annotations github" 1 "out=::error title=postfetto threshold::tiny.json: 1 -- 100%25%0A is true"
run query tiny.json 'SELECT 1 AS x' --fail-if 1 --annotations github
expect "annotations do not mix with rows" 1 'out="x"
1' "err~^::error title=postfetto threshold::tiny.json: 1 is true$"
run query tiny.json --junit report.xml --fail-if 0 --fail-if "select name <> '<&\"' from slice" --fail-if 'select 1 where 0' \
    --fail-if 'select abs(-9223372036854775807 - 1 + min(ts) * 0) > 1 from slice'
expect "SQL that fails while it runs" 2 out= "err~measured nothing: no row" "err~failed: integer overflow"
# The rules of the strict schemas of JUnit documents: attributes that must be there, order of the children, counts.
junit_is_valid() {
    python3 - report.xml <<'END'
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites" and not root.attrib
(suite,) = root
assert set(suite.attrib) == {"name", "package", "id", "timestamp", "hostname", "tests", "failures", "errors", "time"}
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp")) and suite.get("hostname")
float(suite.get("time"))
assert [child.tag for child in suite] == ["properties"] + ["testcase"] * 4 + ["system-out", "system-err"]
cases = suite.findall("testcase")
for case in cases:
    assert set(case.attrib) == {"name", "classname", "time"} and len(case) <= 1
    assert all(child.tag in ("failure", "error") and {"type", "message"} == set(child.attrib) for child in case)
assert [case[0].tag if len(case) else "" for case in cases] == ["", "failure", "failure", "error"]
assert cases[1].get("name") == "select name <> '<&\"' from slice"
assert cases[1][0].get("message") == "is true: name = 'a'"
assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
END
}
claim "--junit" junit_is_valid
# The whole of a document but for its times; the values of a text are shortened as the message on standard error is.
run query tiny.json --junit report.xml --fail-if 0 --fail-if "select name <> '<&\"' -- 2
 from slice" --fail-if 'select 1 where 0' --fail-if 'select abs(-9223372036854775807 - 1 + min(ts) * 0) > 1 from slice'
sed -E 's/time="[0-9]+\.[0-9]{3}"/time="T"/; s/timestamp="[^"]*"/timestamp="T"/' report.xml >"$OUT"
expect "--junit: the whole document" 2 'out=<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="tiny.json" package="postfetto.query" id="0" timestamp="T" hostname="localhost" tests="4" failures="2" errors="1" time="T">
    <properties/>
    <testcase name="0" classname="postfetto.query" time="T"/>
    <testcase name="select name &lt;&gt; '"'&lt;&amp;&quot;'"' -- 2&#10; from slice" classname="postfetto.query" time="T">
      <failure type="threshold" message="is true: name = '"'a'"'">is true: name = '"'a'"'</failure>
    </testcase>
    <testcase name="select 1 where 0" classname="postfetto.query" time="T">
      <failure type="nothing-measured" message="measured nothing: no row">measured nothing: no row</failure>
    </testcase>
    <testcase name="select abs(-9223372036854775807 - 1 + min(ts) * 0) &gt; 1 from slice" classname="postfetto.query" time="T">
      <error type="sql" message="failed: integer overflow">failed: integer overflow</error>
    </testcase>
    <system-out/>
    <system-err/>
  </testsuite>
</testsuites>'
run query tiny.json 'SELECT 1 AS x' -o rows.csv --fail-if "1 -- 100%, and: more
" --fail-if 'select 1 where 0' --annotations github
expect "--annotations github: a line for each finding" 1 'out=::error title=postfetto threshold::tiny.json: 1 -- 100%25, and: more%0A is true
::error title=postfetto threshold::tiny.json: select 1 where 0 measured nothing: no row'
run query tiny.json --fail-if 0 --junit nowhere/report.xml
expect "--junit into no folder" 6 out= "err~nowhere/report.xml: cannot be written"
rm -f report.xml rows.csv

# The report tables of a pass; the numbers are those of the summary of the same run.
"$PF" analyze aie aie_small.json $SHAPE --report reports_fail --json -q >summary.json 2>"$ERR"
judge() { # judge RC SQL [TEST...]
    run analyze aie aie_small.json $SHAPE --report reports_fail -q --fail-if "$2"
    expect "analyze --fail-if $2" "$1" "out~^\[write\]" "${@:3}"
}
judge 0 "select count(*) <> 2 from aie_cores" err=
judge 1 "select count(*) = 2 from aie_cores" "err=postfetto: aie_small.json: --fail-if 'select count(*) = 2 from aie_cores' is true: count(*) = 2"
judge 1 "select min(gmacs_per_second) < 900 from aie_iterations where phase = 'perf'" "err~is true: min\(gmacs_per_second\) = [0-9.]+$"
judge 1 "select gmacs_per_second > 0 from aie_iterations where tile = 'tile9,9'" "err~measured nothing: no row"
judge 1 "select (select count(*) from slice) > 10 * (select count(*) from aie_system)" "err~is true: \(select count"
lowest=$(python3 -c 'import json, sys
summary = json.load(open("summary.json"))
def rates(node):
    if isinstance(node, dict):
        if "gmacs_per_second" in node and "phase" in node and node["gmacs_per_second"] is not None: yield node["gmacs_per_second"]
        for value in node.values(): yield from rates(value)
    elif isinstance(node, list):
        for value in node: yield from rates(value)
print(repr(min(rates(summary))))' 2>>"$ERR")
judge 1 "select abs(min(gmacs_per_second) - $lowest) < 0.001 from aie_iterations"
run analyze aie missing.json $SHAPE --fail-if "select nope from aie_cores"
expect "a wrong column of a report table is told before the input is opened" 2 out= "err~no such column: nope"
run analyze aie aie_small.json $SHAPE --report reports_fail -q --json --fail-if 1 --annotations github --junit cases.xml
expect "analyze: annotations do not mix with --json" 1 "err~^::error title=postfetto threshold::aie_small.json: 1 is true$"
claim "analyze: the summary is JSON all the same" is_json "$OUT"
claim "analyze --junit" python3 -c 'import xml.etree.ElementTree as t; assert t.parse("cases.xml").find(".//testcase").get("classname") == "postfetto.analyze"'
rm -r reports_fail summary.json cases.xml

# Names: what stands in front of the first '=' if it is a word, but no value of SQL.
says 1 "postfetto: tiny.json: --fail-if 'too-long.1=select max(dur) = 3000 from slice where 1=1' is true: max(dur) = 3000
postfetto: tiny.json: --fail-if 'null=1' measured nothing: it = NULL
postfetto: tiny.json: --fail-if '1=1' is true
postfetto: tiny.json: --fail-if 'True=1' is true" "too-long.1=select max(dur) = 3000 from slice where 1=1" "null=1" "1=1" "True=1" \
    "quiet=select 1=2"
run query tiny.json --fail-if "too-long.1=select max(dur) = 3000 from slice" --fail-if "quiet=1=2" --fail-if "1=2" --junit named.xml
claim "names are those of JUnit's cases" eval '[ "$(grep -o "testcase name=\"[^\"]*\"" named.xml | tr "\n" " ")" = \
    "testcase name=\"too-long.1\" testcase name=\"quiet\" testcase name=\"1=2\" " ]'
rm named.xml
run query tiny.json --fail-if "select 1 from nosuch"
expect "an unknown table lists those there are" 2 "err~^postfetto: query: --fail-if .*: no such table: nosuch; there are args, counter, .* thread, track and others"
run analyze gpu tiny.json --fail-if "x=select 1 from nosuch"
expect "those of the pass first" 2 "err~no such table: nosuch; there are gpu_devices, .*gpu_kernels, .*, \.\.\.\$"
