# shellcheck shell=bash disable=SC2154,SC2086
# Inputs without an end, and names of the enriched trace.
run analyze gpu /dev/zero
expect "a device without an end is refused" 3 out= "err=postfetto: /dev/zero: is a device without an end; copy what is meant of it into a file"
run info - </dev/zero
expect "the same on standard input" 3 out= "err~is a device without an end"
run info /dev/null
expect "one that ends is not" 3 "err!without an end"
run analyze aie $SHAPE aie_small.json --report new_reports/deep -o new_reports/deep/e.pftrace
expect "the enriched trace may lie among the reports" 0 "out~^\[write\] new_reports/deep/e.pftrace"
rm -r new_reports
run analyze aie $SHAPE aie_small.json --report new_reports/ -o new_reports/e.pftrace
expect "with a slash, too" 0 "out~^\[write\] new_reports/e.pftrace"
rm -r new_reports
run analyze aie $SHAPE aie_small.json --report new_reports -o elsewhere/e.pftrace
expect "other folders are not made" 6 "err~create the folder first"
rm -rf new_reports
for name in foo.json foo.json.gz foo.sqlite; do
    run analyze aie $SHAPE aie_small.json --report new_reports -o $name
    expect "-o $name is refused" 2 out= "err~^postfetto: analyze: -o writes a Perfetto trace, which '$name' does not name; .*convert"
    claim "and nothing is written" eval "[ ! -e $name ] && [ ! -e new_reports ]"
done
