/** The profiles in a folder, by their content: the beginning of each file is read. Links are not followed. */
import { readdirSync, statSync, type Dirent } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { groupsOf } from '../../../containers/map-entry.js';
import { isSystemError, UserError } from '../../../record/errors.js';
import { pathsIn, textStart } from '../../../parse/files.js';

interface ListedProfile {
  /** Path of a file or folder, from the folder that was searched. */
  readonly path: string;
  /** Id of the format in `dparse --formats`; `records` and `partial` for output of the tools. */
  readonly format: string;
  /** Size of the file, or of all files of the folder. */
  readonly bytes: number;
  /** Number of profiles: more than 1 for a folder with those of several ranks or runs. */
  readonly profiles: number;
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
  const { withTableFolders } = await import('../../../parse/source.js');
  const { paths, isCut } = filesUnder(folder);
  const absolute = paths.filter((path) => !OTHER.test(path)).map((path) => join(folder, path));
  const wanted = withTableFolders(absolute)
    .map((path) => relative(folder, path))
    .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const found: ListedProfile[] = [];
  for (const path of wanted.slice(0, MOST_FILES)) {
    const format = await formatOf(join(folder, path));
    if (format !== null) found.push({ path, format, bytes: sizeIn(folder, path, paths), profiles: 1 });
  }
  const profiles = joinedSets(await inOutputFolders(folder, found, paths));
  return { profiles, files: Math.min(wanted.length, MOST_FILES), isCut: isCut || wanted.length > MOST_FILES };
}

const depthOf = (path: string): number => path.split(sep).length;

const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}${sep}`);

/** Bytes of a file, or of the files in a folder. @param paths all files */
function sizeIn(root: string, place: string, paths: readonly string[]): number {
  const files = paths.includes(place) ? [place] : paths.filter((path) => isIn(path, place));
  return files.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
}

/** Replaces the file by which a profile was found by the folder that its profiler wrote, if that has one profile. */
async function inOutputFolders(
  root: string,
  found: readonly ListedProfile[],
  paths: readonly string[],
): Promise<ListedProfile[]> {
  const { OUTPUT_FOLDERS } = await import('../../../parse/registry.js');
  const folders = OUTPUT_FOLDERS.flatMap(({ among }) => [...among(paths.map((path) => join(root, path)))])
    .map((folder) => relative(root, folder))
    .filter((folder) => folder !== '' && found.filter(({ path }) => isIn(path, folder)).length === 1)
    .sort((a, b) => a.length - b.length);
  return found.map((profile) => {
    const folder = folders.find((candidate) => isIn(profile.path, candidate));
    return folder === undefined ? profile : { ...profile, path: folder, bytes: sizeIn(root, folder, paths) };
  });
}

/**
 * One entry for the profiles of ranks or runs: several of one format in a folder whose names differ only in numbers, or
 * all records that the tools wrote there. Those of the folder that is searched have an entry each.
 */
function joinedSets(found: readonly ListedProfile[]): ListedProfile[] {
  const byFolder = groupsOf(found, ({ path }) => dirname(path));
  const listed = new Map<ListedProfile, ListedProfile>();
  for (const [path, members] of byFolder) {
    const [first, ...others] = members;
    if (first === undefined || others.length === 0 || path === '.') continue;
    const isSet = others.every(
      (other) =>
        other.format === first.format &&
        (first.format === 'records' || nameOfSet(other.path) === nameOfSet(first.path)),
    );
    if (!isSet) continue;
    const bytes = members.reduce((sum, member) => sum + member.bytes, 0);
    const set = { path, format: first.format, bytes, profiles: members.length };
    for (const member of members) listed.set(member, set);
  }
  return [...new Set(found.map((profile) => listed.get(profile) ?? profile))];
}

const nameOfSet = (path: string): string => path.replaceAll(/\d+/g, '0');

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

/** The format that a folder of tables is read as; null for any other folder. */
async function formatOfTables(folder: string): Promise<string | null> {
  const { exporterOf, tablesByFolder } = await import('../../../parse/sqlite/table-folders.js');
  const tables = tablesByFolder(pathsIn(folder)).get(folder);
  const exporter = tables === undefined ? null : exporterOf(tables);
  return exporter === null ? null : exporter === 'nsight' ? exporter : 'neuron-json';
}

/** The format of a file by its beginning, or of a folder of tables; null for anything but a profile. */
async function formatOf(path: string): Promise<string | null> {
  if (statSync(path).isDirectory()) return formatOfTables(path);
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
