# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016,SC2002
# Outputs: what a full disk or a killed run leaves behind (nothing), modes and links of what is replaced, outputs that are
# no files, and packets that no reader takes.
mkdir outputs links
hidden() { find outputs -name '.*' | sort; }

# A limit on the size of files is a disk that is full.
for name in x.pftrace x.json x.json.gz x.sqlite; do
    (
        trap '' XFSZ
        ulimit -f 8
        exec "$PF" convert -q aie_small.json -o "outputs/$name"
    ) >"$OUT" 2>"$ERR"
    rc=$?
    if [ "$name" = x.json.gz ]; then
        expect "room for a small output: $name" 0 out= err=
    else
        expect "no room: $name" 6 out= "err~^postfetto: outputs/${name%%.*}.* cannot be written: "
        claim "no room: nothing is left of $name" test -z "$(ls -A outputs)"
    fi
    rm -f outputs/*
done

# Killed anywhere, a run leaves nothing that the next one does not remove.
if command -v python3 >/dev/null; then
    python3 -c 'import json; print(json.dumps([{"ph": "X", "name": "n%d" % (i % 90), "pid": 1, "tid": i % 7, "ts": i,
                                                "dur": 3, "args": {"a": i}} for i in range(120000)]))' >many.json
    for wait in 0.05 0.1 0.15 0.2 0.25 0.3 0.4; do
        "$PF" convert -q many.json -o outputs/k.sqlite >/dev/null 2>&1 &
        child=$!
        sleep $wait
        { kill -KILL $child && wait $child; } 2>/dev/null
        rm -f outputs/k.sqlite
        left=$(hidden)
        case $left in
        '' | outputs/.k.sqlite.*.postfetto-tmp) ok "killed after $wait s" ;;
        *) rc=137 not_ok "killed after $wait s" "it left $left" ;;
        esac
    done
    run convert -q tiny.json -o outputs/k.sqlite
    claim "the next run removes what was left" test -z "$(hidden)"
    touch outputs/.k.sqlite.stale.postfetto-tmp
    run convert -q tiny.json -o outputs/k.sqlite
    claim "the next run removes stale temporaries" test -z "$(hidden)"
fi

# What is replaced keeps its mode; links stay and what they name is written, whether it is there or not.
echo old >links/mode.json
chmod 666 links/mode.json
(umask 077 && "$PF" convert -q tiny.json -o links/mode.json)
claim "an output keeps its mode" test "$(stat -c %a links/mode.json)" = 666
mkdir links/there
echo old >links/there/real.json
ln -s there/real.json links/first.json
ln -s first.json links/second.json
run convert -q tiny.json -o links/second.json
expect "an output through links" 0 out= err=
claim "the links stay" test -L links/second.json -a -L links/first.json
claim "what they name is written" grep -q traceEvents links/there/real.json
ln -s there/new.json links/dangling.json
run convert -q tiny.json -o links/dangling.json
expect "an output through a link to nothing" 0 out= err=
claim "that link stays" test -L links/dangling.json -a -f links/there/new.json
ln -s circle.json links/circle.json
run convert -q tiny.json -o links/circle.json
expect "a circle of links is replaced" 0 out= err=

# Outputs that are no files
run convert -q tiny.json -o - --to json
cp "$OUT" want.json
run convert -q tiny.json -o /dev/stdout --to json
claim "/dev/stdout is standard output" cmp "$OUT" want.json
echo head >appended
"$PF" convert -q tiny.json -o /dev/fd/5 --to json 5>>appended
claim "/dev/fd/N goes on where that is" cmp <(tail -c +6 appended) want.json
run convert -q tiny.json -o /dev/null --to sqlite
expect "/dev/null as an output" 0 out= err=
claim "/dev/null is still a device" test -c /dev/null
mkfifo fifo
cat fifo >from_fifo &
run convert -q tiny.json -o fifo --to json
wait $!
expect "a pipe as an output" 0 out= err=
claim "the pipe carries it" cmp from_fifo want.json
run convert -q --json tiny.json -o /dev/stdout --to json
expect "/dev/stdout and --json" 2 out= "err~standard output"
run convert -q tiny.json -o other.pftrace --to json
expect "--to against the ending of a file" 2 out= "err~contradicts"

# The bytes do not depend on the number of threads.
if [ -f many.json ]; then
    for name in a.pftrace a.pftrace.gz a.json a.json.gz; do
        run convert -q --jobs 1 many.json -o "outputs/$name"
        run convert -q --jobs 4 many.json -o "outputs/b.${name#a.}"
        claim "--jobs leaves $name as it is" cmp "outputs/$name" "outputs/b.${name#a.}"
    done
    run convert -q --jobs 1 --compress many.json -o outputs/a.pftrace
    run convert -q --jobs 4 --compress many.json -o outputs/b.pftrace
    claim "--jobs leaves compressed packets as they are" cmp outputs/a.pftrace outputs/b.pftrace
    if command -v script >/dev/null; then
        mkfifo slow_out
        (sleep 0.9; cat) <slow_out >/dev/null &
        in_terminal "'$PF' convert many.json -o slow_out --to json"
        wait $!
        expect "the progress of writing" 0 "out~writing: [0-9.]+ MB, [0-9]+ %, [0-9.]+ MB/s, [0-9]+ (s|min) left"
    fi
fi

# Packets beyond 256 MiB - 1
if command -v python3 >/dev/null && [ "$(ulimit -v)" = unlimited ]; then
    python3 -c 'import sys
sys.stdout.write("[{\"ph\":\"X\",\"ts\":7,\"dur\":5,\"pid\":1,\"tid\":1,\"name\":\"wide")
for _ in range(270): sys.stdout.write("w" * 1000000)
sys.stdout.write("\"}]")' >wide.json
    run convert -q wide.json -o wide.pftrace
    expect "a packet that is too long" 5 out= "err~^postfetto: wide\.pftrace: the packet at 7000 ns \('widew+\.\.\.'\) "
    claim "nothing is written then" test ! -e wide.pftrace
    python3 -c 'import sys
def number(n):
    out = b""
    while n > 127: out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])
def field(n, data): return number(n << 3 | 2) + number(len(data)) + data
def packet(name): return field(1, b"\x40\x01\x50\x01" + field(11, b"\x48\x03\x58\x05" + field(23, name)))
sys.stdout.buffer.write(packet(b"a") + packet(b"w" * 270000000) + packet(b"b"))' >wide.pftrace
    run check wide.pftrace
    expect "check: a packet that is too long" 1 \
        "out~^data_loss: postfetto_proto_packet_damaged: 1 time, first at byte [0-9]+: "
    run query -q --format csv wide.pftrace 'select name from slice'
    expect "what is around it is read" 0 'out~"a"' 'out~"b"'
    rm -f wide.json wide.pftrace
fi
