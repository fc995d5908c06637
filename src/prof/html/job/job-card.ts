/** The row of a job in a list of jobs. Memory: one number per profile. */
import { median } from '../../../record/statistics.js';
import type { ProfileSummary } from '../../summary/summary-data.js';
import type { PageData } from '../page-data.js';
import type { JobCard } from './job-data.js';

type CardSource = Pick<ProfileSummary, 'header' | 'devices' | 'steps'>;

const MOST_NAMES = 4;

export class JobCardSums {
  #when = Infinity;
  #profiles = 0;
  readonly #ranks = new Set<number>();
  #devices = 0;
  readonly #names = new Set<string>();
  readonly #steps: number[] = [];
  #busy = 0;
  #span = 0;

  add({ header, devices, steps }: CardSource): void {
    this.#profiles++;
    const began = Number(header?.startUnixNs ?? NaN) / 1e6;
    if (began > 0) this.#when = Math.min(this.#when, began);
    if (header?.rank !== null && header?.rank !== undefined) this.#ranks.add(header.rank);
    const step = steps?.host?.median ?? steps?.device.median;
    if (step !== undefined) this.#steps.push(step);
    for (const { name, busy, span } of devices) {
      this.#devices++;
      if (name !== null && this.#names.size < MOST_NAMES) this.#names.add(name);
      if (busy === null) continue;
      this.#busy += busy;
      this.#span += span;
    }
  }

  /** @param profiles number of all profiles of the job, when not all were added */
  card(title: string, profiles = this.#profiles): JobCard {
    return {
      ...{ title, profiles, when: this.#when === Infinity ? null : this.#when },
      ranks: this.#ranks.size === 0 ? null : this.#ranks.size,
      ...{ devices: this.#devices, deviceNames: [...this.#names] },
      step: median(this.#steps),
      busy: this.#span > 0 ? this.#busy / this.#span : null,
    };
  }
}

/** The row for a page; its figures are those of the profiles that the page holds. */
export function jobCardOf({ title, profiles, leftOut }: Pick<PageData, 'title' | 'profiles' | 'leftOut'>): JobCard {
  const sums = new JobCardSums();
  for (const { overview } of profiles) sums.add(overview);
  return sums.card(title, profiles.length + leftOut);
}
