/**
 * How much faster `dparse` reads one profile with several threads:
 *
 *   npm run build && npm run bench threads                 all kinds, medians of 3 runs
 *   npm run bench threads -- --only Nsight --runs 1        only kinds whose name contains Nsight
 *   npm run bench threads -- --scale 4                     four times the size
 *
 * Prints seconds and peak memory with 1, 2 and 16 threads (dparse uses at most one per core), and the speed-up. CPU time with
 * 1 and 2 threads shows how much work every thread repeats; the rest is divided among them. The last columns give the
 * speed-up this predicts for 8 and 32 cores.
 */
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { built, fromRoot } from './built-tools.js';
import { measure, summary, temporaryFolder, type Usage } from './measure.js';
import { table } from './report.js';
import { FULL_SIZES, Inputs, type InputName, type Sizes } from './speed/inputs.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
  },
});
if (!built()) throw new Error('the tools are not built: npm run build');

const KINDS: readonly (readonly [name: string, input: InputName])[] = [
  ['Nsight, no two texts equal', 'differing.sqlite'],
  ['Nsight, shapes repeat', 'repeating.sqlite'],
  ['NTFF', 'core.ntff'],
  ['PyTorch', 'trace.json'],
  ['PyTorch, gzip', 'trace.json.gz'],
  ['Ascend', 'ascend_pytorch_profiler_0.db'],
];
const THREADS = [1, 2, 16];
const MODELLED = [8, 32];

const scale = Number(options.scale);
const sizes = Object.fromEntries(Object.entries(FULL_SIZES).map(([name, size]) => [name, size * scale])) as Sizes;
const folder = temporaryFolder();
const inputs = new Inputs(sizes, folder);

/** The median of several runs of dparse with a number of threads. */
async function usageOf(input: string, threads: number): Promise<Usage> {
  const args = [fromRoot('bin/dparse.js'), '-q', '-j', String(threads), input];
  const usages: Usage[] = [];
  for (let run = 0; run < Number(options.runs); run++)
    usages.push(await measure({ program: process.execPath, args }, join(folder, 'time')));
  return summary(usages);
}

/** Fraction of the CPU time of one thread that threads which share a profile repeat at least. */
const REPEATED = 0.05;

/**
 * Predicted speed-up on `cores` cores: each thread repeats a part of the work, and the rest is divided. `na` if the threads
 * do not share the profile.
 */
function modelled([{ cpuSeconds: alone }, { cpuSeconds: both }]: readonly [Usage, Usage], cores: number): string {
  if (alone === null || both === null || both < alone * (1 + REPEATED)) return 'na';
  const repeated = both - alone;
  return (alone / (repeated + Math.max(0, alone - repeated) / cores)).toFixed(2);
}

try {
  const rows: string[][] = [];
  for (const [name, input] of KINDS.filter(([each]) => each.includes(options.only))) {
    const path = await inputs.pathOf(input);
    const usages: Usage[] = [];
    for (const threads of THREADS) usages.push(await usageOf(path, threads));
    const [with1, with2, with16] = usages as [Usage, Usage, Usage];
    const peak = ({ peakBytes }: Usage): string => (peakBytes === null ? 'na' : (peakBytes / 1e6).toFixed(0));
    rows.push([
      name,
      ...[with1, with2, with16].map(({ seconds }) => seconds.toFixed(2)),
      ...[with1, with2, with16].map(peak),
      (with1.seconds / with2.seconds).toFixed(2),
      ...MODELLED.map((cores) => modelled([with1, with2], cores)),
    ]);
    process.stderr.write(`${rows.at(-1)?.join('  ')}\n`);
  }
  const heads = [
    '',
    ...THREADS.map((threads) => `s, ${threads}`),
    ...THREADS.map((threads) => `MB, ${threads}`),
    'speed-up of 2',
    ...MODELLED.map((cores) => `model of ${cores}`),
  ];
  process.stdout.write(`${table([heads, ...rows])}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
