/** The profiles in a folder, by their content: the beginning of each file is read. Links are not followed. */
import { readdirSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { isSystemError, UserError } from '../../../record/errors.js';
import { textStart } from '../../../parse/files.js';

interface ListedProfile {
  /** Path from the folder that was searched. */
  readonly path: string;
  /** Id of the format in `dparse --formats`; `records` and `partial` for output of the tools. */
  readonly format: string;
  readonly bytes: number;
}

export interface ProfileList {
  /** In order of depth, then of name. */
  readonly profiles: readonly ListedProfile[];
  /** Files that were looked at. */
  readonly files: number;
  /** Whether a limit ended the search. */
  readonly isCut: boolean;
}

/** Maximum number of entries of folders, and of files whose beginning is read. */
const MOST_ENTRIES = 20_000;
const MOST_FILES = 1000;

/** Names of files that no profiler writes. */
const OTHER =
  /\.(?:[cm]?[jt]sx?|py[cio]?|md|html?|css|png|webp|jpe?g|svg|so|o|a|h|hh|cc|cpp|cuh?|map|log|ya?ml|toml|lock|sh)$/i;

/** Finds profiles in a folder and its subfolders. Hidden ones are left out. */
export async function profilesIn(folder: string): Promise<ProfileList> {
  const { paths, isCut } = filesUnder(folder);
  const wanted = paths.filter((path) => !OTHER.test(path));
  const profiles: ListedProfile[] = [];
  for (const path of wanted.slice(0, MOST_FILES)) {
    const format = await formatOf(join(folder, path));
    if (format !== null) profiles.push({ path, format, bytes: statSync(join(folder, path)).size });
  }
  return { profiles, files: Math.min(wanted.length, MOST_FILES), isCut: isCut || wanted.length > MOST_FILES };
}

/** Paths of the files in a folder, those of each level before those in its subfolders. */
function filesUnder(folder: string): { paths: string[]; isCut: boolean } {
  const paths: string[] = [];
  const folders = [''];
  let entries = 0;
  for (let i = 0; i < folders.length; i++) {
    const place = folders[i] ?? '';
    for (const entry of entriesOf(join(folder, place))) {
      if (++entries > MOST_ENTRIES) return { paths, isCut: true };
      const path = join(place, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) paths.push(path);
    }
  }
  return { paths, isCut: false };
}

/** Entries in order of name; none for a folder that cannot be listed. */
function entriesOf(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !/^\.|^node_modules$/.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

/** The format of a file by its beginning; null for anything but a profile. */
async function formatOf(path: string): Promise<string | null> {
  const [{ openStart, startOf }, { checkProfile }, { recordKindOf }] = await Promise.all([
    import('../../../parse/source.js'),
    import('../../../parse/profile.js'),
    import('../../../prof/input/records.js'),
  ]);
  try {
    const kind = recordKindOf(textStart(await startOf(path, 4096)));
    if (kind !== null) return kind;
    const start = await openStart(path);
    if (start === null) return null;
    try {
      return checkProfile(start.path, path, undefined, true).id;
    } finally {
      start.dispose();
    }
  } catch (error) {
    if (error instanceof UserError || isSystemError(error)) return null;
    throw error;
  }
}
