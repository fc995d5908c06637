/** The longest gaps of the devices, over the whole profile and in each step. Memory: up to 20 gaps, and 5 per step. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { IdleGap } from '../../advise/idle/host-gaps.js';
import { spokenName } from '../../advise/wording.js';
import type { StepActivity } from '../../steps/step-work.js';
import { CauseSums } from './cause-sums.js';
import type { PageGap } from './idle-data.js';

const MOST_STEPS = 2000;
const [OF_ALL, OF_STEP] = [20, 5];

/** `gemm`, `AllReduce`, `DtoH copy`. */
function activityName(record: StepActivity): string {
  switch (record.type) {
    case 'kernel':
      return spokenName(record.short);
    case 'collective':
      return spokenName(record.name);
    case 'copy':
      return `${record.kind ?? ''} copy`.trim();
    default:
      return record.type;
  }
}

/** Keeps the longest gaps, longest first; of equally long ones the first. */
class Longest {
  readonly gaps: PageGap[] = [];

  constructor(private readonly most: number) {}

  has(time: number): boolean {
    return this.gaps.length < this.most || time > (this.gaps.at(-1)?.time ?? 0);
  }

  add(gap: PageGap): void {
    const at = this.gaps.findIndex(({ time }) => time < gap.time);
    this.gaps.splice(at === -1 ? this.gaps.length : at, 0, gap);
    if (this.gaps.length > this.most) this.gaps.pop();
  }
}

export class LongestGaps {
  readonly #all = new Longest(OF_ALL);
  readonly #steps = new Map<number, Longest>();
  readonly causes = new CauseSums();

  /** @param isBetween whether the work that ended the gap was the first of its step on the device */
  gap(idle: IdleGap, isBetween: boolean): void {
    const { cause, time } = idle;
    if (time <= 0) return;
    this.causes.add(idle.gap.device, cause, time);
    const step = stepAfter(idle);
    const ofStep = step === null ? null : boundedEntryOf(this.#steps, step, MOST_STEPS, () => new Longest(OF_STEP));
    const lists = [this.#all, ofStep].filter((list) => list?.has(time) === true);
    if (lists.length === 0) return;
    const made = pageGap(idle, isBetween);
    for (const list of lists) list?.add(made);
  }

  /**
   * Longest first.
   * @param most maximum number of gaps in addition to those of the whole profile, spread evenly over the first steps
   */
  gaps(most: number): PageGap[] {
    const each = Math.min(OF_STEP, Math.max(1, Math.floor(most / Math.max(1, this.#steps.size))));
    const steps = [...this.#steps].sort(([a], [b]) => a - b).slice(0, most);
    const found = new Set([...this.#all.gaps, ...steps.flatMap(([, { gaps }]) => gaps.slice(0, each))]);
    return [...found].sort((a, b) => b.time - a.time);
  }
}

export const stepAfter = ({ gap: { after } }: IdleGap): number | null =>
  typeof after.step === 'number' ? after.step : null;

function pageGap(idle: IdleGap, isBetween: boolean): PageGap {
  const { gap, cause, host, time } = idle;
  const { device, start, before, after } = gap;
  return {
    ...{ device, step: stepAfter(idle), isBetween, start, time, cause, host: host() },
    ...{ before: activityName(before), after: activityName(after) },
  };
}
