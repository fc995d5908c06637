/**
 * Turns records about times, other than activities, into the marks of a timeline. One pass; memory: a bounded number of
 * marks.
 */
import { counted } from '../../../record/plural.js';
import type { ProfileLine, SampleRecord } from '../../../record/record.js';
import { missingWorkOf, type MissingWork } from '../../steps/missing-work.js';
import type { StepTime } from '../step-times.js';
import type { TimelineMark, TimelineMarks } from './timeline-data.js';

/** Maximum number of marks of each kind. */
const MOST_MARKS = 500;
/**
 * In ns. Windows of the same limit that are this close to each other are merged, because their ends are rounded to ns.
 */
const ADJACENT = 1;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

export class MarkTable {
  readonly #throttling: Writable<TimelineMark>[] = [];
  /** The latest window of each core, with its limit and cause. */
  readonly #windows = new Map<string, Writable<TimelineMark>>();
  readonly #missing: TimelineMark[] = [];
  #leftOut = 0;
  #latest = -Infinity;
  #hasBegun = false;
  #hasEnded = false;

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#hasBegun = true;
    else if (record.type === 'end') this.#hasEnded = true;
    else if ('start' in record && record.start !== null && Number.isFinite(record.start)) {
      this.#latest = Math.max(this.#latest, record.start);
    }
    if (record.type !== 'sample') return;
    const missing = missingWorkOf(record);
    if (missing !== null) this.#add(this.#missing, missingMark(missing));
    if (record.metric === 'throttle') this.#throttle(record);
  }

  /** @param steps in any order; those beyond the maximum have no mark */
  marks(steps: readonly StepTime[]): TimelineMarks {
    const shown = steps.slice(0, MOST_MARKS);
    // Records arrive in order of start time, so missing records began later.
    const isCut = this.#hasBegun && !this.#hasEnded && this.#latest > -Infinity;
    const list: TimelineMark[] = [
      ...this.#throttling,
      ...this.#missing,
      ...shown.map(({ step, start, end }): TimelineMark => ({
        kind: 'step',
        start,
        end,
        device: null,
        text: `step ${step}`,
      })),
      ...(isCut ? [cutMark(this.#latest)] : []),
    ];
    return {
      list: list.sort((a, b) => a.start - b.start),
      leftOut: this.#leftOut + steps.length - shown.length,
    };
  }

  /** A rate below 1 while it lasts; without a duration only its start is known. */
  #throttle({ start, dur, value, device, labels }: SampleRecord): void {
    if (start === null || value === null || value >= 1 || !Number.isFinite(start + (dur ?? 0))) return;
    const cause = String(labels?.['kind'] ?? 'unknown');
    const text = `core ${device ?? 'unknown'} throttled to ${Math.round(1000 * value) / 10} % of its rate (${cause})`;
    const window: Writable<TimelineMark> = {
      kind: 'throttling',
      start,
      end: start + Math.max(0, dur ?? 0),
      device,
      text,
    };
    const last = this.#windows.get(text);
    if (last !== undefined && start <= last.end + ADJACENT) last.end = Math.max(last.end, window.end);
    else if (this.#add(this.#throttling, window)) this.#windows.set(text, window);
  }

  #add(list: TimelineMark[], mark: TimelineMark): boolean {
    const hasRoom = list.length < MOST_MARKS;
    if (hasRoom) list.push(mark);
    else this.#leftOut++;
    return hasRoom;
  }
}

const missingMark = ({ device, start, end, launches, api }: MissingWork): TimelineMark => ({
  ...{ kind: 'missing', start, end, device },
  text: `device ${device} may have been busy: the work of ${counted(launches, 'launch')} is not in the profile (${api ?? 'call unknown'})`,
});

const cutMark = (at: number): TimelineMark => ({
  ...{ kind: 'cut', start: at, end: at, device: null },
  text: 'the records are cut off here: later work is missing',
});
