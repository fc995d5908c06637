/** The JSON document of a run with `-f json`: its rows as they are printed, and what is known of the inputs. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { limitsOf, type Limit, type Note } from '../prof/analysis.js';
import { endingsOf, type EndedInputs } from '../prof/input/stream-status.js';
import type { Doubt } from '../prof/input/losses.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileRecord } from '../record/record.js';
import type { Source } from '../sources/sources.js';
import { headText, rowsText, tailText, type DocumentHead } from '../write/json-document.js';
import { withOutput, type Write } from './output.js';

/** A profile that the answer is about. */
export interface AnswerInput {
  /** The number that rows have in the key `profile`; in a comparison, each side counts from 0. */
  readonly profile: number;
  /** Base name of the file that was profiled into. */
  readonly file: string;
  /** Id of the format, from docs/formats.md. */
  readonly format: string;
  /** The profiler and its version. */
  readonly tool: string | null;
  readonly rank: number | null;
  /** Unix time of the profile's start in ns, as a decimal string. */
  readonly startUnixNs: string | null;
  /** Length of the profile in ns. */
  readonly dur: number | null;
  /** Size of the file in bytes; null for a file of a folder, an archive or a stream, and for the profile of records. */
  readonly bytes: number | null;
  /** The side of a comparison; absent in all other answers. */
  readonly side?: 'base' | 'new';
}

/** The part of a document that does not come from rows. */
export interface AnswerFacts {
  /** The time of the profiles that was chosen; null for all. */
  readonly window: object | null;
  readonly doubts: readonly Doubt[];
  readonly cannot: readonly Limit[];
}

export const NO_FACTS: AnswerFacts = { window: null, doubts: [], cannot: [] };

/** Maximum number of inputs that are listed. */
const MOST_INPUTS = 10_000;

export class AnswerDocument {
  readonly #inputs: AnswerInput[] = [];
  #inputsLeftOut = 0;
  #state: 'empty' | 'begun' | 'ended' = 'empty';
  #isRead = false;
  #hasInputs = false;
  #hasRows = false;

  /** @param output the file of `-o`; undefined or '-' for standard output */
  constructor(
    private readonly head: DocumentHead,
    private readonly output: string | undefined,
  ) {}

  /** The source, whose profiles the document will list. @param files the inputs as given, for their sizes */
  watched(source: Source, files: readonly string[], side?: AnswerInput['side']): Source {
    const sizes = new Map(files.map((file) => [basename(file), sizeOf(file)]));
    return { ...source, batches: this.#watching(source.batches, sizes, side) };
  }

  async *#watching(
    batches: Source['batches'],
    sizes: ReadonlyMap<string, number | null>,
    side: AnswerInput['side'],
  ): Source['batches'] {
    for await (const batch of batches) {
      for (const record of batch) if (record.type === 'profile') this.#take(record, sizes, side);
      yield batch;
    }
  }

  #take(record: ProfileRecord, sizes: ReadonlyMap<string, number | null>, side: AnswerInput['side']): void {
    if (this.#inputs.length === MOST_INPUTS) {
      this.#inputsLeftOut++;
      return;
    }
    const { profile, file, format, tool, rank, startUnixNs, dur } = record;
    const bytes = sizes.get(file) ?? null;
    const input = { profile, file, format, tool, rank, startUnixNs, dur, bytes };
    this.#inputs.push(side === undefined ? input : { ...input, side });
  }

  /** Call it when everything is read, so that the inputs are listed before the answer. */
  reachEnd(): void {
    this.#isRead = true;
  }

  /** Whether some of it is written and the end is not. */
  get isBegun(): boolean {
    return this.#state === 'begun';
  }

  /** A function that writes lines of JSON as rows of the document; of a new one, when one is written. */
  rows(write: Write): Write {
    if (this.#state === 'ended') this.#state = 'empty';
    this.#hasRows = false;
    return (lines) => {
      if (typeof lines !== 'string') throw new TypeError('rows of a JSON document are text');
      if (lines === '') return;
      const head = this.#begin();
      const rows = rowsText(lines, !this.#hasRows);
      this.#hasRows = true;
      return write(head + rows);
    };
  }

  #begin(): string {
    if (this.#state !== 'empty') return '';
    this.#state = 'begun';
    this.#hasInputs = this.#isRead;
    return headText(this.head, this.#isRead ? this.#inputs : null);
  }

  /** Writes what follows the rows. */
  end(write: Write, facts: AnswerFacts): void | Promise<void> {
    const head = this.#begin();
    this.#state = 'ended';
    const leftOut = this.#inputsLeftOut === 0 ? null : { rows: { inputs: this.#inputsLeftOut } };
    return write(head + tailText({ inputs: this.#inputs, ...facts, leftOut }, this.#hasRows, this.#hasInputs));
  }

  /**
   * Ends the document of a run that failed with the reason. An output file is left as it is, because it is worth more
   * than an answer without rows.
   */
  async refuse(error: unknown): Promise<void> {
    const isFile = this.output !== undefined && this.output !== '-';
    if (isFile || this.#state === 'ended' || !(error instanceof UserError) || error instanceof UsageError) return;
    this.reachEnd();
    await withOutput(undefined, [], async (write) => this.end(write, { ...NO_FACTS, cannot: limitsOf(error) }));
  }
}

/** Writes rows as lines, within a document if there is one, for answers that do not depend on profiles. */
export async function withinDocument(
  document: AnswerDocument | null,
  write: Write,
  body: (write: Write) => void | Promise<void>,
): Promise<void> {
  document?.reachEnd();
  await body(document?.rows(write) ?? write);
  await document?.end(write, NO_FACTS);
}

const sizeOf = (path: string): number | null => {
  const stat = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.size : null;
};

/** What notes and the ends of the inputs limit. Losses are left out, because they are among the doubts. */
export function limitsOfRun(notes: readonly Note[], source: Pick<EndedInputs, 'endings'>): Limit[] {
  const { notes: remarks, errors } = endingsOf(source);
  return [...notes, ...remarks, ...errors].flatMap(limitsOf);
}
