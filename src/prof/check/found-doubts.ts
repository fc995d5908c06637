/**
 * Losses and doubts that an answer finds in records, such as rates that no device reaches. Readers cannot count these,
 * because they know neither FLOPs nor steps. `Losses` has those that readers count.
 */
import { entryOf } from '../../containers/map-entry.js';
import type { ProfileRecord } from '../../record/record.js';
import type { Item } from '../analysis.js';
import { Annotated } from '../annotate.js';
import { Losses, type Doubt } from '../input/losses.js';
import { FINDING_CHECKS, type Check } from './checks.js';
import type { Reason } from './reason.js';

/** What is counted, by the name of the check. */
const TEXTS: Readonly<Record<string, string>> = {
  'above-peak': 'kernels above a peak of the device, or recorded as too short',
  'step-cut': 'last steps that the end of the profile cuts',
  'no-work': 'profiles without any event that was read',
};

/** The losses and doubts among reasons that checks found in records. */
export const doubtsOf = (reasons: readonly Reason[]): Omit<Doubt, 'profiles' | 'file'>[] =>
  reasons.flatMap(({ check, level, count }) => {
    const text = TEXTS[check];
    return level === 'limit' || text === undefined ? [] : [{ diagnostic: check, level, text, count: count ?? 1 }];
  });

interface ProfileChecks {
  header: ProfileRecord | null;
  readonly checks: readonly Check[];
}

/** Runs the checks that find losses and doubts. Memory: that of these checks. */
export class FoundDoubts {
  readonly #profiles = new Map<number, ProfileChecks>();

  take(item: Item): void {
    const record = item instanceof Annotated ? item.record : item;
    const found = entryOf(this.#profiles, record.profile, (): ProfileChecks => ({
      header: null,
      checks: FINDING_CHECKS.map((start) => start()),
    }));
    if (item instanceof Annotated) {
      for (const { row } of found.checks) row?.(item);
      return;
    }
    if (item.type === 'profile') found.header = item;
    for (const { take } of found.checks) take?.(item);
  }

  get losses(): Losses {
    const losses = new Losses();
    for (const { header, checks } of this.#profiles.values())
      losses.addDoubts(header?.file ?? '', doubtsOf(checks.flatMap(({ reasons }) => reasons?.(header) ?? [])));
    return losses;
  }
}
