# shellcheck shell=bash disable=SC2154,SC2034
# Queries of tables that packets would fill which are not decoded here: each source, table by table. Sourced by run.sh.

# A trace with one packet of the first source, two of the second, and so on. Fields and names are those of trace_packet.proto.
python3 - <<'END'
SLICES = ["slice", "slices", "thread_slice", "process_slice", "thread_or_process_slice", "instant"]
COUNTERS, SCHEDULING = ["counter", "counters"], ["sched", "thread_state"]
SOURCES = [(57, "graphics_frame_event", SLICES),
           (77, "android_energy_estimation_breakdown", COUNTERS), (88, "network_packet", SLICES),
           (92, "network_packet_bundle", SLICES), (91, "entity_state_residency", COUNTERS), (95, "etw_events", SCHEDULING),
           (115, "kernel_wakelock_data", SLICES + COUNTERS),
           (129, "generic_gpu_frequency_event", COUNTERS)]
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def packet(field):
    inner = varint(field << 3 | 2) + b"\0"
    return b"\x0a" + varint(len(inner)) + inner
counts = {name: n + 1 for n, (_, name, _) in enumerate(SOURCES)}
with open("sources.pftrace", "wb") as out, open("one.pftrace", "wb") as one, open("two.pftrace", "wb") as two:
    for field, name, _ in SOURCES:
        out.write(packet(field) * counts[name])
    one.write(packet(77))
    two.write(packet(77) * 2 + packet(91) * 3)
tables = SLICES + COUNTERS + SCHEDULING + ["cpu", "cpu_track", "cpu_counter_track", "process", "thread", "args", "cpus", "slic", "android_logs"]
with open("tables.sql", "w") as sql, open("tables.warnings", "w") as warnings:
    for at, table in enumerate(tables):
        word = ("FROM", "from", "JOIN")[at % 3]
        shown = table.upper() if at % 2 else table
        sql.write(f"SELECT 1 {'FROM process JOIN' if word == 'JOIN' else word} {shown};\n" if table not in ("cpus", "slic") else "")
        for _, name, filled in SOURCES:
            if table in filled:
                warnings.write(f"postfetto: sources.pftrace: warning: {shown} lacks rows: {counts[name]} packets of {name}, which "
                               "would fill it in Perfetto, are not decoded\n")
END
run query sources.pftrace -f tables.sql
grep " lacks rows: " "$ERR" >"$W/err.found"
mv "$W/err.found" "$ERR"
: >"$OUT"
rc=0
expect "each table that each source would fill" 0 out= "err=$(cat tables.warnings)"
# Once for a table and a source; names in quotes, in other places and of columns are none.
run query sources.pftrace "SELECT 1 FROM counter; SELECT 2 FROM counter" "SELECT 1 FROM \"slice\"" "SELECT 'FROM slice'" \
    "SELECT count(*) AS slice, count(*) counter FROM process" "WITH sched AS (SELECT 1) SELECT 1"
grep " lacks rows: " "$ERR" >"$W/err.found"
mv "$W/err.found" "$ERR"
: >"$OUT"
rc=0
expect "warnings come once" 0 out= "err=$(grep ": counter lacks" tables.warnings)"
# Of several inputs the first that has such packets counts.
run query one.pftrace --input two.pftrace "SELECT count(*) AS n FROM counter" -q
expect "undecoded packets of two inputs, quietly" 0 err= 'out="n"
0'
run query one.pftrace --input two.pftrace "SELECT count(*) AS n FROM counter"
grep -o "counter lacks rows: [0-9]* packets of [a-z_]*" "$ERR" >"$W/err.found"
mv "$W/err.found" "$ERR"
expect "undecoded packets of two inputs" 0 'out="n"
0' "err=counter lacks rows: 1 packets of android_energy_estimation_breakdown
counter lacks rows: 3 packets of entity_state_residency"
rm sources.pftrace one.pftrace two.pftrace tables.sql tables.warnings
