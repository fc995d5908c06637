/**
 * Lines → records: JSON lines of our own, or PyProf's Python dicts, told apart line by line.
 */
import { UserError } from '../../record/errors.js';
import { SCHEMA_VERSION, type ProfileLine } from '../../record/record.js';
import { TruncatedInput, type StreamStatus } from './stream-status.js';
import { lineBatches, type Input } from './lines.js';
import { isDatabaseMessage, NetDictReader } from './net-dict.js';
import { RepeatedFieldParser } from './repeated-fields.js';
import { isObject, validKernel, validLine as lineOf } from './record-validation.js';

export type RecordTypes = ReadonlySet<ProfileLine['type']>;

/** Types a report of kernels has a use for; others are skipped, known or not. */
const OF_KERNELS: RecordTypes = new Set<ProfileLine['type']>(['profile', 'kernel', 'end']);
const KERNEL = '{"type":"kernel"';
/** Where profiles begin and end. */
const MARKS: ReadonlySet<string> = new Set<ProfileLine['type']>(['profile', 'end']);
/** Most lines tell their type at the start: what is not wanted is skipped without being parsed. */
const TYPE = /^\{"type":"(\w+)"/;

/**
 * The records of an input, in batches.
 * @param types the others are skipped
 * @param ending told how the input ends; what is cut off behind some lines is no error then
 * @throws UserError naming file and line for a line that is no record
 */
export async function* readRecords(
  input: Input,
  types: RecordTypes = OF_KERNELS,
  ending: StreamStatus | null = null,
): AsyncGenerator<readonly ProfileLine[]> {
  const reader = new RecordReader(input.name, types, ending);
  try {
    for await (const { first, lines } of lineBatches(input)) yield reader.readAll(lines, first);
    reader.end();
    ending?.reach();
  } catch (error) {
    if (ending === null || reader.linesRead === 0 || !(error instanceof TruncatedInput)) throw error;
    ending.cut = error;
  }
}

export class RecordReader {
  readonly #dicts = new NetDictReader();
  readonly #parts = new RepeatedFieldParser();
  #kernels = 0;
  /** A line that stops in the middle: cut off when it is the last one, else broken. */
  #cut: TruncatedInput | null = null;
  /** Lines that held something. */
  linesRead = 0;

  constructor(
    private readonly file: string,
    private readonly types: RecordTypes = OF_KERNELS,
    private readonly ending: StreamStatus | null = null,
  ) {}

  /**
   * @param first number of the first line
   * @throws UserError for a line that is no record, but for the last one that stops in the middle: `end` throws it
   */
  readAll(lines: readonly string[], first: number): ProfileLine[] {
    const records: ProfileLine[] = [];
    lines.forEach((text, i) => {
      const record = this.#readOne(text, first + i);
      if (record !== null) records.push(record);
    });
    return records;
  }

  #readOne(text: string, line: number): ProfileLine | null {
    if (this.#cut !== null && text.trim() !== '') throw new UserError(this.#cut.what, this.#cut.detail);
    try {
      return this.read(text, line);
    } catch (error) {
      if (!(error instanceof TruncatedInput)) throw error;
      this.#cut = error;
      return null;
    }
  }

  /** @throws UserError where there was no record, CutOff where the last one is not whole */
  end(): void {
    if (this.#cut !== null) throw this.#cut;
    if (this.linesRead > 0) return;
    throw new UserError('is empty', { where: this.file, hint: 'expected records of dparse, or a net.dict' });
  }

  /** One line's record, or null when there is nothing in it for a report. */
  read(text: string, line: number): ProfileLine | null {
    const isKernel = text.startsWith(KERNEL);
    if (!isKernel && (this.#isSkipped(text) || text.trim() === '')) return null;
    const record = !isKernel && isPython(text) ? this.#python(text, line) : this.#json(text, line);
    this.linesRead++;
    return record;
  }

  #isSkipped(text: string): boolean {
    const type = TYPE.exec(text)?.[1];
    return type !== undefined && !MARKS.has(type) && !this.types.has(type as ProfileLine['type']);
  }

  #json(text: string, line: number): ProfileLine | null {
    let record: unknown;
    try {
      record = text.startsWith(KERNEL) ? this.#parts.parse(text) : JSON.parse(text);
    } catch (error) {
      throw this.#broken(text, line, error);
    }
    if (!isObject(record) || typeof record['type'] !== 'string') {
      throw this.#error('JSON, but not a record', line, 'expected records of dparse, one a line');
    }
    if (record['type'] === 'profile') this.#checkVersion(record['v'], line);
    if (MARKS.has(record['type'])) this.ending?.take(lineOf(record));
    if (!this.types.has(record['type'] as ProfileLine['type'])) return null;
    if (record['type'] === 'kernel') return validKernel(record, ++this.#kernels);
    return lineOf(record);
  }

  #python(text: string, line: number): ProfileLine | null {
    let record;
    try {
      record = this.#dicts.kernel(text.trim(), this.#kernels + 1);
    } catch (error) {
      throw this.#broken(text, line, error);
    }
    if (record === null) throw this.#error('a Python value, but not a kernel', line, 'expected a net.dict of PyProf');
    this.#kernels++;
    return record;
  }

  #checkVersion(version: unknown, line: number): void {
    if (typeof version === 'number' && version > SCHEMA_VERSION) {
      throw this.#error(
        `records of schema version ${version}`,
        line,
        `this dprof reads up to ${SCHEMA_VERSION}; update it`,
      );
    }
  }

  /** What a line that cannot be parsed most likely is. */
  #broken(text: string, line: number, error: unknown): UserError {
    if (isDatabaseMessage(text)) {
      const said = text.trim().slice(0, 80);
      return this.#error(
        `not kernels but a message of the database: "${said}"`,
        line,
        'run dparse on the profile itself',
      );
    }
    if (!/^\s*\{/.test(text)) {
      return this.#error('not a record', line, 'expected records of dparse, a net.dict, or a profile database');
    }
    const position = positionOf(error);
    const at = position === null ? '' : ` at column ${position + 1}`;
    const hint = 'was the file cut off or edited? write it again with dparse';
    const isCut = position !== null && position >= text.trimEnd().length;
    return isCut
      ? new TruncatedInput('broken record: it is cut off', { where: `${this.file}:${line}`, hint })
      : this.#error(`broken record${at}`, line, hint);
  }

  #error(what: string, line: number, hint: string): UserError {
    return new UserError(what, { where: `${this.file}:${line}`, hint });
  }
}

/** Python's repr of a dict starts with a quoted key in single quotes; JSON knows none. */
const isPython = (text: string): boolean => /^\s*\{\s*'/.test(text);

/** Where a parser stopped, from 0. */
function positionOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ('position' in error && typeof error.position === 'number') return error.position;
  const found = /position (\d+)/.exec(error.message)?.[1];
  if (found !== undefined) return Number(found);
  return /end of JSON/.test(error.message) ? Infinity : null;
}
