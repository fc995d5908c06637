/** What `dprof monitor` says on stderr, each of it once. */
import type { MonitorReport } from '../../../prof/neuron/monitor/monitor-report.js';
import { Losses } from '../../../prof/input/losses.js';
import { WAS_READ } from '../../../prof/input/stream-status.js';
import { UserError } from '../../../record/errors.js';
import type { EndRecord } from '../../../record/record.js';
import { say } from '../../message.js';
import type { MonitorRequest } from './monitor-options.js';

/** Distinct errors that are kept; a monitor may run for months. */
const MOST_ERRORS = 1000;

export class MonitorNotes {
  readonly #losses = new Losses();
  readonly #errors = new Set<string>();
  #broken = 0;
  #firstBroken = 0;
  #withoutTime = false;
  #cut: string | null = null;

  constructor(private readonly request: MonitorRequest) {}

  /** Takes the number of a line that is no report. */
  broken(line: number): void {
    if (this.#broken++ === 0) this.#firstBroken = line;
  }

  /** Takes what was lost of the reports that records were made of. */
  lost(input: string, { diagnostics }: EndRecord): void {
    this.#losses.take(input, diagnostics);
  }

  /** Takes the name of the input that ended within a line. */
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
    this.say('the reports have no time, which CloudWatch requires: Timestamp is left out (see --timestamp)');
  }

  /** A run has more values than percentiles are computed of. */
  tooLong(): void {
    this.say('the run has too many values for percentiles, which are unknown (--period 1m makes fewer reports)');
  }

  /** Says what was lost, also where the run is quiet. @throws UserError for an input that is cut off */
  end(): void {
    const lines = this.#broken === 1 ? '1 line that is' : `${this.#broken} lines that are`;
    if (this.#broken > 0) say('dprof', `passed over ${lines} no report (first: line ${this.#firstBroken})`);
    const { line } = this.#losses;
    if (line !== null) say('dprof', line);
    if (this.#cut !== null) throw new UserError(`the last line is cut off; ${WAS_READ}`, { where: this.#cut });
  }

  say(text: string): void {
    if (!this.request.quiet) say('dprof', text);
  }
}
