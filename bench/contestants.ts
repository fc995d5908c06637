/** What is measured: the plainest reader there is, and the two tools. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Usage } from './measure.js';
import { measure, median } from './measure.js';

export const CONTESTANTS = ['baseline', 'dparse', 'dprof'] as const;
export type Contestant = (typeof CONTESTANTS)[number];

/** A file of the project. */
export const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Whether `npm run build` has been run. */
export const built = (): boolean => existsSync(fromRoot('dist/dparse.js')) && existsSync(fromRoot('dist/dprof.js'));

const TABLES = ['CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_RUNTIME', 'NVTX_EVENTS'];

/** Files of one size of profile. */
export interface Files {
  readonly profile: string;
  readonly records: string;
  readonly scratch: string;
}

const commands: Readonly<Record<Contestant, (files: Files) => Command>> = {
  baseline: ({ profile }) => ({
    program: 'sqlite3',
    args: ['-json', '-readonly', profile, TABLES.map((table) => `SELECT * FROM ${table};`).join(' ')],
  }),
  dparse: ({ profile, records }) => ({
    program: process.execPath,
    args: [fromRoot('bin/dparse.js'), '-q', '-o', records, profile],
  }),
  dprof: ({ records }) => ({ program: process.execPath, args: [fromRoot('bin/dprof.js'), '--csv', records] }),
};

export type Result = ReadonlyMap<Contestant, Usage>;

/** Runs the contestants in turn, `runs` times over, and takes each one's median time and largest peak. */
export async function contest(files: Files, who: readonly Contestant[], runs: number): Promise<Result> {
  const usages = new Map<Contestant, Usage[]>(who.map((contestant) => [contestant, []]));
  for (let run = 1; run <= runs; run++) {
    for (const [contestant, list] of usages) {
      const usage = await measure(commands[contestant](files), files.scratch);
      list.push(usage);
      process.stderr.write(`run ${run}/${runs}  ${contestant}  ${usage.seconds.toFixed(2)} s\n`);
    }
  }
  return new Map([...usages].map(([contestant, list]) => [contestant, summary(list)]));
}

/** Median times and largest peak. */
export function summary(usages: readonly Usage[]): Usage {
  const peaks = usages.map((usage) => usage.peakBytes).filter((peak) => peak !== null);
  const cpu = usages.map((usage) => usage.cpuSeconds).filter((seconds) => seconds !== null);
  return {
    seconds: median(usages.map((usage) => usage.seconds)),
    cpuSeconds: cpu.length === 0 ? null : median(cpu),
    peakBytes: peaks.length === 0 ? null : Math.max(...peaks),
  };
}
