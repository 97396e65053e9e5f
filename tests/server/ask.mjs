// Asks Perfetto's engine the sections of a file of SQL, of several traces: ask.mjs TP_QUERY SQL TRACE...
// A line of JSON for each trace: by name, {columns, rows} or {error}; a cell is null, [type, text].
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, sql, ...traces] = process.argv.slice(2);
const { TraceProcessor, splitNamed } = await import(pathToFileURL(path.join(tools, 'tp_engine.mjs')).href);
const tp = await TraceProcessor.create(undefined, {});
const cell = (v) => {
  if (v === null) return null;
  if (typeof v === 'string') return ['s', v];
  if (typeof v === 'number' || typeof v === 'bigint') return ['i', v.toString()];
  if (v instanceof Uint8Array) return ['b', Buffer.from(v).toString('hex')];
  return ['f', Buffer.from(new Float64Array([v.float]).buffer).toString('hex')];
};
for (const trace of traces) {
  const answers = {};
  tp.reset();
  const failed = tp.loadFile(trace);
  if (failed) throw new Error(`${trace}: ${failed}`);
  for (const { name, sql: text } of splitNamed(fs.readFileSync(sql, 'utf8')).queries) {
    const { error, columns, rows } = tp.query(text);
    answers[name] = error ? { error } : { columns, rows: rows.map((row) => row.map(cell)) };
  }
  console.log(JSON.stringify(answers));
}
