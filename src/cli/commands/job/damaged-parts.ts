/** Files of partial answers in a job's folder that are not as they were written: they are removed, to be made again. */
import { existsSync } from 'node:fs';
import { UserError } from '../../../record/errors.js';
import { counted } from '../../../record/plural.js';
import { say } from '../../message.js';
import { MemberStore } from '../partial/member-store.js';
import { readMembers } from '../partial/read-members.js';
import { PLACES, type JobFolder } from './job-folder.js';

export async function removeDamaged(folder: JobFolder): Promise<void> {
  const damaged: string[] = [];
  for (const place of partsOf(folder)) if (!(await isWhole(folder.at(place)))) damaged.push(place);
  for (const place of damaged) folder.remove(place);
  const [first] = damaged;
  if (first === undefined) return;
  const others = damaged.length > 1 ? ` and ${counted(damaged.length - 1, 'other file')}` : '';
  say('dprof', `${folder.at(first)}${others}: damaged since the job wrote it: made again`);
}

/** Of tasks and of merges, from the job's folder. */
const partsOf = (folder: JobFolder): string[] => [
  ...[PLACES.parts, PLACES.merges].flatMap((place) =>
    folder.names(place).flatMap((name) => (name.endsWith('.part') ? [`${place}/${name}`] : [])),
  ),
  ...(existsSync(folder.at(PLACES.part)) ? [PLACES.part] : []),
];

/** Whether a file has all of its members, each with the content that its id states. */
async function isWhole(path: string): Promise<boolean> {
  const store = new MemberStore();
  try {
    return (await readMembers(path, store, '')).cut === null;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  } finally {
    store.dispose();
  }
}
