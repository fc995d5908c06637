/** The stages of a job, each command measured: reducing profiles, merging, reporting. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mergeTree } from '../../src/cli/commands/job/plan/merge-tree.js';
import { fromRoot } from '../built-tools.js';
import { measure } from '../measure.js';

/** Seconds, and the largest peak of its commands. */
export interface Stage {
  readonly seconds: number;
  /** Time of processors, which tells more where other programs run beside. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

/** As `dprof job` merges by default. */
const FAN_IN = 32;

const REPORTS: Readonly<Record<string, readonly string[]>> = {
  summary: ['summary'],
  steps: ['steps'],
  ranks: ['ranks'],
  '--by op': ['--by', 'op'],
};
export const REPORT_NAMES = Object.keys(REPORTS);

export async function dprof(folder: string, ...args: readonly string[]): Promise<Stage> {
  const command = { program: process.execPath, args: [fromRoot('bin/dprof.js'), ...args] };
  const { seconds, cpuSeconds, peakBytes } = await measure(command, join(folder, 'time'));
  return { seconds, cpuSeconds: cpuSeconds ?? NaN, peakBytes: peakBytes ?? NaN };
}

/** One after the other. */
export const together = (stages: readonly Stage[]): Stage => ({
  seconds: stages.reduce((sum, { seconds }) => sum + seconds, 0),
  cpuSeconds: stages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  peakBytes: stages.reduce((most, { peakBytes }) => Math.max(most, peakBytes), 0),
});

/** `dprof partial` of profiles into one file. */
export const reduced = (folder: string, profiles: readonly string[], output: string): Promise<Stage> =>
  dprof(folder, 'partial', '-q', ...profiles, '-o', output);

/** Merges as `dprof job` does, one process at a time. @returns the file of all */
export async function merged(folder: string, parts: readonly string[]): Promise<Stage & { readonly path: string }> {
  const stages: Stage[] = [];
  mkdirSync(join(folder, 'merge'), { recursive: true });
  const levels = mergeTree(parts, FAN_IN);
  for (const { inputs, output } of levels.flat()) {
    const paths = inputs.map((input) => join(folder, input));
    stages.push(await dprof(folder, 'merge', '-q', ...paths, '-o', join(folder, output)));
  }
  return { ...together(stages), path: join(folder, levels.at(-1)?.[0]?.output ?? '') };
}

/** The reports of a merged file, by name. */
export async function reports(folder: string, path: string): Promise<Map<string, Stage>> {
  const stages = new Map<string, Stage>();
  for (const [name, args] of Object.entries(REPORTS)) stages.set(name, await dprof(folder, ...args, '-q', path));
  return stages;
}
