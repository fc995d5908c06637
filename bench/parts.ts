/**
 * Where the time of the tools goes: how long simple versions of parts of their work take, each alone, and which share of
 * the tool's time that is. What is left is the rest of its work: what belongs together, and what each record says.
 *
 *   npm run build && npm run bench parts          once each, on the inputs of `npm run bench`
 *   npm run bench parts -- --only Ascend          those whose name has it
 *   npm run bench parts -- --dir /big/disk        with the inputs there
 */
import Database from 'better-sqlite3';
import { closeSync, createReadStream, mkdirSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { built, fromRoot } from './built-tools.js';
import { measure } from './measure.js';
import { ASCEND_TABLES } from './repeat-ascend.js';
import { ratio, table } from './report.js';
import { FULL_SIZES, Inputs, writeRecords } from './speed/inputs.js';
import { node, NSIGHT_TABLES, tablesIn, WORKS } from './speed/works.js';

const PIECE = 1 << 20;
/** Lines that are parsed before they are written again. */
const LINES = 2000;

/** Measures a part of the work on an input, or on the records that dparse makes of it. @returns seconds */
type Part = (input: string, records: string) => Promise<number>;

async function secondsOf(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}

const read: Part = (input) =>
  secondsOf(() => {
    const [file, piece] = [openSync(input, 'r'), Buffer.allocUnsafe(PIECE)];
    while (readSync(file, piece) > 0);
    closeSync(file);
  });

const inflate: Part = (input) => {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  return secondsOf(() => pipeline(createReadStream(input), createGunzip({ chunkSize: PIECE }), nowhere));
};

/** SQLite looks at every cell of some tables, and hands none over. */
const scanTables =
  (tables: readonly string[]): Part =>
  async (input) => {
    const known = tablesIn(input, tables);
    const database = new Database(input, { readonly: true });
    const columnsOf = (name: string): unknown[] =>
      database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(name);
    const seconds = await secondsOf(() => {
      for (const name of known) {
        const cells = columnsOf(name).map((column) => `max("${String(column)}")`);
        database
          .prepare(`SELECT ${cells.join(', ')} FROM "${name}"`)
          .raw()
          .get();
      }
    });
    database.close();
    return seconds;
  };

/** Measures work on each line of a file, a piece of lines at a time; not what prepares it. */
async function onEachLine<T>(path: string, prepare: (line: string) => T, work: (of: T) => unknown): Promise<number> {
  let seconds = 0;
  let lines: T[] = [];
  const measurePiece = async (): Promise<void> => {
    seconds += await secondsOf(() => lines.forEach(work));
    lines = [];
  };
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    lines.push(prepare(line));
    if (lines.length === LINES) await measurePiece();
  }
  await measurePiece();
  return seconds;
}

const parse = (line: string): unknown => JSON.parse(line);
const parseLines: Part = (input) => onEachLine(input, (line) => line, parse);
const stringify: Part = (_, records) => {
  const bytes = Buffer.allocUnsafe(PIECE);
  return onEachLine(records, parse, (record) => bytes.write(JSON.stringify(record)));
};

/** With the start of a process. */
const parsePieces: Part = async (input) =>
  (await measure(node(fromRoot('bench/parse-pieces.mjs'), input), `${input}.time`)).seconds;

const READ = { 'reading its bytes': read };
const STRINGIFY = { 'JSON.stringify of its records': stringify };
const PARSE = { ...READ, 'JSON.parse of its lines': parseLines };
const database = (tables: readonly string[]): Readonly<Record<string, Part>> => ({
  ...READ,
  'SQLite over its tables': scanTables(tables),
  ...STRINGIFY,
});

/** Parts by the work that they are of. */
const PARTS: Readonly<Record<string, Readonly<Record<string, Part>>>> = {
  'Nsight, no two texts equal': database(NSIGHT_TABLES),
  'Nsight, shapes repeat': database(NSIGHT_TABLES),
  'PyTorch trace': { ...READ, 'JSON.parse in pieces': parsePieces, ...STRINGIFY },
  'PyTorch trace, gzip': { ...READ, 'zlib inflates it': inflate },
  NTFF: { ...READ, ...STRINGIFY },
  'Ascend database': database(ASCEND_TABLES),
  'records of Nsight': PARSE,
  'page of a PyTorch trace': PARSE,
};

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, dir: { type: 'string' } } });
if (!built()) throw new Error('the tools are not built: npm run build');
const works = WORKS.filter(({ name }) => name in PARTS && name.includes(values.only));
if (works.length === 0) throw new Error(`--only takes a part of: ${Object.keys(PARTS).join('; ')}`);
if (values.dir !== undefined) mkdirSync(values.dir, { recursive: true });
const folder = mkdtempSync(join(values.dir ?? tmpdir(), 'dprof-parts-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));

const inputs = new Inputs(FULL_SIZES, folder);
const [records, scratch] = [join(folder, 'records'), join(folder, 'time')];
const rows = [['', 'what', 's', 'share']];
for (const { name, input, ours } of works) {
  if (input === null) continue;
  const path = await inputs.pathOf(input);
  const { seconds } = await measure(ours.command(path), scratch);
  rows.push([name, ours.what, seconds.toFixed(2), '']);
  const parts = PARTS[name] ?? {};
  if (Object.values(parts).includes(stringify)) writeRecords(path, [], records);
  for (const [what, part] of Object.entries(parts)) {
    const took = await part(path, records);
    rows.push(['', what, took.toFixed(2), ratio(took, seconds)]);
    process.stderr.write(`${name}: ${what}: ${took.toFixed(2)} of ${seconds.toFixed(2)} s\n`);
  }
}
process.stdout.write(`${table(rows)}\n`);
