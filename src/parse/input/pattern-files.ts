/** Patterns in place of files, which a shell has not expanded: they stand for what it would have made of them. */
import type FastGlob from 'fast-glob';
import { lateLibrary } from '../../containers/late-library.js';
import { UserError } from '../../record/errors.js';
import { grouped } from '../../record/plural.js';
import { patternCount } from './pattern-count.js';

/** Loaded for what is no file. */
const fastGlob = lateLibrary<typeof FastGlob>('fast-glob');

/** Whether a path of nothing that is there is a pattern. */
export const isPattern = (path: string): boolean => fastGlob().isDynamicPattern(path);

/** Patterns that the braces of one may stand for. */
const MOST_PATTERNS = 1000;

/**
 * The files that match, in order of name; null for what is no pattern.
 * @param path of nothing that is there
 * @throws UserError where none matches, and for braces that stand for very many patterns: each is searched for by itself
 */
export function filesOfPattern(path: string): string[] | null {
  if (patternCount(path) > MOST_PATTERNS) {
    const what = `stands for more than ${grouped(MOST_PATTERNS)} patterns`;
    throw new UserError(what, { where: path.slice(0, 80), hint: 'give the folder, or a shorter pattern' });
  }
  if (!isPattern(path)) return null;
  const files = fastGlob().sync(path, { onlyFiles: true }).sort();
  if (files.length === 0) throw new UserError('no file matches', { where: path });
  return files;
}
