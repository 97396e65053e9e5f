# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016,SC2002
# Inputs packed as zstd or in a zip, and what is written into them.
cp "$FIX"/containers/small* "$FIX"/bad/zip_* "$FIX"/bad/zstd_* .
chmod u+w ./*

run --version
expect "--version names the packings" 0 "out~^features: .*zlib .*zstd .*zip" err=
for name in small.json.zst small.pftrace.zst small.json.zip small_stored.zip small_zip64.zip small_gzip.zip small_zstd.zip \
    small.pftrace.zip; do
    case $name in
    *.zst) want=zstd ;;
    *) want=zip ;;
    esac
    run info --json --strict "$name"
    expect "info $name" 0 "out~\"compression\": \"$want\"" err=
done
run info --json --strict small_packets_zstd.pftrace
expect "packets in zstd" 0 'out~"compression": "none"' err=
run info --json - <small.json.zip
expect "a zip on standard input" 0 'out~"compression": "zip"' err=

# Damage and refusals
run check zstd_cut.json.zst
expect "check: a cut zstd stream" 1 "out~postfetto_zstd_truncated"
run check zip_cut.zip
expect "check: a cut zip" 1 "out~postfetto_zip_truncated"
run check zip_checksum.zip
expect "check: a wrong checksum" 1 "out~postfetto_zip_damaged"
run info --strict zip_checksum.zip
expect "--strict on a wrong checksum" 4 out= "err~postfetto_zip_damaged"
run info zip_two_files.zip
expect "a zip of two files" 3 out= "err~^postfetto: zip_two_files\.zip: .*2 files.*unpack it"
run info zip_no_file.zip
expect "a zip of none" 3 out= "err~without a file"
run info zip_encrypted.zip
expect "an encrypted zip" 3 out= "err~encrypted"
run info zip_method.zip
expect "a zip of a method that is not read" 3 out= "err~method 14"
run info zip_in_zip.zip
expect "a zip in a zip" 3 out= "err~zip archive inside"
run info --max-plain 100 small.json.zip
expect "--max-plain on a zip" 5 out= "err~--max-plain"
run info --max-plain 100 small.json.zst
expect "--max-plain on zstd" 5 out= "err~--max-plain"

# Written into: a binary trace in a zip is taken out of it, with the bytes that it has there.
python3 - aie_small.pftrace packed.zip <<'END'
import sys
import zipfile
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as archive:
    archive.write(sys.argv[1], "trace.pftrace")
END
size=$(stat -c %s aie_small.pftrace)
run analyze aie $SHAPE packed.zip --report r5 -q -o plain.pftrace
expect "findings in a trace out of a zip" 0 "out~^\[write\] plain\.pftrace" err=
claim "its bytes are in front" cmp -n "$size" aie_small.pftrace plain.pftrace
claim "ours are after" test "$(stat -c %s plain.pftrace)" -gt "$size"
run analyze aie $SHAPE packed.zip --report r5 -q -o plain.pftrace.gz
expect "the same with .gz" 0 "out~^\[write\] plain\.pftrace\.gz" err=
claim "the whole is compressed" eval 'gzip -dc plain.pftrace.gz | cmp - plain.pftrace'
if command -v zstd >/dev/null; then
    zstd -q aie_small.pftrace -o packed.zst
    run analyze aie $SHAPE packed.zst --report r5 -q -o more.pftrace.gz
    expect "a zstd trace under a name of gzip" 2 out= "err~-o does not compress as the ending of 'more.pftrace.gz' says"
    run analyze aie $SHAPE packed.zst --report r5 -q -o more.pftrace.zst
    expect "findings in a zstd trace" 0 "out~^\[write\] more\.pftrace\.zst" err=
    claim "the frames of the input are in front" cmp -n "$(stat -c %s packed.zst)" packed.zst more.pftrace.zst
    claim "ours is one more frame" eval 'zstd -dcq <more.pftrace.zst | cmp -n "$size" - aie_small.pftrace'
else
    skip "findings in a zstd trace" "no zstd command"
fi
rm -rf r5 packed.* plain.* more.* small* zip_* zstd_*

# A window of 2 GiB over a file of some hundred bytes: a bomb, or meant so; not damage.
if command -v zstd >/dev/null; then
    { echo '[{"ph": "i", "name": "a", "ts": 1, "pid": 1, "tid": 1}'; printf '%20000000s]' ""; } | zstd -q --long=31 >blanks.json.zst
    run info blanks.json.zst
    expect "a zstd window beyond --max-ratio" 5 out= "err~zstd frame has a window of .*raise --max-ratio"
    run query --max-ratio 100000000 blanks.json.zst "select count(*) as n from slice"
    expect "the same with a larger --max-ratio" 0 "out~^1$" err=
    rm blanks.json.zst
else
    skip "a zstd window beyond --max-ratio" "no zstd command"
fi
