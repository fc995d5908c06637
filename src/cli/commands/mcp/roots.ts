/** The folders that a server may read, and the check of each path against them. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isSystemError, UserError } from '../../../record/errors.js';
import { grouped } from '../../../record/plural.js';

/** A path below one of the folders. */
export interface PlaceInRoot {
  /** The folder, as a real path. */
  readonly root: string;
  /** The path from that folder; `.` for the folder itself. */
  readonly path: string;
}

/** Maximum number of characters in a path. */
const LONGEST_PATH = 4096;

/** Maximum number of files and folders in a folder that is given as a profile. */
const MOST_ENTRIES = 20_000;

const OUTSIDE = 'is outside the folders of this server';
const SERVED = 'the tool list shows the profiles; dprof mcp --root FOLDER adds a folder';

const refused = (where: string, what: string, hint = SERVED): UserError => new UserError(what, { where, hint });

/** Whether a path is the folder or below it; only the paths are compared. */
function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The path without links; null when nothing exists there. */
function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}

export class Roots {
  /** Real paths of the folders, and the names by which the user gave them. */
  readonly #folders: readonly { readonly real: string; readonly given: string }[];

  /** @throws UserError for anything but a folder */
  constructor(given: readonly string[]) {
    this.#folders = given.map((folder) => {
      const stat = statSync(folder, { throwIfNoEntry: false });
      if (stat?.isDirectory() !== true)
        throw new UserError(stat === undefined ? 'no such folder' : 'is not a folder', { where: folder });
      return { real: realpathSync(folder), given: resolve(folder) };
    });
  }

  /** Real paths of the folders, in the order in which they were given. */
  get paths(): readonly string[] {
    return this.#folders.map(({ real }) => real);
  }

  /**
   * Checks that a path and all that is read with it lie in one of the folders, also behind links.
   * @param given a path from one of the folders, or an absolute one
   * @param filesBeside paths of files that are read along with a file
   * @throws UserError for any other path, and for anything but a file or folder
   */
  place(given: string, filesBeside: (file: string) => readonly string[]): PlaceInRoot {
    const found = this.#find(given);
    const path = join(found.root, found.path);
    const stat = statSync(path);
    if (stat.isDirectory()) this.#checkTree(path, given, filesBeside);
    else if (stat.isFile()) for (const other of filesBeside(path)) this.#checkLink(other, given);
    else throw refused(given, 'is neither a file nor a folder');
    return found;
  }

  /** @throws UserError for a path that is not in one of the folders */
  #find(given: string): PlaceInRoot {
    const shown = given.slice(0, 200);
    if (given === '' || given.length > LONGEST_PATH || given.includes('\0'))
      throw refused(JSON.stringify(shown), 'is not a path');
    if (given === '-') throw refused('-', 'standard input is not read');
    let isInside = false;
    for (const folder of this.#folders) {
      const path = this.#pathIn(folder, given);
      if (path === null) continue;
      isInside = true;
      const real = realOf(join(folder.real, path));
      if (real === null) continue;
      if (!this.#holds(real)) throw refused(shown, OUTSIDE);
      return { root: folder.real, path: path === '' ? '.' : path };
    }
    throw refused(shown, isInside ? 'no such file or folder' : OUTSIDE);
  }

  /** The path relative to a folder; null for a path outside, such as `../other`. The file system is not read. */
  #pathIn(folder: { readonly real: string; readonly given: string }, given: string): string | null {
    if (!isAbsolute(given)) {
      const path = join(folder.real, given);
      return isBelow(folder.real, path) ? relative(folder.real, path) : null;
    }
    const from = [folder.real, folder.given].find((name) => isBelow(name, resolve(given)));
    return from === undefined ? null : relative(from, resolve(given));
  }

  #holds(real: string): boolean {
    return this.#folders.some((folder) => isBelow(folder.real, real));
  }

  /**
   * Checks a folder as it is searched: with its subfolders, and those behind its links.
   * @throws UserError when a link leads out of the folders, and for a folder with too many files
   */
  #checkTree(folder: string, given: string, filesBeside: (file: string) => readonly string[]): void {
    const left = [folder];
    // Links may form circles.
    const entered = new Set<string>();
    let count = 0;
    for (let place; (place = left.pop()) !== undefined;) {
      const real = realpathSync(place);
      if (entered.has(real)) continue;
      entered.add(real);
      let file: string | null = null;
      for (const entry of readdirSync(place, { withFileTypes: true })) {
        if (++count > MOST_ENTRIES)
          throw refused(given, `has more than ${grouped(MOST_ENTRIES)} files`, 'give a folder in it, or its files');
        const path = join(place, entry.name);
        if (entry.isDirectory()) left.push(path);
        else if (entry.isSymbolicLink()) {
          this.#checkLink(path, given);
          const target = statSync(path, { throwIfNoEntry: false });
          if (target?.isDirectory() === true) left.push(path);
          else if (target?.isFile() === true) file ??= path;
        } else if (entry.isFile()) file ??= path;
      }
      if (file !== null) for (const other of filesBeside(file)) this.#checkLink(other, given);
    }
  }

  #checkLink(path: string, given: string): void {
    const real = realOf(path);
    if (real === null || this.#holds(real)) return;
    throw refused(
      given,
      `is next to or contains '${basename(path)}', which ${OUTSIDE}`,
      'dprof mcp --root FOLDER adds a folder',
    );
  }
}
