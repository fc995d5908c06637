/**
 * The interface of a format's reader. A new format is one reader, one line in the registry, one sample and its docs;
 * whatever else dparse must know of a format is a fact stated here. dprof reads records, not readers: what it says of a
 * format by its name (which option to profile with, what a vendor's tool reports) has a default for all others.
 */
import type { ProfileLine } from '../record/record.js';
import type { OtherCaptures } from './trace/graphs/captured-graph.js';
import type { SqliteFile } from './sqlite/sqlite.js';

/** An input whose format is to be detected. */
export interface Probe {
  /** The input as the user named it, for messages only: formats are detected by content, never by name. */
  readonly file: string;
  /** Path of the bytes, uncompressed. */
  readonly path: string;
  /** Folder of the input under the name the user gave, for sidecar files; null for standard input. */
  readonly folder: string | null;
  /** The first bytes, uncompressed. */
  readonly head: Buffer;
  /** The opened database, when the input is one. */
  readonly database: SqliteFile | null;
}

/** The database of an input. @throws RangeError when it is none */
export function databaseOf({ database }: Probe): SqliteFile {
  if (database === null) throw new RangeError('not a database');
  return database;
}

/** What every reader is given besides the input. */
export interface ReadOptions {
  /** Ordinal of the profile in the stream, from 0. */
  readonly profile: number;
  /** Base name of the input, for the profile line. */
  readonly file: string;
  /** MPI or distributed rank in the file name; null when the name has none. */
  readonly rank: number | null;
  /**
   * Whether to write host ranges too, with the calls of the device's library: always, never, always but without the
   * calls, with those calls alone that take half a millisecond or more, or without them and only where no device worked.
   */
  readonly ranges: boolean | 'without-calls' | 'long-calls' | 'without-work';
  /** Path of the program that ran, for formats that keep it in a separate file; a sidecar file when not given. */
  readonly program?: string;
  /** Whether to accept a program although it is not the one that ran. */
  readonly force?: boolean;
  /** Graphs whose captures are in other files: asked for where a graph was launched whose nodes are not stated. */
  readonly captures?: OtherCaptures;
  /** Whether to give samples that follow from other records, where the vendor's tool derives them too. */
  readonly derived?: boolean;
  /**
   * Whether records are only written, as lines: what only readers of objects need may then be missing in them, such as the
   * counters of an instruction that do not change from one run to the next.
   */
  readonly onlyWritten?: boolean;
  /** Whether to give fields that the format's documentation does not name, where these may hold anything. */
  readonly allFields?: boolean;
}

/** A format's reader, with the facts about the format that the rest of the program needs. */
export interface Reader {
  /** Name on the command line and in the profile line. */
  readonly id: string;
  /** One line for `--formats`. */
  readonly title: string;
  readonly docs: FormatDocs;
  /** Kind of file that the format is stored in. */
  readonly reads: 'database' | 'text' | 'binary';
  /**
   * Size of V8's young generation in MB (2^20 bytes) that suits a worker thread reading a large profile of this format.
   * Absent: the default of `dparse`, which is large because most readers make many short-lived objects.
   */
  readonly youngGenerationMb?: number;
  /** Names of tables, or their first letters, by which a database that cannot be opened is recognised as a profile. */
  readonly tableNames?: readonly string[];
  /**
   * Names that nothing but files of the format have, as its writers give them: in a folder, one that is empty or holds
   * anything else is damaged, and is reported.
   */
  readonly fileNames?: RegExp;
  /** Folders that the profiler writes, to explain one that holds no readable profile. */
  readonly outputFolder?: OutputFolder;
  /** Whether it reads the program that ran from a file of its own, which the user may name. */
  readonly usesProgram?: true;
  /** How to read a pipe while the profiler still writes it; absent where records need the whole input. */
  readonly live?: LiveFormat;
  /**
   * Files that may be read with an input, in addition to its database's log: no output is written onto one of them.
   * @param folder of the input
   * @param candidate the only file that matters, where any of a folder may be one
   */
  sidecars?(folder: string, candidate: string): readonly string[];
  /** Whether the input is of this format. */
  sniff(probe: Probe): boolean;
  /** Whether another file of the same folder covers the input's capture: reading the folder then skips this one. */
  isCovered?(probe: Probe): boolean;
  /**
   * Records of the input: the profile line first, the end line last.
   * @throws UserError when the input as a whole cannot be read
   */
  read(probe: Probe, options: ReadOptions): Iterable<ProfileLine>;
}

/** What the documentation has of a format: README.md, docs/formats.md. Markdown. */
interface FormatDocs {
  /** Formats of one profiler share a row of README.md. */
  readonly profiler: string;
  /** What of the profiler's output it is. */
  readonly input: string;
  /** How such a file is made; each completes `Made by`. */
  readonly made: readonly string[];
  /** What is read of the format, one entry for each paragraph. */
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
}

/** Whether the bytes so far are of a format; 'more' while they are too few to decide. */
export type SniffResult = 'yes' | 'no' | 'more';

/** A format that is read from a pipe while it is being written. */
export interface LiveFormat {
  /** @param head the first bytes of the stream, uncompressed */
  sniff(head: Buffer): SniffResult;
  /** Starts reading a stream. */
  open(options: LiveOptions): LiveStream;
}

/** How a reader reads a pipe that stays open. */
export interface LiveOptions extends Pick<ReadOptions, 'profile' | 'file' | 'rank' | 'allFields'> {
  /** The input's name in messages. */
  readonly input: string;
}

/** One stream that is read as it arrives. */
export interface LiveStream {
  /** Records of each report that this piece completes. The piece's memory may be reused afterwards. */
  take(piece: Buffer): Iterable<readonly ProfileLine[]>;
  /**
   * Records of the bytes after the last complete report, and the end line.
   * @throws UserError when the stream held no report
   */
  end(): readonly ProfileLine[];
}

/** A kind of input that is recognised only to explain what to do instead. */
export interface Unreadable {
  /** Completes the message `FILE: is …`. */
  readonly title: string;
  /** What to do, for the message. */
  readonly hint: string;
  sniff(probe: Probe): boolean;
  /** Whether what can be read of it is missing: then it is named in folders too, where other such files are passed over. */
  isAlone?(probe: Probe): boolean;
  /** Whether it is a format of all kinds of data, so that a whole file of it is no damaged profile. */
  readonly isGeneral?: true;
}
