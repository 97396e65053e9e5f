# shellcheck shell=bash disable=SC2154,SC2034,SC2086
# Table archives for Perfetto's UI: written by convert, analyze, compare and the hook, refused as inputs; open.sh
# has one served.

# attributes FILE: the manifest's attributes, a name and a value in a line; fails if a name is there twice.
attributes() {
    python3 - "$1" <<'EOF'
import json, sys, tarfile
def once(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)
manifest = json.loads(tarfile.open(sys.argv[1]).extractfile("perfetto_manifest.json").read(), object_pairs_hook=once)
for name, value in manifest["perfetto_manifest"]["attributes"].items():
    print(name, value)
EOF
}
members() { tar tf "$1"; }

run convert tiny.json -o a.perfetto.tar
expect "convert to an archive" 0 out= \
    "err~^postfetto: a\.perfetto\.tar: an archive has no place for metadata \([0-9]+ rows: .*\) and statistics"
claim "what is left out is said once" [ "$(wc -l <"$ERR")" = 1 ]
claim "the manifest is the first member" [ "$(members a.perfetto.tar | head -n 1)" = perfetto_manifest.json ]
claim "tables without rows are no members" eval '! members a.perfetto.tar | grep -E "flow|state|gpu|diagnostics"'
run convert tiny.json -o b.perfetto.tar --for v58 --jobs 1 -q
expect "convert --for v58" 0 out= err=
claim "one thread writes the same bytes" cmp a.perfetto.tar b.perfetto.tar
run convert tiny.json --to archive -o - -q
expect "convert --to archive -o -" 0 err=
claim "a pipe gets the same bytes" cmp a.perfetto.tar "$OUT"
sed 's/"a", "cat"/"z", "cat"/' tiny.json >other.json
run convert other.json -o b.perfetto.tar -q
expect "another trace of the same shape" 0 out= err=
claim "it is as long" [ "$(stat -c %s a.perfetto.tar)" = "$(stat -c %s b.perfetto.tar)" ]
claim "its first 4096 bytes tell" eval '! cmp -n 4096 a.perfetto.tar b.perfetto.tar'
claim "every attribute is there once" attributes a.perfetto.tar
run convert tiny.json -o none.perfetto.tar --for v57
expect "convert --for another release" 2 out= "err=postfetto: none.perfetto.tar: no schemas of 'v57'; there are v58"
claim "nothing is left of it" [ ! -e none.perfetto.tar ]
run convert tiny.json -o none.pftrace --for v58
expect "--for without an archive" 2 out= "err~--for is for a \.perfetto\.tar, not for pftrace"

run convert aie_cut.json -o cut.perfetto.tar -q
expect "an archive of a damaged trace" 0 out=
claim "its damage is a table" eval 'members cut.perfetto.tar | grep -Fxq __intrinsic_trace_diagnostics.arrow'
claim "the table names it" grep -aq postfetto_ cut.perfetto.tar
run convert aie_small.json --dialect aie -o cycles.perfetto.tar -q
expect "an archive of times in cycles" 0 out=
claim "an attribute says so" eval 'attributes cycles.perfetto.tar | grep -Fxq "postfetto.time_unit cycle"'

# As an input.
gzip -k a.perfetto.tar
for name in a.perfetto.tar a.perfetto.tar.gz; do
    for words in info check "query select" "analyze gpu" "convert -o none.json"; do
        case $words in
        query*) run query "$name" 'select 1' ;;
        *) run $words "$name" ;;
        esac
        expect "${words%% *} of $name" 3 out= "err~^postfetto: $name: is a table archive, .*; give the trace it was made from$"
    done
done
rm a.perfetto.tar.gz

# Findings are ordinary rows: those of the enriched trace.
run analyze aie $SHAPE aie_small.json -q --report ra -o e.pftrace
expect "findings in a trace" 0
run analyze aie $SHAPE aie_small.json -q --report rb -o e.perfetto.tar
expect "findings in an archive" 0 "out~^\[write\] e\.perfetto\.tar" err=
run convert e.pftrace -o f.perfetto.tar -q
expect "the archive of the trace with findings" 0 out=
extract() { tar xOf "$1" __intrinsic_track.arrow __intrinsic_slice.arrow __intrinsic_args.arrow; }
claim "the same tracks, slices and arguments" eval 'cmp <(extract e.perfetto.tar) <(extract f.perfetto.tar)'
claim "the findings are among them" eval 'extract e.perfetto.tar | grep -aq "postfetto\.aie"'

joined="$FIX/aiu/tp2-rank-0.json $FIX/aiu/tp2-rank-1.json --freq 1000:1100"
run analyze aiu $joined -q --report ra -o e.pftrace
expect "joined ranks in a trace" 0
run analyze aiu $joined -q --report rb -o e.perfetto.tar
expect "joined ranks in an archive" 0 err=
"$PF" convert e.pftrace -o f.perfetto.tar -q
claim "with the same findings" eval 'cmp <(extract e.perfetto.tar) <(extract f.perfetto.tar)'
claim "... some" eval 'members e.perfetto.tar | grep -Fxq __intrinsic_counter.arrow'
run compare tiny.json tiny.json -q -o c.perfetto.tar
expect "a comparison in an archive" 0
claim "it is one" attributes c.perfetto.tar

# The hook.
mkdir kept
cp aie_small.json kept/k.json
printf 'archive: true\n' >kept/postfetto.yaml
run hook kept/k.json --config kept/postfetto.yaml --pass "aie $SHAPE"
expect "hook with archive: true" 0 out=
claim "an archive lies beside the trace" eval 'members kept/k.json.perfetto.tar >/dev/null || members kept/k.perfetto.tar'
claim "the report names it" grep -q '"archive": "k.*\.perfetto\.tar"' kept/k.json.report.json
rm -r kept ra rb
rm cycles.perfetto.tar cut.perfetto.tar other.json [abcef].perfetto.tar e.pftrace
