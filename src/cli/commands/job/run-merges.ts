/** Merges of a job in this process: the parts there are → `job.part`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, UserError } from '../../../record/errors.js';
import { runWith, type Command } from '../../command.js';
import { partOf, PLACES, type JobFolder } from './job-folder.js';
import type { JobPlan } from './plan/job-plan.js';
import { mergeTree, type Merge } from './plan/merge-tree.js';
import { itemsOf, type Share } from './plan/shares.js';
import { runInside } from './run-inside.js';

export interface MergeRun {
  readonly folder: JobFolder;
  readonly plan: JobPlan;
  /** `dprof merge`. */
  readonly merge: Command;
}

/** Says of which parts `job.part` is. */
const KEY = `${PLACES.merges}/job.key`;

function treeOf({ folder, plan }: Omit<MergeRun, 'merge'>): Merge[][] {
  const done = folder.done();
  return mergeTree(
    plan.tasks.filter(({ name }) => done.has(name)).map((task) => partOf(task)),
    plan.fanIn,
  );
}

/** Whether `job.part` is there, of all parts that are there. */
export function isMerged(run: Omit<MergeRun, 'merge'>): boolean {
  const root = treeOf(run).at(-1)?.[0];
  return root !== undefined && run.folder.read(KEY) === root.key && existsSync(run.folder.at(root.output));
}

/**
 * A share of the merges of a level below the root, from 1.
 * @throws UserError where one fails
 */
export async function mergeLevel(run: MergeRun, level: number, share: Share): Promise<void> {
  const levels = treeOf(run);
  // The root is left to `mergeAll`; a level is missing where there are fewer parts than planned.
  if (level < levels.length) for (const merge of itemsOf(levels[level - 1] ?? [], share)) await mergeOne(run, merge);
}

/**
 * All merges that are missing.
 * @returns whether there is a `job.part` now: there is none without parts
 * @throws UserError where one fails
 */
export async function mergeAll(run: MergeRun): Promise<boolean> {
  const levels = treeOf(run);
  const { folder } = run;
  const root = levels.at(-1)?.[0];
  if (root === undefined) return false;
  if (isMerged(run)) return true;
  folder.remove(KEY);
  for (const merges of levels) for (const merge of merges) await mergeOne(run, merge);
  folder.write(KEY, root.key);
  for (const name of folder.names(PLACES.merges)) if (name.endsWith('.part')) folder.remove(PLACES.merges, name);
  return true;
}

const MERGED = 'part';

async function mergeOne({ folder, merge }: MergeRun, { output, inputs }: Merge): Promise<void> {
  if (output.startsWith(PLACES.merges) && existsSync(folder.at(output))) return;
  const work = folder.work('merge');
  try {
    const paths = inputs.map((input) => folder.at(input));
    const { code, error } = await runInside(() => runWith(merge, ['-q', '-o', join(work.path, MERGED), ...paths]));
    if (code !== EXIT.done) throw new UserError(error ?? 'merging failed', { hint: 'then: dprof job --resume' });
    work.move(MERGED, output);
  } finally {
    work.dispose();
  }
}
