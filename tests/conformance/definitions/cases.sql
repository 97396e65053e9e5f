-- Each line is a script of its own, on a trace with three slices of one thread: a 1000..3000, b 10000..15000, c in b.
CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT $x + 1; SELECT f(3) AS a, f(null) AS b, typeof(f(3)) AS c
CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT $x + 1; SELECT f('a')
CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT $x + 1; SELECT f(1.5)
CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT $x + 1; SELECT f()
CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT 1; CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT 2
CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT 1; CREATE OR REPLACE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT 2; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT 1; CREATE PERFETTO FUNCTION f(x INT, y INT) RETURNS INT AS SELECT $x - $y; SELECT f(9) AS a, f(9, 3) AS b
CREATE PERFETTO FUNCTION f() RETURNS STRING AS SELECT name FROM slice; SELECT f() AS v
CREATE PERFETTO FUNCTION f() RETURNS STRING AS SELECT name FROM slice WHERE 0; SELECT f() AS v
CREATE PERFETTO FUNCTION f() RETURNS STRING AS SELECT name, id FROM slice LIMIT 1; SELECT f() AS v
CREATE PERFETTO FUNCTION f() RETURNS INT AS SELECT name FROM slice LIMIT 1; SELECT f() AS v
CREATE PERFETTO FUNCTION f() RETURNS FLOAT AS SELECT 1; SELECT f() AS v, typeof(f()) AS t
CREATE PERFETTO FUNCTION f() RETURNS NOPE AS SELECT 1; SELECT f() AS v
CREATE PERFETTO FUNCTION f(a NOPE) RETURNS INT AS SELECT 1; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(a LONG, c STRING, d BYTES, e BOOL, h ANY) RETURNS INT AS SELECT 1; SELECT f(1, 'c', x'00', 1, 3) AS v
CREATE PERFETTO FUNCTION f(a TIMESTAMP, b DURATION, c ID, d JOINID(slice.id), e ARGSETID, h PROTO, i UINT) RETURNS BOOL AS SELECT true; SELECT f(1, 2, 3, 4, 5, x'00', -1) AS v
CREATE PERFETTO FUNCTION f(a DOUBLE) RETURNS INT AS SELECT 1; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(a STRING) RETURNS INT AS SELECT 1; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(a BYTES) RETURNS INT AS SELECT 1; SELECT f('1') AS v
CREATE PERFETTO FUNCTION f(a BOOL) RETURNS INT AS SELECT 1; SELECT f(1.5) AS v
CREATE PERFETTO FUNCTION f(a INT, a INT) RETURNS INT AS SELECT $a; SELECT f(1, 2) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT $b; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(A INT) RETURNS INT AS SELECT $a; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT a; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT :a; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT ?1; SELECT f(1) AS v
CREATE PERFETTO FUNCTION f(n INT) RETURNS INT AS SELECT IIF($n < 2, 1, $n * f($n - 1)); SELECT f(5) AS v, f(15) AS w
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS WITH q AS (SELECT $a AS z) SELECT z FROM q; SELECT F(4) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS VALUES ($a); SELECT f(4) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS DELETE FROM slice; SELECT f(4) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS; SELECT f(4) AS v
CREATE PERFETTO FUNCTION f(a) RETURNS INT AS SELECT 1; SELECT f(4) AS v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT id FROM slice WHERE id = $a; SELECT id, f(id + 1) AS v FROM slice
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT $a * 2; CREATE PERFETTO VIEW v AS SELECT f(id) AS z FROM slice; SELECT * FROM v
CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT $a; SELECT id FROM slice ORDER BY f(-id)
CREATE PERFETTO FUNCTION extract_arg(n INT, k STRING) RETURNS INT AS SELECT 42; SELECT 1
CREATE PERFETTO FUNCTION k(a INT) RETURNS TABLE(x INT, y STRING) AS SELECT id AS x, name AS y FROM slice WHERE id >= $a; SELECT * FROM k(1)
CREATE PERFETTO FUNCTION k(a INT) RETURNS TABLE(x INT) AS SELECT id AS x FROM slice WHERE id >= $a; SELECT * FROM k
CREATE PERFETTO FUNCTION k(a INT) RETURNS TABLE(x INT) AS SELECT id AS x FROM slice WHERE id >= $a; SELECT * FROM k(null)
CREATE PERFETTO FUNCTION k(a INT) RETURNS TABLE(x INT) AS SELECT id AS x FROM slice WHERE id >= $a; SELECT s.id, k.x FROM slice s JOIN k(s.id) k
CREATE PERFETTO FUNCTION k(a INT, b STRING) RETURNS TABLE(x INT) AS SELECT $a || $b AS x; SELECT * FROM k WHERE in_a = 1 AND in_b = 'k'
CREATE PERFETTO FUNCTION k() RETURNS TABLE(x INT) AS SELECT 'a' AS x UNION ALL SELECT 2 UNION ALL SELECT 1.5; SELECT x, typeof(x) AS t FROM k()
CREATE PERFETTO FUNCTION k() RETURNS TABLE(x INT) AS SELECT 1; SELECT * FROM k()
CREATE PERFETTO FUNCTION k() RETURNS TABLE(x INT, y INT) AS SELECT 1 AS x; SELECT * FROM k()
CREATE PERFETTO FUNCTION k() RETURNS TABLE() AS SELECT 1 AS x; SELECT * FROM k()
CREATE PERFETTO FUNCTION k() RETURNS TABLE(X INT) AS SELECT 1 AS x; SELECT * FROM k()
CREATE PERFETTO FUNCTION slice(a INT) RETURNS TABLE(z INT) AS SELECT 1 AS z; SELECT 1
CREATE PERFETTO FUNCTION k() RETURNS TABLE(x INT) AS SELECT 1 AS x; CREATE OR REPLACE PERFETTO FUNCTION k(a INT) RETURNS TABLE(z INT) AS SELECT $a AS z; SELECT * FROM k(3)
CREATE PERFETTO FUNCTION k() RETURNS TABLE(x INT) AS SELECT 1 AS x; CREATE PERFETTO FUNCTION k() RETURNS TABLE(x INT) AS SELECT 1 AS x
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT t!(1+1) AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT T!(1+1) AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT t ! ( 1 + 1 ) AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT t!() AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT t!(1, 2) AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT t!(1 AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT t!(,) AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*3
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; CREATE OR REPLACE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*3; SELECT t!(2) AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; CREATE PERFETTO MACRO e(x Expr) RETURNS Expr AS t!($x); CREATE OR REPLACE PERFETTO MACRO t(x Expr) RETURNS Expr AS 7; SELECT e!(1) AS v, t!(1) AS w
CREATE PERFETTO MACRO a(x NoSuch) RETURNS Expr AS $x; SELECT a!(4) AS v
CREATE PERFETTO MACRO a(x Expr) RETURNS NoSuch AS $x; SELECT a!(4) AS v
CREATE PERFETTO MACRO a(x expr) RETURNS EXPR AS $x; SELECT a!(4) AS v
CREATE PERFETTO MACRO c(x TableOrSubquery) RETURNS TableOrSubquery AS (SELECT count() AS n FROM $x); SELECT * FROM c!(slice) UNION ALL SELECT * FROM c!((SELECT 1))
CREATE PERFETTO MACRO d(x ColumnName, y ColumnNameList) RETURNS Expr AS $x + 1; SELECT d!(id, (a,b)) AS v FROM slice
CREATE PERFETTO MACRO f(x Expr) RETURNS Expr AS f!($x); SELECT f!(1)
CREATE PERFETTO MACRO g() RETURNS Expr AS 42; SELECT g!() AS v
CREATE PERFETTO MACRO h(x Expr) RETURNS Expr AS $y; SELECT h!(1) AS v
CREATE PERFETTO MACRO i(x Expr, x Expr) RETURNS Expr AS $x; SELECT i!(1, 2) AS v
CREATE PERFETTO MACRO j(x Expr) RETURNS Expr AS '$x' || $x; SELECT j!('q') AS v, j!('a,b)') AS w
CREATE PERFETTO MACRO l(x Expr) RETURNS Expr AS $x /* the end */; SELECT l!(1) + 2 AS v
CREATE PERFETTO MACRO z(x Expr) RETURNS Expr AS $x$x; SELECT z!(1) AS v
CREATE PERFETTO MACRO z(x Expr) RETURNS Expr AS $x; SELECT z!(z!(z!(7))) AS v, z!((select 3)) AS w, 1 != 2 AS u
CREATE PERFETTO MACRO z(x Expr) RETURNS Expr AS $x; SELECT z!(select 3) AS v
CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT t!($x); SELECT f(4) AS v
CREATE PERFETTO MACRO "u"(x Expr) RETURNS Expr AS $x; SELECT u!(1) AS v
SELECT nope!(1)
CREATE PERFETTO TABLE t(a INT, b STRING) AS SELECT 1 AS a, 'x' AS b; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT, b STRING, c INT) AS SELECT 1 AS a, 'x' AS b; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT) AS SELECT 1 AS a, 2 AS b; SELECT * FROM t
CREATE PERFETTO TABLE t(b INT, a INT) AS SELECT 1 AS a, 2 AS b; SELECT * FROM t
CREATE PERFETTO TABLE t(a STRING) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT) AS SELECT 'x' AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(A INT) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a FOO) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO VIEW t(a INT, b STRING, c INT) AS SELECT 1 AS a, 'x' AS b; SELECT * FROM t
CREATE PERFETTO VIEW t(a INT) AS SELECT 1 AS a, 2 AS b; SELECT * FROM t
CREATE PERFETTO VIEW t(a STRING) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO VIEW t(b INT, a INT) AS SELECT 1 AS a, 2 AS b; SELECT * FROM t
CREATE PERFETTO VIEW t(A INT) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO VIEW t(a FOO) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t() AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT, a INT) AS SELECT 1 AS a, 2 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT, b INT, c INT) AS SELECT 1 AS x; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT) AS SELECT 'x' AS a WHERE 0; SELECT * FROM t
CREATE PERFETTO TABLE t(a JOINID(slice.id), b ID, c TIMESTAMP, d ARGSETID, e BYTES, f LONG, g DURATION, h DOUBLE, i BOOL) AS SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, NULL AS e, 5 AS f, 6 AS g, 1.5 AS h, 0 AS i; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT) AS SELECT 1; SELECT * FROM t
CREATE PERFETTO TABLE t(x INT, y INT) AS SELECT 1 AS a, 2 AS b; SELECT * FROM t
CREATE PERFETTO TABLE t(a) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT b) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT) AS SELECT 1.5 AS a; SELECT * FROM t
CREATE PERFETTO VIEW t(a INT, a INT) AS SELECT 1 AS a, 2 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a INT,) AS SELECT 1 AS a; SELECT * FROM t
CREATE OR REPLACE PERFETTO TABLE t(a INT, b INT) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a STRING) AS SELECT 1.5 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a BOOL) AS SELECT 'x' AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a TIMESTAMP) AS SELECT 'x' AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a STRING) AS SELECT NULL AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a BYTES) AS SELECT 'x' AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a DOUBLE) AS SELECT 'x' AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a STRING) AS SELECT NULL AS a UNION ALL SELECT 1; SELECT * FROM t
CREATE PERFETTO TABLE t(a STRING) AS SELECT 'q' AS a UNION ALL SELECT 1; SELECT * FROM t
CREATE PERFETTO TABLE t(a ANY) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a PROTO) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a int64) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a UINT) AS SELECT 1 AS a; SELECT * FROM t
CREATE PERFETTO TABLE t(a JOINID(slice.id), b ID(slice.id)) AS SELECT 1 AS a, 2 AS b; SELECT * FROM t
CREATE PERFETTO TABLE t("a" INT) AS SELECT 1 AS a; SELECT * FROM t
SELECT cast_int!('12x') AS a, cast_int!(2.9) AS b, cast_int!(NULL) AS c, typeof(cast_double!(1)) AS d, cast_string!(1 + 1) AS e
CREATE PERFETTO MACRO cast_int(value Expr) RETURNS Expr AS 1
SELECT __intrinsic_stringify!(a.b  +  'c') AS v
SELECT __intrinsic_stringify!( a + b ) AS v
SELECT __intrinsic_stringify!((a, b)) AS v
SELECT __intrinsic_stringify!(a, b) AS v
SELECT __intrinsic_stringify!() AS v
SELECT __intrinsic_stringify_ignore_table!(a $table) AS v
CREATE PERFETTO MACRO s(x Expr) RETURNS Expr AS __intrinsic_stringify!($x + 1); SELECT s!(a * 2) AS v
CREATE PERFETTO MACRO s(x Expr) RETURNS Expr AS __intrinsic_stringify!($x); CREATE PERFETTO MACRO t(y Expr) RETURNS Expr AS s!($y) || '.' || s!(b); SELECT t!(a) AS v
CREATE PERFETTO MACRO m(x Expr, y Expr) RETURNS Expr AS $x + $y; SELECT __intrinsic_token_apply!(m, (1, 2, 3), (10, 20))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x * 2; SELECT 0 __intrinsic_token_apply_prefix!(m, (1, 2, 3))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x; SELECT 0 AS v __intrinsic_token_apply_prefix!(m, ())
CREATE PERFETTO MACRO m(x ColumnName) RETURNS Expr AS a.$x = b.$x; SELECT count(*) AS n FROM slice a JOIN slice b ON __intrinsic_token_apply_and!(m, (id, depth))
CREATE PERFETTO MACRO m(x ColumnName) RETURNS Expr AS a.$x = b.$x; SELECT count(*) AS n FROM slice a JOIN slice b ON a.id >= 0 __intrinsic_token_apply_and_prefix!(m, (id, depth))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x; CREATE PERFETTO MACRO all_of(l ColumnNameList) RETURNS _ProjectionFragment AS __intrinsic_token_apply!(m, $l); SELECT all_of!((1, 2, 3))
CREATE PERFETTO MACRO m(x Expr, y Expr) RETURNS Expr AS $x || $y; CREATE PERFETTO MACRO both(l ColumnNameList, k ColumnNameList) RETURNS _ProjectionFragment AS __intrinsic_token_apply!(m, $l, $k); CREATE PERFETTO MACRO top(l ColumnNameList) RETURNS _ProjectionFragment AS both!($l, ('x', 'y')); SELECT top!((1, (2), 3))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x; SELECT __intrinsic_token_apply!(m, (f(1, 2), 3))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS max($x, 2); SELECT __intrinsic_token_apply!(m, (max(1, 9), abs(-3)))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x; SELECT __intrinsic_token_apply!(m, (1, , 2))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x; SELECT __intrinsic_token_apply!(m, 1)
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x; SELECT __intrinsic_token_apply!(m)
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS $x; SELECT __intrinsic_token_apply!(m, (1), (2), (3))
SELECT __intrinsic_token_apply!(there_is_none, (1, 2))
CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS 1; SELECT __intrinsic_token_apply!(m, (1), (2))
CREATE PERFETTO MACRO m(l ColumnNameList) RETURNS Expr AS __intrinsic_token_apply!(m, $l); SELECT m!((1))
CREATE PERFETTO TABLE t AS SELECT ts FROM slice ORDER BY ts DESC; SELECT _auto_id FROM t ORDER BY _auto_id
CREATE PERFETTO TABLE t AS SELECT ts FROM slice ORDER BY ts DESC; SELECT t._auto_id * 2 AS v, ts FROM t WHERE t._auto_id > 0 ORDER BY t._auto_id
CREATE PERFETTO TABLE t AS SELECT ts FROM slice ORDER BY ts DESC; CREATE PERFETTO MACRO n(x TableOrSubquery) RETURNS TableOrSubquery AS (SELECT _auto_id AS id, ts FROM $x); SELECT id, ts FROM n!(t) ORDER BY id
CREATE PERFETTO TABLE t AS SELECT ts FROM slice; SELECT * FROM t ORDER BY ts
SELECT _auto_id FROM there_is_none
SELECT hash() AS a, hash('a') AS b, hash(1) AS c, hash('a', 2, 'b') AS d
SELECT hash(1.5) AS a
SELECT demangle('_Z3foov') AS a, demangle('foo') AS b, demangle(NULL) AS c
SELECT c0, c1, c2, c3 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM slice ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM slice ORDER BY ts)), '()')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') ORDER BY 1, 2, 3, 4
SELECT c0 FROM __intrinsic_table_ptr(NULL) WHERE __intrinsic_table_ptr_bind(c0, 'ts')
SELECT __intrinsic_table_ptr_bind(1, 'ts')
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur) AS (VALUES (970, 9, 3), (666, 3, 0), (840, 34, 0), (374, 37, 0), (931, 32, 0), (38, 5, 3)) SELECT * FROM d; SELECT c0, c1, c2 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t0 ORDER BY ts)), '()')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') ORDER BY 1, 2, 3
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p) AS (VALUES (71, 15, 0, 3), (434, 3, 10, 1), (970, 14, 25, 3), (596, 3, 10, 3), (406, 3, 0, 1), (570, 8, 1, 2), (147, 34, 0, 3)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur, p) AS (VALUES (573, 11, 0, 3), (584, 12, 1, 1), (560, 4, 10, 1), (633, 13, 3, 3), (544, 27, 1, 2)) SELECT * FROM d; CREATE PERFETTO TABLE t2 AS WITH d(id, ts, dur, p) AS (VALUES (370, 19, 0, 1), (715, 15, 0, 3), (307, 33, 3, 2), (746, 28, 1, 3), (74, 7, 10, 2), (168, 21, 0, 2), (431, 2, 25, 1), (782, 35, 10, 2)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t1 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t2 ORDER BY ts)), '(p)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'id_2') AND __intrinsic_table_ptr_bind(c5, 'p') ORDER BY 1, 2, 3, 4, 5, 6
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p, q) AS (VALUES (711, 22, 10, 2, 3), (816, 29, 0, 1, 2), (485, 4, 0, 3, 3), (317, 36, 25, 2, 2), (733, 24, 25, 2, 1), (963, 29, 1, 1, 3)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur, p, q) AS (VALUES (505, 3, 0, 2, 1), (756, 15, 3, 2, 2)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t1 ORDER BY ts)), '(p, q)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'p') AND __intrinsic_table_ptr_bind(c5, 'q') ORDER BY 1, 2, 3, 4, 5, 6
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur) AS (VALUES (170, 28, 3), (562, 17, 0)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur) AS (VALUES (884, 35, 1), (723, 26, 1), (699, 24, 0), (154, 5, 0), (154, 14, 25), (238, 0, 3), (851, 37, 0)) SELECT * FROM d; CREATE PERFETTO TABLE t2 AS WITH d(id, ts, dur) AS (VALUES (288, 0, 0), (429, 34, 1), (624, 36, 1), (975, 8, 25), (879, 32, 10)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t1 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t2 ORDER BY ts)), '()')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'id_2') ORDER BY 1, 2, 3, 4, 5
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p) AS (VALUES (467, 35, 3, 2)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur, p) AS (VALUES (403, 6, 3, 3), (410, 3, 0, 1), (213, 28, 0, 1), (348, 38, 0, 1), (0, 36, 0, 3), (103, 23, 10, 1), (72, 13, 10, 2)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t1 ORDER BY ts)), '(p)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'p') ORDER BY 1, 2, 3, 4, 5
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p, q) AS (VALUES (649, 16, 1, 3, 2), (485, 7, 0, 2, 2), (491, 30, 1, 1, 1)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t0 ORDER BY ts)), '(p, q)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'p') AND __intrinsic_table_ptr_bind(c4, 'q') ORDER BY 1, 2, 3, 4, 5
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur) AS (VALUES (767, 21, 25), (271, 30, 25)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur) AS (VALUES (528, 1, 0), (973, 33, 1), (150, 34, 0)) SELECT * FROM d; SELECT c0, c1, c2, c3 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t1 ORDER BY ts)), '()')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') ORDER BY 1, 2, 3, 4
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p) AS (VALUES (658, 5, 25, 2), (530, 23, 0, 2), (790, 14, 10, 3), (797, 32, 1, 3), (228, 39, 0, 1)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur, p) AS (VALUES (757, 14, 0, 3), (504, 22, 25, 1), (28, 17, 3, 2), (198, 38, 1, 2), (827, 22, 1, 1), (225, 6, 0, 2), (201, 21, 0, 2)) SELECT * FROM d; CREATE PERFETTO TABLE t2 AS WITH d(id, ts, dur, p) AS (VALUES (490, 22, 25, 1)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t1 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t2 ORDER BY ts)), '(p)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'id_2') AND __intrinsic_table_ptr_bind(c5, 'p') ORDER BY 1, 2, 3, 4, 5, 6
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p, q) AS (VALUES (931, 24, 25, 1, 2), (910, 11, 3, 3, 2)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur, p, q) AS (VALUES (820, 25, 3, 2, 3), (969, 5, 25, 1, 1)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t1 ORDER BY ts)), '(p, q)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'p') AND __intrinsic_table_ptr_bind(c5, 'q') ORDER BY 1, 2, 3, 4, 5, 6
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur) AS (VALUES (28, 9, 10), (926, 29, 25), (149, 39, 10)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur) AS (VALUES (673, 22, 0), (561, 35, 0), (21, 0, 25), (665, 6, 10), (767, 8, 3), (892, 12, 0), (28, 16, 0), (299, 32, 0)) SELECT * FROM d; CREATE PERFETTO TABLE t2 AS WITH d(id, ts, dur) AS (VALUES (265, 34, 3), (854, 8, 0), (931, 22, 3), (678, 37, 10), (430, 32, 0), (544, 9, 10)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t1 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t2 ORDER BY ts)), '()')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'id_2') ORDER BY 1, 2, 3, 4, 5
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p) AS (VALUES (893, 28, 0, 3)) SELECT * FROM d; SELECT c0, c1, c2, c3 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t0 ORDER BY ts)), '(p)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'p') ORDER BY 1, 2, 3, 4
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p, q) AS (VALUES (794, 9, 0, 1, 2)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur, p, q) AS (VALUES (569, 3, 1, 3, 3), (543, 35, 3, 1, 3)) SELECT * FROM d; CREATE PERFETTO TABLE t2 AS WITH d(id, ts, dur, p, q) AS (VALUES (254, 12, 1, 1, 1)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t1 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p, 'q', q) FROM (SELECT * FROM t2 ORDER BY ts)), '(p, q)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'id_2') AND __intrinsic_table_ptr_bind(c5, 'p') AND __intrinsic_table_ptr_bind(c6, 'q') ORDER BY 1, 2, 3, 4, 5, 6, 7
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur) AS (VALUES (575, 1, 0), (453, 20, 10), (996, 32, 10), (524, 12, 25), (283, 28, 10), (546, 30, 10), (964, 15, 25), (535, 16, 10)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur) AS (VALUES (860, 28, 0), (426, 7, 3), (452, 20, 0), (687, 15, 3)) SELECT * FROM d; SELECT c0, c1, c2, c3 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT * FROM t1 ORDER BY ts)), '()')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') ORDER BY 1, 2, 3, 4
CREATE PERFETTO TABLE t0 AS WITH d(id, ts, dur, p) AS (VALUES (217, 19, 0, 1), (962, 23, 0, 2)) SELECT * FROM d; CREATE PERFETTO TABLE t1 AS WITH d(id, ts, dur, p) AS (VALUES (990, 29, 0, 3), (975, 6, 3, 2), (166, 14, 0, 3)) SELECT * FROM d; CREATE PERFETTO TABLE t2 AS WITH d(id, ts, dur, p) AS (VALUES (527, 25, 1, 2), (200, 22, 1, 1), (739, 23, 0, 2), (567, 29, 3, 3), (18, 24, 1, 3), (638, 18, 10, 1), (115, 14, 0, 1)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t0 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t1 ORDER BY ts)), (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'p', p) FROM (SELECT * FROM t2 ORDER BY ts)), '(p)')) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur') AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c3, 'id_1') AND __intrinsic_table_ptr_bind(c4, 'id_2') AND __intrinsic_table_ptr_bind(c5, 'p') ORDER BY 1, 2, 3, 4, 5, 6
CREATE PERFETTO TABLE t AS WITH d(id, ts, track_id, value) AS (VALUES (0, 0, 0, 1.0), (1, 3, 0, 1.0), (2, 6, 0, 1.0)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr(__intrinsic_counter_intervals('leading', 1000, (SELECT __intrinsic_counter_per_track_agg(id, ts, track_id, value) FROM (SELECT * FROM t ORDER BY ts)))) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'ts') AND __intrinsic_table_ptr_bind(c2, 'dur') AND __intrinsic_table_ptr_bind(c3, 'track_id') AND __intrinsic_table_ptr_bind(c4, 'value') AND __intrinsic_table_ptr_bind(c5, 'next_value') AND __intrinsic_table_ptr_bind(c6, 'delta_value') ORDER BY 4, 2
CREATE PERFETTO TABLE t AS WITH d(id, ts, track_id, value) AS (VALUES (0, 0, 1, 2.5), (1, 3, 1, 1.0), (2, 6, 0, 2.5), (3, 9, 1, 2.5), (4, 12, 1, 1.0), (5, 15, 1, 1.0), (6, 18, 0, 1.0)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr(__intrinsic_counter_intervals('leading', 1000, (SELECT __intrinsic_counter_per_track_agg(id, ts, track_id, value) FROM (SELECT * FROM t ORDER BY ts)))) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'ts') AND __intrinsic_table_ptr_bind(c2, 'dur') AND __intrinsic_table_ptr_bind(c3, 'track_id') AND __intrinsic_table_ptr_bind(c4, 'value') AND __intrinsic_table_ptr_bind(c5, 'next_value') AND __intrinsic_table_ptr_bind(c6, 'delta_value') ORDER BY 4, 2
CREATE PERFETTO TABLE t AS WITH d(id, ts, track_id, value) AS (VALUES (0, 0, 0, 1.0), (1, 3, 0, 2.5), (2, 6, 0, 1.0), (3, 9, 0, 2.5), (4, 12, 0, 1.0), (5, 15, 1, 1.0), (6, 18, 1, 1.0), (7, 21, 1, 2.5), (8, 24, 1, 1.0), (9, 27, 2, 1.0), (10, 30, 0, 2.5)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr(__intrinsic_counter_intervals('leading', 1000, (SELECT __intrinsic_counter_per_track_agg(id, ts, track_id, value) FROM (SELECT * FROM t ORDER BY ts)))) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'ts') AND __intrinsic_table_ptr_bind(c2, 'dur') AND __intrinsic_table_ptr_bind(c3, 'track_id') AND __intrinsic_table_ptr_bind(c4, 'value') AND __intrinsic_table_ptr_bind(c5, 'next_value') AND __intrinsic_table_ptr_bind(c6, 'delta_value') ORDER BY 4, 2
CREATE PERFETTO TABLE t AS WITH d(id, ts, track_id, value) AS (VALUES (0, 0, 0, 1.0), (1, 3, 0, 1.0), (2, 6, 0, 1.0), (3, 9, 0, 1.0), (4, 12, 0, 2.5), (5, 15, 0, 1.0), (6, 18, 0, 2.5), (7, 21, 0, 1.0), (8, 24, 0, 1.0), (9, 27, 0, 1.0), (10, 30, 0, 1.0), (11, 33, 0, 2.5), (12, 36, 0, 1.0), (13, 39, 0, 1.0), (14, 42, 0, 2.5)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr(__intrinsic_counter_intervals('leading', 1000, (SELECT __intrinsic_counter_per_track_agg(id, ts, track_id, value) FROM (SELECT * FROM t ORDER BY ts)))) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'ts') AND __intrinsic_table_ptr_bind(c2, 'dur') AND __intrinsic_table_ptr_bind(c3, 'track_id') AND __intrinsic_table_ptr_bind(c4, 'value') AND __intrinsic_table_ptr_bind(c5, 'next_value') AND __intrinsic_table_ptr_bind(c6, 'delta_value') ORDER BY 4, 2
CREATE PERFETTO TABLE t AS WITH d(id, ts, track_id, value) AS (VALUES (0, 0, 1, 2.5), (1, 3, 1, 2.5), (2, 6, 1, 2.5), (3, 9, 0, 1.0), (4, 12, 1, 1.0), (5, 15, 0, 1.0), (6, 18, 1, 1.0), (7, 21, 0, 1.0), (8, 24, 0, 2.5), (9, 27, 1, 1.0), (10, 30, 0, 1.0), (11, 33, 0, 2.5), (12, 36, 1, 2.5), (13, 39, 1, 2.5), (14, 42, 0, 2.5), (15, 45, 1, 1.0), (16, 48, 1, 1.0), (17, 51, 0, 1.0), (18, 54, 1, 1.0)) SELECT * FROM d; SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr(__intrinsic_counter_intervals('leading', 1000, (SELECT __intrinsic_counter_per_track_agg(id, ts, track_id, value) FROM (SELECT * FROM t ORDER BY ts)))) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'ts') AND __intrinsic_table_ptr_bind(c2, 'dur') AND __intrinsic_table_ptr_bind(c3, 'track_id') AND __intrinsic_table_ptr_bind(c4, 'value') AND __intrinsic_table_ptr_bind(c5, 'next_value') AND __intrinsic_table_ptr_bind(c6, 'delta_value') ORDER BY 4, 2
SELECT c0, c1 FROM __intrinsic_table_ptr(__intrinsic_interval_create((SELECT __intrinsic_timestamp_set_agg(column1) FROM (VALUES (1), (5), (9))), (SELECT __intrinsic_timestamp_set_agg(column1) FROM (VALUES (3), (5), (7))))) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')
SELECT c0, c1 FROM __intrinsic_table_ptr(__intrinsic_interval_create((SELECT __intrinsic_timestamp_set_agg(column1) FROM (VALUES (1), (1), (2))), (SELECT __intrinsic_timestamp_set_agg(column1) FROM (VALUES (1), (2), (2), (8))))) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')
SELECT c0, c1 FROM __intrinsic_table_ptr(__intrinsic_interval_create((SELECT __intrinsic_timestamp_set_agg(column1) FROM (VALUES (5))), (SELECT __intrinsic_timestamp_set_agg(column1) FROM (VALUES (1))))) WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (25, 1, 'x2'), (30, 7, 'x3'), (6, 7, 'x0'), (17, 7, 'x1')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (2, 7, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (15, 12, 'x1'), (44, 7, 'x3'), (31, 12, 'x2'), (3, 7, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (1, 1, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (5, 0, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (14, 7, 'y1'), (6, 7, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (14, 7, 0, 'x1'), (26, 3, 0, 'x2'), (0, 7, 2, 'x7'), (17, 3, 1, 'x4'), (21, 7, 1, 'x5'), (30, 0, 1, 'x6'), (7, 3, 2, 'x8'), (14, 12, 2, 'x10'), (13, 0, 2, 'x9'), (3, 12, 1, 'x3'), (2, 12, 0, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (2, 3, 0, 'y0'), (6, 0, 2, 'y2'), (7, 0, 0, 'y1')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a PARTITIONED p, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (7, 7, 2, 'x5'), (19, 1, 0, 'x2'), (4, 0, 2, 'x4'), (2, 7, 0, 'x0'), (23, 12, 0, 'x3'), (16, 0, 2, 'x6'), (13, 1, 0, 'x1')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (3, 0, 0, 'y0'), (4, 12, 2, 'y3'), (8, 3, 0, 'y1'), (13, 7, 0, 'y2')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a PARTITIONED p, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (3, 0, 1, 'x0'), (9, 0, 2, 'x2'), (15, 12, 2, 'x3'), (4, 7, 1, 'x1')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (0, 7, 'y0'), (7, 7, 'y1'), (18, 0, 'y2')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a PARTITIONED p, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (6, 7, 2, 'x6'), (11, 12, 0, 'x2'), (24, 0, 2, 'x8'), (23, 7, 1, 'x5'), (13, 7, 2, 'x7'), (3, 7, 0, 'x0'), (23, 3, 0, 'x3'), (10, 0, 0, 'x1'), (6, 12, 1, 'x4')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (1, 1, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a PARTITIONED p, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (6, 12, 1, 'x2'), (10, 12, 2, 'x4'), (3, 12, 0, 'x0'), (19, 1, 0, 'x1'), (4, 3, 2, 'x3'), (24, 1, 2, 'x5')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (9, 3, 'y2'), (12, 12, 'y3'), (5, 1, 'y1'), (3, 1, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a PARTITIONED p, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (3, 3, 'x0'), (7, 7, 'x1'), (17, 12, 'x2')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (3, 3, 2, 'y8'), (18, 12, 0, 'y3'), (19, 12, 1, 'y6'), (5, 3, 0, 'y0'), (11, 7, 0, 'y2'), (4, 3, 1, 'y4'), (12, 7, 1, 'y5'), (1, 12, 3, 'y9'), (32, 7, 1, 'y7'), (8, 0, 0, 'y1')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (9, 0, 'x1'), (3, 1, 'x0'), (13, 7, 'x2')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (3, 3, 0, 'y0'), (6, 7, 2, 'y5'), (8, 7, 1, 'y1'), (16, 7, 1, 'y2'), (29, 7, 1, 'y4'), (28, 1, 1, 'y3')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (1, 1, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (1, 7, 0, 'y0'), (5, 7, 2, 'y4'), (17, 0, 3, 'y8'), (11, 0, 3, 'y6'), (4, 0, 2, 'y3'), (4, 3, 1, 'y1'), (13, 0, 3, 'y7'), (5, 3, 3, 'y5'), (9, 12, 1, 'y2')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (8, 0, 'x0'), (30, 12, 'x3'), (21, 7, 'x2'), (10, 7, 'x1')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (6, 1, 'y0'), (14, 7, 'y2'), (9, 1, 'y1')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (10, 0, 'x1'), (15, 7, 'x2'), (5, 0, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (15, 7, 'y1'), (22, 12, 'y2'), (8, 7, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (20, 7, 'x2'), (16, 1, 'x1'), (7, 7, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (14, 7, 'y2'), (10, 1, 'y1'), (7, 3, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (1, 1, 1, 'x0'), (2, 12, 2, 'x1'), (16, 1, 2, 'x2')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (9, 7, 2, 'y7'), (21, 1, 3, 'y10'), (8, 12, 1, 'y4'), (2, 7, 3, 'y8'), (5, 7, 0, 'y0'), (34, 1, 1, 'y6'), (12, 7, 0, 'y1'), (4, 0, 1, 'y3'), (13, 7, 3, 'y9'), (27, 12, 3, 'y11'), (23, 3, 0, 'y2'), (23, 7, 1, 'y5')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a PARTITIONED p, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (5, 7, 1, 'x2'), (7, 7, 0, 'x1'), (3, 0, 0, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (8, 12, 1, 'y0'), (21, 0, 1, 'y1')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a PARTITIONED p, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (13, 0, 2, 'x4'), (2, 0, 0, 'x0'), (2, 3, 1, 'x1'), (0, 1, 2, 'x2'), (16, 7, 2, 'x5'), (6, 7, 2, 'x3')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (21, 0, 0, 'y1'), (31, 7, 3, 'y8'), (10, 1, 2, 'y4'), (4, 12, 0, 'y0'), (20, 7, 3, 'y7'), (4, 7, 1, 'y2'), (3, 12, 3, 'y6'), (0, 3, 3, 'y5'), (5, 1, 2, 'y3')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a PARTITIONED p, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (11, 12, 1, 'x2'), (3, 7, 1, 'x1'), (24, 0, 1, 'x3'), (5, 7, 0, 'x0'), (5, 0, 2, 'x4'), (6, 3, 2, 'x5')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (18, 7, 'y1'), (3, 12, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a PARTITIONED p, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (19, 7, 2, 'x6'), (31, 7, 1, 'x2'), (19, 12, 1, 'x1'), (0, 12, 2, 'x4'), (6, 12, 1, 'x0'), (30, 0, 2, 'x7'), (13, 3, 2, 'x5'), (42, 0, 1, 'x3')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (17, 7, 'y1'), (6, 7, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a PARTITIONED p, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, p, x) AS (VALUES (9, 0, 1, 'x0'), (13, 1, 1, 'x1'), (12, 7, 2, 'x5'), (25, 7, 1, 'x3'), (22, 3, 2, 'x6'), (29, 7, 2, 'x7'), (17, 7, 1, 'x2'), (8, 0, 2, 'x4')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, y) AS (VALUES (26, 3, 'y1'), (9, 12, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a PARTITIONED p, b); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (4, 0, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (8, 1, 1, 'y4'), (21, 7, 0, 'y2'), (6, 7, 0, 'y0'), (13, 3, 0, 'y1'), (5, 3, 1, 'y3'), (12, 12, 1, 'y5'), (27, 3, 1, 'y6')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (18, 1, 'x3'), (11, 3, 'x2'), (10, 1, 'x1'), (3, 7, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (4, 7, 0, 'y0'), (8, 7, 1, 'y3'), (29, 12, 0, 'y2'), (13, 12, 0, 'y1'), (8, 7, 3, 'y6'), (4, 0, 2, 'y5'), (17, 3, 3, 'y7'), (16, 3, 1, 'y4')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE TABLE a AS WITH d(ts, dur, x) AS (VALUES (2, 7, 'x0')) SELECT * FROM d; CREATE TABLE b AS WITH d(ts, dur, p, y) AS (VALUES (10, 0, 2, 'y1'), (4, 3, 3, 'y2'), (5, 0, 2, 'y0')) SELECT * FROM d; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a, b PARTITIONED p); SELECT * FROM j ORDER BY 3, ts, dur, x, y
CREATE VIRTUAL TABLE j USING SPAN_JOIN(slice)
CREATE VIRTUAL TABLE j USING SPAN_JOIN(slice, there_is_none)
CREATE VIRTUAL TABLE j USING SPAN_JOIN(slice, slice)
CREATE VIEW b AS SELECT ts, dur, 'z' AS z FROM slice; CREATE VIRTUAL TABLE j USING SPAN_JOIN(slice nonsense, b)
CREATE VIEW a AS SELECT ts, 1 AS x FROM slice; CREATE VIEW b AS SELECT ts, 2 AS y FROM slice; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a, b)
CREATE VIEW a AS SELECT ts, 1 AS x FROM slice; CREATE VIEW b AS SELECT ts, dur, 2 AS y FROM slice WHERE depth = 0; CREATE VIRTUAL TABLE j USING SPAN_JOIN(a, b); SELECT * FROM j ORDER BY ts
CREATE VIEW a AS SELECT ts, dur, track_id, name FROM slice WHERE depth = 0; CREATE VIEW b AS SELECT ts, dur, track_id, depth FROM slice WHERE depth = 1; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(a PARTITIONED track_id, b PARTITIONED track_id); SELECT ts, dur, name, depth FROM j WHERE name = 'b' ORDER BY ts
-- Graphs, trees, scans along edges, patterns and names.
CREATE PERFETTO TABLE e AS SELECT 0 AS a, 1 AS b UNION ALL VALUES (0, 2), (1, 3), (3, 0), (5, 6), (2, 3), (3, 3), (7, NULL), (3, 4), (2, 4); CREATE PERFETTO TABLE s AS SELECT 0 AS x UNION ALL VALUES (5), (12), (7), (0); SELECT c0, c1 FROM __intrinsic_table_ptr(__intrinsic_dfs((SELECT __intrinsic_graph_agg(a, b) FROM e), (SELECT __intrinsic_array_agg(x) FROM s))) WHERE __intrinsic_table_ptr_bind(c0, 'node_id') AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
CREATE PERFETTO TABLE e AS SELECT 0 AS a, 1 AS b UNION ALL VALUES (0, 2), (1, 3), (3, 0), (5, 6), (2, 3), (3, 3), (7, NULL), (3, 4), (2, 4); CREATE PERFETTO TABLE s AS SELECT 0 AS x UNION ALL VALUES (5), (12), (7), (0); SELECT c0, c1 FROM __intrinsic_table_ptr(__intrinsic_bfs((SELECT __intrinsic_graph_agg(a, b) FROM e), (SELECT __intrinsic_array_agg(x) FROM s))) WHERE __intrinsic_table_ptr_bind(c0, 'node_id') AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_dfs((SELECT __intrinsic_graph_agg(id, id) FROM slice WHERE 0), (SELECT __intrinsic_array_agg(id) FROM slice))) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_bfs((SELECT __intrinsic_graph_agg(id, id) FROM slice), (SELECT __intrinsic_array_agg(id) FROM slice WHERE 0))) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_dfs((SELECT __intrinsic_graph_agg(id, id) FROM slice), (SELECT __intrinsic_array_agg(name) FROM slice))) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_dfs((SELECT __intrinsic_graph_agg(id, id) FROM slice), (SELECT __intrinsic_array_agg(1.0 * id) FROM slice))) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_dfs(NULL, 1)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT __intrinsic_array_agg(x) AS a FROM (SELECT 1 AS x UNION ALL SELECT 'a')
SELECT __intrinsic_array_agg(x) AS a FROM (SELECT 1 AS x UNION ALL SELECT NULL)
SELECT __intrinsic_array_agg(x'00') AS a
SELECT typeof(__intrinsic_array_agg(1)) AS a, typeof(__intrinsic_graph_agg(1, 2)) AS b, __intrinsic_graph_agg(1, 2) IS NULL AS c
CREATE PERFETTO TABLE e AS SELECT 12 AS a, 1 AS b UNION ALL VALUES (12, 2), (12, 3), (1, 4), (2, 1), (2, 4), (2, 5), (3, 6), (3, 7), (4, 12), (5, 8), (6, 9), (7, 9), (7, 10), (8, 5), (8, 11), (9, 11), (10, 9), (11, 9), (11, 12); SELECT c0, c1 FROM __intrinsic_table_ptr((SELECT __intrinsic_dominator_tree(a, b, 12) FROM e)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id') AND __intrinsic_table_ptr_bind(c1, 'dominator_node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr((SELECT __intrinsic_dominator_tree(id, id, 0) FROM slice WHERE 0)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id') AND __intrinsic_table_ptr_bind(c1, 'dominator_node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr((SELECT __intrinsic_dominator_tree(id, id + 1, 9) FROM slice)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr((SELECT __intrinsic_dominator_tree(id, id, 0) FROM slice)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
CREATE PERFETTO TABLE e AS SELECT 1 AS a, 2 AS b UNION ALL VALUES (2, 3), (2, 4), (9, 4); SELECT c0 AS id, c1 AS v, c2 AS w FROM __intrinsic_table_ptr(__intrinsic_graph_scan((SELECT __intrinsic_graph_agg(a, b) FROM e), (SELECT __intrinsic_row_dataframe_agg('id', i, 'v', v, 'w', w) FROM (SELECT 1 AS i, 10 AS v, 'x' AS w UNION ALL SELECT 9, 5, 'y')), '(SELECT id, v + 1 AS v, w || id AS w FROM $table)', '(v, w)')) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'v') AND __intrinsic_table_ptr_bind(c2, 'w')
CREATE PERFETTO TABLE e AS SELECT 1 AS a, 2 AS b UNION ALL VALUES (2, 3), (2, 4), (9, 4), (4, 3), (3, 8); SELECT c0 AS id, c1 AS v FROM __intrinsic_table_ptr(__intrinsic_graph_aggregating_scan((SELECT __intrinsic_graph_agg(a, b) FROM e), (SELECT __intrinsic_row_dataframe_agg('id', i, 'v', v) FROM (SELECT 1 AS i, 10 AS v UNION ALL SELECT 9, 5)), '(SELECT id, sum(v) + 1 AS v FROM $table GROUP BY id)', '(v)')) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'v')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_graph_scan(NULL, NULL, '(SELECT 1)', '(v)')) WHERE __intrinsic_table_ptr_bind(c0, 'id')
SELECT c0 AS id, c1 AS v FROM __intrinsic_table_ptr(__intrinsic_graph_scan(NULL, (SELECT __intrinsic_row_dataframe_agg('id', id, 'v', name) FROM slice), '(SELECT id, v FROM $table)', '(v)')) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'v')
SELECT c0 AS id, c1 AS v FROM __intrinsic_table_ptr(__intrinsic_graph_aggregating_scan(NULL, (SELECT __intrinsic_row_dataframe_agg('id', id, 'v', name) FROM slice), '(SELECT id, v FROM $table)', '(v)')) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'v')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_graph_scan(NULL, (SELECT __intrinsic_row_dataframe_agg('id', id, 'v', 1) FROM slice), '(SELECT id, v FROM $table)', '(w)')) WHERE __intrinsic_table_ptr_bind(c0, 'id')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_graph_scan((SELECT __intrinsic_graph_agg(id, 7) FROM slice), (SELECT __intrinsic_row_dataframe_agg('id', id, 'v', 1) FROM slice), '(SELECT nope FROM $table)', '(v)')) WHERE __intrinsic_table_ptr_bind(c0, 'id')
SELECT count(*) AS n FROM __intrinsic_table_ptr(__intrinsic_graph_scan((SELECT __intrinsic_graph_agg(id, 7) FROM slice), (SELECT __intrinsic_row_dataframe_agg('id', id, 'v', 1) FROM slice), NULL, '(v)')) WHERE __intrinsic_table_ptr_bind(c0, 'id')
SELECT __intrinsic_row_dataframe_agg('id', id, 'v') AS v FROM slice
CREATE PERFETTO MACRO up(x Expr) RETURNS Expr AS $x + 1; SELECT c0 AS id, c1 AS v FROM __intrinsic_table_ptr(__intrinsic_graph_scan((SELECT __intrinsic_graph_agg(id, id + 1) FROM slice), (SELECT __intrinsic_row_dataframe_agg('id', id, 'v', 1) FROM slice), '(SELECT id, up!(v) AS v FROM $table)', '(v)')) WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'v')
CREATE PERFETTO TABLE t AS SELECT 0 AS i, NULL AS p, 1 AS g UNION ALL VALUES (1, 0, 1), (2, 0, 2), (3, 2, 2), (4, 2, 1), (5, 1, 3), (6, 5, 1), (7, 3, 3); SELECT c0, c1, c2 FROM __intrinsic_table_ptr((SELECT __intrinsic_structural_tree_partition(i, p, g) FROM t)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id') AND __intrinsic_table_ptr_bind(c1, 'parent_node_id') AND __intrinsic_table_ptr_bind(c2, 'group_key')
SELECT count(*) AS n FROM __intrinsic_table_ptr((SELECT __intrinsic_structural_tree_partition(id, NULL, 1) FROM slice)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr((SELECT __intrinsic_structural_tree_partition(id, 0, 1) FROM slice)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
SELECT count(*) AS n FROM __intrinsic_table_ptr((SELECT __intrinsic_structural_tree_partition(id, 0, 1) FROM slice WHERE 0)) WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
CREATE PERFETTO TABLE t AS SELECT 1 AS i, NULL AS p, 7 AS v UNION ALL VALUES (2, 1, 8), (5, 2, 9), (9, 2, NULL); SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr(__intrinsic_tree_to_table((SELECT __intrinsic_tree_from_table('id', i, 'parent_id', p, 'v', v) FROM t))) WHERE __intrinsic_table_ptr_bind(c0, '_tree_id') AND __intrinsic_table_ptr_bind(c1, '_tree_parent_id') AND __intrinsic_table_ptr_bind(c2, 'id') AND __intrinsic_table_ptr_bind(c3, 'parent_id') AND __intrinsic_table_ptr_bind(c4, 'v')
CREATE PERFETTO TABLE t AS SELECT 1 AS i, 3 AS p; SELECT c0 FROM __intrinsic_table_ptr(__intrinsic_tree_to_table((SELECT __intrinsic_tree_from_table('id', i, 'parent_id', p, 'v', 1) FROM t))) WHERE __intrinsic_table_ptr_bind(c0, 'id')
SELECT typeof(__intrinsic_tree_to_table(NULL)) AS t
SELECT regexp_extract('abc123de', '[0-9]+') AS a, regexp_extract('abc123de', '([a-z]+)[0-9]') AS b, regexp_extract('abc', 'x') AS c, regexp_extract('abc', 'a(x)?b') AS d, regexp_extract(NULL, 'a') AS e, regexp_extract('a', NULL) AS f
SELECT regexp_extract('abc', '(a)(b)') AS a
SELECT regexp_extract('abc', '(') AS a
SELECT regexp_extract('abc', '') AS a, regexp_extract('', 'a*') AS b, regexp_extract('one two', '\w+$') AS c, regexp_extract('ab' || char(10) || 'cd', '^cd') AS d, regexp_extract(12, '2') AS e, regexp_extract('éa', '.a') AS f
SELECT regexp_extract(name, '[b-z]') AS v FROM slice
SELECT __intrinsic_strip_hex('abc 12 0xdead beef 7f', 2) AS a, __intrinsic_strip_hex('f00d/x9 a1', 1) AS b, __intrinsic_strip_hex('0xg 0x', 0) AS c, __intrinsic_strip_hex('thread-12ab_0x7', 3) AS d, __intrinsic_strip_hex('', 1) AS e, __intrinsic_strip_hex(NULL, 1) AS f, __intrinsic_strip_hex('a', NULL) AS g
SELECT __intrinsic_strip_hex('deadbeef 12345 Xa 0X12z z12', 2) AS a, __intrinsic_strip_hex('binder:1234_5', 1) AS b, __intrinsic_strip_hex('a1b2c3d4e5', 11) AS c, __intrinsic_strip_hex('q1.2-ff+ff1', 1) AS d
SELECT __intrinsic_strip_hex(1, 1) AS a
SELECT __intrinsic_strip_hex('a', 'b') AS a
SELECT __intrinsic_strip_hex('a', -1) AS a
SELECT extract_metadata('trace_type') AS a, extract_metadata('nope') AS b, extract_metadata(NULL) AS c
-- DELEGATES TO, stacks of names, replaced matches.
CREATE PERFETTO FUNCTION f(a STRING) RETURNS STRING DELEGATES TO __intrinsic_reverse; SELECT f('abc') AS v, f(NULL) AS w
CREATE PERFETTO FUNCTION f(a STRING) RETURNS STRING DELEGATES TO nothing; SELECT f('abc') AS v
CREATE PERFETTO FUNCTION f(a STRING, b STRING) RETURNS STRING DELEGATES TO __intrinsic_regexp_extract; SELECT f('abc', '.c') AS v
CREATE PERFETTO FUNCTION f(a STRING) RETURNS STRING DELEGATES __intrinsic_reverse; SELECT 1
CREATE PERFETTO FUNCTION f(a STRING) RETURNS STRING DELEGATES TO __intrinsic_reverse g; SELECT 1
SELECT hex(cat_stacks('a', 'b')) AS a, hex(cat_stacks(cat_stacks('a'), 'b', NULL, cat_stacks('c'))) AS b, typeof(cat_stacks(NULL)) AS c, typeof(cat_stacks()) AS d, hex(cat_stacks('')) AS e
SELECT cat_stacks(1) AS v
SELECT hex(cat_stacks(x'0102', 'a')) AS v
SELECT regexp_replace_simple('abc abd', 'a(.)', '[\1]') AS a, regexp_replace_simple('abc', '', '-') AS b, regexp_replace_simple('aaa', 'a*', 'x') AS c, regexp_replace_simple('baac', 'a*', 'x') AS d, regexp_replace_simple('abc', 'z', 'x') AS e, regexp_replace_simple('abc', '(a)(b)', '\2\1\0') AS f
SELECT regexp_replace_simple('abc', 'a', '\3') AS v
SELECT regexp_replace_simple('abc', '(', 'x') AS v
SELECT regexp_replace_simple('abc', 'a', '\\') AS a, regexp_replace_simple('abc', 'a', 'x\y') AS b, regexp_replace_simple('abc', 'a', 'x\') AS c, regexp_replace_simple(NULL, 'a', 'x') AS d, regexp_replace_simple('a', 'a', NULL) AS e, regexp_replace_simple('éa', '', '-') AS f
SELECT regexp_replace_simple('a1b22', '[0-9]+', '<&>') AS a, regexp_replace_simple('aXbx', 'x', '$1') AS b, regexp_replace_simple('ab', '(x)?b', '[\1]') AS c, regexp_replace_simple('', 'a*', 'x') AS d, regexp_replace_simple('abab', 'b?', '.') AS e, regexp_replace_simple('xaxa', 'a|$', '-') AS f
SELECT regexp_replace_simple('line1' || char(10) || 'line2', '^l', 'L') AS v
CREATE PERFETTO FUNCTION f(a DOUBLE) RETURNS DOUBLE DELEGATES TO __intrinsic_ln; SELECT f(1.0) AS v
