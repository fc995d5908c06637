/**
 * What a format's reader is. A new format is one reader, one line in the registry, one sample and one page of docs.
 */
import type { ProfileLine } from '../record/record.js';
import type { SqliteFile } from './sqlite/sqlite.js';

/** What is known of an input when its format is asked for. */
export interface Probe {
  /** Base name, for messages only: the format is told by content, never by name. */
  readonly file: string;
  /** Where the bytes are, uncompressed. */
  readonly path: string;
  /** Folder of the input as the user knows it, where files that belong to it may stand; null for standard input. */
  readonly folder: string | null;
  /** The first bytes, uncompressed. */
  readonly head: Buffer;
  /** The database, when the input is one. */
  readonly database: SqliteFile | null;
}

export interface ReadOptions {
  /** Ordinal of the profile in the stream. */
  readonly profile: number;
  /** Base name of the input, for the profile line. */
  readonly file: string;
  /** Rank that the file name tells, or null. */
  readonly rank: number | null;
  /** Whether to write host ranges too. */
  readonly ranges: boolean;
  /** Program that ran in the profile, for formats that keep it in a file of its own; looked for beside the input. */
  readonly program?: string;
  /** Whether to take a program although it is not the one that ran. */
  readonly force?: boolean;
}

export interface Reader {
  /** Name on the command line and in the profile line. */
  readonly id: string;
  /** One line for `--formats`. */
  readonly title: string;
  /** What its inputs are, whatever is in them. */
  readonly reads: 'database' | 'text' | 'binary';
  /** Whether the input is of this format. */
  sniff(probe: Probe): boolean;
  /** Whether another file of its folder tells what the input does: where a folder is read, it is passed over. */
  isCovered?(probe: Probe): boolean;
  /** Records of the input, the profile line first, the end line last. */
  read(probe: Probe, options: ReadOptions): Iterable<ProfileLine>;
}
