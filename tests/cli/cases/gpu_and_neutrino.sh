# shellcheck shell=bash disable=SC2154
# analyze gpu and analyze neutrino on small inputs, so that the sanitizers, under which this runs too, see their memory. What their
# numbers must be is checked there for gpu, and in tests/neutrino for recordings.
claim "analyze gpu on traces made by hand" "$here/../gpu/made" "$PF"

for kind in block_sched dmat two_maps tensorop progress latency; do
    blocks=(--blocks 6)
    [ $kind = latency ] && blocks=()
    python3 "$here/../../scripts/gen_neutrino.py" $kind "recordings/$kind" "${blocks[@]}"
done
run analyze neutrino recordings --report reports -o recordings.pftrace -q
expect "analyze neutrino of recordings of all kinds" 0 err=
claim "reports of all kinds" [ "$(cd reports && echo ./*.json)" = "./block_sched_1.json ./block_sched_2.json ./dmat.json \
./exposed_latency.json ./gmem_bytes.json ./launches.json ./multi.json ./program_progress.json ./tensorop.json" ]
run query recordings.pftrace "SELECT count(*) AS n FROM slice WHERE name GLOB '[0-9]*' AND category = 'postfetto.neutrino'"
expect "blocks of two recordings are drawn" 0 'out="n"
12'
run analyze neutrino recordings --max-memory 100k
expect "analyze neutrino within too little memory" 5 "err~."
run analyze gpu recordings.pftrace --max-memory 10k
expect "analyze gpu within too little memory" 5 "err~."
rm -r recordings reports recordings.pftrace
