# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# analyze aiu: what a recording holds besides times reaches the JSON output as it is: arguments and members of every type,
# names with quotes, the instant's scope. Sourced by run.sh.
cat >values.py <<'END'
import json, sys
args = {"text": "q\"\\\n\u0001'", "real": 1.5, "large": 18446744073709551615, "yes": True, "no": None, "nested": {"a": [1, 2, {"b": "c"}]},
        "list": [], "empty": {}, "false": False, "negative": -3}
slice = {"ph": "X", "name": "odd \"name\" \\", "cat": "cpu_op", "pid": 7, "tid": 8, "ts": 1700000001000.5, "dur": 5.25, "args": args}
plain = {"ph": "X", "name": "plain", "cat": "user_annotation", "pid": 7, "tid": 8, "ts": 1700000002000.5, "dur": 5}
mark = {"ph": "i", "s": "p", "name": "mark", "cat": "c", "pid": 7, "tid": 8, "ts": 1700000002001, "args": {"k": "v"}}
members = {"deviceProperties": [{"id": 0, "name": "A\"B\\C", "x": 1.5, "big": 123456789012345678901234567890, "t": True, "f": False,
                                 "n": None, "type": "AIU"}],
           "note": "say \"x\" \\ back\n", "count": 5, "list": [1, {"a": None}]}
if len(sys.argv) == 1:
    json.dump({**members, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [slice, plain, mark]}, open("values.json", "w"))
    sys.exit()
found = json.load(open(sys.argv[1]))
added = {"class": "OTHER", "rank": 0, "jobname": "values.json"}
assert found.pop("traceEvents") == [{**slice, "args": {**args, **added}}, {**plain, "args": added},
                                    {**mark, "args": {"k": "v", "s": "p", "rank": 0}}], found
assert found == {**members, "displayTimeUnit": "ns", "traceName": sys.argv[1],
                 "otherData": {"Application": "postfetto (Acelyzer events)"}}, found
END
python3 values.py
run analyze aiu values.json --freq 1000:1100 -q -o values_out.json --report values
expect "analyze aiu of arguments of every type" 0 "out~^\[write\] values_out\.json$"
claim "arguments and members come out as they went in" python3 values.py values_out.json
rm -r values values.py values.json values_out.json
