// The checks of the engine round trip; see run.
//
// For each case five inputs are made: the JSON, the JSON gzipped, its conversion, that gzipped, and a recording with
// service events (make_service_trace.py). Each is analyzed with -o, and the engine has to find in the result the original
// slices, no new damage, and our tracks with the recorded values of the case.
//
// The reference for the original slices is the engine's own reading of the JSON with every thread id raised by TIDS: the
// engine takes thread 0 of a process for the thread that is named like the process and would mix
// two tracks; raising all ids changes nothing else.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { pathToFileURL } from 'node:url';
import { covered, merged, mergingAdds, readCase, rounded, stallsOf, utilisation } from './expect.mjs';
import { general } from './general.mjs';
import { Look } from './look.mjs';

const TIDS = 1000;
const [postfetto, corpus, work, here, ...cases] = process.argv.slice(2);
const { TraceProcessor } = await import(pathToFileURL(path.join(work, 'tp_query/tp_engine.mjs')));
const tp = await TraceProcessor.create(path.join(work, 'tp_query/assets'));

function run(args) {
  const r = spawnSync(postfetto, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(r.status, 0, `postfetto ${args.join(' ')}\n${r.stderr}`);
  return r.stdout;
}

// Multisets of lines, both sorted; the message shows the first lines that only one side has.
function sameLines(got, want, what) {
  if (got.length === want.length && got.every((line, i) => line === want[i])) return;
  const missing = [...want], extra = [];
  const at = new Map();
  missing.forEach((line) => at.set(line, (at.get(line) ?? 0) + 1));
  for (const line of got) at.get(line) ? at.set(line, at.get(line) - 1) : extra.push(line);
  const lost = [...at].filter(([, n]) => n > 0).map(([line]) => line);
  assert.fail(`${what}: ${got.length} lines instead of ${want.length}\n  missing: ${lost.slice(0, 5).join('\n    ')}` +
              `\n  not expected: ${extra.slice(0, 5).join('\n    ')}`);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------- */

function makeInputs(dir, source, gzipped) {
  const stored = fs.readFileSync(source);
  const text = gzipped ? zlib.gunzipSync(stored) : stored;
  const file = (name) => path.join(dir, name);
  fs.writeFileSync(file('plain.json'), text);
  fs.writeFileSync(file('packed.json.gz'), gzipped ? stored : zlib.gzipSync(text));
  run(['convert', file('plain.json'), '-o', file('binary.pftrace')]);
  fs.writeFileSync(file('packed.pftrace.gz'), zlib.gzipSync(fs.readFileSync(file('binary.pftrace'))));
  execFileSync('python3', [path.join(here, 'make_service_trace.py'), file('binary.pftrace'), file('service.pftrace')]);
  const parsed = JSON.parse(text);
  const events = Array.isArray(parsed) ? parsed : parsed.traceEvents;
  fs.writeFileSync(file('reference.json'),
    JSON.stringify(events.map((e) => ('tid' in e ? { ...e, tid: e.tid + TIDS } : e))));
  return { events, file };
}

/* ---- our tracks --------------------------------------------------------------------------------------------------- */

class Ours {
  constructor(look) {
    this.look = look;
    this.tracks = look.tracks();
  }

  // Every track of a core is in the core's group, which is in the core's process; the system's are nobody's.
  checkPlaces(tiles) {
    const groups = new Map(tiles.map((tile) => [`${tile} analysis`, tile]));
    for (const t of this.tracks.filter((track) => track.name !== null)) {
      const group = groups.has(t.name) || t.name === 'AIE system' ? t.name : t.parent;
      const tile = groups.get(group);
      if (tile === undefined) {
        assert.deepEqual([group, t.process], ['AIE system', null], `place of "${t.name}"`);
      } else {
        assert.ok(t.name.startsWith(`${tile} `) && t.process?.endsWith(` for ${tile}`), `place of "${t.name}"`);
      }
    }
  }

  // What a drawing says of itself: a description each, counters with units, percentages of a core on one scale, and the
  // rows of a group in the order iterations, kernels, causes, notes, counters.
  checkDescriptors(tiles) {
    const order = ['iterations', 'kernels', 'stalls in iterations', 'between iterations', 'notes', 'kernel duration',
                   'throughput', 'utilisation', 'stall share in iterations', 'LOCK share in iterations', 'MEMORY share in iterations',
                   'STREAM share in iterations', 'CASCADE share in iterations'];
    const system = /^system (.+ iterations|iterations|marks|notes|runtime|throughput)( \d+)?$/;
    for (const t of this.tracks.filter((track) => track.name !== null)) {
      assert.ok(t.description?.length > 30, `"${t.name}" has no description`);
      assert.equal(t.type.includes('counter'), t.unit !== null, `unit of "${t.name}"`);
      const above = t.name.endsWith(' utilisation') && this.samples(t.name, '%').some(([, v]) => v > 100);
      assert.equal(t.share, t.unit === '%' && !above ? 'aie.percent' : null, `scale of "${t.name}"`);
      assert.notEqual(t.rank, null, `"${t.name}" has no place`);
    }
    for (const [group, owner] of [['AIE system', 'system'], ...tiles.map((tile) => [`${tile} analysis`, tile])]) {
      const head = this.tracks.filter((t) => t.name === group);
      if (head.length === 0) continue;
      assert.equal(head[0].ordering, 'explicit', group);
      assert.match(head[0].description, /1 ns on the axis = 1 cycle at 1\.25 GHz/);
      const rows = this.tracks.filter((t) => t.parent === group).sort((a, b) => Number(a.rank - b.rank));
      assert.deepEqual(rows.map((t) => Number(t.rank)), rows.map((_, i) => i), `ranks in "${group}"`);
      const what = rows.map((t) => t.name.slice(owner.length + 1));
      if (owner === 'system') assert.ok(rows.every((t) => system.test(t.name)), what.join());
      else assert.deepEqual(what, order.filter((name) => what.includes(name)), `rows of "${group}"`);
    }
  }

  // Everything of ours, and nothing else, has our category; no name of ours is that of a recorded event.
  checkCategories() {
    const ids = this.tracks.filter((t) => t.name !== null).map((t) => t.id);
    const mine = this.look.rows(`select count(*) from slice where track_id in (${ids})`)[0][0];
    assert.ok(mine > 0n);
    assert.deepEqual(this.look.rows(`select category, count(*) from slice where track_id in (${ids}) group by 1`),
      [['postfetto.aie', mine]]);
    assert.equal(this.look.rows(`select count(*) from slice where category like 'postfetto%'`)[0][0], mine);
    const recorded = `select name from slice where track_id not in (${ids})`;
    assert.deepEqual(this.look.rows(`select name from slice where track_id in (${ids}) and name in (${recorded})`), []);
  }

  one(name) {
    const found = this.tracks.filter((t) => t.name === name);
    assert.equal(found.length, 1, `${found.length} tracks are called "${name}"`);
    return found[0];
  }

  slices(name) {
    return this.look.slicesOf(this.one(name).id);
  }

  samples(name, unit) {
    const track = this.one(name);
    assert.equal(track.unit, unit, `unit of "${name}"`);
    return this.look.samplesOf(track.id);
  }
}

function checkKernels(ours, core) {
  const kernels = ours.slices(`${core.tile_name} kernels`);
  assert.equal(kernels.length, core.iterations.reduce((n, it) => n + it.num_kernels, 0), 'number of kernels');
  kernels.forEach((k, i) => {
    assert.equal(k.args.index, BigInt(i));
    assert.equal(k.args.cycles, k.dur);
    assert.equal(k.depth, 0n);
  });
  for (const it of core.iterations) {
    const mine = kernels.filter((k) => k.args.iteration === BigInt(it.iteration_index));
    const durations = mine.map((k) => Number(k.dur));
    assert.equal(mine.length, it.num_kernels);
    if (mine.length === 0) continue;
    assert.ok(mine.every((k) => k.args.phase === it.phase));
    assert.equal(durations.reduce((a, b) => a + b) / mine.length, it.avg_duration_cycles);
    assert.equal(Math.min(...durations), it.min_duration_cycles);
    assert.equal(Math.max(...durations), it.max_duration_cycles);
    assert.equal(mine[0].ts, BigInt(it.first_start));
    assert.equal(mine.at(-1).ts + mine.at(-1).dur, BigInt(it.last_end));
  }
  const samples = ours.samples(`${core.tile_name} kernel duration`, 'cycles');
  assert.deepEqual(samples, kernels.flatMap((k, i) => [[k.ts, Number(k.dur)],
    ...(kernels[i + 1]?.ts === k.ts + k.dur ? [] : [[k.ts + k.dur, 0]])]));
  const lengths = kernels.map((k) => k.dur);
  const least = lengths.reduce((a, b) => (b < a ? b : a)), most = lengths.reduce((a, b) => (b > a ? b : a));
  assert.deepEqual(kernels.map((k) => k.name), lengths.map((v, i) => (least === most ? 'kernel'
    : i === lengths.indexOf(most) ? 'longest kernel' : i === lengths.indexOf(least) ? 'shortest kernel' : 'kernel')));
}

function checkIterations(ours, core) {
  const shown = ours.slices(`${core.tile_name} iterations`);
  assert.equal(shown.length, core.iterations.length, 'number of iterations');
  core.iterations.forEach((it) => {
    const own = shown.filter((s) => s.args.iteration === BigInt(it.iteration_index));
    assert.equal(own.length, 1);
    const name = `${it.iteration_index} ${it.phase}`;
    if (it.num_kernels === 0) {
      assert.deepEqual([own[0].name, own[0].dur], [`${name}, empty`, 0n]);
      return;
    }
    assert.deepEqual([own[0].name, own[0].ts, own[0].dur], [name, BigInt(it.first_start), BigInt(it.total_span_cycles)]);
    assert.equal(own[0].args.kernels, BigInt(it.num_kernels));
    assert.equal(own[0].args.gmacs_per_second, rounded(it.gmacs_per_second), `GMAC/s of ${core.tile_name} ${name}`);
  });
}

// A counter that holds one value per iteration and 0 in between.
function checkPlateaus(ours, core, name, unit, value) {
  const want = core.iterations.filter((it) => it.num_kernels > 0)
    .flatMap((it) => [[BigInt(it.first_start), rounded(value(it))], [BigInt(it.last_end), 0]]);
  assert.deepEqual(ours.samples(`${core.tile_name} ${name}`, unit), want, `${core.tile_name} ${name}`);
}

// The row of merged stalls, where it says more than the recorded ones, and the gaps with their causes.
function checkStalls(ours, core, kinds) {
  const busy = core.iterations.filter((it) => it.num_kernels > 0);
  const want = mergingAdds(kinds) ? busy.flatMap((it) => merged(kinds, it.first_start, it.last_end)) : [];
  const name = `${core.tile_name} stalls in iterations`;
  if (want.length === 0) assert.ok(!ours.tracks.some((t) => t.name === name), name);
  else {
    sameLines(ours.slices(name).map((s) => `${s.ts} ${s.dur} ${s.name}`).sort(),
      want.map(([a, b, kind]) => `${a} ${b - a} ${kind}`).sort(), name);
  }
  const gaps = busy.slice(1).map((it, i) => [busy[i], it]).filter(([a, b]) => b.first_start > a.last_end);
  checkGaps(ours, `${core.tile_name} between iterations`, gaps, kinds);
}

// What no lock stall covers of the gaps, named by the other kinds that last in it.
function checkGaps(ours, name, gaps, kinds) {
  const others = new Map([...kinds].filter(([kind]) => kind !== 'LOCK')), lock = kinds.get('LOCK') ?? [];
  const want = gaps.flatMap(([{ last_end: from }, { first_start: to }]) => {
    const stalled = merged(new Map([['LOCK', lock], ...others]), from, to);
    const ends = [from, ...stalled.map(([, end]) => end)], starts = [...stalled.map(([start]) => start), to];
    const rest = ends.map((end, i) => [end, starts[i], 'no stall']).filter(([start, end]) => end > start);
    return [...stalled.filter(([, , kind]) => !kind.split('+').includes('LOCK')), ...rest]
      .map(([start, end, kind]) => `${start} ${end - start} ${kind} of ${to - from}, ${rounded(100 *
        covered([...kinds.values()].flat(), from, to) / (to - from))}`);
  });
  if (want.length === 0) assert.ok(!ours.tracks.some((t) => t.name === name), name);
  else {
    sameLines(ours.slices(name).map((s) => `${s.ts} ${s.dur} ${s.name} of ${s.args.gap_cycles}, ${s.args.any_stall_percent}`)
      .sort(), want.sort(), name);
  }
}

// What was hidden in a description once: the note of the report is an instant.
function checkNotes(ours, core) {
  if (core.mismatch_note === null) return;
  const notes = ours.slices(`${core.tile_name} notes`).filter((s) => s.name === core.mismatch_note);
  assert.deepEqual(notes.map((s) => s.dur), [0n]);
}

function checkCore(ours, params, core, kinds) {
  checkStalls(ours, core, kinds);
  checkNotes(ours, core);
  if (core.iterations.length === 0) return;
  checkKernels(ours, core);
  checkIterations(ours, core);
  checkPlateaus(ours, core, 'throughput', 'GMAC/s', (it) => it.gmacs_per_second);
  checkPlateaus(ours, core, 'utilisation', '%', (it) => utilisation(params, it.total_span_cycles));
  checkPlateaus(ours, core, 'stall share in iterations', '%', (it) => (it.total_span_cycles === 0 ? 0
    : 100 * (covered([...kinds.values()].flat(), it.first_start, it.last_end) / it.total_span_cycles)));
  for (const [kind, intervals] of kinds) {
    if (intervals.length === 0) continue;
    checkPlateaus(ours, core, `${kind} share in iterations`, '%', (it) => (it.total_span_cycles === 0 ? 0
      : 100 * (covered(intervals, it.first_start, it.last_end) / it.total_span_cycles)));
  }
}

// The iterations of the system: as long as the wall clock says, with the runtime of the slowest core as argument.
function checkSystem(ours, { aggregate, cores }) {
  const list = (aggregate.per_iteration ?? []).filter((it) => it.runtime_cycles > 0); // others have no extent to draw
  if (list.length === 0) {
    assert.equal(ours.slices('system notes').length, 1, 'a note says why there is nothing');
    return;
  }
  const on = (it) => cores.map((c) => ({ tile: c.tile_name, ...c.iterations[it.iteration_index] }))
    .filter((i) => i.num_kernels > 0);
  const lanes = ours.tracks.filter((t) => /^system iterations( \d+)?$/.test(t.name ?? ''));
  const drawn = lanes.flatMap((t) => ours.look.slicesOf(t.id));
  assert.equal(drawn.length, list.length);
  for (const it of list) {
    const s = drawn.find((d) => d.args.iteration === BigInt(it.iteration_index));
    const start = Math.min(...on(it).map((i) => i.first_start)), end = Math.max(...on(it).map((i) => i.last_end));
    assert.deepEqual([s.name, s.ts, s.dur], [`${it.iteration_index} perf`, BigInt(start), BigInt(end - start)]);
    assert.deepEqual([s.args.runtime_cycles, s.args.span_cycles, s.args.skew_cycles, s.args.gmacs_per_second],
      [BigInt(it.runtime_cycles), s.dur, s.dur - BigInt(it.runtime_cycles), rounded(it.gmacs_per_second)]);
    assert.ok(on(it).some((i) => i.tile === s.args.slowest && i.total_span_cycles === it.runtime_cycles), s.args.slowest);
  }
  const values = (name, unit) => ours.samples(name, unit).map(([, v]) => v).filter((v) => v !== 0);
  assert.deepEqual(values('system throughput', 'GMAC/s'), list.map((it) => rounded(it.gmacs_per_second)));
  assert.deepEqual(values('system runtime', 'cycles'), list.map((it) => it.runtime_cycles));
  checkMarks(ours, aggregate);
}

// A mark is as long as the runtime it stands for.
function checkMarks(ours, { best, worst }) {
  const want = best.iteration_index === worst.iteration_index ? [['best and worst', best]]
    : [['best', best], ['worst', worst]];
  const lanes = ours.tracks.filter((t) => /^system marks( \d+)?$/.test(t.name ?? ''));
  const shown = lanes.flatMap((t) => ours.look.slicesOf(t.id)).map((s) => `${s.name} ${s.dur} ${s.args.gmacs_per_second}`);
  const wanted = want.filter(([, it]) => it.runtime_cycles > 0).map(([what, it]) =>
    `${what} iteration ${it.iteration_index} ${it.runtime_cycles} ${rounded(it.gmacs_per_second)}`);
  sameLines(shown.sort(), wanted.sort(), 'system marks');
}

function checkEnriched(look, expected, stalls) {
  const ours = new Ours(look);
  const tiles = expected.cores.map((core) => core.tile_name);
  ours.checkPlaces(tiles);
  ours.checkDescriptors(tiles);
  ours.checkCategories();
  for (const core of expected.cores) checkCore(ours, expected.params, core, stalls.get(core.tile_name));
  checkSystem(ours, expected);
  const counters = ours.tracks.filter((t) => t.type.includes('counter'));
  assert.equal(counters.length > 0, expected.cores.some((core) => core.iterations.length > 0));
  for (const t of counters) assert.ok(t.unit, `counter "${t.name}" has no unit`);
  const version = run(['--version']).match(/\d+\.\d+\.\d+/)[0];
  assert.equal(look.attribute('postfetto.version'), version);
  assert.equal(look.attribute('postfetto.time_unit'), 'cycle');
  assert.match(look.attribute('postfetto.input_hash'), /^[0-9a-f]{32}$/);
  assert.ok(look.attribute('postfetto.parameters').includes(`M=${expected.params.M} `));
}

/* ---- one case ----------------------------------------------------------------------------------------------------- */

function enrich(dir, params, input) {
  const out = path.join(dir, `enriched-${path.basename(input)}.pftrace`);
  const options = ['M', 'K', 'N', 'm', 'k', 'n', 'row', 'col', 'warmup', 'iterations'].flatMap((k) => [`--${k}`, params[k]]);
  run(['analyze', 'aie', input, ...options, '--hwid', params.hwid, '--report', path.join(dir, 'reports'), '-o', out, '-q']);
  return out;
}

// The original bytes are in the enriched file: at the start, or at the end of one with service events.
function checkBytes(input, enriched, after) {
  const original = fs.readFileSync(input), all = fs.readFileSync(enriched);
  assert.ok(all.length > original.length);
  const at = after ? 0 : all.length - original.length;
  assert.ok(all.subarray(at, at + original.length).equals(original), `${enriched}: the original bytes changed`);
}

// The service trace must be one of the dangerous kind: the same packets appended are dropped by the engine.
function checkThatAppendingWouldFail(dir, service, binary, enrichedBinary) {
  const ours = fs.readFileSync(enrichedBinary).subarray(fs.statSync(binary).size);
  const appended = path.join(dir, 'appended.pftrace');
  fs.writeFileSync(appended, Buffer.concat([fs.readFileSync(service), ours]));
  assert.ok(new Look(tp, appended).damage().some((line) => line.startsWith('sorter_push_event_out_of_order')),
    'the service trace does not make the engine drop late packets');
}

function checkInput(dir, name, expected, stalls, original) {
  const input = path.join(dir, name);
  const known = new Set(new Look(tp, input).damage());
  const enriched = enrich(dir, expected.params, input);
  const look = new Look(tp, enriched);
  assert.deepEqual(look.damage().filter((line) => !known.has(line)), [], 'new damage');
  sameLines(look.threadSlices(), original, 'original slices');
  checkEnriched(look, expected, stalls);
  if (!name.includes('json')) checkBytes(input, enriched, name !== 'service.pftrace');
}

function checkCase(name) {
  const dir = path.join(work, name);
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true });
  const source = path.join(corpus, 'aie', name);
  const expected = readCase(source);
  const { events, file } = makeInputs(dir, path.join(source, expected.params.input), expected.params.input.endsWith('.gz'));
  const stalls = stallsOf(events);
  const reference = new Look(tp, file('reference.json'));
  const original = reference.threadSlices(1000n, BigInt(TIDS)), damage = reference.damage();
  assert.ok(original.length > 0);

  const converted = new Look(tp, file('binary.pftrace'));
  sameLines(converted.threadSlices(), original, 'slices of the conversion');
  assert.deepEqual(converted.damage(), damage, 'damage of the conversion');

  for (const input of ['plain.json', 'packed.json.gz', 'binary.pftrace', 'packed.pftrace.gz', 'service.pftrace']) {
    try {
      checkInput(dir, input, expected, stalls, original);
    } catch (e) {
      throw new Error(`${input}: ${e.message}`, { cause: e });
    }
  }
  if (events.length > 100) { // in a handful of events nothing of ours is old enough to be dropped
    checkThatAppendingWouldFail(dir, file('service.pftrace'), file('binary.pftrace'),
      path.join(dir, 'enriched-binary.pftrace.pftrace'));
  }
}

/* ---- conversions that are not about AIE ---------------------------------------------------------------------------- */

function checkGeneral() {
  const input = path.join(work, 'general.json');
  for (const ending of ['pftrace', 'pftrace.gz', 'packed.pftrace']) {
    const output = path.join(work, `general.${ending}`);
    fs.writeFileSync(input, JSON.stringify(general.input));
    run(['convert', input, '-o', output, ...(ending.startsWith('packed') ? ['--compress'] : [])]);
    const look = new Look(tp, output);
    assert.deepEqual(look.damage(), []);
    for (const [what, { sql, rows }] of Object.entries(general.expected)) {
      const got = look.rows(sql).map((r) => r.map((v) => (v === null ? 'NULL' : String(v))).join(' | ')).sort();
      sameLines(got, [...rows].sort(), `${ending}: ${what}`);
    }
  }
}

let failed = 0;
for (const name of ['general', ...cases]) {
  try {
    name === 'general' ? checkGeneral() : checkCase(name);
    console.log(`${name}: ok`);
  } catch (e) {
    failed++;
    console.log(`${name}: FAILED: ${e.message}`);
  }
}
console.log(`engine: ${cases.length + 1 - failed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
