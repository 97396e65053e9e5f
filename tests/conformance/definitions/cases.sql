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
