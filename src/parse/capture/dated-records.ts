/** Iterator with one record of lookahead, over records in order of start. */
import type { StatementRecord } from '../../record/record.js';

export class DatedRecords {
  readonly #records: Iterator<StatementRecord>;
  #next: StatementRecord | null = null;
  #start = Infinity;

  /** @param records in order of start, those without a time first */
  constructor(records: Iterable<StatementRecord>) {
    this.#records = records[Symbol.iterator]();
    this.#advance();
  }

  /** Whether the next record starts at a time or before. -Infinity: whether it has no time. */
  isDue(time: number): boolean {
    return this.#next !== null && this.#start <= time;
  }

  /**
   * Takes the next record.
   * @throws RangeError when there is none
   */
  take(): StatementRecord {
    const record = this.#next;
    if (record === null) throw new RangeError('no record left');
    this.#advance();
    return record;
  }

  /** Ends the iterator before its last record. */
  close(): void {
    this.#records.return?.();
  }

  #advance(): void {
    const result: IteratorResult<StatementRecord, unknown> = this.#records.next();
    this.#next = result.done === true ? null : result.value;
    this.#start = this.#next === null ? Infinity : startOf(this.#next);
  }
}

const startOf = (record: StatementRecord): number => ('start' in record ? (record.start ?? -Infinity) : -Infinity);
