# shellcheck shell=bash disable=SC2154
# INCLUDE PERFETTO MODULE from folders of the user, in query and server. Expected texts are written by hand.
mkdir -p mine/deep lib/first lib/second loose
printf 'CREATE PERFETTO TABLE one AS SELECT 1 AS x;\n' >mine/one.sql
printf 'INCLUDE PERFETTO MODULE mine.one;\nCREATE PERFETTO VIEW two AS SELECT x + 1 AS y FROM one;\n' >mine/deep/two.sql
printf 'SELECT 1;\n' >mine/rows.sql
printf 'CREATE TABLE half AS SELECT 1;\nSELECT v FROM nowhere;\n' >mine/wrong.sql
printf 'INCLUDE PERFETTO MODULE mine.circle;\n' >mine/circle.sql
printf -- '-- nothing\n' >mine/comment.sql
printf 'nonsense' >mine/with.dot.sql
printf 'CREATE PERFETTO FUNCTION f() RETURNS INT AS SELECT 7;\n' >lib/first/a.sql
printf 'INCLUDE PERFETTO MODULE first.a;\nCREATE PERFETTO MACRO g(v Expr) RETURNS Expr AS f() + $v;\n' >lib/second/b.sql
printf 'CREATE PERFETTO TABLE other AS SELECT 5 AS z;\n' >loose/a.sql

sql() {
    run query aie_small.json --add-sql-package mine -q "$@"
}
sql "INCLUDE PERFETTO MODULE mine.deep.two; INCLUDE PERFETTO MODULE mine.deep.two; SELECT x, y FROM one, two"
expect "a module that includes another, twice" 0 'out="x","y"
1,2' "err="
sql "INCLUDE PERFETTO MODULE mine.deep.*; SELECT y FROM two"
expect "all modules below a name" 0 'out="y"
2'
sql "INCLUDE PERFETTO MODULE mine.nothing.*; INCLUDE PERFETTO MODULE mine.comment; SELECT 3 AS v"
expect "none below a name, and one without statements" 0 'out="v"
3'
sql "INCLUDE PERFETTO MODULE mine.three"
expect "a module that the package lacks" 2 "err~byte 0: INCLUDE: unknown module 'mine.three'"
sql "SELECT 1 AS a; INCLUDE PERFETTO MODULE mine.rows"
expect "a module with rows" 2 "err~byte 15: module mine.rows: INCLUDE: Included module returning values."
sql "INCLUDE PERFETTO MODULE mine.wrong"
expect "a failure says where in the module it is" 2 "err~module mine.wrong, byte 45: no such table: nowhere"
sql "INCLUDE PERFETTO MODULE mine.circle"
expect "a module that includes itself" 2 "err~module mine.circle, byte 0: INCLUDE: module 'mine.circle' includes itself"
run query aie_small.json --add-sql-package mine "INCLUDE PERFETTO MODULE mine.with.dot"
expect "a file with a dot in its name is no module" 2 "err~with.dot.sql is left out" "err~unknown module 'mine.with.dot'"
run query aie_small.json --add-sql-package loose@ours.sub --override-stdlib lib -q \
    "INCLUDE PERFETTO MODULE second.b; INCLUDE PERFETTO MODULE ours.sub.a; INCLUDE PERFETTO MODULE slices.with_context; SELECT g!(z) AS v FROM other"
expect "a package with a name, and folders as packages" 0 'out="v"
12'
run query aie_small.json --add-sql-package mine "INCLUDE PERFETTO MODULE linux.cpu; SELECT 1 AS v"
expect "a module of no package" 0 'out="v"
1' "err~the module linux.cpu is not built in.*--override-stdlib"
for name in ours ours.sub ours.sub.more; do
    run query aie_small.json --add-sql-package mine@ours.sub --add-sql-package "loose@$name" "SELECT 1"
    expect "a package within another: $name" 2 "err~there is a package ours.sub already; give this one another name: DIR@NAME"
done
run query aie_small.json --add-sql-package nowhere "SELECT 1"
expect "no such folder" 3 "err~nowhere: the folder cannot be read"
run query aie_small.json --override-stdlib loose "SELECT 1"
expect "a library without folders" 3 "err~loose: no module of SQL below it"
run query aie_small.json --add-sql-package mine -q \
    "SELECT count(*) AS n FROM sqlite_temp_master JOIN main.sqlite_master USING (name)"
expect "what modules may name hides no table of the trace" 0 'out="n"
0'
rm -r mine lib loose
