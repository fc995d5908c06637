/** Turns lines into records: each line is a JSON record of dparse or a Python dict of PyProf. */
import { UserError } from '../../record/errors.js';
import { RECORD_FIELDS } from '../../record/fields/record-fields.js';
import { SCHEMA_VERSION, type ProfileLine, type ProfileRecord } from '../../record/record.js';
import { NET_DICT, TruncatedInput, type StreamStatus } from './stream-status.js';
import { lineBatches, type Input } from './lines.js';
import { isDatabaseMessage, NetDictReader, PrintedLines, withoutProgress } from './net-dict.js';
import { RepeatedFieldParser, validRecord } from './record-validation.js';
import { isObject } from '../../record/fields/field-types.js';
import { KERNEL_TYPES, type RecordTypes } from '../analysis.js';
import { RecordCounts } from './record-counts.js';
import { PART_TYPES } from '../../record/partial.js';
import { MemberScanner, type Member } from './member-scanner.js';

/** Lists the commands that take partial answers, for users who give one to another command. */
const TAKERS =
  'summary, steps, ranks, diff, --by KEYS and merge read it, without --peaks; other commands need the profile';

/** Partial answers among records: complete members, as records of the types that a command takes. */
class PartialRecords {
  readonly #scanner: MemberScanner;
  #ready: ProfileLine[] = [];
  /** Whether any line belonged to a partial answer, which may have no members. */
  hasLines = false;
  readonly #isRefused: boolean;

  /**
   * @param file its name, for messages
   * @param types requested types; if none belongs to partial answers, the input must not have any
   * @param read ids of the members that were read; this instance adds to it
   */
  constructor(
    private readonly file: string,
    types: ReadonlySet<ProfileLine['type']>,
    private readonly read: Set<string>,
  ) {
    this.#isRefused = !PART_TYPES.some((type) => types.has(type));
    const isWanted = (type: string): boolean => types.has(type as ProfileLine['type']);
    this.#scanner = new MemberScanner(file, isWanted, (member) => this.#add(member));
  }

  /**
   * @returns whether the line belongs to a partial answer
   * @throws UserError when partial answers are not accepted, and for one that is damaged or newer
   */
  take(text: string, line: number): boolean {
    if (!this.#scanner.take(text, line)) return false;
    if (this.#isRefused) {
      throw new UserError('is a dprof partial file, which has no individual kernels', {
        where: this.file,
        hint: TAKERS,
      });
    }
    this.hasLines = true;
    return true;
  }

  /** Records of members that became complete since the last call. */
  ready(): readonly ProfileLine[] {
    if (this.#ready.length === 0) return NOTHING;
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** @throws TruncatedInput when members are missing */
  end(): void {
    this.#scanner.end();
  }

  /** Error for a line of a `dprof partial` file that belongs to no member. */
  stray(line: number): UserError {
    return new UserError('a line outside any member: the file was edited', {
      where: `${this.file}:${line}`,
      hint: 'write it again with dprof partial',
    });
  }

  #add({ id, head, lines }: Member): void {
    if (this.read.has(id)) return;
    this.read.add(id);
    this.#ready.push(withoutPart(head));
    for (const line of lines) this.#ready.push(JSON.parse(line) as ProfileLine);
  }
}

/** The profile in a member's first line. */
const withoutPart = (head: string): ProfileRecord =>
  Object.fromEntries(
    Object.entries(JSON.parse(head) as object).filter(([name]) => name !== 'part'),
  ) as unknown as ProfileRecord;

const NOTHING: readonly ProfileLine[] = [];

const KERNEL = '{"type":"kernel"';
/** Lines that begin or end a profile. */
const MARKS: ReadonlySet<string> = new Set<ProfileLine['type']>(['profile', 'end']);
/** Most lines begin with their type, so lines of other types are skipped without being parsed. */
const TYPE = /^\{"type":"([\w-]+)"/;
/** Start of a kernel in PyProf's format. */
const DICT = "{'kShortName'";

/** Kind of a string by its beginning: records (including PyProf's) or partial answers; null for neither. */
export function recordKindOf(text: string): 'records' | 'partial' | null {
  const type = TYPE.exec(text)?.[1] ?? '';
  if (type === 'partial') return type;
  return Object.hasOwn(RECORD_FIELDS, type) || text.startsWith(DICT) ? 'records' : null;
}

/**
 * The records of an input, in batches.
 * @param types record types; others are skipped
 * @param status receives how the input ends; an input that is truncated after some lines is then not an error
 * @param ranges 'without-work': ranges after the first kernel of a profile are not wanted, and not parsed
 * @param members ids of the members of partial answers that were read, also from other inputs; none is read twice
 * @throws UserError naming file and line for a line that is not a record
 */
export async function* readRecords(
  input: Input,
  types: RecordTypes = KERNEL_TYPES,
  status: StreamStatus | null = null,
  ranges?: 'without-calls' | 'long-calls' | 'without-work',
  members?: Set<string>,
): AsyncGenerator<readonly ProfileLine[]> {
  const reader = new RecordReader(input.name, types, status, ranges, members);
  try {
    for await (const { first, lines } of lineBatches(input)) yield reader.readAll(lines, first);
    reader.end();
    status?.reachEnd();
  } catch (error) {
    if (status === null || reader.linesRead === 0 || !(error instanceof TruncatedInput)) throw error;
    status.cut = error;
  }
}

export class RecordReader {
  readonly #dicts = new NetDictReader();
  readonly #printed = new PrintedLines();
  /** Whether no line so far was a record of dparse, so that the input may be a `net.dict`. */
  #isNetDict = true;
  readonly #parts = new RepeatedFieldParser();
  #kernels = 0;
  /** Whether the current profile has had a kernel. */
  #hasKernels = false;
  /** A line that ends in the middle of a record: truncated when it is the last line, else broken. */
  #cut: TruncatedInput | null = null;
  readonly #partial: PartialRecords;
  readonly #counts: RecordCounts;
  /** Number of lines that are not blank. */
  linesRead = 0;

  constructor(
    private readonly file: string,
    private readonly types: RecordTypes = KERNEL_TYPES,
    private readonly status: StreamStatus | null = null,
    private readonly ranges?: 'without-calls' | 'long-calls' | 'without-work',
    members = new Set<string>(),
  ) {
    this.#partial = new PartialRecords(file, types, members);
    this.#counts = new RecordCounts(
      (type) => types.has(type) && !(type === 'range' && ranges === 'without-work'),
      ({ what, detail }) => status?.troubles.push(new UserError(what, { ...detail, where: file })),
    );
  }

  /**
   * @param first number of the first line
   * @throws UserError for a line that is not a record; for a truncated line only when another follows it
   */
  readAll(lines: readonly string[], first: number): ProfileLine[] {
    const records: ProfileLine[] = [];
    lines.forEach((text, i) => {
      if (this.#cut === null && this.#partial.take(text, first + i)) {
        for (const record of this.#partial.ready()) records.push(this.#counted(record));
        return;
      }
      const record = this.#readOne(text, first + i);
      if (record !== null) records.push(record);
    });
    return records;
  }

  #readOne(text: string, line: number): ProfileLine | null {
    if (this.#cut !== null && text.trim() !== '') {
      this.#takePrinted(new UserError(this.#cut.what, this.#cut.detail), '{');
      this.#cut = null;
    }
    try {
      return this.read(text, line);
    } catch (error) {
      if (!(error instanceof TruncatedInput)) throw error;
      this.#cut = error;
      return null;
    }
  }

  /** @throws UserError when there is no record, TruncatedInput when the last one is truncated */
  end(): void {
    if (this.linesRead === 0) this.#printed.refuse();
    if (this.status !== null) this.#printed.tellTo(this.status);
    if (this.#cut !== null) throw this.#cut;
    this.#partial.end();
    this.status?.losses.take(this.file, this.#counts);
    if (this.linesRead > 0 || this.#partial.hasLines) return;
    throw new UserError('is empty', { where: this.file, hint: 'expected dparse records, or a net.dict' });
  }

  /** The record of a line; null for a blank line and for a record of another type. */
  read(textOfLine: string, line: number): ProfileLine | null {
    const text = this.#isNetDict ? withoutProgress(textOfLine) : textOfLine;
    const isKernel = text.startsWith(KERNEL);
    if (isKernel) this.#hasKernels = true;
    if (!isKernel && (this.#isSkipped(text) || text.trim() === '')) return null;
    if (!isKernel && !OPENING.test(text)) {
      this.#takePrinted(this.#noRecord(text, line), text);
      return null;
    }
    const record = !isKernel && isPython(text) ? this.#python(text, line) : this.#json(text, line);
    this.linesRead++;
    return record;
  }

  /** @throws UserError the given error, except in a `net.dict` */
  #takePrinted(error: UserError, text: string): void {
    if (!this.#isNetDict || this.status === null) throw error;
    this.#printed.take(error, text, this.linesRead);
  }

  /** A record of a member, which needs no check. */
  #counted(record: ProfileLine): ProfileLine {
    this.linesRead++;
    if (MARKS.has(record.type)) this.status?.take(record);
    return record;
  }

  #isSkipped(text: string): boolean {
    const type = TYPE.exec(text)?.[1];
    if (type === 'range' && this.#hasKernels && this.ranges === 'without-work') return true;
    // A partial-answer line outside of a member is an error, whatever types are wanted.
    if (type === undefined || type.startsWith('part-')) return false;
    return !MARKS.has(type) && !this.types.has(type as ProfileLine['type']);
  }

  #json(text: string, line: number): ProfileLine | null {
    let record: unknown;
    try {
      record = text.startsWith(KERNEL) ? this.#parts.parse(text) : JSON.parse(text);
    } catch (error) {
      throw this.#broken(text, line, error);
    }
    if (!isObject(record) || typeof record['type'] !== 'string') {
      throw this.#error('JSON, but not a record', line, 'expected dparse records, one per line');
    }
    this.#printed.refuse();
    this.#isNetDict = false;
    if (record['type'] === 'profile') {
      this.#checkVersion(record['v'], line);
      this.#hasKernels = false;
    }
    if (record['type'].startsWith('part-')) throw this.#partial.stray(line);
    const isWanted = this.types.has(record['type'] as ProfileLine['type']);
    const isMark = MARKS.has(record['type']);
    if (!isWanted && !isMark) return null;
    if ('part' in record) throw this.#partial.stray(line);
    if (record['type'] === 'kernel') this.#kernels++;
    const { countWrong } = this.#counts;
    const read = this.#counts.take(validRecord(record, this.#kernels, countWrong));
    if (isMark) this.status?.take(read);
    return isWanted ? read : null;
  }

  #python(text: string, line: number): ProfileLine | null {
    let record;
    try {
      record = this.#dicts.kernel(text.trim(), this.#kernels + 1);
    } catch (error) {
      throw this.#broken(text, line, error);
    }
    if (record === null) throw this.#error('a Python value, but not a kernel', line, 'expected a PyProf net.dict');
    this.#kernels++;
    this.status?.formats.add(NET_DICT);
    return record;
  }

  #checkVersion(version: unknown, line: number): void {
    if (typeof version === 'number' && version > SCHEMA_VERSION) {
      throw this.#error(
        `unsupported record schema version ${version}`,
        line,
        `this dprof reads up to ${SCHEMA_VERSION}; update it`,
      );
    }
  }

  /** The error for a line that does not begin like a record. It says what the line probably is. */
  #noRecord(text: string, line: number): UserError {
    if (!isDatabaseMessage(text))
      return this.#error(
        'not a record',
        line,
        'expected dparse records, a net.dict, or a profile; dparse --formats lists the formats',
      );
    const said = text.trim().slice(0, 80);
    return this.#error(`not kernels but a database message: "${said}"`, line, 'run dparse on the profile itself');
  }

  /** The error for a record that cannot be parsed. */
  #broken(text: string, line: number, error: unknown): UserError {
    const position = positionOf(error);
    const at = position === null ? '' : ` at column ${position + 1}`;
    const hint = 'the file may be cut off or edited: write it again with dparse';
    const end = text.trimEnd();
    const isCut = position !== null && (position >= end.length || (isPython(text) && !end.endsWith('}')));
    return isCut
      ? new TruncatedInput('broken record: it is cut off', { where: `${this.file}:${line}`, hint })
      : this.#error(`broken record${at}`, line, hint);
  }

  #error(what: string, line: number, hint: string): UserError {
    return new UserError(what, { where: `${this.file}:${line}`, hint });
  }
}

/** Start of a record. */
const OPENING = /^\s*\{/;

/** Python's repr of a dict starts with a key in single quotes, which JSON does not have. */
const isPython = (text: string): boolean => /^\s*\{\s*'/.test(text);

/** Position, from 0, at which a parser stopped; null when the error has none. */
function positionOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ('position' in error && typeof error.position === 'number') return error.position;
  const found = /position (\d+)/.exec(error.message)?.[1];
  if (found !== undefined) return Number(found);
  return /end of JSON/.test(error.message) ? Infinity : null;
}
