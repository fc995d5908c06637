/**
 * Runs a benchmark of this folder.
 *
 *   npm run bench                        the tools on profiles of each kind (run.ts)
 *   npm run bench NAME [-- OPTIONS]      one of those below; each says its options at its beginning
 *
 * A benchmark prints ratios to something that is measured in the same run.
 */
const BENCHMARKS: Readonly<Record<string, () => Promise<unknown>>> = {
  run: () => import('./run.js'),
  parts: () => import('./parts.js'),
  trace: () => import('./trace.js'),
  neuron: () => import('./neuron.js'),
  ascend: () => import('./ascend.js'),
  answers: () => import('./answers.js'),
  graphs: () => import('./graphs.js'),
  jobs: () => import('./jobs.js'),
  'job-size': () => import('./job-size.js'),
  page: () => import('./page.js'),
  checkouts: () => import('./checkouts.js'),
  parquet: () => import('./parquet.js'),
  reading: () => import('./reading.js'),
  formats: () => import('./table-formats.js'),
  signals: () => import('./signals.js'),
  faults: () => import('./io-faults.js'),
  'output-faults': () => import('./output-faults.js'),
  account: () => import('./account.js'),
  growth: () => import('./growth.js'),
  'critical-path': () => import('./critical-path.js'),
  large: () => import('./large.js'),
  threads: () => import('./threads.js'),
};

const first = process.argv[2] ?? '';
const isNamed = first !== '' && !first.startsWith('-');
// The benchmark reads what follows its name.
if (isNamed) process.argv.splice(2, 1);
const benchmark = BENCHMARKS[isNamed ? first : 'run'];
if (benchmark === undefined) {
  process.stderr.write(`no benchmark is called ${first}: ${Object.keys(BENCHMARKS).join(', ')}\n`);
  process.exitCode = 2;
} else await benchmark();
