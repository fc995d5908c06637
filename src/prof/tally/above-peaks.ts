/**
 * Kernels that ran faster than the peaks of their device, by the reason. Where most runs of a kernel with the same work stay
 * below the peaks, its FLOPs, bytes and peaks are right: the recorded times of the others are too short. Memory: the works
 * of each name, within bounds.
 */
import { boundedEntryOf } from '../../containers/map-entry.js';
import { many } from '../../record/plural.js';
import type { Annotated } from '../annotate.js';

/** Maximum number of names, and of different works of a name, to tell apart. */
const MOST_NAMES = 50_000;
const MOST_WORKS = 32;

interface Runs {
  readonly flops: number | null;
  readonly bytes: number | null;
  count: number;
  above: number;
}

export class AbovePeaks {
  count = 0;
  /** Recorded time of those in ns. */
  time = 0;
  readonly #works = new Map<string, Runs[]>();

  add({ record, flops, bytes, placement }: Pick<Annotated, 'record' | 'flops' | 'bytes' | 'placement'>): void {
    const { computeShare, memoryShare, above } = placement;
    if (computeShare === null && memoryShare === null) return;
    const isAbove = above.compute || above.memory;
    if (isAbove) {
      this.count++;
      this.time += record.dur ?? 0;
    }
    const works = boundedEntryOf(this.#works, record.short, MOST_NAMES, (): Runs[] => []);
    const known = works?.find((runs) => runs.flops === flops && runs.bytes === bytes);
    if (known !== undefined) {
      known.count++;
      if (isAbove) known.above++;
    } else if (works !== null && works.length < MOST_WORKS)
      works.push({ flops, bytes, count: 1, above: isAbove ? 1 : 0 });
  }

  /** Number of those whose recorded time is too short, as most runs of the same work stay below the peaks. */
  get mistimed(): number {
    return [...this.#works.values()].flat().reduce((sum, { count, above }) => sum + (2 * above < count ? above : 0), 0);
  }
}

/** What to do where only recorded times are wrong. */
export const LEAVE_OUT_TIMES = 'the times of these kernels in the profile are wrong: leave them out of comparisons';

/** What is wrong with the kernels that ran faster than the peaks: some number or peak, or only the recorded times. */
export function abovePeaksTexts({ count, mistimed }: Pick<AbovePeaks, 'count' | 'mistimed'>): {
  readonly defect: string | null;
  readonly short: string | null;
} {
  const wrong = count - mistimed;
  return {
    defect: wrong > 0 ? `${many(wrong, 'kernel')} above a peak of the device` : null,
    short:
      mistimed > 0
        ? `${many(mistimed, 'kernel')} recorded as too short: other runs of the same work take longer`
        : null,
  };
}
