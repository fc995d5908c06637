/**
 * The tree in which partial answers are merged, a limited number at a time, so that no merge opens thousands of files; and
 * names of the files of tasks and merges.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** A merge of several files in the job's folder into one. */
export interface Merge {
  /** Path in the job's folder. */
  readonly output: string;
  readonly inputs: readonly string[];
  /** Hash of all files below it, so that another set of files gets another name. */
  readonly key: string;
}

export const JOB_PART = 'job.part';

const LONGEST = 60;
const DIGITS = 12;

/** The first hex digits of the SHA-256 of a string. */
const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, DIGITS);

/**
 * The name for the files of a profile: the printable part of the profile's name, and a hash of its path, which
 * distinguishes profiles with the same name in several folders.
 * @param path absolute path
 */
export function taskName(path: string): string {
  const readable = basename(path)
    .replace(/[^\w.-]/g, '_')
    .replace(/^[.-]/, '_')
    .slice(0, LONGEST);
  return `${readable}-${shortHash(path)}`;
}

/**
 * Levels from the leaves to the root, whose only merge makes `job.part`; empty when there are no partial answers.
 * @param parts files of partial answers, as paths in the job's folder
 */
export function mergeTree(parts: readonly string[], fanIn: number): Merge[][] {
  if (parts.length === 0) return [];
  const levels: Merge[][] = [];
  let files = parts;
  do {
    const level = levels.length + 1;
    const groups = inGroups(files, fanIn);
    const merges = groups.map((inputs, i) => {
      const key = shortHash(inputs.join('\n'));
      const output = groups.length === 1 ? JOB_PART : `merge/${level}-${String(i).padStart(4, '0')}-${key}.part`;
      return { output, inputs, key };
    });
    levels.push(merges);
    files = merges.map(({ output }) => output);
  } while (files.length > 1);
  return levels;
}

/** Number of merges at each level below the root. */
export function mergeCounts(parts: number, fanIn: number): number[] {
  const counts: number[] = [];
  for (let n = Math.ceil(parts / fanIn); n > 1; n = Math.ceil(n / fanIn)) counts.push(n);
  return counts;
}

function inGroups(files: readonly string[], size: number): (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  for (let first = 0; first < files.length; first += size) groups.push(files.slice(first, first + size));
  return groups;
}
