// What the enriched trace of an AIE case has to show, from the recorded reports of the case and from its events alone:
// nothing here comes from postfetto.
import fs from 'node:fs';
import path from 'node:path';

export function readCase(dir) {
  const params = {};
  for (const line of fs.readFileSync(path.join(dir, 'cmd.txt'), 'utf8').split('\n')) {
    const at = line.indexOf('=');
    if (at > 0) params[line.slice(0, at)] = line.slice(at + 1);
  }
  const expected = path.join(dir, 'expected');
  const json = (f) => JSON.parse(fs.readFileSync(path.join(expected, f), 'utf8'));
  const cores = fs.readdirSync(expected)
    .filter((f) => f.endsWith('.json') && f !== 'index.json' && f !== 'aggregate_perf.json').map(json);
  return { params, cores, aggregate: json('aggregate_perf.json') };
}

// Sorted begins against sorted ends: each begin takes the first unused end after it.
function spans(begins, ends) {
  const byValue = (a, b) => a - b;
  begins.sort(byValue);
  ends.sort(byValue);
  const out = [];
  for (let i = 0, j = 0; i < begins.length && j < ends.length;) {
    if (ends[j] <= begins[i]) j++;
    else out.push([begins[i++], ends[j++]]);
  }
  return out;
}

// Stall intervals of every core process by tile: Map tile -> Map kind -> [[ts, end]...].
export function stallsOf(events) {
  const names = new Map();
  const edges = new Map();
  for (const e of events) {
    if (e.ph === 'M' && e.name === 'process_name') names.set(e.pid, e.args?.name ?? null);
    const kind = /^(LOCK|MEMORY|STREAM|CASCADE)_STALL$/.exec(e.name ?? '')?.[1];
    if (kind && (e.ph === 'B' || e.ph === 'E')) {
      const key = `${e.pid} ${kind}`;
      if (!edges.has(key)) edges.set(key, { pid: e.pid, kind, B: [], E: [] });
      edges.get(key)[e.ph].push(e.ts);
    }
  }
  const out = new Map();
  for (const [pid, name] of names) {
    if (!name?.includes('core_trace')) continue;
    const kinds = new Map();
    for (const { pid: of, kind, B, E } of edges.values()) {
      if (of !== pid) continue;
      const list = spans(B, E);
      list.flawed = list.length !== B.length || list.length !== E.length;
      kinds.set(kind, list);
    }
    out.set(name.includes(' for ') ? name.slice(name.lastIndexOf(' for ') + 5) : name, kinds);
  }
  return out;
}

// Length of the union of intervals clipped to [from, to].
export function covered(intervals, from, to) {
  const clipped = intervals.map(([a, b]) => [Math.max(a, from), Math.min(b, to)]).filter(([a, b]) => a < b)
    .sort((x, y) => x[0] - y[0]);
  let sum = 0, end = -Infinity;
  for (const [a, b] of clipped) {
    if (b > end) sum += b - Math.max(a, end);
    end = Math.max(end, b);
  }
  return sum;
}

// The stretches of [from, to] in which the same kinds of stall last: [start, end, name].
const ORDER = ['LOCK', 'MEMORY', 'STREAM', 'CASCADE'];
export function merged(kinds, from, to) {
  const cuts = new Set([from, to]);
  for (const list of kinds.values()) for (const t of list.flat()) if (t > from && t < to) cuts.add(t);
  const times = [...cuts].sort((a, b) => a - b);
  const out = [];
  for (let i = 0; i + 1 < times.length; i++) {
    const [start, end] = [times[i], times[i + 1]];
    const lasts = ORDER.filter((k) => (kinds.get(k) ?? []).some(([a, b]) => a <= start && b >= end));
    if (lasts.length === 0) continue;
    const name = lasts.join('+'), last = out.at(-1);
    if (last && last[1] === start && last[2] === name) last[1] = end;
    else out.push([start, end, name]);
  }
  return out;
}

// Whether merged stalls say more than the recorded ones: several kinds, lost edges, or stalls of a kind that touch.
export function mergingAdds(kinds) {
  const used = [...kinds.values()].filter((list) => list.length > 0);
  const touches = (list) => list.some(([a], i) => list.some(([c, d], j) => j < i && d >= a && c <= a));
  return used.length > 1 || (used.length === 1 && ([...kinds.values()].some((l) => l.flawed) || touches(used[0])));
}

// Four significant digits.
export const rounded = (v) => Number(v.toPrecision(4));

// 100*(M*K*N/max(1,row*col)/span)/P percent with P = 64, 0 if span is 0.
export function utilisation(params, span) {
  const macs = Number(params.M) * Number(params.K) * Number(params.N);
  return span === 0 ? 0 : 100 * (macs / Math.max(1, Number(params.row) * Number(params.col)) / span) / 64;
}
