# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# analyze tinygrad: sums with all digits, estimates that are expressions, profiles that are cut, rewrites.pkl. Sourced by run.sh.

# Sums of counters: 3 * (2^64 - 1) + 11 has 66 bits. The unit is busy for 100 * (10 + 30) / 2 / (4 * 50) = 10 %.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import struct
from make_fixtures_tinygrad import Event, Pickle, Time
def record(number, *counters):
    sched, values = [], []
    for name, *numbers in counters:
        sched.append(Event("PMCSample", name=name, block="B", xcc=1, inst=1, se=1, sa=1, wgp=len(numbers), off=8 * len(values),
                           size=8 * len(numbers), regsample="r"))
        values += numbers
    return Event("ProfilePMCEvent", device="AMD", kern="k", exec_tag=number, blob=struct.pack(f"<{len(values)}Q", *values), sched=sched)
most = (1 << 64) - 1
events = [Event("ProfileDeviceEvent", device="AMD", comp_tdiff=Time(0), copy_tdiff=None, props={}),
          record(1, ("WIDE", most, most), ("SQ_INSTS_VALU", 10, 30), ("GRBM_GUI_ACTIVE", 50, 20)), record(2, ("WIDE", most, 11))]
with open("sums.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run analyze tinygrad sums.pkl -q --report sums
claim "sums of counters have all their digits" [ "$(grep -o 'WIDE,2,[0-9]*' sums/counters.csv)" = "WIDE,2,55340232221128654856" ]
run query sums.pkl "SELECT i.event, 100.0 * i.sum / i.\"values\" / (4 * max(v.value)) AS valu_percent FROM tinygrad_pmc i
    JOIN tinygrad_pmc a ON a.event = i.event AND a.name = 'GRBM_GUI_ACTIVE' JOIN tinygrad_pmc_value v ON v.counter = a.id
    WHERE i.name = 'SQ_INSTS_VALU' GROUP BY i.id"
expect "utilisation in SQL, in the first generation too" 0 err= 'out="event","valu_percent"
1,10.0'
rm -r sums sums.pkl

# Estimates that are expressions of variables, which the kernel's last execution binds. Python evaluates the same ones. Divisions
# round down, but cdiv and cmod cut. A variable without a value, a division by 0 and a number beyond 126 bits are errors of the estimate.
cat >symbols.py <<'END'
import json, os, sys
from make_fixtures_tinygrad import Event, Pickle, Time, execution, kernel
at = lambda us: 5_000_000_000 + us * 1000
bound = [{"n": 7, "m": -3}, {"n": 10, "m": 4}, {"n": 1 << 40, "m": 0}]
known = ["n*4", "-n", "(n+1)*m*128", "n//3+n%7-m//2", "m%5", "7 - 2 - 1", "2*(3+n)*-1", "max(n, m)*2", "max(max(1, m), -n)", "((n))",
         "-(-m)//2", "-m//2", "12345678901234567890*2", "n*n", "1+(n<<6)", "n<<3>>2<<1", "1|n&6^3", "n+1<<2&m+5", "m>>1", "(n<9)+(n!=7)",
         "(n if m<0 else n+1)*2", "1 if n!=7 else 2 if m<1 else 3", "max(n if n<m else m, 3)", "n&(m|1)", "-n%4<<2"]
cut = [("cdiv(m, 2)", lambda n, m: int(m / 2)), ("cmod(m, 2)+n", lambda n, m: m - 2 * int(m / 2) + n)]
cut += [("floordiv(m, 2)*3", lambda n, m: m // 2 * 3), ("5-floormod(m, 5)", lambda n, m: 5 - m % 5)]
unknown = ["k+n", "n//(m-m)", "n*" * 40 + "99999999", "1<<(n-n-1)", "1<<200", "8>>(m-m-1)"]
wrong = ["", "n+", "n n", "n(", "(n", "n)", "max(n", "*n", "n/2", "min(n, 1)", "n,m", "3x", "n # m", "(" * 300 + "n" + ")" * 300,
         "n if m", "n else m", "n if else m", "(n if m) else 2", "1 if n else", "n<", "n<<<2", "max(n if m, 2)", "UOp(", "UOp(Ops.ADD)",
         "UOp(Ops.ADD, dtypes.int, arg=None, src=(\n  x1,\n  x1,))", "UOp(Ops.CONST, dtypes.int, arg=1, src=()) + 1"]
everything = known + [text for text, _ in cut] + unknown
amount = lambda text, values: dict(cut)[text](**values) if text in dict(cut) else eval(text, {"max": max}, values)
def expected(text, values):
    try:
        value = amount(text, values)
        return int(value / (10 * 1e-6)) if abs(value) < 1 << 126 else "ERR"
    except (NameError, ZeroDivisionError, ValueError):
        return "ERR"
if sys.argv[1] == "make":
    events = [Event("ProfileDeviceEvent", device="A", tdiff=Time(0), props={})]
    for i, values in enumerate(bound):
        for k, _ in enumerate(everything):
            start = 100 * (i * len(everything) + k)
            one = execution("A", f"k{k}", i, [], at(start))
            one.fields["arg"]["var_vals"] = values
            one.fields["arg"]["metadata"] = []
            events += [one, kernel("A", f"k{k}", at(start + 1), 10_000)]
    open("symbols.pkl", "wb").write(Pickle().profile(events))
    json.dump({f"k{k}": {"ops": text, "mem": "0", "lds": 5} for k, text in enumerate(everything)}, open("symbols.json", "w"))
    for i, text in enumerate(wrong):
        json.dump({"k0": {"ops": 1, "mem": text, "lds": 5}}, open(f"wrong{i}.json", "w"))
else:
    found = [e["fmt"] for track in json.load(open("symbols/profile.json"))["layout"] for e in track["events"]]
    wanted = [{"FLOPS": expected(text, values), "B/s mem": 0, "B/s lds": 500000} for values in bound for text in everything]
    for i, (one, other) in enumerate(zip(wanted, found)):
        assert one == other, (everything[i % len(everything)], bound[i // len(everything)], one, other)
    assert len(wanted) == len(found)
END
PYTHONPATH="$here/../../scripts" python3 symbols.py make
run analyze tinygrad symbols.pkl --estimates symbols.json -q --report symbols
PYTHONPATH="$here/../../scripts" claim "estimates that are expressions" python3 symbols.py check
run query symbols.pkl "SELECT r.run, v.name, v.value FROM tinygrad_variable v JOIN tinygrad_run r ON r.id = v.run WHERE r.kernel LIKE '%k0%'"
expect "variables of executions in SQL" 0 err= 'out="run","name","value"
0,"n",7
0,"m",-3
1,"n",10
1,"m",4
2,"n",1099511627776
2,"m",0'
for i in wrong*.json; do
    run analyze tinygrad symbols.pkl --estimates $i -q
    expect "an estimate that is no expression: $(cat $i)" 3 out= 'err~an estimate needs "ops", "mem" and "lds", numbers or expressions'
done
rm -r symbols symbols.py symbols.{pkl,json} wrong*.json

# A profile that is cut, at bytes all over it: the events that end before it are there, none more, in the order of the file; where there
# are some it is read with the damage and its place said, where there are none it is not. Events of a list that is still
# open count; both pickles have the same events, one puts them into the list one by one.
cat >cut.py <<'END'
import json, pickletools, subprocess, sys
from make_fixtures_tinygrad import Event, Pickle, Time, kernel, point
events = [Event("ProfileDeviceEvent", device="A", tdiff=Time(0), props={})]
events += [kernel("A", Event("TracingKey", display_name=f"k{i}", keys=[], ret=i, tb=None) if i % 2 else f"k{i}", 1000 * i, 500) for i in range(4)]
events.append(point("A", "alloc", 1, {"a": [1, {}]}, 7000))
def single():
    p = Pickle()
    p.raw(b"]")
    p.memoize()
    for event in events:
        p.value(event)
        p.raw(b"a")
    return bytes(p.out + b".")
for name, whole in (("batch", Pickle().profile(events)), ("single", single())):
    builds = [at for op, _, at in pickletools.genops(whole) if op.name == "BUILD"]
    inner = [at for k, at in enumerate(builds) if k in (2, 5)]  # of the two TracingKeys
    ends = [at + 1 for at in builds if at not in inner]
    assert len(ends) == len(events), (name, ends, builds)
    near = {end + step for end in ends for step in (-2, -1, 0, 1, 2)}
    for cut in sorted({*range(0, len(whole), 11), *(at for at in near if at < len(whole))}):
        with open("cut.pkl", "wb") as out:
            out.write(whole[:cut])
        done = subprocess.run([sys.argv[1], "query", "cut.pkl", "SELECT items, skipped FROM tinygrad_profile", "--format", "csv"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        whole_events = sum(end <= cut for end in ends)
        if whole_events:
            assert done.returncode == 0 and f'\n{whole_events},0' in done.stdout, (name, cut, whole_events, done)
            assert "warning: the pickle ends in the middle; the events before were read (postfetto_pickle_truncated, 1 time)" in done.stderr, done.stderr
        else:
            assert done.returncode == 3 and not done.stdout, (name, cut, done)
END
PYTHONPATH="$here/../../scripts" claim "a cut profile has the events before the cut" python3 cut.py "$PF"
run check cut.pkl -q
expect "check of a cut profile" 1 'out~^data_loss: postfetto_pickle_truncated: 1 time, first at byte [0-9]+: '
run query cut.pkl "SELECT 1" --strict
expect "--strict on a cut profile" 4 out= 'err~at byte [0-9]+: .*postfetto_pickle_truncated'
run analyze tinygrad cut.pkl -q --report cut
claim "events.json of a cut profile" [ "$(grep -o '"ProfileRangeEvent\|tinygrad.helpers.ProfileRangeEvent' cut/events.json | wc -l)" = 4 ]
rm -r cut cut.p*

# What was given and not used, and what is empty, is said.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, Time, kernel, point
mark = lambda i, us: point("TINY", "marker", None, {"name": f"train @ {i}", "color": "gray"}, 1000 * us)
events = [Event("ProfileDeviceEvent", device="A", tdiff=Time(0), props={}), kernel("A", "k", 15_000, 500)]
open("said.pkl", "wb").write(Pickle().profile(events + [mark(i, 10 * i) for i in range(4)]))
END
echo '{"other": {"ops": 1, "mem": 1, "lds": 0}, "K": {"ops": 1, "mem": 1, "lds": 0}}' >unused.json
echo '{"k": {"ops": 1, "mem": 1, "lds": 0}}' >used.json
run analyze tinygrad said.pkl --estimates unused.json --report said
expect "an estimates file that is not used" 0 "err~unused\.json was not used: none of its 2 kernels is in the profile"
expect "iterations without kernels" 0 "err~2 of 3 iterations hold neither a kernel nor a copy"
claim "the rows of these iterations stay" [ "$(cut -d, -f2,5,7 said/iterations.csv | tr '\n' ' ')" = "iteration,kernels,copies train @ 0,0,0 train @ 1,1,0 train @ 2,0,0 " ]
run analyze tinygrad said.pkl --estimates used.json --report said
expect "an estimates file that is used" 0 "err!was not used" "out~kernels"
rm -r said said.pkl used.json unused.json

# rewrites.pkl: source and estimates of kernels without any class. In the first generation the context returned the program; later a
# step names a node, whose sources have the estimates and, after the device, the text. What is an expression has no number.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Call, Event, Pickle
blue = lambda name: f"\x1b[34m{name}\x1b[0m"
key = lambda name, ret=None, keys=(): Event("TracingKey", display_name=name, keys=list(keys), ret=ret, tb=None)
step = lambda name, sink: Event("TrackedGraphRewrite", loc=["a.py", 1], sink=sink, matches=[], name=name, depth=0, bottom_up=False)
guess = lambda ops, mem, lds: Event("Estimates", ops=ops, lds=lds, mem=mem)
op = lambda n: Call("tinygrad.uop.Ops", n)
symbol = Call("tinygrad.uop.ops.UOp", op(7), None, [], "n", None, None)
nodes = {1: [op(1), None, [2, 3, 4, 5], None, None], 2: [op(2), None, [], Event("KernelInfo", name=blue("r_16"), estimates=guess(4096, 512, 7))],
         3: [op(3), None, [], "CPU"], 4: [op(4), None, [9, 10], None], 5: [op(5), None, [], "void r_16() {}"],
         6: [op(1), None, [7, 5], None], 7: [op(2), None, [], Event("KernelInfo", name="E_4", estimates=guess(symbol, 64, 64))]}
keys = [key("Schedule 1"), key(blue("r_16"), keys=["x", b"\x01\xfe"]), key("E_4"), key("gone")]
steps = [[step("split", 1)], [step("View Program", 6), step("View Program", 1)], [step("View Program", 6)], [step("View Program", 99)]]
spec = Event("ProgramSpec", name=blue("E"), src="void E() {}", device="CPU", estimates=guess(1, 2, 3))
spec_only = Event("ProgramSpec", name="F", src="void F() {}", device="CPU")
def write(path, **fields):
    p = Pickle()
    p.value(Event("RewriteTrace", **fields))
    open(path, "wb").write(bytes(p.out + b"."))
write("rewrites.pkl", keys=keys, rewrites=steps, uop_fields=nodes)
write("first.pkl", keys=[key(blue("E"), spec), key("F", spec_only)], rewrites=[[], []], uop_fields={})
END
run query rewrites.pkl "SELECT function, name = char(27) || '[34mr_16' || char(27) || '[0m' AS coloured, profile_key, ops, mem, lds, source FROM tinygrad_compiled"
expect "kernels of rewrites.pkl" 0 err= 'out="function","coloured","profile_key","ops","mem","lds","source"
"r_16",1,"01fe",4096,512,7,"void r_16() {}"
"E_4",0,,,64,64,"void r_16() {}"'
run query first.pkl "SELECT function, profile_key, ops, mem, lds, source FROM tinygrad_compiled"
expect "kernels of a first rewrites.pkl" 0 err= 'out="function","profile_key","ops","mem","lds","source"
"E",,1,2,3,"void E() {}"
"F",,,,,"void F() {}"'
run analyze tinygrad rewrites.pkl -q
expect "rewrites.pkl is no profile" 3 out= "err~this is tinygrad's rewrites\.pkl, what its compiler did, and no profile"
run analyze tinygrad "$FIX/tinygrad_small.pkl" --estimates rewrites.pkl -q
expect "rewrites.pkl is not an estimates file" 3 out= "err~rewrites\.pkl: a pickle is not an estimates file.*json_group_object"
run query rewrites.pkl "SELECT json_group_object(name, json_object('ops', ops, 'mem', mem, 'lds', lds)) AS estimates FROM tinygrad_compiled
    WHERE ops NOT NULL" --format json
claim "estimates out of rewrites.pkl" python3 - "$OUT" <<'END'
import json, sys
row = json.load(open(sys.argv[1]))["results"][0]["rows"][0]
json.dump(json.loads(row[0]), open("estimates.json", "w"))
END
run analyze tinygrad "$FIX/tinygrad_small.pkl" --estimates estimates.json -q --report small
claim "rates from rewrites.pkl: 2 * 4096 operations in 80.5 us" [ "$(grep -o '^AMD,r_16,2,.*' small/kernels.csv | cut -d, -f4,8)" = "80.500,0.102" ]
rm -r small estimates.json rewrites.pkl first.pkl
