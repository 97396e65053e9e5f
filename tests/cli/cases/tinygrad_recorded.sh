# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# What devices record in a profile of tinygrad: every column of the side tables and all that is drawn, on both clocks. Sourced by run.sh.

# Two executions of kernel k on AMD: a thread trace with instructions and four markers, and two of other shader engines that have
# neither. Two of it on devices of NVIDIA. Devices of other makers have ranges of that name, which no record is of.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import struct
from make_fixtures_tinygrad import Event, Pickle, Time, kernel

def stream(*packets):
    """(bits, nibbles) of each packet, the low nibble first; then 16 nibbles of zeros, without which the last ones do not count."""
    nibbles = [bits >> (4 * i) & 15 for bits, count in (*packets, (0, 16)) for i in range(count)]
    nibbles += [0] * (len(nibbles) % 2)
    return bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2]))

header = (0x11 | 3 << 7, 16)
marker = lambda ticks: (0x01 | 1 << 9 | ticks << 12, 12)
wait = lambda cycles: (0x01 | cycles << 12, 12)
start = lambda cu, simd, wave, delta=0: (0x0C | delta << 5 | simd << 8 | cu << 10 | wave << 13, 8)
end = lambda cu, simd, wave, delta=0: (0x15 | delta << 5 | simd << 9 | cu << 11 | wave << 15, 5)
vector = lambda delta: (0x3 | delta << 3 | 5 << 7, 3)
immediate = lambda delta: (0xD | delta << 4 | 5 << 7, 3)
operation = lambda delta, code: (0x2 | delta << 4 | 5 << 8 | code << 13, 5)
execute = lambda delta, unit: (0xE | delta << 4 | unit << 6, 2)
full = stream(header, marker(1000), wait(10), start(0, 0, 5), start(2, 1, 4), vector(1), vector(2), immediate(7), operation(1, 4),
              immediate(3), execute(1, 2), end(0, 0, 5, 1), end(2, 1, 4, 2), wait(172), marker(1010), wait(100), marker(1020), wait(400),
              marker(1036))
short = stream(header, wait(5), start(0, 0, 3), wait(20), end(0, 0, 3, 1), end(0, 0, 9), start(0, 0, 7, 1))

# v_mov, s_delay_alu, v_add with a literal, s_waitcnt, a branch, s_nop, s_endpgm, from 0x1600 on.
words = (0x7E000280, 0xBF870001, 0x4A0000FF, 7, 0xBF890000, 0xBFA1FFFB, 0xBF800000, 0xBFB00000)
code = bytearray(512)
code[:5] = b"\x7fELF\x02"
code[40], code[60], code[136] = 64, 2, 6
code[144:146], code[152], code[160] = struct.pack("<H", 0x1600), 192, 32
code[192:224] = struct.pack("<8I", *words)

trace = lambda run, se, blob, itrace: Event("ProfileSQTTEvent", device="AMD", kern=7, exec_tag=run, se=se, itrace=itrace, blob=blob)
counter = lambda name, at, size, wgp: Event("PMCSample", name=name, block="SQ", xcc=1, inst=1, se=1, sa=1, wgp=wgp, off=at, size=size,
                                            regsample="r" + name)
counters = Event("ProfilePMCEvent", device="AMD", kern=7, exec_tag=1, blob=struct.pack("<4Q", 10, 5, 1 << 63, 1 << 63),
                 sched=[counter("LOW", 0, 16, 2), counter("HIGH", 16, 16, 2), counter("NONE", 32, 8, 1)])
again = Event("ProfilePMCEvent", device="AMD", kern=7, exec_tag=2, blob=struct.pack("<2Q", 3, 4), sched=[counter("LOW", 0, 16, 2)])
sample = lambda pc, key, warp, active: pc >> 4 | key << 45 | warp << 50 | active << 62

def samples(device, run, unit, dropped, *values):
    body = struct.pack(f"<{len(values)}Q", *values)
    size = len(body) | (unit & 255) << 8 | (unit >> 8) << 25
    packet = (body[:4] + struct.pack("<I", size) + body[4:]).ljust(32, b"\0")
    more = struct.pack("<II", 0, 1 << 28).ljust(32, b"\0") if dropped else b""
    return Event("ProfilePMAEvent", device=device, kern=7, exec_tag=run, blob=packet + more)

device = lambda name, **properties: Event("ProfileDeviceEvent", device=name, tdiff=Time(0), props=properties)
us = 1000
events = [kernel(name, "k", at * us, us) for name, at in (("AM", 500), ("X", 510), ("N", 520), ("XAMD", 530), ("", 540))]
events += [device("AMD", gfx_target_version=110501), device("NV", sm_version=0x890),
           Event("ProfileProgramEvent", device="AMD", name="k", lib=bytes(code), base=4096, tag=7)]
events += [kernel("AMD", "k", at * us, 10 * us) for at in (1000, 2000)] + [kernel("AMD:1", "other", 2100 * us, us)]
events += [kernel("NV", "k", 3000 * us, 10 * us), kernel("NV:1", "k", 4000 * us, 5 * us)]
events += [trace(1, 0, full, True), counters, trace(2, 1, short, False), trace(2, 3, short, False)]
events += [samples("NV", 4, 0b01100101, False, sample(0x20, 1, 9, 1), sample(0x10, 3, 0, 0), sample(0x20, 1, 63, 0)),
           samples("NV", 5, 0, True, sample(0x30, 18, 1, 1))]
events += [again, {"no": "event"}]
with open("recorded.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END

# asked NAME [OPTION...]: the answers to NAME.sql, one section after the other, are those of NAME.expected.
asked() {
    local name=$1 file
    shift
    run query recorded.pkl "$@" -f "$name.sql" -d "$name"
    for file in "$name"/*.csv; do
        basename "$file" .csv
        cat "$file"
    done >"$name.found"
    claim "$name of a profile with recordings" diff "$name.expected" "$name.found"
}
cat >tables.sql <<'END'
-- @name 01_profile
SELECT * FROM tinygrad_profile;
-- @name 02_device
SELECT * FROM tinygrad_device;
-- @name 03_program
SELECT * FROM tinygrad_program;
-- @name 04_code
SELECT * FROM tinygrad_code;
-- @name 05_sqtt
SELECT * FROM tinygrad_sqtt;
-- @name 06_count
SELECT * FROM tinygrad_sqtt_count;
-- @name 07_slot
SELECT * FROM tinygrad_sqtt_slot;
-- @name 08_wave
SELECT * FROM tinygrad_sqtt_wave;
-- @name 09_traced_wave
SELECT * FROM tinygrad_sqtt_traced_wave;
-- @name 10_occupancy
SELECT * FROM tinygrad_sqtt_occupancy;
-- @name 11_clock
SELECT * FROM tinygrad_sqtt_clock;
-- @name 12_instruction
SELECT * FROM tinygrad_sqtt_instruction;
-- @name 13_slice
SELECT * FROM tinygrad_sqtt_slice;
-- @name 14_pmc
SELECT * FROM tinygrad_pmc;
-- @name 15_pmc_value
SELECT * FROM tinygrad_pmc_value;
-- @name 16_pma
SELECT * FROM tinygrad_pma;
-- @name 17_stall
SELECT * FROM tinygrad_pma_stall;
-- @name 18_sample
SELECT * FROM tinygrad_pma_sample;
-- @name 19_record
SELECT * FROM tinygrad_record;
-- @name 20_packet
SELECT stream, time, kind, raw FROM tinygrad_sqtt_packet WHERE stream = 1;
END
cat >tables.expected <<'END'
01_profile
"id","generation","items","skipped"
0,"mid26",21,1
02_device
"id","event","device","compute_offset","copy_offset"
0,5,"AMD",0.0,0.0
1,6,"NV",0.0,0.0
03_program
"id","event","name","tag","base","target","bytes","code","profile_key"
0,7,"k",7,4096,"gfx1151",512,0,
04_code
"id","program","pc","size"
0,0,5632,4
1,0,5636,4
2,0,5640,8
3,0,5648,4
4,0,5652,4
5,0,5656,4
6,0,5660,4
05_sqtt
"id","event","kernel","tag","program","se","itrace","exec_tag","bytes","packets","first_time","last_time","layout","waves_open","unmatched_ends","max_waves","wave_cycles","instructions","lost_waves","strays","first_packet","slices"
0,13,,7,0,0,1,1,87,21,0,700,3,0,0,2,34,6,0,0,0,7
1,15,,7,0,1,0,2,41,8,0,27,3,1,1,1,21,,,,21,
2,16,,7,0,3,0,2,41,8,0,27,3,1,1,1,21,,,,29,
06_count
"id","stream","kind","packets"
0,0,"LAYOUT_HEADER",1
1,0,"TS_DELTA_OR_MARK",8
2,0,"INST",1
3,0,"VALUINST",2
4,0,"ALUEXEC",1
5,0,"IMMEDIATE",2
6,0,"WAVESTART",2
7,0,"WAVEEND",2
8,0,"NOP",2
9,1,"LAYOUT_HEADER",1
10,1,"TS_DELTA_OR_MARK",2
11,1,"WAVESTART",2
12,1,"WAVEEND",2
13,1,"NOP",1
14,2,"LAYOUT_HEADER",1
15,2,"TS_DELTA_OR_MARK",2
16,2,"WAVESTART",2
17,2,"WAVEEND",2
18,2,"NOP",1
07_slot
"id","cu","simd","wave"
0,0,0,5
1,2,1,4
2,0,0,3
08_wave
"id","stream","slot","start","end"
0,0,0,10,26
1,0,1,10,28
2,1,2,5,26
3,2,2,5,26
09_traced_wave
"id","wave","instructions","wait","lost"
0,0,6,8,0
10_occupancy
"id","stream","time","waves"
0,0,10,2
1,0,26,1
2,0,28,0
3,1,5,1
4,1,26,0
5,1,27,1
6,2,5,1
7,2,26,0
8,2,27,1
11_clock
"id","stream","time","hz"
0,0,200,2000000000
1,0,300,1000000000
2,0,700,2500000000
12_instruction
"id","stream","pc","hits","gap","wait"
0,0,5632,1,0,0
1,0,5640,1,2,0
2,0,5648,1,7,6
3,0,5652,1,1,0
4,0,5656,1,3,2
5,0,5660,1,2,0
13_slice
"id","stream","row","name","start","length","pc","link","index"
0,0,"WAVE:5","VALUINST",11,1,5632,,0
1,0,"WAVE:5","VALUINST",13,1,5640,,1
2,0,"WAVE:5","IMMEDIATE",20,1,5648,,2
3,0,"WAVE:5","JUMP_NO",21,1,5652,,3
4,0,"WAVE:5","IMMEDIATE",24,1,5656,,4
5,0,"ALUEXEC:0 VALU","VALU",24,1,,0,0
6,0,"WAVE:5","WAVEEND",26,1,5660,,5
14_pmc
"id","event","kernel","tag","exec_tag","name","block","xcc","instances","se","sa","wgp","offset","size","register","sum","sum_digits","first_value","values"
0,14,,7,1,"LOW","SQ",1,1,1,1,2,0,16,"rLOW",15,,0,2
1,14,,7,1,"HIGH","SQ",1,1,1,1,2,16,16,"rHIGH",,"18446744073709551616",2,2
2,14,,7,1,"NONE","SQ",1,1,1,1,1,32,8,"rNONE",0,,,0
3,19,,7,2,"LOW","SQ",1,1,1,1,2,0,16,"rLOW",7,,4,2
15_pmc_value
"id","counter","value","digits"
0,0,10,
1,0,5,
2,1,,"9223372036854775808"
3,1,,"9223372036854775808"
4,3,3,
5,3,4,
16_pma
"id","event","kernel","tag","exec_tag","sm_version","bytes","samples","dropped","first_sample","profile_key"
0,17,,7,4,2192,32,3,0,0,
1,18,,7,5,2192,64,1,1,3,
17_stall
"id","stream","pc","reason","samples"
0,0,16,"SYNC",1
1,0,32,"MEMORY_THROTTLE",2
2,1,48,"NONE",1
18_sample
"id","stream","gpc","tpc","sm","pc","reason","key","wave","active"
0,0,3,2,1,32,"MEMORY_THROTTLE",1,9,1
1,0,3,2,1,16,"SYNC",3,0,0
2,0,3,2,1,32,"MEMORY_THROTTLE",1,63,0
3,1,0,0,0,48,"NONE",18,1,1
19_record
"id","kernel","event","run"
0,8,13,0
1,8,14,0
2,9,15,1
3,9,16,1
4,9,19,1
5,11,17,0
6,12,18,1
20_packet
"stream","time","kind","raw"
1,0,"LAYOUT_HEADER",401
1,5,"TS_DELTA_OR_MARK",20481
1,5,"WAVESTART",24588
1,25,"TS_DELTA_OR_MARK",81921
1,26,"WAVEEND",98357
1,26,"WAVEEND",294933
1,27,"WAVESTART",57388
1,27,"NOP",0
END
asked tables

# Cycles are nanoseconds from the start of the kernel on. Notes come first, then all multiprocessors, then each one; an arrow leads from
# the vector instruction to its execution. A counter that was counted once is an argument and no track. Waves are below their number, SIMDs
# in the order of their numbers.
cat >drawn.sql <<'END'
-- @name 01_tracks
SELECT t.id, t.parent_id AS parent, coalesce(t.name, process.name || ' ' || thread.name) AS name, c.unit, extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS rank,
       extract_arg(t.source_arg_set_id, 'y_axis_share_key') AS scale, extract_arg(t.source_arg_set_id, 'child_ordering') AS ordering,
       substr(extract_arg(t.source_arg_set_id, 'description'), 1, 34) AS description
FROM track t LEFT JOIN counter_track c USING (id) LEFT JOIN thread_track h USING (id) LEFT JOIN thread USING (utid) LEFT JOIN process USING (upid)
ORDER BY t.id;
-- @name 02_slices
SELECT s.id, s.track_id AS track, s.ts, s.dur, s.name, group_concat(a.key || '=' || a.display_value, ' ') AS args
FROM slice s LEFT JOIN (SELECT * FROM args ORDER BY id) a USING (arg_set_id) GROUP BY s.id ORDER BY s.id;
-- @name 03_counters
SELECT track_id AS track, ts, value FROM counter ORDER BY id;
-- @name 04_flows
SELECT slice_out, slice_in FROM flow;
-- @name 05_processes
SELECT t.name, p.name AS process FROM process_track t JOIN process p USING (upid) WHERE t.parent_id IS NULL ORDER BY t.id;
END
cat >drawn.expected <<'END'
01_tracks
"id","parent","name","unit","rank","scale","ordering","description"
0,,"AM compute",,,,,"What the profile says of 'AM', on "
1,,"X compute",,,,,"What the profile says of 'X', on t"
2,,"N compute",,,,,"What the profile says of 'N', on t"
3,,"XAMD compute",,,,,"What the profile says of 'XAMD', o"
4,,"host unnamed",,,,,"What the profile says of '', which"
5,,"AMD compute",,,,,"What the profile says of 'AMD', on"
6,,"AMD:1 compute",,,,,"What the profile says of 'AMD:1', "
7,,"NV compute",,,,,"What the profile says of 'NV', on "
8,,"NV:1 compute",,,,,"What the profile says of 'NV:1', o"
9,,"LOW","count",536870913,,,"What this hardware counter counted"
10,,"PMA stalls",,536870912,,"explicit","Why warps stalled, from samples of"
11,10,"notes",,0,,,"What is wrong with the samples of "
12,,"SQTT k n1",,0,,"explicit","Thread traces (SQTT) of one execut"
13,12,"SE 0",,0,,"explicit","What one shader engine recorded of"
14,13,"waves","waves",8,"waves","explicit","Waves that are open on this shader"
15,14,"CU 0 SIMD 0",,0,,,"Waves on this SIMD of this compute"
16,14,"CU 2 SIMD 1",,513,,,"Waves on this SIMD of this compute"
17,13,"VALU",,0,,,"What this unit of the traced compu"
18,13,"shader clock","Hz",9,"shader clock","explicit","The shader clock between two marke"
19,,"SQTT k n2",,1,,"explicit","Thread traces (SQTT) of one execut"
20,19,"SE 1",,1,,"explicit","What one shader engine recorded of"
21,20,"waves","waves",8,"waves","explicit","Waves that are open on this shader"
22,21,"CU 0 SIMD 0",,0,,,"Waves on this SIMD of this compute"
23,19,"SE 3",,3,,"explicit","What one shader engine recorded of"
24,23,"waves","waves",8,"waves","explicit","Waves that are open on this shader"
25,24,"CU 0 SIMD 0",,0,,,"Waves on this SIMD of this compute"
02_slices
"id","track","ts","dur","name","args"
0,0,500000,1000,"k","debug.dur_us=1.0"
1,1,510000,1000,"k","debug.dur_us=1.0"
2,2,520000,1000,"k","debug.dur_us=1.0"
3,3,530000,1000,"k","debug.dur_us=1.0"
4,4,540000,1000,"k","debug.dur_us=1.0"
5,5,1000000,10000,"k","debug.HIGH=18446744073709551616 debug.LOW=15 debug.NONE=0 debug.dur_us=10.0"
6,16,1000010,18,"4 wave","debug.cycles=18 debug.start_cycle=10"
7,15,1000010,16,"5 wave","debug.cycles=16 debug.instructions=6 debug.start_cycle=10 debug.wait_cycles=8"
8,15,1000011,1,"VALUINST","debug.cycles=1 debug.pc=5632 debug.start_cycle=11"
9,15,1000013,1,"VALUINST","debug.cycles=1 debug.pc=5640 debug.start_cycle=13"
10,15,1000020,1,"IMMEDIATE","debug.cycles=1 debug.pc=5648 debug.start_cycle=20"
11,15,1000021,1,"JUMP_NO","debug.cycles=1 debug.pc=5652 debug.start_cycle=21"
12,15,1000024,1,"IMMEDIATE","debug.cycles=1 debug.pc=5656 debug.start_cycle=24"
13,17,1000024,1,"VALU","debug.cycles=1 debug.start_cycle=24"
14,5,2000000,10000,"k","debug.LOW=7 debug.dur_us=10.0"
15,22,2000005,21,"3 wave","debug.cycles=21 debug.start_cycle=5"
16,25,2000005,21,"3 wave","debug.cycles=21 debug.start_cycle=5"
17,6,2100000,1000,"other","debug.dur_us=1.0"
18,7,3000000,10000,"k","debug.dur_us=10.0 debug.samples_MEMORY_THROTTLE=2 debug.samples_SYNC=1"
19,8,4000000,5000,"k","debug.dur_us=5.0 debug.samples_NONE=1"
20,11,4000000,0,"samples dropped (1 packets say so)",
03_counters
"track","ts","value"
9,1000000,15.0
14,1000010,2.0
14,1000026,1.0
14,1000028,0.0
18,1000200,2000000000.0
18,1000300,1000000000.0
18,1000700,2500000000.0
9,1010000,0.0
9,2000000,7.0
21,2000005,1.0
24,2000005,1.0
21,2000026,0.0
24,2000026,0.0
21,2000027,1.0
24,2000027,1.0
9,2010000,0.0
04_flows
"slice_out","slice_in"
8,13
05_processes
"name","process"
"PMA stalls","NV:1"
"SQTT k n1","AMD"
"SQTT k n2","AMD"
END
asked drawn --stream-clock cycles

# By the markers 500 cycles took 100 + 160 ns, 0.52 ns each; the first wave, at cycle 10, is at the start of the kernel. Without
# markers cycles stay nanoseconds.
cat >host.sql <<'END'
-- @name 1_slices
SELECT s.name, s.ts - 1000000 AS at, s.dur FROM slice s WHERE s.ts BETWEEN 1000000 AND 1999999 AND s.name <> 'k' ORDER BY s.id;
-- @name 2_counters
SELECT t.name, c.ts - 1000000 AS at, c.value FROM counter c JOIN track t ON t.id = c.track_id
WHERE c.ts BETWEEN 1000000 AND 1999999 AND t.name IN ('waves', 'shader clock') ORDER BY c.id;
-- @name 3_without_markers
SELECT name, ts - 2000000 AS at, dur FROM slice WHERE ts BETWEEN 2000000 AND 2000999 AND name <> 'k';
END
cat >host.expected <<'END'
1_slices
"name","at","dur"
"4 wave",0,9
"5 wave",0,8
"VALUINST",0,0
"VALUINST",1,0
"IMMEDIATE",5,0
"JUMP_NO",5,0
"IMMEDIATE",7,0
"VALU",7,0
2_counters
"name","at","value"
"waves",0,2.0
"waves",8,1.0
"waves",9,0.0
"shader clock",98,2000000000.0
"shader clock",150,1000000000.0
"shader clock",358,2500000000.0
3_without_markers
"name","at","dur"
"3 wave",0,21
"3 wave",0,21
END
asked host

run query recorded.pkl "SELECT t.name, p.name AS process FROM process_track t JOIN process p USING (upid) WHERE t.name LIKE 'SQTT%' ORDER BY t.id" \
    --format csv
expect "tinygrad: thread traces are below their device" 0 err= 'out="name","process"
"SQTT k n1","AMD"
"SQTT k n2","AMD"'

# Packets are 21 + 8 + 8, slices 7, levels 3 + 3 + 3, samples 3 + 1, rows to draw 2 + 7 + 3 + 3 and twice 1 + 3. A list ends before the
# first stream that does not fit.
while read -r rows packets slices levels samples drawn; do
    run query recorded.pkl --stream-rows "$rows" "SELECT (SELECT count(*) FROM tinygrad_sqtt_packet) AS packets,
        (SELECT count(*) FROM tinygrad_sqtt_slice) AS slices, (SELECT count(*) FROM tinygrad_sqtt_occupancy) AS levels,
        (SELECT count(*) FROM tinygrad_pma_sample) AS samples, (SELECT count(*) FROM track WHERE name LIKE 'SE _') AS drawn" --format csv
    expect "--stream-rows $rows" 0 err= "out=\"packets\",\"slices\",\"levels\",\"samples\",\"drawn\"
$packets,$slices,$levels,$samples,$drawn"
done <<'END'
2 0 0 0 0 0
3 0 0 3 3 0
4 0 0 3 4 0
6 0 0 6 4 0
7 0 7 6 4 0
9 0 7 9 4 0
14 0 7 9 4 0
15 0 7 9 4 1
18 0 7 9 4 1
19 0 7 9 4 2
20 0 7 9 4 2
21 21 7 9 4 2
22 21 7 9 4 2
23 21 7 9 4 3
28 21 7 9 4 3
29 29 7 9 4 3
36 29 7 9 4 3
37 37 7 9 4 3
END
rm -r recorded.pkl {tables,drawn,host}{,.sql,.expected,.found}
