# shellcheck shell=bash disable=SC2154,SC2086
# Every track that a pass draws, or a reader makes up, says what it shows; a lane of it needs no description of its own.
lacking="SELECT t.name FROM track t WHERE t.name IS NOT NULL AND t.name != 'Global instants'
    AND extract_arg(t.source_arg_set_id, 'description') IS NULL
    AND NOT EXISTS (SELECT 1 FROM track o WHERE o.name = t.name AND o.parent_id IS t.parent_id
                    AND extract_arg(o.source_arg_set_id, 'description') IS NOT NULL)"
described() { # described NAME PASS ARGUMENTS...
    local name=$1
    shift
    run analyze "$@" -q --report described -o described.pftrace
    run query -q described.pftrace "SELECT count(*) AS n FROM track WHERE extract_arg(source_arg_set_id, 'description') IS NOT NULL"
    claim "tracks of $name are described" [ "$(tail -1 "$OUT")" -gt 1 ]
    run query -q described.pftrace "$lacking"
    expect "all of them" 0 'out="name"'
    rm -rf described described.pftrace
}
described aie aie aie_small.json $SHAPE
described aiu aiu "$FIX"/aiu/tp2-rank-0.json "$FIX"/aiu/tp2-rank-1.json --freq 1000:1100
described tinygrad tinygrad "$FIX"/tinygrad_small.pkl
corpus=$shared/corpus
if [ -d "$corpus/real" ]; then
    described gpu gpu "$corpus"/real/torch-nccl/trace.json*
    for profile in amd_dec25_gemm_0 amd_gfx1200_handwritten_0; do
        described "tinygrad, $profile" tinygrad "$corpus/tinygrad/$profile/profile.pkl"
    done
    described neutrino neutrino "$corpus/neutrino/block_sched_small/trace"
    "$PF" compare -q "$corpus"/real/torch-nccl/trace.json* "$corpus"/real/torch-nccl/trace.json* -o described.pftrace >"$OUT" 2>"$ERR"
    run query -q described.pftrace "$lacking"
    expect "tracks of compare are described" 0 'out="name"'
    rm -f described.pftrace
else
    without_shared "tracks of all passes are described"
fi
