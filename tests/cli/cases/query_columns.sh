# shellcheck shell=bash disable=SC2154
# query --format arrow|parquet: where it goes, what is refused. What others read of it is in tests/columns.
run query tiny.json "SELECT 1 AS a" --format arrow
expect "a stream on standard output" 0 err=
claim "it begins with a schema and ends as streams do" cmp -s <(printf '\377\377\377\377') <(head -c 4 "$OUT")
claim "the end of a stream" cmp -s <(printf '\377\377\377\377\0\0\0\0') <(tail -c 8 "$OUT")
run query tiny.json "SELECT 1 AS a" --format parquet -o one.parquet
expect "a Parquet file" 0 out= err=
claim "it begins and ends as such files do" cmp -s <(printf 'PAR1PAR1') <(head -c 4 one.parquet && tail -c 4 one.parquet)
run query tiny.json "SELECT 1 AS a" --format parquet
claim "the same on standard output" cmp "$OUT" one.parquet
run query tiny.json "SELECT 1 AS a" -o two.parquet
claim "the same by the ending" cmp two.parquet one.parquet
run query tiny.json "SELECT 1 AS a" -o one.arrows
claim "an Arrow stream by the ending" cmp -s <(printf '\377\377\377\377') <(head -c 4 one.arrows)
run query tiny.json "SELECT 1 AS a" -o two.parquet --format csv
claim "the format goes before the ending" [ "$(cat two.parquet)" = '"a"
1' ]
rm two.parquet one.arrows
rm one.parquet
cat >parts.sql <<'SQL'
CREATE TEMP TABLE longest AS SELECT max(dur) AS dur FROM slice;
-- @name one
SELECT * FROM longest;
-- @name none
SELECT name FROM slice WHERE 0;
SQL
run query tiny.json -f parts.sql -d parts --format arrow
expect "sections as Arrow" 0 out= err=
run query tiny.json -f parts.sql -d parts --format parquet
expect "sections as Parquet" 0 out= err=
claim "a file for each section" [ "$(cd parts && echo ./*)" = "./none.arrows ./none.parquet ./one.arrows ./one.parquet" ]
rm -r parts parts.sql
before=$(listing)
run query tiny.json "SELECT 1; SELECT 2" --format parquet -o two.parquet
expect "two results" 2 "err=postfetto: SQL: a second result does not fit into a file of columns; write each to a file of its own" "same=$before"
run query tiny.json "SELECT 1" "SELECT 2" --format arrow -o two.arrows
expect "two results of two texts" 2 "err~a second result" "same=$before"
run query tiny.json "CREATE TEMP TABLE t AS SELECT 1 AS a" --format arrow -o none.arrows
expect "no result" 2 "err~there is no result to write" "same=$before"
run query tiny.json "SELECT 1 AS a UNION ALL SELECT 'x'" --format parquet -o mixed.parquet
expect "values of two kinds in a column" 2 "err=postfetto: SQL: row 2, column a: a text in a column that began with an integer; CAST(... AS TEXT) gives it one type" "same=$before"
run query tiny.json "SELECT 1 AS a UNION ALL SELECT 0.5" --format parquet -o tiny.json
expect "the input as output of columns" 6 "err~is the input file" "same=$before"
run query tiny.json "SELECT 1" --format arrow -o none/a.arrows
expect "a folder that is not there" 6 "err~create the folder first" "same=$before"
in_terminal "'$PF' query tiny.json 'SELECT 1' --format arrow"
expect "a stream for a terminal" 2 "out~query: an Arrow stream is binary and standard output is a terminal; redirect it, or name a file with -o"
in_terminal "'$PF' query tiny.json 'SELECT 1' --format parquet -o /dev/tty"
expect "a Parquet file for a terminal" 2 "out~query: a Parquet file is binary and /dev/tty is a terminal"
run query tiny.json "WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 300000) SELECT printf('%d%.*c', i, 300, 'x') AS t FROM r" --format parquet -o large.parquet --max-memory 20m
expect "more than the memory that is allowed" 5 "err~max-memory" "same=$before"
run query tiny.json "SELECT name FROM slice" -d parts --format table
expect "-d and a table" 2 "err~-d writes csv, json, arrow or parquet"
run query tiny.json "SELECT name FROM slice" --json --format arrow
expect "--json and another format" 2 "err~--json contradicts --format arrow"
# Columns of thread_state are made for the statements that read them: one at a time, in any order, they are those of all.
columns=(- ts dur cpu utid state io_wait blocked_function waker_utid waker_id irq_context ucpu)
for capture in sched_ties_over_cpus blocked_reasons generic_states machines_sched waking_of_all_kinds; do
    run query -q "$FIX/system/$capture.pftrace" "SELECT * FROM thread_state" -o all.csv
    for order in "1 2 3 4 5 6 7 8 9 10 11" "9 2 6 10 7 1 5 8 4 11 3"; do
        statements="SELECT count(*) AS n FROM spurious_sched_wakeup"
        run query -q "$FIX/system/$capture.pftrace" "$statements"
        cp "$OUT" want
        for place in $order; do
            statements+="; SELECT id, ${columns[place]} FROM thread_state"
            { echo && cut -d, -f 1,$((place + 1)) all.csv; } >> want
        done
        run query -q "$FIX/system/$capture.pftrace" "$statements"
        claim "columns of $capture, one at a time" diff "$OUT" want
    done
done
rm all.csv want
