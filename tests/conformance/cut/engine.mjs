// Perfetto's engine as a service: a path on each line of standard input, all sections of a file of queries for each line of
// standard output, as {section: rows}, or {load_error} or {crash}. engine.mjs TP_QUERY SECTIONS
//
// Reals and blobs come as texts, so that equal cells are equal texts; a crash starts a new engine.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [tools, sections] = process.argv.slice(2);
const { TraceProcessor, csvCell, splitNamed } = await import(pathToFileURL(path.join(tools, 'tp_engine.mjs')).href);
const { prelude, queries } = splitNamed(fs.readFileSync(sections, 'utf8'));
let tp = await TraceProcessor.create(undefined, {});

const plain = (cell) => (typeof cell === 'bigint' || (cell !== null && typeof cell === 'object') ? csvCell(cell) : cell);

function ask(file) {
  tp.reset();
  const loadError = tp.loadFile(file);
  if (loadError) return { load_error: loadError.trim() };
  const answer = {};
  for (const { name, sql } of [{ name: 'prelude', sql: prelude }, ...queries]) {
    const result = tp.query(sql);
    if (result.error) throw new Error(`${name}: ${result.error}`);
    answer[name] = result.rows.map((row) => row.map(plain));
  }
  return answer;
}

for await (const file of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = ask(file);
  } catch (e) {
    answer = { crash: String(e.message).split('\n')[0] };
    tp = await TraceProcessor.create(undefined, {});
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
