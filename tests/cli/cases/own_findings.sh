# shellcheck shell=bash disable=SC2154,SC2086,SC2016
# What passes drew into a trace is no input: the mark that it is known by, what is left out of a reading, and what an output
# with findings drawn anew consists of.

findings() { # findings FILE: slices and instants of each pass
    "$PF" query "$1" --format csv "SELECT category, count(*) FROM slice WHERE category GLOB 'postfetto.*' GROUP BY 1 ORDER BY 1" |
        tail -n +2 | tr -d '"' | tr '\n' ' '
}
cat >own_packets.py <<'END'
# own_packets.py FILE: packets without a mark, and those of each pass
import collections, sys
def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value, at, shift = value | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return value, at
data, at, owner, count = open(sys.argv[1], "rb").read(), 0, {}, collections.Counter()
while at < len(data):
    size, at = varint(data, at + 1)
    end, fields = at + size, {}
    while at < end:
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        fields[tag >> 3] = value
    if 87 in fields:
        owner[fields[10]] = fields.get(1816)
    count[owner.get(fields.get(10), fields.get(1816))] += 1
print(*(f"{(name or b'none').decode()} {n}" for name, n in sorted(count.items(), key=lambda item: item[0] or b"")))
END
draw() { # draw PASS IN OUT [OPTION...]
    local shape=
    [ "$1" = aie ] && shape="$SHAPE --hwid x"
    [ "$1" = gpu ] && [[ "$2" != */* ]] && shape="--dialect perfetto" # it wants ns
    "$PF" analyze "$1" $shape "$2" --report own_reports -o "$3" -q "${@:4}" >"$OUT" 2>"$ERR"
}
same_twice() { # same_twice NAME IN ENDING: drawing into the result again gives its bytes, and ones that differ from the input's
    rm -f once.* twice.*
    draw aie "$2" once.$3 && draw aie once.$3 twice.$3
    rc=$?
    if [ $rc = 0 ] && cmp -s once.$3 twice.$3 && ! cmp -s "$2" once.$3; then ok "$1"; else not_ok "$1" "the bytes differ"; fi
}
gzip -k aie_small.pftrace
python3 -c 'import zipfile
with zipfile.ZipFile("small.zip", "w") as z:
    z.write("aie_small.pftrace")
data = open("aie_small.pftrace", "rb").read()
open("cut_own.pftrace", "wb").write(data[:-3])'
gzip -c cut_own.pftrace | head -c 3000 >cut_own.pftrace.gz
same_twice "drawing twice is drawing once: JSON" aie_small.json pftrace
same_twice "drawing twice is drawing once: JSON, gzip" aie_small.json pftrace.gz
same_twice "drawing twice is drawing once: plain" aie_small.pftrace pftrace
same_twice "drawing twice is drawing once: gzip" aie_small.pftrace.gz pftrace.gz
same_twice "drawing twice is drawing once: zip" small.zip pftrace
same_twice "drawing twice is drawing once: zip, written as gzip" small.zip pftrace.gz
same_twice "drawing twice is drawing once: in front, as the input is cut" cut_own.pftrace pftrace
same_twice "drawing twice is drawing once: in front, as the gzip is cut" cut_own.pftrace.gz pftrace.gz
if command -v zstd >/dev/null; then
    zstd -q aie_small.pftrace
    same_twice "drawing twice is drawing once: zstd" aie_small.pftrace.zst pftrace
fi

# What is compressed together is taken apart: the plain bytes are those of drawing into the plain trace.
draw aie aie_small.pftrace once.pftrace
gzip -c once.pftrace >mixed.gz
draw aie mixed.gz anew.gz && draw aie anew.gz again.gz
claim "a gzip member with both is written anew" eval 'gzip -dc anew.gz | cmp - once.pftrace'
claim "and then stays" cmp anew.gz again.gz
if command -v zstd >/dev/null; then
    zstd -q once.pftrace -o mixed.zst
    draw aie mixed.zst anew.zst && draw aie anew.zst again.zst
    claim "a zstd frame with both is written anew" eval 'zstd -qdc anew.zst | cmp - once.pftrace && cmp anew.zst again.zst'
fi
python3 - <<'END'
import zlib
def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])
def field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value
data = open("once.pftrace", "rb").read()
open("bundle.pftrace", "wb").write(field(1, field(50, zlib.compress(data))))
END
draw aie bundle.pftrace unbundled.pftrace
claim "packets that are compressed with findings stay, without them" cmp unbundled.pftrace once.pftrace

# Other passes.
draw gpu once.pftrace both.pftrace
draw aie both.pftrace both2.pftrace && draw aie both2.pftrace both3.pftrace && draw gpu both3.pftrace both4.pftrace
draw gpu aie_small.pftrace gpu.pftrace
want="$(python3 own_packets.py once.pftrace) $(python3 own_packets.py gpu.pftrace | grep -o 'gpu.*')"
claim "there is something of each pass" eval '[[ "$want" =~ ^none\ [1-9].*\ aie\ [1-9].*\ gpu\ [1-9] ]]'
for name in both both2 both3 both4; do
    claim "findings of other passes stay, those of the pass are there once ($name)" [ "$(python3 own_packets.py $name.pftrace)" = "$want" ]
done
claim "and once their order is that of the last run, they stay" cmp both2.pftrace both3.pftrace

# A pass sees what it would see without them.
run analyze aie $SHAPE aie_small.pftrace --hwid x --report seen_plain --json
mv "$OUT" plain.summary
run analyze aie $SHAPE both.pftrace --hwid x --report seen_drawn --json
claim "a pass finds the same in both" eval 'sed s/seen_drawn/seen_plain/ "$OUT" | sed "s/both.pftrace/aie_small.pftrace/" | diff - plain.summary'
packets=$(echo "$want" | awk '{print $4 + $6}')
claim "what is left out is said" has_line "$ERR" \
    "postfetto: both.pftrace: findings of aie, gpu drawn in earlier are left out ($packets packets and events)"
run analyze aie $SHAPE both.pftrace --hwid x --report own_reports -o both5.pftrace
expect "and what becomes of it" 0 \
    "err~^postfetto: both.pftrace: findings of aie, gpu drawn .*; the output gets those of this pass anew and keeps those of others\$"
run analyze aie $SHAPE aie_small.pftrace --hwid x --report own_reports
expect "nothing is said where nothing was left out" 0 "err!left out"
run compare aie_small.pftrace both.pftrace
expect "compare does not compare findings" 0 "err~names by total time: 0 slower, 0 faster, .* 0 new, 0 vanished"
run query both.pftrace "SELECT count(*) > 0 AS there FROM slice WHERE category = 'postfetto.aie'" --format csv
expect "a query sees them" 0 "out~^1\$"
run info both.pftrace
expect "info is silent of them" 0 err=

# Findings without a mark: those that went through JSON.
run convert both.pftrace -o both.json
run compare aie_small.pftrace both.json
expect "findings in JSON are known by their category" 0 "err~names by total time: 0 slower, 0 faster, .* 0 new, 0 vanished" \
    "err~^postfetto: both.json: findings drawn in earlier are left out"
run analyze aie $SHAPE both.json --hwid x --report own_reports -o from_json.pftrace
claim "and do not come back in a conversion" [ "$(findings from_json.pftrace)" = "$(findings once.pftrace)" ]

# Several inputs.
mkdir -p runs drawn
for n in 1 2; do
    "$PF" convert "$FIX/aiu/tp2-rank-$((n - 1)).json" -o runs/r$n.pftrace -q
    draw gpu runs/r$n.pftrace drawn/r$n.pftrace
done
"$PF" analyze gpu runs/r1.pftrace runs/r2.pftrace --report own_reports -o runs.pftrace -q >"$OUT"
"$PF" analyze gpu drawn/r1.pftrace drawn/r2.pftrace --report own_reports -o drawn.pftrace -q >"$OUT"
claim "several inputs: the same bytes with and without findings in them" cmp runs.pftrace drawn.pftrace

# Marks that somebody else wrote: they concern their own sequence, from a packet with which it begins to the next one.
python3 - <<'END'
def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])
def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value
def packet(sequence, ts, name, mark=None, begins=False):
    event = field(9, 3) + field(11, 77 + sequence) + field(23, name)
    body = field(8, ts) + (field(10, sequence) if sequence else b"")
    body += field(13, 1) + field(87, 1) if begins else b""
    return field(1, body + field(11, event) + (field(1816, mark) if mark is not None else b""))
out = [packet(1, 10, b"kept first", begins=True), packet(2, 11, b"gone", b"gpu", True), packet(1, 12, b"kept, too late a mark", b"gpu"),
       packet(2, 13, b"gone, no mark needed"), packet(3, 14, b"kept, no name of a pass", b"g p\xff", True), packet(3, 15, b"kept"),
       packet(2, 16, b"kept, begins anew", begins=True), packet(2, 17, b"kept, after that"), packet(4, 18, b"kept, empty", b"", True),
       packet(5, 19, b"kept, too long", b"x" * 81, True), packet(6, 20, b"gone, of nobody known", b"x" * 80, True),
       packet(1, 21, b"kept last"), packet(0, 22, b"gone, outside of sequences", b"gpu"), packet(0, 23, b"kept, outside")]
open("marks.pftrace", "wb").write(b"".join(out))
END
gone='name NOT LIKE '"'"'kept%'"'"
run query marks.pftrace --fail-if "(SELECT count(*) FROM slice) <> 12"
expect "a query sees events of marked sequences" 0
run analyze gpu marks.pftrace --report own_reports --fail-if "(SELECT count(*) FROM slice WHERE $gone) <> 0" \
    --fail-if "(SELECT count(*) FROM slice) <> 9"
expect "a mark leaves out its own sequence, while that lasts" 0 \
    "err~^postfetto: marks.pftrace: findings of gpu, x{80} drawn in earlier are left out \(4 packets and events\)"
run analyze gpu marks.pftrace --report own_reports -o unmarked.pftrace
expect "what is not replaced is copied" 0 "out~unmarked.pftrace"
run query unmarked.pftrace --format csv "SELECT count(*) FROM slice WHERE name LIKE 'kept%' OR name = 'gone, of nobody known'"
expect "with what other passes drew" 0 "out~^10\$"
rm -rf own_reports own_packets.py seen_plain seen_drawn runs drawn cut_own.* mixed.* anew.* again.* bundle.pftrace unbundled.pftrace both* once.* \
    twice.* gpu.pftrace from_json.pftrace runs.pftrace drawn.pftrace marks.pftrace unmarked.pftrace small.zip plain.summary \
    aie_small.pftrace.*
