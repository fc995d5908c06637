/** Lines → reports: those of the monitor itself, and records made of them, distinguished line by line. */
import { MonitorReports } from '../../../parse/readers/neuron/monitor/monitor-reports.js';
import { neuronMonitor } from '../../../parse/readers/neuron/monitor.js';
import { ReportSplitter, type ReportSamples } from '../../../prof/neuron/monitor/report-samples.js';
import { isObject } from '../../../record/fields/field-types.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import { SCHEMA_VERSION, type EndRecord, type ProfileLine } from '../../../record/record.js';

const RECORD = /^\s*\{\s*"type"\s*:/;

const present = <T>(value: T | null): T[] => (value === null ? [] : [value]);

export class MonitorLines {
  readonly #diagnostics = new Diagnostics();
  readonly #raw: MonitorReports;
  readonly #splitter = new ReportSplitter();
  /** Number of the latest line, where that is the beginning of an object and no more. */
  #begun: number | null = null;

  /**
   * @param onBroken called with the number of each line that is no report and no record
   * @param onEnd called with each end of records, which counts what was lost before
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

  /** Reports that a line completes: a line of the monitor is one, records end with the next report's. */
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

  /** Whether the input ended within a line; to be asked at its end. */
  get isCut(): boolean {
    return this.#begun !== null;
  }

  /** What is left at the end of the input. */
  end(): ReportSamples[] {
    const last = present(this.#splitter.end());
    if (this.#splitter.count > 0) return last;
    const hint = 'expected lines of neuron-monitor, one JSON object each, or what dparse makes of them';
    throw new UserError('holds no report of neuron-monitor', { where: this.name, hint });
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
      throw new UserError(`records of schema version ${record.v}`, {
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
