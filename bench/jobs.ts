/**
 * What `dprof ranks` says of simulated jobs beside what happened in them: clocks, transfers, and who is slow.
 *
 *   npm run bench jobs                                     10 seeds of each scenario, 8 ranks
 *   npm run bench jobs -- --seeds 100                      as many as the figures of the guide
 *   npm run bench jobs -- --tp 4 --pp 2 --dp 8 --stated    64 ranks, whose profiles state ordinals and descriptions
 */
import { parseArgs } from 'node:util';
import type { JobRequest } from '../samples/programs/job/options.js';
import { simulateJob } from '../samples/programs/job/simulate.js';
import { checkJob, type JobCheck } from './job-check.js';
import { table } from './report.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    tp: { type: 'string', default: '2' },
    pp: { type: 'string', default: '2' },
    dp: { type: 'string', default: '2' },
    steps: { type: 'string', default: '10' },
    layers: { type: 'string', default: '4' },
    stated: { type: 'boolean', default: false },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const [seeds, tp, pp, dp, steps, layers] = [
  ...[values.seeds, values.tp, values.pp, values.dp, values.steps, values.layers].map(Number),
] as [number, number, number, number, number, number];
const ranks = tp * pp * dp;

/** What is wrong with a job, by its seed. */
const SCENARIOS: Readonly<Record<string, (seed: number) => JobRequest>> = {
  clean: () => ({}),
  'slow layer': (seed) => ({ inject: { slowLayer: { rank: seed % ranks, layer: seed % layers, factor: 1.07 } } }),
  'slow machine': (seed) => ({
    ranksPerNode: Math.max(1, ranks / 4),
    inject: { slowNode: { node: seed % 4, factor: 1.03 } },
  }),
  'slow link': (seed) => ({ inject: { slowLink: { rank: seed % ranks, factor: 1.5, kind: 'tensor' } } }),
  'data loading': (seed) => ({ inject: { dataLoading: { rank: seed % ranks, ns: 5_000_000 } } }),
};

const most = (checks: readonly JobCheck[], of: (check: JobCheck) => number): number =>
  checks.reduce((all, check) => Math.max(all, of(check)), 0);
const share = (checks: readonly JobCheck[], holds: (check: JobCheck) => boolean): string =>
  `${checks.filter(holds).length}/${checks.length}`;

const lines = Object.entries(SCENARIOS)
  .filter(([name]) => values.only === undefined || name === values.only)
  .map(([name, request]) => {
    const checks = Array.from({ length: seeds }, (_, index) => {
      const job = simulateJob({ tp, pp, dp, steps, layers, seed: index + 1, ...request(index + 1) });
      return checkJob(job, { ordinals: values.stated, descriptions: values.stated });
    });
    if (values.verbose) for (const [index, check] of checks.entries()) console.error(name, index + 1, check);
    return [
      name,
      (most(checks, ({ clockError }) => clockError) / 1000).toFixed(2),
      share(checks, ({ clockError, beyondBound }) => clockError <= 5000 || beyondBound <= 0),
      share(checks, ({ matched, truth }) => matched === truth),
      `${(100 * most(checks, ({ transferError }) => transferError)).toFixed(2)} %`,
      `${(100 * most(checks, ({ longTransferError }) => longTransferError)).toFixed(2)} %`,
      `${(100 * most(checks, ({ bandwidthError }) => bandwidthError)).toFixed(2)} %`,
      share(checks, ({ found }) => found),
      share(checks, ({ reason }) => reason),
      share(checks, ({ falseFinds }) => falseFinds === 0),
      (most(checks, ({ reportMs }) => reportMs) / 1000).toFixed(2),
    ];
  });
console.log(
  `${ranks} ranks, ${steps} steps, ${seeds} seeds, profiles ${values.stated ? 'state' : 'do not state'} ordinals`,
);
console.log(
  table([
    [
      'job',
      'clock us',
      'in bound',
      'matched',
      'transfer',
      '>=100us',
      'busbw',
      'found',
      'reason',
      'no other',
      'report s',
    ],
    ...lines,
  ]),
);
