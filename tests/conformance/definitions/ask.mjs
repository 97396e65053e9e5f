// Asks Perfetto's engine each line of a file: its rows as CSV, or "fails". ask.mjs TP_QUERY TRACE CASES
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, trace, cases] = process.argv.slice(2);
const { TraceProcessor, toCsv } = await import(pathToFileURL(path.join(tools, 'tp_engine.mjs')).href);
const tp = await TraceProcessor.create(undefined, {});
for (const sql of fs.readFileSync(cases, 'utf8').split('\n')) {
  if (!sql || sql.startsWith('--')) continue;
  tp.reset();
  tp.loadFile(trace);
  const result = tp.query(sql);
  console.log(JSON.stringify(result.error ? 'fails' : toCsv(result)));
}
