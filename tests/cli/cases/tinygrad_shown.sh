# shellcheck shell=bash disable=SC2154,SC2034,SC2086
# What people see of profiles of tinygrad: no files that nobody asked for, estimates on the terminal, and figures, whose
# numbers are computed a second time. Sourced by run.sh.

cat >guess.json <<'END'
{"r_16": {"ops": 1000000, "mem": 2000, "lds": 1}}
END
cp "$FIX/tinygrad_small.pkl" shown.pkl
before=$(listing)
run analyze tinygrad shown.pkl --estimates guess.json
expect "analyze tinygrad: rates, and no file without --report" 0 out= 'err~^kernel +device +runs +total .* GFLOPS .* memory' \
    'err~^r_16 +AMD +2 +80\.500 +64\.53 ' "same=$before"
run analyze tinygrad shown.pkl
expect "analyze tinygrad: operations where there are no rates" 0 out= 'err~longest \(us\) +operations$' 'err!gflops' "same=$before"

# 3000 changes in 9000 us are drawn in steps of 18 us. The numbers of a step are in its tooltip.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import FLOAT, Event, Pickle, Time, point
at = lambda us: 5_000_000_000 + us * 1000
events = [Event("ProfileDeviceEvent", device="A", tdiff=Time(0), props={})]
for i in range(1500):
    events.append(point("A", "alloc", i, {"dtype": FLOAT, "sz": 1 + i * 7919 % 1000}, at(6 * i)))
    events += [point("A", "free", k, {}, at(6 * i + 1 + k % 3)) for k in [i - 3 * (i % 7)] if i % 4 == 0 and k >= 0]
with open("held.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run analyze tinygrad held.pkl -q --report held --pictures
claim "memory over time is what the changes make of it" python3 - <<'END'
import json, re
track = next(t for t in json.load(open("held/profile.json"))["layout"] if t["name"] == "A Memory")
sizes, changes, held = {}, [], 0
for e in track["events"]:
    held += e["nbytes"] if e["event"] == "alloc" else -sizes.pop(e["key"], 0)
    sizes.update({e["key"]: e["nbytes"]} if e["event"] == "alloc" else {})
    changes.append((e["ts"], held))
first, last = changes[0][0], changes[-1][0]
step = (last - first) // 500 + 1
expected, held, at = {}, 0, 0
for start in range(first, last + 1, step):
    most = held
    while at < len(changes) and changes[at][0] < start + step:
        held = changes[at][1]
        most = max(most, held)
        at += 1
    expected[start] = most
found = {}
for v, a, b in re.findall(r"held: (\d+) bytes\nfrom: (\d+) us\nto: (\d+) us", open("held/tinygrad_memory.svg").read()):
    found.update({start: int(v) for start in range(int(a), int(b), step)})
wrong = [(k, v, found.get(k, 0)) for k, v in expected.items() if v != found.get(k, 0)]
assert len(expected) > 300 and not wrong, wrong[:5]
END
rm -r guess.json shown.pkl held.pkl held
