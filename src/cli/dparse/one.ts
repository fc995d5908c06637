/** Parses one profile into lines of text, or into Parquet files. */
import type { FoundProfile } from '../../parse/find.js';
import { readProfile } from '../../parse/profile.js';
import type { Share } from '../../parse/reader.js';
import { Diagnostics, DIAGNOSTICS, type CountedPart, type DiagnosticName } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import type { LineFormat } from './options.js';
import { appendLine, appendReadable } from '../../record/lines/append-line.js';
import { LineBytes } from '../../record/lines/line-bytes.js';
import { completeKernel } from '../../record/fields/record-fields.js';
import { netDictOf } from '../../record/python/net-dict.js';
import type { EndRecord, ProfileLine } from '../../record/record.js';
import { isUnread, Losses } from '../../prof/input/losses.js';
import { isOfTruncated } from '../../prof/input/stream-status.js';
import type { Write } from '../output.js';
import { SILENT, type Progress } from '../progress.js';

export interface ParseOptions {
  readonly format?: string;
  readonly ranges: boolean;
  readonly program?: string;
  readonly force?: boolean;
  readonly ncu?: string;
  readonly allFields?: boolean;
  readonly derived?: boolean;
  readonly isBusy?: boolean;
  /** Format of the lines, or the folder for Parquet files. */
  readonly output: LineFormat | { readonly folder: string };
}

/** Result of a profile: numbers for its summary, or why it could not be read. */
export type Outcome = Counted | UserError;

export interface Counted {
  /** Records written, by type. */
  readonly counts: Readonly<Record<string, number>>;
  readonly oddities: readonly string[];
  /** Losses while reading, in one line; null when nothing was lost. */
  readonly lost: string | null;
  /** Whether something was lost and nothing was read. */
  readonly isUnread: boolean;
  /** Whether the input ended too early. */
  readonly isCut: boolean;
  /** Rank of the profile; null when unknown. */
  readonly rank: number | null;
}

/** How the parsing of an input ended. */
export interface ParsedProfile {
  /** Name as the user gave it; '' when no profile was opened. */
  readonly name: string;
  /** Number of the profile in the stream. */
  readonly ordinal?: number;
  readonly outcome: Outcome;
}

/** Bytes of lines that are written at once. */
const PIECE = 1024 * 1024;
/** Spare bytes in a piece, so that a line which begins in it usually fits. */
const SPARE = 4 * 1024;

/** Number of activities after which the event loop gets a turn, so that signals and a closed output are noticed. */
const TURN = 2000;

/** Receives the records of a profile. */
interface RecordSink {
  /** When it returns a promise, wait for it before adding more. */
  add(record: ProfileLine): void | Promise<void>;
  /** Called when all records were added. */
  finish(): void | Promise<void>;
  /** Called in every case. */
  close(): void;
}

/** Appends the line of a record, if the format has one for it. */
const APPEND: Readonly<Record<LineFormat, (lines: LineBytes, record: ProfileLine) => void>> = {
  records: appendLine,
  pyprof: (lines, record) => {
    if (record.type === 'kernel') lines.text(`${netDictOf(completeKernel(record))}\n`);
  },
};

/** @param diagnostics counts errors of writing */
function linesSink(format: LineFormat, write: Write, diagnostics: Diagnostics): RecordSink {
  const pieces = new LineBytes(PIECE + SPARE);
  const append = APPEND[format];
  return {
    add: (record) => {
      appendReadable(pieces, record, append, diagnostics);
      return pieces.length >= PIECE ? write(pieces.take()) : undefined;
    },
    finish: () => (pieces.length === 0 ? undefined : write(pieces.take())),
    close: () => undefined,
  };
}

async function sinkOf({ output }: ParseOptions, write: Write, diagnostics: Diagnostics): Promise<RecordSink> {
  if (typeof output === 'string') return linesSink(output, write, diagnostics);
  const { RecordFiles } = await import('./record-files.js');
  return new RecordFiles(output.folder);
}

/** Result of writing the records of a profile, or of one thread's share of it. */
interface Written {
  /** Null when the profile has no end line. */
  readonly end: EndRecord | null;
  readonly rank: number | null;
}

/** Result of one of several threads that share a profile. */
export interface ProfilePart extends Written {
  readonly counted: readonly CountedPart[];
}

type ProfileSource = Pick<FoundProfile, 'ordinal' | 'source'>;

/** @param write writes the lines, when the output is lines */
export async function parseOne(
  profile: ProfileSource,
  options: ParseOptions,
  write: Write,
  meter: Progress,
): Promise<Outcome> {
  const writing = new Diagnostics();
  const sink = await sinkOf(options, write, writing);
  const written = await writeRecords(profile, options, sink, meter, (end) => {
    const whole = { ...end, diagnostics: writing.addedTo(end.diagnostics) };
    return { end: whole, added: sink.add(whole) };
  });
  return written instanceof UserError ? written : outcomeOf(written.end, written.rank, profile.source.name);
}

/**
 * Writes a thread's share of a profile, as lines without the end line.
 * @param given its `next` is called when all lines of the previous slice have been passed to `write`
 */
export async function parsePart(
  profile: ProfileSource,
  options: ParseOptions,
  write: Write,
  given: Omit<Share, 'end'>,
): Promise<ProfilePart | UserError> {
  const writing = new Diagnostics();
  const sink = await sinkOf(options, write, writing);
  const counted: CountedPart[] = [];
  let flushed: void | Promise<void> = undefined;
  const share: Share = {
    ...given,
    next: () => {
      flushed = sink.finish();
      return given.next();
    },
    end: (part) => void counted.push(part),
  };
  const add = (record: ProfileLine): void | Promise<void> => {
    if (flushed === undefined) return sink.add(record);
    const before = flushed;
    flushed = undefined;
    return before.then(() => sink.add(record));
  };
  const sharedOptions = { ...options, share };
  const written = await writeRecords(profile, sharedOptions, { ...sink, add }, SILENT, (end) => ({ end }));
  return written instanceof UserError ? written : { ...written, counted: [...counted, writing.part] };
}

/**
 * Adds the records of a profile to a sink.
 * @param atEnd receives the end record, and returns the one to report
 */
async function writeRecords(
  { source, ordinal }: ProfileSource,
  options: ParseOptions & { readonly share?: Share },
  sink: RecordSink,
  meter: Progress,
  atEnd: (end: EndRecord) => { readonly end: EndRecord; readonly added?: void | Promise<void> },
): Promise<Written | UserError> {
  let end: EndRecord | null = null;
  let rank: number | null = null;
  let records = 0;
  try {
    for (const record of readProfile(source.path, {
      profile: ordinal,
      name: source.name,
      captures: source.captures,
      onlyWritten: options.output === 'records',
      ...options,
    })) {
      records++;
      let added: void | Promise<void>;
      if (record.type === 'end') ({ end, added } = atEnd(record));
      else added = sink.add(record);
      // Most records are added synchronously. An unneeded await would cost a turn of the event loop for each.
      if (added !== undefined) await added;
      if (records % TURN === 0) {
        meter.at(records, null);
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (record.type === 'profile') rank = record.rank;
    }
    await sink.finish();
  } catch (error) {
    // If records were already written, the stream breaks off, which fails the whole run.
    if (error instanceof UserError && records === 0) return error;
    throw error;
  } finally {
    sink.close();
  }
  return { end, rank };
}

export function outcomeOf(record: ProfileLine | null | undefined, rank: number | null = null, name = ''): Counted {
  if (record?.type !== 'end') return { counts: {}, oddities: [], lost: null, isUnread: false, isCut: false, rank };
  const { counts, diagnostics } = record;
  const losses = new Losses();
  losses.take(name, record);
  const isCut = isOfTruncated(record);
  return {
    counts,
    oddities: oddities(diagnostics),
    lost: losses.lineOf('loss'),
    isUnread: isUnread(record),
    isCut,
    rank,
  };
}

const oddities = (diagnostics: Readonly<Record<string, number>>): string[] =>
  Object.entries(diagnostics)
    .filter(([name]) => Object.hasOwn(DIAGNOSTICS, name))
    .map(([name, n]) => `${DIAGNOSTICS[name as DiagnosticName][1]}: ${n}`);
