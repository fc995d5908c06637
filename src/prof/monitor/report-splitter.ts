/** Splits a stream of records into the samples of each report. */
import type { ProfileLine, SampleRecord } from '../../record/record.js';
import { reportNumber, type ReportSamples } from './report-samples.js';

/** Holds the samples of one report at a time. */
export class ReportSplitter {
  readonly #starts = new Map<number, string | null>();
  #samples: SampleRecord[] = [];
  count = 0;

  /** Takes the next record and returns the report before it when that is complete. Samples of no report are skipped. */
  take(record: ProfileLine): ReportSamples | null {
    if (record.type === 'end') return this.end();
    if (record.type === 'profile') {
      const done = this.end();
      this.#starts.set(record.profile, record.startUnixNs);
      return done;
    }
    if (record.type !== 'sample') return null;
    const number = reportNumber(record);
    if (number === null) return null;
    const last = this.#samples.at(-1);
    const isNext = last !== undefined && (last.profile !== record.profile || reportNumber(last) !== number);
    const done = isNext ? this.end() : null;
    this.#samples.push(record);
    return done;
  }

  /** The report whose samples came last; null when there is none. */
  end(): ReportSamples | null {
    const [first] = this.#samples;
    if (first === undefined) return null;
    const samples = this.#samples;
    this.#samples = [];
    this.count++;
    return { samples, startUnixNs: this.#starts.get(first.profile) ?? null };
  }
}
