/**
 * Turns lines into reports. Each line is either a report of the monitor or a record made from reports. Notes about the
 * lines go to stderr.
 */
import { MonitorReports } from '../../../parse/readers/neuron/monitor/monitor-reports.js';
import { neuronMonitor } from '../../../parse/readers/neuron/monitor.js';
import { ReportSplitter, type ReportSamples } from '../../../prof/neuron/monitor/report-samples.js';
import { isObject } from '../../../record/fields/field-types.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import { SCHEMA_VERSION, type EndRecord, type ProfileLine } from '../../../record/record.js';
import type { MonitorReport } from '../../../prof/neuron/monitor/monitor-report.js';
import { Losses } from '../../../prof/input/losses.js';
import { WAS_READ } from '../../../prof/input/stream-status.js';
import { say } from '../../message.js';
import type { MonitorRequest } from './monitor-options.js';

/** Maximum distinct errors that are kept, because a monitor may run for months. */
const MOST_ERRORS = 1000;

export class MonitorNotes {
  readonly #losses = new Losses();
  readonly #errors = new Set<string>();
  #broken = 0;
  #firstBroken = 0;
  #withoutTime = false;
  #cut: string | null = null;

  constructor(private readonly request: MonitorRequest) {}

  /** Takes the number of a line that is not a report. */
  broken(line: number): void {
    if (this.#broken++ === 0) this.#firstBroken = line;
  }

  /** Takes the losses of the reports that records were made from. */
  lost(input: string, end: EndRecord): void {
    this.#losses.take(input, end);
  }

  /** Takes the name of an input that ended in the middle of a line. */
  cut(input: string): void {
    this.#cut = input;
  }

  report({ errors, unixMs }: MonitorReport): void {
    for (const { where, text } of errors) {
      const { line } = new UserError(text, { where });
      if (this.#errors.has(line) || this.#errors.size >= MOST_ERRORS) continue;
      this.#errors.add(line);
      this.say(`neuron-monitor: ${line}`);
    }
    if (this.request.format.id !== 'emf' || unixMs !== null || this.#withoutTime) return;
    this.#withoutTime = true;
    this.say('the reports have no time, but CloudWatch requires one: Timestamp is left out (see --timestamp)');
  }

  /** Called when a run has more values than percentiles can be computed from. */
  tooLong(): void {
    this.say('too many values for percentiles, which are unknown (--period 1m makes fewer reports)');
  }

  /** Prints how much was lost, even in a quiet run. @throws UserError for an input that is cut off */
  end(): void {
    const lines = this.#broken === 1 ? '1 line that is not a report' : `${this.#broken} lines that are not reports`;
    if (this.#broken > 0) say('dprof', `skipped ${lines} (first: line ${this.#firstBroken})`);
    const line = this.#losses.lineOf('loss');
    if (line !== null) say('dprof', line);
    if (this.#cut !== null) throw new UserError(`the last line is cut off; ${WAS_READ}`, { where: this.#cut });
  }

  say(text: string): void {
    if (!this.request.quiet) say('dprof', text);
  }
}

const RECORD = /^\s*\{\s*"type"\s*:/;

const present = <T>(value: T | null): T[] => (value === null ? [] : [value]);

export class MonitorLines {
  readonly #diagnostics = new Diagnostics();
  readonly #raw: MonitorReports;
  readonly #splitter = new ReportSplitter();
  /** Number of the last line if it is only the beginning of an object; null otherwise. */
  #begun: number | null = null;

  /**
   * @param onBroken called with the number of each line that is neither a report nor a record
   * @param onEnd called with each end record, which counts losses before it
   */
  constructor(
    private readonly name: string,
    private readonly onBroken: (line: number) => void,
    private readonly onEnd: (end: EndRecord) => void = () => undefined,
  ) {
    this.#raw = new MonitorReports(
      { profile: 0, format: neuronMonitor.id, input: name, file: name, rank: null },
      this.#diagnostics,
    );
  }

  /**
   * The reports that a line completes: a line of the monitor is one report; a report made of records ends where the next
   * one starts.
   */
  take(line: string, number: number): ReportSamples[] {
    if (line.trim() === '') return [];
    if (this.#begun !== null) this.onBroken(this.#begun);
    this.#begun = null;
    if (RECORD.test(line)) return present(this.#record(line, number));
    const records = this.#raw.take(line);
    if (records.length === 0) this.#broken(line, number);
    const before = records.map((record) => this.#splitter.take(record));
    return [...before.flatMap(present), ...present(this.#splitter.end())];
  }

  /** Whether the input ended in the middle of a line; call it at the end of the input. */
  get isCut(): boolean {
    return this.#begun !== null;
  }

  /** The reports left at the end of the input. */
  end(): ReportSamples[] {
    const last = present(this.#splitter.end());
    if (this.#splitter.count > 0) return last;
    const hint = 'expected neuron-monitor lines, one JSON object each, or dparse records made from them';
    throw new UserError('contains no neuron-monitor report', { where: this.name, hint });
  }

  #broken(line: string, number: number): void {
    if (line.trimStart().startsWith('{') && parseRecord(line) === null) this.#begun = number;
    else this.onBroken(number);
  }

  #record(line: string, number: number): ReportSamples | null {
    const record = parseRecord(line);
    if (record === null) {
      this.#broken(line, number);
      return null;
    }
    if (record.type === 'profile' && record.v > SCHEMA_VERSION) {
      throw new UserError(`unsupported record schema version ${record.v}`, {
        where: `${this.name}:${number}`,
        hint: `this dprof reads up to ${SCHEMA_VERSION}; update it`,
      });
    }
    if (record.type === 'end' && isObject(record.diagnostics)) this.onEnd(record);
    return this.#splitter.take(record);
  }
}

function parseRecord(line: string): ProfileLine | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? (value as unknown as ProfileLine) : null;
  } catch {
    return null;
  }
}
