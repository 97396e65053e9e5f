// A Chrome JSON document with a bit of everything that conversion knows, and what the engine has to read in the converted
// trace. The expectations follow from docs/reference/perfetto.md by hand: times are nanoseconds, complete events that
// overlap are on lanes of their own, texts as pids are process names under numbers from 2^30 on.
export const general = {
  input: {
    traceEvents: [
      { name: 'process_name', ph: 'M', pid: 5, args: { name: 'five' } },
      { name: 'thread_name', ph: 'M', pid: 5, tid: 6, args: { name: 'six' } },
      { name: 'process_name', ph: 'M', pid: 5, args: { name: 'five again' } },
      // Nested, overlapping and empty complete events.
      { ph: 'X', name: 'a', cat: 'c1,c2', pid: 5, tid: 6, ts: 10, dur: 10,
        args: { x: 1, l: [1, { q: 2.5 }, [3]], n: null, o: { p: 's', b: true }, e: {} } },
      // Arguments that are written as texts: lists of numbers, negative and short numbers.
      { ph: 'X', name: 'texts', pid: 5, tid: 9, ts: 10, dur: 10,
        args: { s: [[100, 20, -3], [], [7]], h: [0.5, -1.25, 12], empty: [], n: -5, r: 0.25, big: -9007199254740991 } },
      { ph: 'X', name: 'b', pid: 5, tid: 6, ts: 10, dur: 5.25 },
      { ph: 'X', name: 'overlap', pid: 5, tid: 6, ts: 15, dur: 10 },
      { ph: 'X', name: 'zero', pid: 5, tid: 6, ts: 20, dur: 0 },
      // A complete event that outlives the begin/end pair around it; ends without a begin.
      { ph: 'B', name: 'pair', cat: 'c1', pid: 5, tid: 7, ts: 10, args: { u: 'begin' } },
      { ph: 'X', name: 'cross', pid: 5, tid: 7, ts: 12, dur: 20.001 },
      { ph: 'E', name: 'pair', pid: 5, tid: 7, ts: 20, args: { v: 'end' } },
      { ph: 'E', pid: 5, tid: 7, ts: 21 },
      // The end of another name closes nothing; the inner one is cut to the outer.
      { ph: 'B', name: 'outer', pid: 5, tid: 8, ts: 1 },
      { ph: 'B', name: 'inner', pid: 5, tid: 8, ts: 2 },
      { ph: 'E', name: 'other', pid: 5, tid: 8, ts: 3 },
      { ph: 'E', name: 'inner', pid: 5, tid: 8, ts: 4 },
      { ph: 'E', name: 'outer', pid: 5, tid: 8, ts: 5 },
      { ph: 'B', name: 'open', pid: 5, tid: 8, ts: 50 },
      // Ids that a Perfetto trace cannot hold, and process 0.
      { ph: 'X', name: 'text', pid: 'Spans', tid: 3, ts: 1.001, dur: 2.002 },
      { ph: 'X', name: 'large', pid: 99999999999, tid: 140737488355333, ts: 1, dur: 2 },
      { ph: 'X', name: 'nobody', pid: 0, tid: 0, ts: 3, dur: 1 },
      // Instants of three scopes, counters.
      { ph: 'i', name: 'everywhere', s: 'g', ts: 30, pid: 5, tid: 6 },
      { ph: 'i', name: 'in process', s: 'p', ts: 31, pid: 5, tid: 6 },
      { ph: 'I', name: 'in thread', s: 't', ts: 20, pid: 5, tid: 6 },
      { ph: 'C', name: 'ctr', ts: 25, pid: 5, args: { v: 3, w: -2.5 } },
      { ph: 'C', name: 'ctr', ts: 5, pid: 5, args: { v: 1e300 } },
      // Nothing of these can be shown.
      { ph: 'B', name: 'early', pid: 5, tid: 6, ts: -1 },
      { ph: 'B', name: 'timeless', pid: 5, tid: 6 },
    ],
  },
  expected: {
    slices: {
      sql: `select s.ts, s.dur, s.depth, s.name, s.category, p.pid, p.name, t.tid, t.name, ps.name
            from slice s join thread_track tt on tt.id = s.track_id join thread t using (utid) join process p using (upid)
            left join slice ps on ps.id = s.parent_id where tt.type = 'thread_execution'`,
      rows: [
        '10000 | 10000 | 0 | a | c1,c2 | 5 | five again | 6 | six | NULL',
        '10000 | 5250 | 1 | b | NULL | 5 | five again | 6 | six | a',
        '20000 | 0 | 0 | zero | NULL | 5 | five again | 6 | six | NULL',
        '20000 | 0 | 1 | in thread | NULL | 5 | five again | 6 | six | zero',
        '10000 | 10000 | 0 | texts | NULL | 5 | five again | 9 | NULL | NULL',
        '10000 | 10000 | 0 | pair | c1 | 5 | five again | 7 | NULL | NULL',
        '1000 | 4000 | 0 | outer | NULL | 5 | five again | 8 | NULL | NULL',
        '2000 | 2000 | 1 | inner | NULL | 5 | five again | 8 | NULL | outer',
        '50000 | -1 | 0 | open | NULL | 5 | five again | 8 | NULL | NULL',
        '1001 | 2002 | 0 | text | NULL | 1073741824 | Spans | 3 | NULL | NULL',
        '1000 | 2000 | 0 | large | NULL | 1073741825 | 99999999999 | 140737488355333 | NULL | NULL',
        '3000 | 1000 | 0 | nobody | NULL | 0 | NULL | 0 | NULL | NULL',
      ],
    },
    lanes: {
      sql: `select s.ts, s.dur, s.depth, s.name, t.tid, tt.name from slice s join thread_track tt on tt.id = s.track_id
            join thread t using (utid) where tt.type != 'thread_execution'`,
      rows: ['15000 | 10000 | 0 | overlap | 6 | six', '12000 | 20001 | 0 | cross | 7 | overlap'],
    },
    instants: {
      sql: `select s.ts, s.dur, s.name, t.name, p.pid from slice s join __intrinsic_track t on t.id = s.track_id
            left join process p using (upid) where t.utid is null`,
      rows: ['30000 | 0 | everywhere | Global instants | NULL', '31000 | 0 | in process | Process instants | 5'],
    },
    counters: {
      sql: `select c.ts, c.value, t.name, p.pid from counter c join __intrinsic_track t on t.id = c.track_id
            left join process p using (upid)`,
      rows: ['5000 | 1e+300 | ctr v | 5', '25000 | 3 | ctr v | 5', '25000 | -2.5 | ctr w | 5'],
    },
    arguments: {
      sql: 'select s.name, a.key, a.display_value, a.value_type from args a join slice s using (arg_set_id)',
      rows: ['a | debug.x | 1 | int', 'a | debug.l[0] | 1 | int', 'a | debug.l[1].q | 2.5 | real',
        'a | debug.l[2][0] | 3 | int', 'a | debug.o.p | s | string', 'a | debug.o.b | true | bool',
        'texts | debug.s[0][0] | 100 | int', 'texts | debug.s[0][1] | 20 | int', 'texts | debug.s[0][2] | -3 | int',
        'texts | debug.s[2][0] | 7 | int', 'texts | debug.h[0] | 0.5 | real', 'texts | debug.h[1] | -1.25 | real',
        'texts | debug.h[2] | 12 | int', 'texts | debug.n | -5 | int', 'texts | debug.r | 0.25 | real',
        'texts | debug.big | -9007199254740991 | int',
        'pair | debug.u | begin | string', 'pair | debug.v | end | string'],
    },
    attributes: {
      sql: `select name, str_value from metadata where name glob 'trace_attribute.postfetto.pid.*'`,
      rows: ['trace_attribute.postfetto.pid.1073741824 | Spans', 'trace_attribute.postfetto.pid.1073741825 | 99999999999'],
    },
  },
};
