/**
 * Finds the files in a folder, in its subfolders and behind its links, or the files that match a pattern that the shell
 * has not expanded.
 */
import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isSystemError, systemReason, UserError } from '../../record/errors.js';
import type FastGlob from 'fast-glob';
import { lateLibrary } from '../../containers/late-library.js';
import { grouped } from '../../record/plural.js';

/** An open brace: the number of patterns in its finished alternatives and in the current one. */
interface Braces {
  readonly from: number;
  alternatives: number;
  patterns: number;
}

const RANGE = /^(-?\w+)\.\.(-?\w+)(?:\.\.-?\d+)?$/;

/** Counts the patterns that the braces of a glob expand to, without expanding them: 6 for `{a,b}{1..3}`. */
export function patternCount(glob: string): number {
  const open: Braces[] = [{ from: 0, alternatives: 0, patterns: 1 }];
  for (let at = 0; at < glob.length; at++) {
    const braces = open[open.length - 1] as Braces;
    const character = glob[at];
    if (character === '\\') at++;
    else if (character === '{') open.push({ from: at + 1, alternatives: 0, patterns: 1 });
    else if (character === ',') {
      braces.alternatives += braces.patterns;
      braces.patterns = 1;
    } else if (character === '}' && open.length > 1) {
      open.pop();
      const around = open[open.length - 1] as Braces;
      around.patterns *= (braces.alternatives + braces.patterns) * rangeLength(glob.slice(braces.from, at));
    }
  }
  return open.reduce((count, { alternatives, patterns }) => count * (alternatives + patterns), 1);
}

/** Number of numbers or letters in a range such as `1..9`; 1 for any other text. */
function rangeLength(text: string): number {
  const [, first, last] = RANGE.exec(text) ?? [];
  if (first === undefined || last === undefined) return 1;
  const [from, to] = [first, last].map((end) => (/^-?\d+$/.test(end) ? Number(end) : end.charCodeAt(0)));
  return Math.abs(Number(to) - Number(from)) + 1;
}

/** Loaded only for a path that is not a file. */
const fastGlob = lateLibrary<typeof FastGlob>('fast-glob');

/** Whether a path that does not exist is a pattern. */
export const isPattern = (path: string): boolean => fastGlob().isDynamicPattern(path);

/** Maximum number of patterns that the braces of a glob may expand to. */
const MOST_PATTERNS = 1000;

/**
 * The files that match a pattern, in order of name; null when the path is not a pattern.
 * @param path a path that does not exist
 * @throws UserError when no file matches, and when braces expand to too many patterns, because each is searched
 *   separately
 */
export function filesOfPattern(path: string): string[] | null {
  if (patternCount(path) > MOST_PATTERNS) {
    const what = `expands to more than ${grouped(MOST_PATTERNS)} patterns`;
    throw new UserError(what, { where: path.slice(0, 80), hint: 'give the folder or a shorter pattern' });
  }
  if (!isPattern(path)) return null;
  const files = fastGlob().sync(path, { onlyFiles: true }).sort();
  if (files.length === 0) throw new UserError('no file matches', { where: path });
  return files;
}

interface FolderFiles {
  /** In no particular order. A file is listed once, by its own name if that is in the folder. */
  readonly paths: readonly string[];
  /** Folders that cannot be listed, and the reason. */
  readonly closed: ReadonlyMap<string, string>;
}

/** A folder, with the path that the user sees and its real path. */
interface Place {
  readonly path: string;
  readonly real: string;
}

/**
 * Files in a folder and its subfolders. Hidden files and folders are left out. A dangling link is listed as a file, but
 * cannot be read.
 */
export function filesIn(folder: string): FolderFiles {
  /** Path by real path. */
  const found = new Map<string, string>();
  const closed = new Map<string, string>();
  const links: string[] = [];
  // Links may form circles.
  const entered = new Set<string>();
  const enter = (path: string): void => {
    const places: Place[] = [{ path, real: realpathSync(path) }];
    for (let place; (place = places.pop()) !== undefined;) {
      if (entered.has(place.real)) continue;
      entered.add(place.real);
      for (const entry of entriesOf(place.path, closed)) {
        const inside = { path: join(place.path, entry.name), real: join(place.real, entry.name) };
        if (entry.isDirectory()) places.push(inside);
        else if (entry.isSymbolicLink()) links.push(inside.path);
        else if (entry.isFile()) found.set(inside.real, inside.path);
      }
    }
  };
  enter(folder);
  // Links to folders may add links to this list.
  for (const link of links) {
    const target = targetOf(link);
    if (target?.isDirectory() === true) enter(link);
    else if (target === null) found.set(link, link);
    else if (target.isFile() && !found.has(realpathSync(link))) found.set(realpathSync(link), link);
  }
  return { paths: [...found.values()], closed };
}

function entriesOf(folder: string, closed: Map<string, string>): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    closed.set(folder, systemReason(error));
    return [];
  }
}

/** What a link leads to; null for a dangling or circular link, and when access is denied. */
function targetOf(link: string): Stats | null {
  try {
    return statSync(link);
  } catch {
    return null;
  }
}
