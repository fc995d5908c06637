/** One profile → lines of text. */
import type { FoundProfile } from '../../parse/find.js';
import { readProfile } from '../../parse/profile.js';
import { DIAGNOSTICS, type DiagnosticName } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import { APPEND, type OutputFormat } from './output-formats.js';
import { LineBytes } from '../../record/lines/line-bytes.js';
import type { ProfileLine } from '../../record/record.js';
import { isOfTruncated } from '../../prof/input/stream-status.js';
import type { Write } from '../output.js';
import type { Progress } from '../progress.js';

export interface ParseOptions {
  readonly format?: string;
  readonly ranges: boolean;
  readonly program?: string;
  readonly force?: boolean;
  readonly ncu?: string;
  readonly allFields?: boolean;
  readonly derived?: boolean;
  readonly outputFormat: OutputFormat;
}

/** Result of a profile: numbers for its summary, or why it could not be read. */
export type Outcome = Counted | UserError;

export interface Counted {
  /** Records written, by type. */
  readonly counts: Readonly<Record<string, number>>;
  readonly oddities: readonly string[];
  /** Whether the input ended too early. */
  readonly isCut: boolean;
  /** Rank of the profile; null when unknown. */
  readonly rank: number | null;
}

/** How an input was read. */
export interface ParsedProfile {
  /** As the user gave it; '' when no profile was opened. */
  readonly name: string;
  /** Of the profile in the stream. */
  readonly ordinal?: number;
  readonly outcome: Outcome;
}

/** Bytes of lines that are handed on together. */
const PIECE = 1024 * 1024;
/** A line that begins within a piece ends in its memory, mostly. */
const SPARE = 4 * 1024;

/** Activities between two turns of the event loop, so that signals and a closed output are noticed. */
const TURN = 2000;

export async function parseOne(
  profile: Pick<FoundProfile, 'ordinal' | 'source'>,
  options: ParseOptions,
  write: Write,
  meter: Progress,
): Promise<Outcome> {
  const { source, ordinal } = profile;
  let outcome: Outcome = outcomeOf(undefined);
  let rank: number | null = null;
  const pieces = new LineBytes(PIECE + SPARE);
  const append = APPEND[options.outputFormat];
  let lines = 0;
  try {
    for (const record of readProfile(source.path, {
      profile: ordinal,
      name: source.name,
      captures: source.captures,
      ...options,
    })) {
      append(pieces, record);
      if (pieces.length >= PIECE) await write(pieces.take());
      if (++lines % TURN === 0) {
        meter.at(lines, null);
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (record.type === 'profile') rank = record.rank;
      if (record.type === 'end') outcome = outcomeOf(record, rank);
    }
    await write(pieces.take());
  } catch (error) {
    // Once lines are out, the stream is broken off: that is a failure of the whole run.
    if (error instanceof UserError && lines === 0) return error;
    throw error;
  }
  return outcome;
}

export const outcomeOf = (record: ProfileLine | undefined, rank: number | null = null): Counted =>
  record?.type === 'end'
    ? { counts: record.counts, oddities: oddities(record.diagnostics), isCut: isOfTruncated(record), rank }
    : { counts: {}, oddities: [], isCut: false, rank };

const oddities = (diagnostics: Readonly<Record<string, number>>): string[] =>
  Object.entries(diagnostics)
    .filter(([name]) => Object.hasOwn(DIAGNOSTICS, name))
    .map(([name, n]) => `${DIAGNOSTICS[name as DiagnosticName][1]}: ${n}`);
