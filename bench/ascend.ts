/**
 * How long dparse takes for a big database of the Ascend PyTorch Profiler, and how much memory, compared with `sqlite3 -json`
 * over the tables that it reads. Both are measured in one run, in turn.
 *
 *   npm run build && npm run bench ascend                 200,000 kernels, with all that a real run records besides
 *   npm run bench ascend -- --large                       as many as make 1 GB
 *   npm run bench ascend -- --kernels 20000               fewer
 *   npm run bench ascend -- --runs 3 my_profile.db        another database, the median of three runs
 *   npm run bench ascend -- --dir /big/disk               with the copies there
 *
 * The database is a real one next to the checkout, or else a sample, repeated. It is removed again.
 */
import Database from 'better-sqlite3';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { built, fromRoot } from './built-tools.js';
import { available, measure, summary, temporaryFolder, type Command, type Usage } from './measure.js';
import { realAscendDatabase } from './real-profiles.js';
import { ASCEND_TABLES, repeatDatabase } from './repeat-ascend.js';
import { ratio, table } from './report.js';

const BYTES = 1e9;

/** What dparse promises. */
const LIMITS = { timesSqlite: 2, peakMegabytes: 800 } as const;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** A whole number above 0 of the command line. */
function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number above 0, not ${text}`);
  return value;
}

/** How many kernels a database has, and its bytes. */
function sizeOf(path: string): { kernels: number; bytes: number; tables: string[] } {
  const database = new Database(path, { readonly: true });
  try {
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
    const kernels = database.prepare('SELECT count(*) FROM COMPUTE_TASK_INFO').pluck().get() as number;
    return { kernels, bytes: statSync(path).size, tables: ASCEND_TABLES.filter((name) => names.includes(name)) };
  } finally {
    database.close();
  }
}

const { values, positionals } = parseArgs({
  options: {
    kernels: { type: 'string', default: '200000' },
    large: { type: 'boolean', default: false },
    runs: { type: 'string', default: '1' },
    dir: { type: 'string' },
  },
  allowPositionals: true,
});
const runs = count('runs', values.runs);
const input = positionals[0] ?? realAscendDatabase() ?? fromRoot('samples/ascend_pytorch_profiler_0.db');
if (!built()) throw new Error('dparse is not built: npm run build');
const folder = temporaryFolder(values.dir);

async function run(): Promise<void> {
  const small = sizeOf(input);
  const path = join(folder, 'ascend_pytorch_profiler_0.db');
  let kernels = repeatDatabase(input, Math.ceil(count('kernels', values.kernels) / small.kernels), path);
  if (values.large && statSync(path).size < BYTES) {
    // Descriptions and strings stand there once: a copy is somewhat smaller than the whole.
    const copies = Math.ceil(((kernels / small.kernels) * BYTES) / statSync(path).size);
    rmSync(path);
    kernels = repeatDatabase(input, copies, path);
  }
  const { bytes, tables } = sizeOf(path);
  say(
    `${basename(input)} repeated: ${(bytes / 1e6).toFixed(0)} MB, ${kernels} kernels, median of ${runs}, Node ${process.versions.node}\n`,
  );
  const script = join(folder, 'tables.sql');
  writeFileSync(script, tables.map((name) => `SELECT * FROM ${name};\n`).join(''));
  const commands = new Map<string, Command>([
    ['dparse', { program: process.execPath, args: [fromRoot('bin/dparse.js'), '-q', path] }],
  ]);
  if (await available('sqlite3')) {
    commands.set('sqlite3 -json', { program: 'sqlite3', args: ['-readonly', '-json', path, `.read ${script}`] });
  } else say('sqlite3 is not here: dparse alone.');
  const usages = new Map<string, Usage[]>([...commands.keys()].map((name) => [name, []]));
  for (let turn = 1; turn <= runs; turn++) {
    for (const [name, command] of commands) {
      const usage = await measure(command, join(folder, 'time'));
      usages.get(name)?.push(usage);
      process.stderr.write(`run ${turn}/${runs}  ${name}  ${usage.seconds.toFixed(2)} s\n`);
    }
  }
  const results = new Map([...usages].map(([name, list]) => [name, summary(list)]));
  const base = results.get('sqlite3 -json');
  const megabytes = (usage: Usage | undefined): string => ((usage?.peakBytes ?? NaN) / 1e6).toFixed(0);
  const rows = [...results].map(([name, usage]) => [
    name,
    usage.seconds.toFixed(2),
    usage.cpuSeconds?.toFixed(2) ?? 'na',
    megabytes(usage),
    ratio(usage.seconds, base?.seconds),
    ratio(usage.cpuSeconds ?? undefined, base?.cpuSeconds ?? undefined),
  ]);
  say(table([['', 'seconds', 'cpu s', 'peak MB', '/ sqlite3 -json', 'cpu /'], ...rows]));
  const ours = results.get('dparse');
  const verdict = (kept: boolean): string => (kept ? 'kept' : 'NOT KEPT');
  const times = (ours?.seconds ?? NaN) / (base?.seconds ?? NaN);
  const peak = (ours?.peakBytes ?? NaN) / 1e6;
  say('');
  say(
    table([
      [
        'dparse over sqlite3 -json',
        ratio(ours?.seconds, base?.seconds),
        `at most ${LIMITS.timesSqlite}`,
        Number.isNaN(times) ? 'not measured' : verdict(times <= LIMITS.timesSqlite),
      ],
      [
        'dparse, peak MB',
        megabytes(ours),
        `at most ${LIMITS.peakMegabytes}`,
        Number.isNaN(peak) ? 'not measured' : verdict(peak <= LIMITS.peakMegabytes),
      ],
    ]),
  );
}

await run();
