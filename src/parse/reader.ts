/**
 * The interface of a format's reader. A new format needs one reader, one line in the registry, one sample and its docs;
 * everything else that dparse must know about a format is stated here. dprof reads records and does not depend on
 * readers. Where it gives advice for a particular format, such as an option to profile with, it has a default for all
 * others.
 */
import type { CountedPart } from '../record/diagnostics.js';
import type { ProfileLine } from '../record/record.js';
import type { OtherCaptures } from './trace/graphs/captured-graph.js';
import type { SharedBlocks } from './sqlite/shared-blocks.js';
import type { SqliteFile } from './sqlite/sqlite.js';

/** An input whose format is to be detected. */
export interface Probe {
  /** The input as the user named it, for messages only: formats are detected by content, never by name. */
  readonly file: string;
  /** Path of the bytes, uncompressed. */
  readonly path: string;
  /** Folder of the input, under the name the user gave, in which to look for sidecar files; null for standard input. */
  readonly folder: string | null;
  /** The first bytes, uncompressed. */
  readonly head: Buffer;
  /** The opened database, when the input is one. */
  readonly database: SqliteFile | null;
}

/**
 * The database of an input.
 * @throws RangeError when the input is not a database
 */
export function databaseOf({ database }: Probe): SqliteFile {
  if (database === null) throw new RangeError('not a database');
  return database;
}

/** Options that every reader receives in addition to the input. */
export interface ReadOptions {
  /** Number of the profile in the stream, from 0. */
  readonly profile: number;
  /** Name of the input for the profile line: see `fileLabel`. */
  readonly file: string;
  /** MPI or distributed rank in the file name; null when the name has none. */
  readonly rank: number | null;
  /**
   * Whether to write host ranges too, including runtime API calls. `true`: all. `false`: none. `without-calls` leaves
   * out calls. `long-calls` keeps only calls of half a millisecond or more. `without-work` leaves out calls, and other
   * ranges while a device works.
   */
  readonly ranges: boolean | 'without-calls' | 'long-calls' | 'without-work';
  /** Path of the program that ran, for formats that store it in a separate file; a sidecar file when not given. */
  readonly program?: string;
  /** Whether to accept a program other than the one that ran. */
  readonly force?: boolean;
  /**
   * Other files with graph captures. They are read only if the profile has a launch of a graph whose nodes it does
   * not describe.
   */
  readonly captures?: OtherCaptures;
  /** Whether to write samples that can be derived from other records, if the vendor's tool derives them too, and GPU counters. */
  readonly derived?: boolean;
  /**
   * Whether records are only written as lines. If so, fields that only users of record objects need may be missing,
   * such as counters of an instruction that do not change between runs.
   */
  readonly onlyWritten?: boolean;
  /** Whether to write fields that the format's documentation does not name. They may contain anything. */
  readonly allFields?: boolean;
  /** Whether other inputs keep all cores busy, so that a second thread would not help to read this one; for PyTorch traces. */
  readonly isBusy?: boolean;
  /** Which slices of the records to make, when several threads read the profile; all of them when absent. */
  readonly share?: Share;
}

/**
 * One thread's share of the records of a profile. The activities in order of start time are cut into slices, each with the
 * ranges and samples that start no later than its last activity. The first slice begins with the profile line. The end
 * line of each thread contains what that thread counted.
 */
export interface Share {
  /** Number of activities in a slice. */
  readonly size: number;
  /** Shares the decoding of a database; absent when each thread decodes every row. */
  readonly blocks?: SharedBlocks;
  /** Called when the thread has opened the input; it may throw, because threads must not read different files. */
  readonly onOpen?: () => void;
  /**
   * Returns the number of this thread's next slice, from 0, always above the previous one. Called when all records of
   * the previous slice have been taken.
   */
  next(): number;
  /** Called at the end with what the thread counted. */
  end(counted: CountedPart): void;
}

/** Rows whose records one thread makes. */
interface Slice {
  /** Index of the first row of the slice. */
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
}

/** The slices of a thread, one after the other; a single one with all rows when the profile is not shared. */
export function* slicesOf(share: Share | undefined, rows: number): Generator<Slice> {
  const size = share?.size ?? Math.max(1, rows);
  const last = Math.max(1, Math.ceil(rows / size)) - 1;
  for (let slice = share?.next() ?? 0; slice <= last; slice = share?.next() ?? Infinity)
    yield { from: slice * size, to: Math.min(rows, (slice + 1) * size), isLast: slice === last };
}

/** A format's reader, with the facts about the format that the rest of the program needs. */
export interface Reader {
  /** Name on the command line and in the profile line. */
  readonly id: string;
  /** One line for `--formats`. */
  readonly title: string;
  readonly docs: FormatDocs;
  /** Kind of file in which the format is stored. */
  readonly reads: 'database' | 'text' | 'binary';
  /**
   * Size of V8's young generation in MB (2^20 bytes) for a worker thread that reads a large profile of this format. When
   * absent, the default of `dparse`, which is large because most readers create many short-lived objects.
   */
  readonly youngGenerationMb?: number;
  /**
   * Whether several threads share the work on a large profile; never when absent. Each of them reads the whole profile, so
   * this pays only where making the records takes longer than reading the rows.
   */
  readonly isShared?: (options: Pick<ReadOptions, 'derived'>) => boolean;
  /**
   * Names of tables, or beginnings of such names. A database that cannot be opened is recognised as a profile if its
   * bytes contain one of these names.
   */
  readonly tableNames?: readonly string[];
  /**
   * File names that only this format uses. A file with such a name in a folder is reported as damaged if it is empty or
   * contains something else.
   */
  readonly fileNames?: RegExp;
  /** Folders that the profiler writes. A message explains such a folder if it has no readable profile. */
  readonly outputFolder?: OutputFolder;
  /** Whether it reads the program that ran from a separate file, which the user may name. */
  readonly usesProgram?: true;
  /** How to read a pipe while the profiler is still writing it; absent when records need the whole input. */
  readonly live?: LiveFormat;
  /**
   * Files that may be read along with an input, in addition to its database's log. Output is never written to one of them.
   * @param folder folder of the input
   * @param candidate the only file of interest, when any file of the folder may be a sidecar
   */
  sidecars?(folder: string, candidate: string): readonly string[];
  /** Whether the input is of this format. */
  sniff(probe: Probe): boolean;
  /**
   * Whether another file in the same folder covers the input's capture, or the name of one that has all of it in another
   * format. Reading the folder then skips this input, and says so where there is a name.
   */
  isCovered?(probe: Probe): boolean | string;
  /**
   * Records of the input: the profile line first, the end line last.
   * @throws UserError when the input as a whole cannot be read
   */
  read(probe: Probe, options: ReadOptions): Iterable<ProfileLine>;
}

/** What the documentation says about a format, in README.md and docs/formats.md. Markdown. */
interface FormatDocs {
  /** Name of the profiler. Formats of one profiler share a row of README.md. */
  readonly profiler: string;
  /** Which output of the profiler it is. */
  readonly input: string;
  /** How to record such a file; each entry completes the sentence `Made by`. */
  readonly made: readonly string[];
  /** What is read from the format, one entry for each paragraph. */
  readonly read: readonly string[];
}

/** A kind of folder that a profiler writes. */
export interface OutputFolder {
  /** Completes the message `FOLDER: is …`. */
  readonly title: string;
  /** What to do, for the message. */
  readonly hint: string;
  /** The folders of this kind that contain any of these files. */
  readonly among: (paths: readonly string[]) => ReadonlySet<string>;
  /** Names of subfolders that are the same in every run. Labels use the folder around them, which names the run. */
  readonly fixedNames: RegExp;
}

/** Whether the bytes so far are of a format; 'more' when there are too few to decide. */
export type SniffResult = 'yes' | 'no' | 'more';

/** A format that is read from a pipe while it is being written. */
export interface LiveFormat {
  /** @param head the first bytes of the stream, uncompressed */
  sniff(head: Buffer): SniffResult;
  /** Starts reading a stream. */
  open(options: LiveOptions): LiveStream;
}

/** Options for reading a pipe that stays open. */
export interface LiveOptions extends Pick<ReadOptions, 'profile' | 'file' | 'rank' | 'allFields'> {
  /** Name of the input, for messages. */
  readonly input: string;
}

/** One stream that is read while it arrives. */
export interface LiveStream {
  /** Records of each report that this piece completes. The piece's memory may be reused afterwards. */
  take(piece: Buffer): Iterable<readonly ProfileLine[]>;
  /**
   * Records of the bytes after the last complete report, and the end line.
   * @throws UserError when the stream held no report
   */
  end(): readonly ProfileLine[];
}

/** A kind of input that cannot be read, and is recognised in order to explain what to do instead. */
export interface Unreadable {
  /** Completes the message `FILE: is …`. */
  readonly title: string;
  /** What to do, for the message. */
  readonly hint: string;
  sniff(probe: Probe): boolean;
  /**
   * Whether the readable part of the profile is missing. Such a file is reported in folders too, where other files of this
   * kind are skipped.
   */
  isAlone?(probe: Probe): boolean;
  /** Whether the format may contain data of any kind, so that a complete file of it is not a damaged profile. */
  readonly isGeneral?: true;
}
