// What the engine sees in a trace, in plain values: integers as BigInt, reals as Number, texts, null.

// Every slice with all that identifies it; sorted lines are compared as multisets.
const SLICES = `
  select s.ts, s.dur, s.depth, s.name, s.category, p.pid, p.name, t.tid, t.name, ps.ts, ps.name
  from slice s
  join thread_track tt on tt.id = s.track_id
  join thread t using (utid)
  left join process p using (upid)
  left join slice ps on ps.id = s.parent_id
  where tt.type = 'thread_execution'`;

// The engine keeps what a descriptor says beyond its tables as arguments of the track.
const said = (key) => `(select coalesce(a.string_value, a.int_value) from args a
                        where a.arg_set_id = t.source_arg_set_id and a.key = '${key}')`;
const TRACKS = `
  select t.id, t.name, t.type, t.counter_unit, p.name, pt.name, ${said('description')}, ${said('child_ordering')},
    ${said('sibling_order_rank')}, ${said('y_axis_share_key')}
  from __intrinsic_track t
  left join process p using (upid)
  left join __intrinsic_track pt on pt.id = t.parent_id
  where t.type != 'thread_execution'`;

const plain = (v) => {
  if (typeof v === 'number') return BigInt(v);
  if (v !== null && typeof v === 'object' && 'float' in v) return v.float;
  return v;
};

export class Look {
  constructor(tp, file) {
    this.tp = tp;
    this.file = file;
    tp.reset();
    const error = tp.loadFile(file);
    if (error) throw new Error(`${file}: the engine cannot load it: ${error}`);
  }

  rows(sql) {
    const r = this.tp.query(sql);
    if (r.error) throw new Error(`${this.file}: ${r.error}`);
    return r.rows.map((row) => row.map(plain));
  }

  // Slices on thread tracks as text lines. `scale` divides times (the engine reads cycles in JSON as microseconds),
  // `tidOffset` is taken from the thread ids.
  threadSlices(scale = 1n, tidOffset = 0n) {
    const time = (v) => {
      if (v === null || v < 0n) return v;
      if (v % scale !== 0n) throw new Error(`${this.file}: time ${v} is not a multiple of ${scale}`);
      return v / scale;
    };
    return this.rows(SLICES).map(([ts, dur, depth, name, category, pid, pname, tid, tname, parentTs, parent]) =>
      [time(ts), time(dur), depth, name, category, pid, pname, tid - tidOffset, tname, time(parentTs), parent]
        .map((v) => (v === null ? 'NULL' : String(v))).join(' | ')).sort();
  }

  // Error and data_loss rows of the stats table that are not zero.
  damage() {
    return this.rows(`select name, coalesce(idx, -1), severity, value from stats
                      where value != 0 and severity in ('error', 'data_loss')`)
      .map((r) => r.join(' ')).sort();
  }

  tracks() {
    return this.rows(TRACKS).map(([id, name, type, unit, process, parent, description, ordering, rank, share]) =>
      ({ id, name, type, unit, process, parent, description, ordering, rank, share }));
  }

  slicesOf(id) {
    const args = new Map();
    for (const [set, key, int, text, real, type] of this.rows(
      `select a.arg_set_id, a.key, a.int_value, a.string_value, a.real_value, a.value_type
       from args a join slice s using (arg_set_id) where s.track_id = ${id}`)) {
      if (!args.has(set)) args.set(set, {});
      args.get(set)[key.replace(/^debug\./, '')] = type === 'real' ? real : type === 'string' ? text : int;
    }
    return this.rows(`select ts, dur, depth, name, arg_set_id from slice where track_id = ${id} order by ts, id`)
      .map(([ts, dur, depth, name, set]) => ({ ts, dur, depth, name, args: set === null ? {} : args.get(set) }));
  }

  samplesOf(id) {
    return this.rows(`select ts, value from counter where track_id = ${id} order by ts, id`);
  }

  attribute(key) {
    const r = this.rows(`select coalesce(str_value, int_value) from metadata where name = 'trace_attribute.${key}'`);
    return r.length ? r[0][0] : null;
  }
}
