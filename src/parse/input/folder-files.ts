/**
 * The files that a folder or a pattern stands for: those of a folder, of folders in it, and of those that links lead
 * to; those that a pattern matches, which a shell has not expanded.
 */
import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isSystemError, systemReason, UserError } from '../../record/errors.js';
import type FastGlob from 'fast-glob';
import { lateLibrary } from '../../containers/late-library.js';
import { grouped } from '../../record/plural.js';

/** Braces between which nothing else is open: alternatives so far, and patterns of the one that is being read. */
interface Braces {
  readonly from: number;
  alternatives: number;
  patterns: number;
}

const RANGE = /^(-?\w+)\.\.(-?\w+)(?:\.\.-?\d+)?$/;

/** How many patterns the braces of a glob stand for (`{a,b}{1..3}`: 6), without making them. */
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

/** Numbers or letters of `1..9`; 1 for any other text. */
function rangeLength(text: string): number {
  const [, first, last] = RANGE.exec(text) ?? [];
  if (first === undefined || last === undefined) return 1;
  const [from, to] = [first, last].map((end) => (/^-?\d+$/.test(end) ? Number(end) : end.charCodeAt(0)));
  return Math.abs(Number(to) - Number(from)) + 1;
}

/** Loaded for what is not a file. */
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

interface FolderFiles {
  /** In no order; a file once, by its own name where it has one there. */
  readonly paths: readonly string[];
  /** Folders whose names cannot be read, and the reason. */
  readonly closed: ReadonlyMap<string, string>;
}

/** A folder by the name that the user sees, and without links. */
interface Place {
  readonly path: string;
  readonly real: string;
}

/** Hidden files and folders are left out. A link that leads nowhere is among the files, and cannot be read. */
export function filesIn(folder: string): FolderFiles {
  /** Path by real path. */
  const found = new Map<string, string>();
  const closed = new Map<string, string>();
  const links: string[] = [];
  // Links may lead in circles.
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
  // Links to folders may add links.
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

/** What a link leads to; null for nothing, for itself, and for what may not be seen. */
function targetOf(link: string): Stats | null {
  try {
    return statSync(link);
  } catch {
    return null;
  }
}
