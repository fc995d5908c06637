/**
 * What the time of the tools is made of at the least: how long parts of their work take that no program in JavaScript
 * can do without, and which share of the tools' time that is.
 *
 *   npm run build && npm run bench:floors         the inputs of `npm run bench`
 *   npm run bench:floors -- --only Ascend         those whose name has it
 *   npm run bench:floors -- --dir /big/disk       with the inputs there
 */
import Database from 'better-sqlite3';
import { closeSync, createReadStream, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { built, fromRoot } from './built-tools.js';
import { measure, type Command } from './measure.js';
import { ASCEND_TABLES } from './repeat-ascend.js';
import { ratio, table } from './report.js';
import { Inputs, type InputName } from './speed/inputs.js';
import { FULL } from './speed/sizes.js';
import { NSIGHT_TABLES, tablesIn } from './speed/works.js';

const PIECE = 1 << 20;
/** Lines that are parsed before they are written again. */
const LINES = 2000;

/** Seconds of a part, of an input or of the records that dparse makes of it. */
type Floor = (input: string, records: string) => number | Promise<number>;

function secondsOf(work: () => void): number {
  const before = performance.now();
  work();
  return (performance.now() - before) / 1000;
}

const reading: Floor = (input) =>
  secondsOf(() => {
    const [file, piece] = [openSync(input, 'r'), Buffer.allocUnsafe(PIECE)];
    while (readSync(file, piece) > 0);
    closeSync(file);
  });

const inflating: Floor = async (input) => {
  const before = performance.now();
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  await pipeline(createReadStream(input), createGunzip(), nowhere);
  return (performance.now() - before) / 1000;
};

/** SQLite goes over every cell of some tables, and hands none over. */
const scanning =
  (tables: readonly string[]): Floor =>
  (input) => {
    const known = tablesIn(input, tables);
    const database = new Database(input, { readonly: true });
    const columnsOf = (name: string): unknown[] =>
      database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(name);
    const seconds = secondsOf(() => {
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

/** Some work on each line of a file, a piece of lines at a time; what comes before it is not measured. */
async function eachLine<T>(path: string, prepare: (line: string) => T, work: (of: T) => unknown): Promise<number> {
  let seconds = 0;
  let lines: T[] = [];
  const measurePiece = (): void => {
    seconds += secondsOf(() => lines.forEach(work));
    lines = [];
  };
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    lines.push(prepare(line));
    if (lines.length === LINES) measurePiece();
  }
  measurePiece();
  return seconds;
}

const writing: Floor = (_, records) => {
  const bytes = Buffer.allocUnsafe(PIECE);
  return eachLine(
    records,
    (line) => JSON.parse(line) as unknown,
    (record) => bytes.write(JSON.stringify(record)),
  );
};
const parsingLines: Floor = (_, records) =>
  eachLine(
    records,
    (line) => line,
    (line) => JSON.parse(line) as unknown,
  );

const node = (...args: readonly string[]): Command => ({ program: process.execPath, args });
const parsingPieces: Floor = async (input) =>
  (await measure(node(fromRoot('bench/parse-pieces.mjs'), input), `${input}.time`)).seconds;

/** Parts of the work by their names. */
type Floors = Readonly<Record<string, Floor>>;

const WRITTEN: Floors = { 'JSON.stringify of its records': writing };
const PARSED: Floors = { 'JSON.parse of its lines': parsingLines };
const database = (tables: readonly string[]): Floors => ({
  'SQLite goes over the tables': scanning(tables),
  ...WRITTEN,
});

interface FloorsOfTool {
  readonly name: string;
  readonly input: InputName;
  readonly tool: readonly string[];
  readonly floors: Floors;
}

const DPARSE = ['dparse'];
const TOOLS: readonly FloorsOfTool[] = [
  { name: 'Nsight, no two texts equal', input: 'differing.sqlite', tool: DPARSE, floors: database(NSIGHT_TABLES) },
  { name: 'Nsight, shapes repeat', input: 'repeating.sqlite', tool: DPARSE, floors: database(NSIGHT_TABLES) },
  {
    name: 'PyTorch trace',
    input: 'trace.json',
    tool: DPARSE,
    floors: { 'JSON.parse in pieces': parsingPieces, ...WRITTEN },
  },
  { name: 'PyTorch trace, gzip', input: 'trace.json.gz', tool: DPARSE, floors: { 'zlib inflates it': inflating } },
  { name: 'NTFF', input: 'core.ntff', tool: DPARSE, floors: WRITTEN },
  { name: 'Ascend database', input: 'ascend_pytorch_profiler_0.db', tool: DPARSE, floors: database(ASCEND_TABLES) },
  { name: 'records of Nsight', input: 'differing.dict', tool: ['dprof'], floors: PARSED },
  { name: 'page of a trace of PyTorch', input: 'trace.dict', tool: ['dprof', 'html'], floors: PARSED },
];

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, dir: { type: 'string' } } });
if (!built()) throw new Error('the tools are not built: npm run build');
const folder = mkdtempSync(join(values.dir ?? tmpdir(), 'dprof-floors-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));

const inputs = new Inputs(FULL, folder);
const records = join(folder, 'records');
const rows = [['', 'what', 's', 'of it']];
for (const { name, input, tool, floors } of TOOLS.filter((one) => one.name.includes(values.only))) {
  const path = await inputs.pathOf(input);
  const [program = '', ...command] = tool;
  const { seconds } = await measure(node(fromRoot(`bin/${program}.js`), ...command, '-q', path), join(folder, 'time'));
  rows.push([name, tool.join(' '), seconds.toFixed(2), '']);
  const isOfRecords = tool !== DPARSE;
  if (!isOfRecords) await measure(node(fromRoot('bin/dparse.js'), '-q', '-o', records, path), join(folder, 'time'));
  for (const [what, floor] of Object.entries({ 'reading its bytes': reading, ...floors })) {
    const least = await floor(path, isOfRecords ? path : records);
    rows.push(['', what, least.toFixed(2), ratio(least, seconds)]);
    process.stderr.write(`${name}: ${what}: ${least.toFixed(2)} of ${seconds.toFixed(2)} s\n`);
  }
}
process.stdout.write(`${table(rows)}\n`);
