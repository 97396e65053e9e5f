// The checks of the annotate test; see run.
//
// For each case the engine runs the corpus' canonical queries on a trace and on what `annotate` made of it. Nothing of the
// first may be missing in the second, and what the second has more must be ours: it carries our name, "annotate". Sections
// that our overlay has no part in must be the same row for row. Variants:
//
//   plain   the trace of the corpus
//   again   what the first run made, drawn into once more: our ids must stay clear of our own, too
//   gzip    the trace gzipped (every fifth case): one more member
//   marked  drawn as findings of a pass (every fifth case); drawing into that again as the same pass gives the same bytes, as
//           another one more findings, which the first run's redraw keeps
//   cut     the trace without its last three bytes (every fifth case): our packets must not end up after the damage
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { pathToFileURL } from 'node:url';

const [program, corpus, work, ...wanted] = process.argv.slice(2);
const { TraceProcessor, splitNamed } = await import(pathToFileURL(path.join(work, 'tp_query/tp_engine.mjs')));
const assets = path.join(work, 'tp_query/assets');
const { prelude, queries } = splitNamed(fs.readFileSync(path.join(corpus, 'canonical.sql'), 'utf8'));
let tp = await TraceProcessor.create(assets);

// By section: the column that says whose a row is. Sections that are not here have no rows of ours.
const OWNER = {
  slices: 'track_name', slices_by_name: 'name', counters: 'track_name', flows: 'out_name', args: 'slice_name',
  tracks: 'name', track_args: 'track_name',
};
const OURS = /^annotate /;

/* ---- what the engine sees ----------------------------------------------------------------------------------------- */

const plain = (v) => (v !== null && typeof v === 'object' && 'float' in v ? `real ${v.float}` : v);
const text = (row) => row.map((v) => (v === null ? 'NULL' : String(plain(v)))).join(' | ');

// { section: { columns, rows } }, or a text that says why the engine does not take the trace.
async function look(file) {
  try {
    tp.reset();
    const error = tp.loadFile(file);
    if (error) return `load error: ${error.trim()}`;
    if (prelude.trim()) {
      const made = tp.query(prelude);
      if (made.error) return `prelude: ${made.error}`;
    }
    const seen = {};
    for (const { name, sql } of queries) {
      const r = tp.query(sql);
      if (r.error) return `${name}: ${r.error}`;
      seen[name] = { columns: r.columns, rows: r.rows };
    }
    return seen;
  } catch (e) {
    tp = await TraceProcessor.create(assets); // a crashed engine cannot be used again
    return `engine failed: ${e.message}`;
  }
}

// Our children make the tracks of their process or thread appear, which have nothing on them themselves.
const ROOTS = ['process_track_event', 'thread_execution'];
const cell = (section, row, column) => row[section.columns.indexOf(column)];
const place = (section, row, type) => [cell(section, row, type), cell(section, row, 'pid'), cell(section, row, 'tid')].join(' ');
const isRoot = (section, row) => ROOTS.includes(cell(section, row, 'type')) &&
  Number(cell(section, row, 'slices')) === 0 && Number(cell(section, row, 'counters')) === 0;

const isOurs = (name, section, row) => name in OWNER && OURS.test(String(cell(section, row, OWNER[name])));

// The engine says so of a track whose first event or child came on a sequence that begins with the trace; ours does.
const FIRST = 'has_first_packet_on_sequence';
const mayGain = (section, row, roots) =>
  roots.has(place(section, row, 'track_type')) || cell(section, row, 'flat_key') === FIRST;

// What is wrong in one section, as lines. Sums over our own slices grow when we draw again.
function compareSection(name, before, after, roots) {
  const lost = new Map(), extra = [], wrong = [];
  for (const row of before.rows) {
    if (name === 'slices_by_name' && isOurs(name, before, row)) continue;
    lost.set(text(row), (lost.get(text(row)) ?? 0) + 1);
  }
  for (const row of after.rows) {
    const line = text(row), left = lost.get(line) ?? 0;
    if (left > 0) lost.set(line, left - 1);
    else extra.push(row);
  }
  for (const [line, n] of lost) if (n > 0) wrong.push(`${name} lost ${n} x ${line}`);
  for (const row of extra.filter((r) => !isOurs(name, after, r))) {
    if (name === 'tracks' && isRoot(after, row)) roots.add(place(after, row, 'type'));
    else if (name !== 'track_args' || !mayGain(after, row, roots)) wrong.push(`${name} gained ${text(row)}`);
  }
  return { wrong, gained: extra.length };
}

// The engine's bounds of a trace in which it sees no time are 0 and 0: then they are those of our events. They are never
// empty otherwise.
function boundsOf(drawn) {
  const first = BigInt(drawn.first), last = BigInt(drawn.last);
  return [first, last > first ? last : first + 1n];
}

function compare(before, after, drawn) {
  if (text(before.bounds.rows[0]) === '0 | 0') before.bounds.rows = [boundsOf(drawn)];
  const wrong = [], gained = {}, roots = new Set();
  for (const { name } of queries) {
    const r = compareSection(name, before[name], after[name], roots);
    wrong.push(...r.wrong);
    gained[name] = r.gained;
  }
  if (gained.slices !== drawn.slices) wrong.push(`${drawn.slices} slices drawn, ${gained.slices} seen`);
  if (gained.counters !== drawn.samples) wrong.push(`${drawn.samples} samples drawn, ${gained.counters} seen`);
  if (gained.flows !== 1) wrong.push(`one flow drawn, ${gained.flows} seen`);
  return wrong;
}

/* ---- one trace ---------------------------------------------------------------------------------------------------- */

// The original bytes stand unchanged at the front or, where our packets must come first, at the end.
function keepsBytes(input, output) {
  const was = fs.readFileSync(input), is = fs.readFileSync(output);
  return is.length > was.length &&
    (is.subarray(0, was.length).equals(was) || is.subarray(is.length - was.length).equals(was));
}

// Draws into `input` and compares with what the engine sees in it; lines that say what is wrong.
async function check(input, output, ...pass) {
  fs.rmSync(output, { force: true });
  const before = await look(input);
  if (typeof before === 'string') return [`the engine does not take the original: ${before}`];
  const r = spawnSync(program, [input, output, ...pass], { encoding: 'utf8' });
  if (r.status !== 0) return [`exit status ${r.status ?? r.signal}: ${r.stderr.trim()}`];
  if (!keepsBytes(input, output)) return ['the original bytes are not all there'];
  const after = await look(output);
  return typeof after === 'string' ? [after] : compare(before, after, JSON.parse(r.stdout));
}

// Draws as a pass whose findings come last in `input`: nothing changes.
function redraw(input, output, pass) {
  const r = spawnSync(program, [input, output, pass], { encoding: 'utf8' });
  if (r.status !== 0) return [`exit status ${r.status ?? r.signal}: ${r.stderr.trim()}`];
  return fs.readFileSync(input).equals(fs.readFileSync(output)) ? [] : ['the bytes are others'];
}

/* ---- all of them -------------------------------------------------------------------------------------------------- */

const counts = { passed: 0, failed: 0, skipped: 0 };
function report(name, wrong) {
  counts[wrong.length ? 'failed' : 'passed']++;
  console.log(wrong.length ? `FAIL ${name}\n    ${wrong.slice(0, 12).join('\n    ')}` : `ok   ${name}`);
  if (wrong.length > 12) console.log(`    and ${wrong.length - 12} more`);
}

const manifest = JSON.parse(fs.readFileSync(path.join(corpus, 'perfetto/manifest.json'), 'utf8'));
const binary = manifest.filter((c) => c.file.endsWith('.pftrace') && c.counted?.length);
const cases = wanted.length ? binary.filter((c) => wanted.includes(c.case)) : binary;
for (const [i, c] of cases.entries()) {
  const source = path.join(corpus, 'perfetto', c.case, c.file);
  const dir = path.join(work, 'cases', c.case);
  const file = (name) => path.join(dir, name);
  fs.mkdirSync(dir, { recursive: true });
  const plainResult = await check(source, file('plain.pftrace'));
  report(`${c.case} plain`, plainResult);
  if (fs.existsSync(file('plain.pftrace'))) {
    report(`${c.case} again`, await check(file('plain.pftrace'), file('again.pftrace')));
  } else {
    counts.skipped++;
    console.log(`skip ${c.case} again: there is no first result`);
  }
  if (i % 5 !== 0 && !wanted.length) continue;
  report(`${c.case} marked`, await check(source, file('marked.pftrace'), 'one'));
  report(`${c.case} marked by another`, await check(file('marked.pftrace'), file('other.pftrace'), 'two'));
  report(`${c.case} marked twice`, redraw(file('marked.pftrace'), file('twice.pftrace'), 'one'));
  report(`${c.case} marked by both twice`, redraw(file('other.pftrace'), file('twice.pftrace'), 'two'));
  const bytes = fs.readFileSync(source);
  fs.writeFileSync(file('packed.pftrace.gz'), zlib.gzipSync(bytes));
  report(`${c.case} gzip`, await check(file('packed.pftrace.gz'), file('gzip.pftrace.gz')));
  fs.writeFileSync(file('short.pftrace'), bytes.subarray(0, bytes.length - 3));
  report(`${c.case} cut`, await check(file('short.pftrace'), file('cut.pftrace')));
}
if (cases.length === 0) {
  counts.failed++;
  console.log('FAIL there are no such cases');
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed ? 1 : 0;
