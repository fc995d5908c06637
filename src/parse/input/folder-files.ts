/** The files of a folder, of those in it, and of those that links lead to. */
import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isSystemError, systemReason } from '../../record/errors.js';

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
