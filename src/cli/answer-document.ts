/** The JSON document of a run with `-f json`: the printed rows, facts about the inputs, and what could not be computed. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { limitsOf, type Limit, type Note } from '../prof/limits.js';
import { endingsOf, type EndedInputs } from '../prof/input/stream-status.js';
import type { Doubt } from '../prof/input/losses.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileRecord } from '../record/record.js';
import type { Source } from '../sources/sources.js';
import { headText, rowsText, tailText, type DocumentHead, type DocumentTail } from '../write/json-document.js';
import { shortened, type LeftOut } from '../write/shortened-document.js';
import { ESSENTIAL, IMPORTANCE, SUBJECTS } from './answer-importance.js';
import { withOutput, type Write } from './output.js';

/** A profile that the answer is about. */
export interface AnswerInput {
  /** The number that rows have in the key `profile`; in a comparison, each side counts from 0. */
  readonly profile: number;
  /** Base name of the profile; for records, of the profile from which they were made. */
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

/** Members of a document other than rows and inputs. */
export interface AnswerFacts {
  /** The time chosen with --from, --to or --range; null for whole profiles. */
  readonly window: object | null;
  readonly doubts: readonly Doubt[];
  readonly cannot: readonly Limit[];
}

export const NO_FACTS: AnswerFacts = { window: null, doubts: [], cannot: [] };

/** Minimum characters of a row with a key and a value, `{"a":1},` and its line end. */
const LEAST_ROW = 9;

/** The option that limits the length of a document. */
export const MAX_CHARS = '--max-chars';

/** Maximum number that the option takes. */
export const MOST_CHARS = 100_000_000;

/** Version of all schemas. It changes when a key is removed or changes its meaning. */
const SCHEMA_VERSION = 1;

/** The id of a schema, as in documents. */
export const schemaId = (name: string): string => `dprof/${name}/${SCHEMA_VERSION}`;

/** The name in `dprof/NAME/1`. */
const nameOf = (schema: string): string => schema.split('/')[1] ?? '';

/** Maximum number of inputs that are listed. */
const MOST_INPUTS = 10_000;
const ALL_INPUTS = 'dparse writes a profile line for each';

export class AnswerDocument {
  readonly #inputs: AnswerInput[] = [];
  #inputsLeftOut = 0;
  #state: 'empty' | 'begun' | 'ended' = 'empty';
  #isRead = false;
  #hasInputs = false;
  #rows = 0;
  /** The first rows, and the number of characters of all, for a document of limited length. */
  #held: string[] = [];
  #characters = 0;

  /**
   * @param output the file of `-o`; undefined or '-' for standard output
   * @param mostChars maximum number of characters; null for no limit
   */
  constructor(
    private readonly head: DocumentHead,
    private readonly output: string | undefined,
    private readonly mostChars: number | null,
  ) {}

  /** What the document answers, for what it cannot answer. */
  get about(): string {
    return SUBJECTS[nameOf(this.head.schema)] ?? 'the answer';
  }

  /** A source with the same records; the document lists its profiles. @param files the inputs as given, for their sizes */
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

  /** To be called when all records are read, so that the inputs are listed before the answer. */
  reachEnd(): void {
    this.#isRead = true;
  }

  /** Whether the start of the document is written, but not its end. */
  get isBegun(): boolean {
    return this.#state === 'begun';
  }

  /** A function that writes lines of JSON as rows: of this document, or of a new one if this one has ended. */
  rows(write: Write): Write {
    if (this.#state === 'ended') this.#state = 'empty';
    [this.#rows, this.#characters, this.#held] = [0, 0, []];
    return (lines) => {
      if (typeof lines !== 'string') throw new TypeError('rows of a JSON document are text');
      if (lines === '') return;
      if (this.mostChars !== null) {
        this.#hold(lines, this.mostChars);
        return;
      }
      const head = this.#begin();
      const rows = rowsText(lines, this.#rows === 0);
      this.#rows++;
      return write(head + rows);
    };
  }

  /** Keeps as many rows as could fit if each had the minimum length. */
  #hold(lines: string, most: number): void {
    const rows = lines.trimEnd().split('\n');
    this.#rows += rows.length;
    this.#characters += lines.length + rows.length;
    for (const row of rows) if (this.#held.length < most / LEAST_ROW) this.#held.push(row);
  }

  #begin(): string {
    if (this.#state !== 'empty') return '';
    this.#state = 'begun';
    this.#hasInputs = this.#isRead;
    return headText(this.head, this.#isRead ? this.#inputs : null);
  }

  /**
   * Writes what follows the rows.
   * @throws UsageError when not even the smallest document fits
   */
  end(write: Write, facts: AnswerFacts): void | Promise<void> {
    const inputsLeftOut = this.#inputsLeftOut;
    const rows = { inputs: inputsLeftOut };
    const leftOut: LeftOut | null =
      inputsLeftOut === 0 ? null : { rows, keys: [], moreKeys: 0, texts: null, wayOut: ALL_INPUTS };
    const tail = { inputs: this.#inputs, ...facts, leftOut };
    const head = this.#begin();
    this.#state = 'ended';
    const end = tailText(tail, this.#rows > 0, this.#hasInputs);
    return write(this.mostChars === null ? head + end : this.#limited(this.mostChars, head, tail, end));
  }

  #limited(most: number, head: string, tail: DocumentTail, end: string): string {
    const characters = head.length + this.#characters + end.length;
    if (characters <= most && this.#held.length === this.#rows) {
      const rows = this.#rows === 0 ? '' : rowsText(`${this.#held.join('\n')}\n`, true);
      return head + rows + end;
    }
    const answer = this.#held.map((row) => JSON.parse(row) as unknown);
    const whole = {
      head: this.head,
      answer,
      rows: this.#rows,
      characters,
      inputsLeftOut: this.#inputsLeftOut,
      ...tail,
    };
    const name = nameOf(this.head.schema);
    const { text, least } = shortened(whole, { most, largest: MOST_CHARS }, IMPORTANCE[name] ?? [], ESSENTIAL[name]);
    if (least !== null) throw new UsageError(`${MAX_CHARS} ${most} is too small: this answer needs at least ${least}`);
    return text;
  }

  /**
   * Ends the document of a failed run with the reason. An output file is left as it is: its content is worth more than
   * an answer without rows.
   */
  async refuse(error: unknown): Promise<void> {
    const isFile = this.output !== undefined && this.output !== '-';
    if (isFile || this.#state === 'ended' || !(error instanceof UserError) || error instanceof UsageError) return;
    this.reachEnd();
    try {
      await withOutput(undefined, [], async (write) =>
        this.end(write, { ...NO_FACTS, cannot: limitsOf(error, this.about) }),
      );
    } catch (failure) {
      // The document does not fit, or writing to stdout is what failed; the first error is then reported.
      if (!(failure instanceof UserError)) throw failure;
    }
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

/** The limits that notes and the ends of the inputs state. Losses are left out, because they are among the doubts. */
export function limitsOfRun(
  notes: readonly Note[],
  source: Pick<EndedInputs, 'endings'>,
  { about }: Pick<AnswerDocument, 'about'>,
): Limit[] {
  const { notes: remarks, errors } = endingsOf(source);
  return [...notes, ...remarks, ...errors].flatMap((note) => limitsOf(note, about));
}
