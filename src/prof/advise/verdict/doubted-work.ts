/** How much of a device's work has a recorded end that is not believed. */
import { entryOf } from '../../../containers/map-entry.js';
import { many, percent } from '../amount-text.js';
import type { ProfileLine } from '../../../record/record.js';
import { isCut, workOf, type StepWorkKind } from '../../steps/step-work.js';

/** Below it, it is not spoken of. */
const SPOKEN = 0.1;

/** What a part of the work is called, and one piece of it. */
const WORDS: Readonly<Record<StepWorkKind, readonly [all: string, one: string]>> = {
  computing: ['it', 'kernel'],
  communication: ['all communication', 'operation'],
  copy: ['all copying', 'copy'],
};

export class DoubtedWork {
  /** ns of all work of a kind; those of what is not believed, and its number. */
  readonly #sums = new Map<StepWorkKind, { time: number; doubted: number; count: number }>();

  take(record: ProfileLine): void {
    const found = workOf(record);
    if (found === null || found.record.dur === null) return;
    const { dur } = found.record;
    const sum = entryOf(this.#sums, found.work, () => ({ time: 0, doubted: 0, count: 0 }));
    sum.time += dur;
    if (!isCut(found.record)) return;
    sum.doubted += dur;
    sum.count++;
  }

  /** `, 90.0 % of all copying by 1 copy whose end is not believed`; '' where it is little. */
  text(kind: StepWorkKind): string {
    const { time, doubted, count } = this.#sums.get(kind) ?? { time: 0, doubted: 0, count: 0 };
    if (count === 0 || doubted < SPOKEN * time) return '';
    const [all, one] = WORDS[kind];
    return `, ${percent(doubted / time)} of ${all} by ${many(count, one)} whose end is not believed`;
  }
}
