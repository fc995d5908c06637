/**
 * Records as Parquet beside JSON lines and their gzip: how large they are, how long they take to write, and how long one
 * question over all ranks takes, asked of `dprof --by`, of `dprof sql`, and of DuckDB alone.
 *
 *   npm run build && npm run bench parquet              8 ranks of a trace repeated 20 times
 *   npm run bench parquet -- --copies 100 --ranks 8     larger ones
 *   npm run bench parquet -- --runs 3 --ranges my.pt.trace.json.gz
 *
 * The default trace is a sample. All files are removed again.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { built, fromRoot } from './built-tools.js';
import { measure, summary, temporaryFolder, type Usage } from './measure.js';
import { readTrace, writeRepeated } from './repeat-trace.js';
import { ratio, table } from './report.js';
import { traceTemplate } from './trace-template.js';

const { values, positionals } = parseArgs({
  options: {
    copies: { type: 'string', default: '20' },
    ranks: { type: 'string', default: '8' },
    runs: { type: 'string', default: '1' },
    ranges: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const whole = (name: 'copies' | 'ranks' | 'runs'): number => {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number above 0`);
  return value;
};

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const [lines, packed, parquet] = [at('records.jsonl'), at('records.jsonl.gz'), at('records')];

/** Bytes of a file, or of all files of a folder. */
function bytesOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => statSync(join(path, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

interface Step {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** What it makes, which must not be there before. */
  readonly makes?: string;
}

const tool = (name: string, program: 'dparse' | 'dprof', ...args: readonly string[]): Step => ({
  name,
  program: process.execPath,
  args: [fromRoot(`bin/${program}.js`), ...args],
});

const QUERY =
  'SELECT op, dir, count(*) AS n, sum(sil) AS ns, sum(flops) AS flops FROM kernel GROUP BY ALL ORDER BY ns DESC';
const BY = ['-q', '--by', 'op,dir', '-c', 'count,total,flops', '--csv'];
const TIME = 'SELECT rank, short, count(*) AS n, sum(dur) AS ns FROM kernel GROUP BY ALL ORDER BY ns DESC';

function stepsOf(traces: readonly string[]): Step[] {
  const ranges = values.ranges ? ['--ranges'] : [];
  return [
    { ...tool('dparse -o', 'dparse', '-q', ...ranges, '-o', lines, ...traces), makes: lines },
    { name: 'gzip', program: 'gzip', args: ['-k', lines], makes: packed },
    {
      ...tool('dparse -f parquet', 'dparse', '-q', ...ranges, '-f', 'parquet', '-o', parquet, ...traces),
      makes: parquet,
    },
    tool('dprof --by, lines', 'dprof', ...BY, lines),
    tool('dprof --by, gzip', 'dprof', ...BY, packed),
    tool('dprof --by, Parquet', 'dprof', ...BY, parquet),
    tool('dprof sql, lines', 'dprof', 'sql', '-q', '-f', 'csv', QUERY, lines),
    tool('dprof sql, Parquet', 'dprof', 'sql', '-q', '-f', 'csv', QUERY, parquet),
    tool('dprof sql, Parquet, times only', 'dprof', 'sql', '-q', '-f', 'csv', TIME, parquet),
    {
      name: 'DuckDB alone, Parquet, times only',
      program: process.execPath,
      args: [
        fromRoot('bench/duckdb-query.mjs'),
        TIME.replace('FROM kernel', `FROM '${parquet}/type=kernel/*/*.parquet'`),
      ],
    },
  ];
}

async function run(): Promise<void> {
  const [copies, ranks, runs] = [whole('copies'), whole('ranks'), whole('runs')];
  const input = positionals[0] ?? fromRoot('samples/lenet.pt.trace.json.gz');
  const template = traceTemplate(readTrace(input));
  const traces = Array.from({ length: ranks }, (_, rank) => at(`rank_${rank}.pt.trace.json`));
  for (const trace of traces) writeRepeated(template, copies, trace);
  process.stdout.write(
    `${basename(input)} x ${copies}, ${ranks} ranks, ${copies * ranks * template.events} events, median of ${runs}, Node ${process.versions.node}\n\n`,
  );
  const results: { readonly step: Step; readonly usage: Usage }[] = [];
  for (const step of stepsOf(traces)) {
    const usages: Usage[] = [];
    for (let nth = 0; nth < runs; nth++) {
      if (step.makes !== undefined) rmSync(step.makes, { recursive: true, force: true });
      usages.push(await measure(step, at('time')));
    }
    results.push({ step, usage: summary(usages) });
    process.stderr.write(`${step.name}  ${usages.at(-1)?.seconds.toFixed(2) ?? ''} s\n`);
  }
  // Other programs of the machine make a run longer, but hardly take more of the processors for it.
  const cpuOf = ({ cpuSeconds, seconds }: Usage): number => cpuSeconds ?? seconds;
  const first = (made: boolean): number | undefined =>
    results.filter(({ step }) => (step.makes !== undefined) === made).map(({ usage }) => cpuOf(usage))[0];
  const rows = results.map(({ step, usage }) => {
    const isMade = step.makes !== undefined;
    const size = step.makes === undefined ? null : bytesOf(step.makes);
    return [
      step.name,
      usage.seconds.toFixed(2),
      cpuOf(usage).toFixed(2),
      ratio(cpuOf(usage), first(isMade)),
      usage.peakBytes === null ? 'na' : (usage.peakBytes / 1e6).toFixed(0),
      size === null ? '' : (size / 1e6).toFixed(2),
      size === null ? '' : ratio(size, bytesOf(packed)),
    ];
  });
  const heading = ['', 'seconds', 'CPU s', '/ lines', 'peak MB', 'size MB', '/ gzip'];
  process.stdout.write(`${table([heading, ...rows])}\n`);
}

if (!built()) throw new Error('the tools are not built: npm run build');
await run();
