// check.mjs POSTFETTO CORPUS WORK [CASE...]: merges of two inputs, each as the engine reads it, against the two alone; and
// merges of the parts that `cut` makes of one input, against the whole.
//
// Rows are compared as multisets, without ids: those of the whole must be those of the first input and those of the
// second one, later by the offset it was given. Pids and tids of the second input may be 10,000,000 larger, names may end
// in the input's name in parentheses.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { execFileSync } from 'node:child_process';

const [postfetto, corpus, work, ...named] = process.argv.slice(2);
const { TraceProcessor } = await import(path.join(work, 'tp_query', 'tp_engine.mjs'));

const LIMIT = 12e6; // bytes: the engine's memory is small
const STEP = 10000000n;
const OFFSET = 1234567n;

// What differs without being wrong: ids that arguments show.
const HIDDEN = `('legacy_trace_source_id', 'legacy_event.passthrough_utid', 'chrome_active_processes.pid',
  'active_processes.pid', 'chrome_mojo_event_info.mojo_interface_method.native_symbol.mapping_id', 'gpu', 'ugpu', 'gpu_id', 'pid', 'tid', 'upid',
  'event_id', 'submission_id', 'gpu_correlation.render_stage_submission_event_ids',
  'gpu_correlation.render_stage_wait_event_ids')`;
const args = (set) => `(select group_concat(k, ' ') from (select flat_key || '=' || coalesce(display_value, '') k
  from args where arg_set_id = ${set} and flat_key not in ${HIDDEN} order by id))`;
const OWNER = (track) => `
  left join thread t on t.utid = ${track}.utid
  left join process p on p.upid = coalesce(${track}.upid, t.upid)`;

// Columns that are times have names that begin with ts, pids and tids with id, names of processes and tracks with name.
const QUERIES = {
  slices: `select s.ts as ts, s.dur, s.depth, s.name, s.category, k.type, k.name as name_track, p.pid as id_p,
      t.tid as id_t, t.name as name_t, p.name as name_p, ps.ts as ts_parent, ps.name, ${args('s.arg_set_id')}
    from slice s join __intrinsic_track k on k.id = s.track_id left join slice ps on ps.id = s.parent_id ${OWNER('k')}`,
  counters: `select c.ts as ts, c.value, k.type, k.name as name_track, k.counter_unit, p.pid as id_p, t.tid as id_t,
      p.name as name_p
    from counter c join __intrinsic_track k on k.id = c.track_id ${OWNER('k')}`,
  flows: `select o.ts as ts_out, o.name, i.ts as ts_in, i.name from flow f join slice o on o.id = f.slice_out
    join slice i on i.id = f.slice_in`,
  threads: `select t.tid as id_t, t.name as name_t, p.pid as id_p, p.name as name_p, t.is_main_thread
    from thread t left join process p using (upid) where (t.tid > 0 or p.pid > 0)`,
  processes: `select p.pid as id_p, p.name as name_p, p.uid, o.pid as id_parent
    from process p left join process o on o.upid = p.parent_upid where p.pid > 0`,
};

// What CPUs did, of inputs that are machines of their own. Packets of kinds that merge does not know may hold more times and ids,
// which stay as they are.
const OF_MACHINES = {
  processes: QUERIES.processes,
  cpus: `select s.ts as ts, s.dur, c.cpu, s.end_state, s.priority, t.tid as id_t, t.name as name_t
    from sched s join thread t using (utid) left join cpu c on c.id = s.ucpu`,
  states: `select s.ts as ts, s.dur, s.state, t.tid as id_t from thread_state s join thread t using (utid)`,
  logs: `select l.ts as ts, l.prio, l.tag, l.msg, t.tid as id_t from android_logs l join thread t using (utid)`,
  cpu_counters: `select c.ts as ts, c.value, k.type, k.name, k.cpu from counter c join cpu_counter_track k on k.id = c.track_id`,
};

// Parts keep the threads and processes that something happens in.
const OF_PARTS = {
  ...QUERIES,
  threads: `${QUERIES.threads} and exists (select 1 from thread_track k join slice s on s.track_id = k.id where k.utid = t.utid)`,
  processes: `${QUERIES.processes} and exists (select 1 from thread t join thread_track k using (utid)
    join slice s on s.track_id = k.id where t.upid = p.upid)`,
};
const failures = [];
const check = (good, text) => {
  if (!good) {
    failures.push(text);
    console.log(`not ok: ${text}`);
  }
  return good;
};

const plain = (v) => (typeof v === 'number' ? BigInt(v) : v !== null && typeof v === 'object' && 'float' in v ? v.float : v);

function number(v) {
  if (typeof v !== 'bigint') return v;
  if (v >= 2n * STEP) return 'large';
  return v >= STEP ? v - STEP : v;
}

class Look {
  constructor(tp, file) {
    this.tp = tp;
    tp.reset();
    this.error = tp.loadFile(file);
  }

  rows(sql, offset, labels) {
    const r = this.tp.query(sql);
    if (r.error) throw new Error(r.error);
    const suffix = new RegExp(` \\((${labels.map((l) => l.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})\\)$`);
    return r.rows.map((row) => row.map((cell, i) => {
      const v = plain(cell), column = r.columns[i];
      if (column.startsWith('ts') && typeof v === 'bigint') return v + offset;
      if (column.startsWith('id_')) return number(v);
      return column.startsWith('name_') && typeof v === 'string' ? v.replace(suffix, '') : v;
    }).map((v) => (v === null ? 'NULL' : String(v))).join(' | '));
  }

  damage() {
    const r = this.tp.query(`select name, sum(value) from stats where severity in ('error', 'data_loss') and value > 0
      group by name`);
    return new Map(r.rows.map((row) => [row[0], Number(plain(row[1]))]));
  }

  all(offset, labels, queries = QUERIES) {
    return Object.fromEntries(Object.entries(queries).map(([name, sql]) => [name, this.rows(sql, offset, labels)]));
  }
}

function difference(expected, given) {
  const left = new Map();
  for (const line of expected) left.set(line, (left.get(line) ?? 0) + 1);
  for (const line of given) left.set(line, (left.get(line) ?? 0) - 1);
  const missing = [], more = [];
  for (const [line, n] of left) {
    if (n > 0) missing.push(line);
    if (n < 0) more.push(line);
  }
  return { missing, more };
}

function compare(what, expected, given) {
  for (const name of Object.keys(expected)) {
    const { missing, more } = difference(expected[name], given[name]);
    check(missing.length + more.length === 0,
          `${what}: ${name}: ${missing.length} of ${expected[name].length} rows are missing, ` +
          `${more.length} too many\n    - ${missing.slice(0, 3).join('\n    - ')}\n    + ${more.slice(0, 3).join('\n    + ')}`);
  }
}

const run = (args) => execFileSync(postfetto, args, { stdio: ['ignore', 'pipe', 'pipe'] });

let checked = 0;
function checkPair(tp, first, second, offset, queries = QUERIES, options = []) {
  const out = path.join(work, 'merged.pftrace');
  const label = (f) => path.basename(f).split('.')[0];
  const same = label(first) === label(second);
  const labels = same ? [first, second, `${second} #2`] : [label(first), label(second)];
  const what = `${path.relative(corpus, first)} and ${path.relative(corpus, second)} + ${offset}`;
  const a = new Look(tp, first);
  if (a.error) return;
  const wholeA = a.all(0n, labels, queries), damageA = a.damage();
  const b = new Look(tp, second);
  if (b.error) return;
  const wholeB = b.all(offset, labels, queries), damageB = b.damage();
  try {
    run(['merge', '-q', ...options, first, second, '-o', out, ...(offset ? ['--offset', `${second}=${offset}`] : [])]);
  } catch (e) {
    check(false, `${what}: ${e.stderr}`);
    return;
  }
  checked++;
  const m = new Look(tp, out);
  if (!check(!m.error, `${what}: the engine cannot load it: ${m.error}`)) return;
  const whole = m.all(0n, labels, queries);
  const both = {};
  for (const name of Object.keys(queries)) both[name] = [...wholeA[name], ...wholeB[name]];
  compare(what, both, whole);
  for (const [name, value] of m.damage()) {
    const before = (damageA.get(name) ?? 0) + (damageB.get(name) ?? 0);
    check(value <= before, `${what}: stats: ${name} is ${value}, ${before} in the inputs`);
  }
}

// Parts of a trace, cut at random or split evenly, are the whole again.
function checkParts(tp, file) {
  const a = new Look(tp, file);
  if (a.error) return;
  const bounds = tp.query('select min(ts), max(ts + max(dur, 0)) from slice').rows[0].map(plain);
  if (bounds[0] === null || bounds[1] - bounds[0] < 3n) return;
  const whole = a.all(0n, [''], OF_PARTS), damage = a.damage();
  const length = Number(bounds[1] - bounds[0]);
  const times = [random(length), random(length)].sort((x, y) => x - y).map((t) => bounds[0] + BigInt(t));
  const what = `${path.relative(corpus, file)} cut at ${times.join(' and ')} ns`;
  const windows = [[null, times[0]], [times[0], times[1]], [times[1], null]].filter(([x, y]) => x !== y);
  const parts = windows.map((_, i) => path.join(work, `part${i}.pftrace`));
  const out = path.join(work, 'joined.pftrace');
  try {
    if (random(2)) {
      fs.rmSync(path.join(work, 'parts'), { recursive: true, force: true });
      run(['split', '-q', file, '-o', path.join(work, 'parts'), '--parts', String(2 + random(4))]);
      const index = JSON.parse(fs.readFileSync(path.join(work, 'parts', 'index.json')));
      parts.splice(0, parts.length, ...index.parts.map((part) => path.join(work, 'parts', part.file)));
    } else windows.forEach(([from, to], i) => run(['cut', '-q', file, '-o', parts[i], ...(from === null ? [] : ['--from', String(from)]),
                                            ...(to === null ? [] : ['--to', String(to)])]));
    run(['merge', '-q', ...parts, '-o', out]);
  } catch (e) {
    check(false, `${what}: ${e.stderr}`);
    return;
  }
  checked++;
  const m = new Look(tp, out);
  if (!check(!m.error, `${what}: the engine cannot load it: ${m.error}`)) return;
  compare(what, whole, m.all(0n, [''], OF_PARTS));
  for (const [name, value] of m.damage()) {
    check(value <= (damage.get(name) ?? 0), `${what}: stats: ${name} is ${value}, ${damage.get(name) ?? 0} in the whole`);
  }
}

// ---- which ----------------------------------------------------------------------------------------------------------

// Kinds of packets that are about one machine as a whole (its CPUs, its devices): of two such inputs nobody can say which
// CPU 0 is meant, so they are not part of the promise.
const OWN = new Set([2, 3, 5, 6, 8, 9, 10, 11, 12, 13, 33, 34, 35, 36, 41, 42, 43, 44, 45, 50, 51, 52, 53, 58, 59, 60, 63, 65,
  69, 71, 78, 79, 87, 89, 90, 126, 128, 1815, 1816]);

function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let v = 0n, shift = 0n, byte;
    do {
      byte = bytes[at++];
      v |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte & 128 && at < bytes.length);
    return v;
  };
  while (at < bytes.length) {
    const tag = Number(varint()), wire = tag & 7;
    let value = null;
    if (wire === 0) varint();
    else if (wire === 2) {
      const size = Number(varint());
      value = bytes.subarray(at, at + size);
      at += size;
    } else at += wire === 1 ? 8 : 4;
    yield [tag >> 3, value];
  }
}

const isOwn = (bytes) => [...fields(bytes)].every(([, packet]) => packet === null || [...fields(packet)].every(
  ([number, value]) => (number === 50 ? isOwn(zlib.inflateSync(value)) : OWN.has(number))));

// Left out, and why.
const EXCEPTIONS = {
  power_power_rails_power_rails_multi_device: 'names a clock of its snapshots in a packet of a kind that merge does not know',
  track_event_name_resolution_extended: 'a track that a late descriptor names is called after the first event of a part until then',
  process_tracking_cmdline_is_comm_for_kthreads: 'the engine knows threads of the kernel by their parent, process 2',
  process_tracking_process_is_kthread_from_procfs: 'likewise',
  gpu_render_stages: 'lists of queues and stages by place, the deprecated form, are one in a trace',
  graphics_gpu_trace_gpu_counter_descriptor_parsed_without_timestamp: 'samples without a time get that of the packet before',
  graphics_gpu_trace_gpu_counter_missing_timestamp_dropped: 'likewise',
  track_event_track_event_absolute_timestamp_us_overflow: 'times at the end of 64 bits cannot be later',
  track_event_track_event_delta_timestamp_addition_overflow: 'likewise',
};

function traces() {
  const found = [], ofMachines = [];
  for (const area of ['perfetto', 'real']) {
    for (const entry of fs.readdirSync(path.join(corpus, area), { recursive: true })) {
      const file = path.join(corpus, area, entry);
      if (/^trace\.(pftrace|pb|perfetto-trace)$|\.pftrace$|\.pb$/.test(path.basename(file)) && fs.statSync(file).isFile() &&
          fs.statSync(file).size < LIMIT && !EXCEPTIONS[path.basename(path.dirname(file))] && fs.readFileSync(file).subarray(0, 1)[0] === 0x0a) {
        try {
          (isOwn(fs.readFileSync(file)) ? found : ofMachines).push(file);
        } catch { /* a damaged one */ }
      }
    }
  }
  return [found.sort(), ofMachines.sort()];
}

// Switches and wakings, as events and as lists of differences, and logs: in MONOTONIC_RAW, which runs at another rate than
// BOOTTIME, and in REALTIME.
function ofClocks(file) {
  const varint = (v) => {
    const out = [];
    for (v = BigInt(v); v > 127n; v >>= 7n) out.push(Number(v & 127n | 128n));
    return [...out, Number(v)];
  };
  const n = (field, v) => [...varint(field * 8), ...varint(v)];
  const m = (field, ...parts) => [...varint(field * 8 + 2), ...varint(parts.flat().length), ...parts.flat()];
  const list = (field, ...values) => m(field, values.flatMap(varint));
  const text = (field, s) => m(field, [...Buffer.from(s)]);
  const clocks = (boot, raw, real) => m(1, m(6, ...[[6, boot], [5, raw], [1, real]].map(([id, ts]) => m(1, n(1, id), n(2, ts)))));
  const change = (pid, next) => [text(1, 'a'), n(2, pid), n(3, 120), n(4, 1), text(5, 'b'), n(6, next), n(7, 120)].flat();
  const event = (ts, pid, next) => m(2, n(1, ts), n(2, pid), m(4, change(pid, next)));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, Buffer.from([
    clocks(1000000, 400000, 7000000), clocks(9000000, 8000000, 15001000),
    m(1, m(1, n(1, 0), n(5, 4), event(500000, 5, 6), event(4500001, 6, 5), event(7000000, 5, 6))),
    m(1, m(1, n(1, 1), n(5, 4), m(4, list(1, 600000, 1000001, 2000003), list(2, 1, 1, 1), list(3, 21, 22, 21),
      list(4, 120, 120, 120), text(5, 'c'), list(6, 0, 0, 0), list(7, 650000, 1500001), list(8, 23, 24), list(9, 1, 1),
      list(10, 120, 120), list(11, 0, 0)))),
    m(1, n(8, 2000000), m(39, m(1, n(1, 2), n(2, 5), n(3, 5), n(5, 7500000), text(6, 'tag'), n(7, 4), text(8, 'said')))),
  ].flat()));
  return file;
}

let state = 0n;
const random = (n) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(n));
};

const [all, machines] = traces();
const seed = BigInt(process.env.POSTFETTO_SEED ?? Date.now() % 1000000);
state = seed;
let chosen = all, chosenMachines = machines;
if (named.length) {
  chosen = all.filter((f) => named.some((n) => path.dirname(f).endsWith(n)));
  chosenMachines = machines.filter((f) => named.some((n) => path.dirname(f).endsWith(n)));
} else if (process.env.POSTFETTO_LONG !== '1') {
  chosen = Array.from({ length: 12 }, () => all[random(all.length)]);
  chosenMachines = Array.from({ length: 6 }, () => machines[random(machines.length)]);
  console.log(`seed ${seed}: POSTFETTO_SEED=${seed} takes the same traces`);
}
const tp = await TraceProcessor.create(path.join(work, 'tp_query/assets'));
for (const file of chosen) {
  checkPair(tp, file, file, OFFSET);
  checkPair(tp, file, all[random(all.length)], 0n);
  checkParts(tp, file);
}
const first = all[0];
const ownClocks = ofClocks(path.join(work, 'of_clocks', 'trace.pftrace'));
for (const options of [[], ['--machines']]) {
  checkPair(tp, first, ownClocks, OFFSET, OF_MACHINES, options);
  checkPair(tp, ownClocks, first, 0n, OF_MACHINES, options);
}
for (const file of chosenMachines) {
  checkPair(tp, all[random(all.length)], file, OFFSET, OF_MACHINES, ['--machines']);
  checkPair(tp, file, machines[random(machines.length)], 0n, OF_MACHINES, ['--machines']);
}
console.log(`${checked} merges\n${checked} passed, ${failures.length} failed, 0 skipped`);
process.exit(failures.length || checked === 0 ? 1 : 0);
