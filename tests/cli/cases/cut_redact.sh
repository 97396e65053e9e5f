# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# cut --redact, split --redact: what is hashed, what is kept, keys, refusals. Hashes are those of Python's hmac module.
mkdir redacted
cat >redacted/whole.json <<'END'
{"traceEvents": [
{"name": "train_step", "cat": "user", "ph": "X", "ts": 10, "dur": 5, "pid": 7, "tid": 9, "args": {"file": "open /srv/bob/data.bin", "n": -3}},
{"name": "aten::add", "cat": "user", "ph": "X", "ts": 11, "dur": 2, "pid": 7, "tid": 9, "args": {"note": "secret plan"}},
{"name": "train_step", "cat": "user", "ph": "X", "ts": 20, "dur": 5, "pid": 7, "tid": 9},
{"name": "thread_name", "ph": "M", "pid": 7, "tid": 9, "args": {"name": "bob worker"}}],
"hostname": "bobs-machine", "displayTimeUnit": "ns"}
END
printf '0123456789abcdef0123456789abcdef' >redacted/key
run convert -q redacted/whole.json -o redacted/whole.pftrace
run cut redacted/whole.pftrace -o redacted/a.pftrace --redact names,args,paths --redact-key redacted/key --keep 'aten::*'
expect "a binary trace" 0 out= 'err~strings became hashes' 'err!random key'
run query -q redacted/a.pftrace "SELECT name || ' ' || ts || ' ' || dur || ' ' || depth FROM slice" --format csv
expect "names are hashes" 0 "out~$(python3 -c '
import hashlib, hmac
print("x" + hmac.new(b"0123456789abcdef" * 2, b"train_step", hashlib.sha256).hexdigest()[:12])') 10000 5000 0" \
    'out~aten::add 11000 2000 1' 'out!train_step'
claim "no text is left" test "$(strings redacted/a.pftrace | grep -c -e train -e secret -e bob -e user)" = 0
claim "keys of arguments stay" test "$(strings redacted/a.pftrace | grep -c -e file -e note)" = 2
run cut redacted/whole.json -o redacted/a.json --redact names,args,paths --redact-key redacted/key --keep 'aten::*' --json
expect "JSON" 0 'out~"redacted": {' 'out~"packets": 0' 'out~"parts": 0'
claim "it is JSON" is_json redacted/a.json
claim "no text of JSON is left" test "$(grep -c -e train -e secret -e bob -e user redacted/a.json)" = 0
claim "displayTimeUnit stays" grep -q '"displayTimeUnit": "ns"' redacted/a.json
run cut redacted/whole.json -o redacted/b.pftrace --redact names,args,paths --redact-key redacted/key --keep 'aten::*'
names="SELECT name FROM slice UNION SELECT name FROM thread UNION SELECT string_value FROM args"
claim "JSON and binary have the same hashes" cmp <("$PF" query -q redacted/a.pftrace "$names" --format csv) \
    <("$PF" query -q redacted/b.pftrace "$names" --format csv)
run cut redacted/whole.json -o redacted/c.json --redact paths
expect "paths alone" 0 'err~2 strings became hashes under a random key' # the path, and the host that is named next to the events
claim "other texts stay" test "$(grep -c -e train_step -e 'secret plan' -e 'bob worker' redacted/c.json)" = 4
claim "the path goes" test "$(grep -c /srv/bob redacted/c.json)" = 0
run cut redacted/whole.json -o redacted/d.json --redact names --from 15us
expect "a window" 0 'err~became hashes'
claim "only the window" test "$(grep -c '"ph": "X"' redacted/d.json)" = 1

printf short >redacted/short
run cut redacted/whole.json -o redacted/x.json --redact names --redact-key redacted/short
expect "a key that is too short" 2 'err~has 5 bytes, but a key needs 16'
run cut redacted/whole.json -o redacted/x.json --redact names --redact-key redacted/none
expect "no key" 2 'err~--redact-key redacted/none: No such file'
run cut redacted/whole.json -o redacted/x.json --redact everything
expect "no such texts" 2 'err~names' 'err~paths'
run cut redacted/whole.json -o redacted/x.json --keep 'aten::*'
expect "keep without redact" 2 'err~--keep needs --redact'
claim "refused, nothing is left" test ! -e redacted/x.json

run split redacted/whole.json train_step --by slice -o redacted/parts --redact names
expect "split" 0 'err~strings became hashes'
claim "the index tells no name" test "$(grep -c -e train redacted/parts/index.json)" = 0
claim "nor do the parts" test "$(cat redacted/parts/part-* | grep -c -e train -e worker)" = 0
for form in json pftrace; do
    run split redacted/whole.$form -o redacted/$form --by process --redact names,args,paths
    expect "split by process, $form" 0 'err~[1-9][0-9]* strings became hashes'
    claim "no text is left in parts of $form" test "$(cat redacted/$form/* | strings | grep -c -e train -e secret -e bob -e user)" = 0
done
run split redacted/whole.json -o redacted/parts2 --by process --redact names --redact-key redacted/short
expect "split with a key that is too short" 2 'err~a key needs 16'

# A packet of an unknown kind goes; its envelope stays only where packets after it need that.
printf '\x0a\x0b@\x0a\xfa|\x06s\x65\x63r\x65t\x0a\x12@\x64P\x01Z\x0c\x32\x04\x10X\x18\x01X\x01\xba\x01\x01\x61' >redacted/unknown.pftrace
run cut redacted/unknown.pftrace -o redacted/known.pftrace --redact names
run info redacted/known.pftrace
expect "a packet of an unknown kind" 0 'out~track_event +1 ' 'out!extension' 'out!^[(]empty' 'out!no data'
