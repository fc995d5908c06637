/** The groups of kernels in one member of a partial answer, for code that makes other groups from them. */
import { countedOf, merged, type CountedValues } from '../../../containers/counted-values.js';
import { elementAt } from '../../../containers/element.js';
import { UserError } from '../../../record/errors.js';
import type { PartRecord } from '../../../record/partial.js';
import { addTimes } from '../../../record/fields/times.js';
import type { ProfileRecord } from '../../../record/record.js';
import type { CellValue, ColumnShape } from '../../../table/column.js';
import { type GroupPart, type KernelPart, decodedSum } from './kernel-part.js';
import type { KernelSum } from '../../tally/kernel-tally.js';
import type { Durations } from '../../by/group-runs.js';

/** Kernels of a group that belong to one step. */
export interface TimeOfStep {
  /** Index of the step in `steps`. */
  readonly place: number;
  readonly kernels: number;
  /** Unit: ns. */
  readonly time: number;
}

/** Columns that are equal for all kernels of a profile, so that groups do not need them. */
const OF_PROFILE: Readonly<Record<string, (header: ProfileRecord) => CellValue>> = {
  profile: ({ profile }) => profile,
  rank: ({ rank }) => rank,
};

export class PartGroups {
  readonly part: KernelPart;
  /** Index of the first step without separate sums, for numbered steps and for work outside of steps. */
  readonly #restPlaces: readonly number[];

  /** @param header profile line of the profile */
  constructor(
    record: PartRecord,
    private readonly header: ProfileRecord,
  ) {
    this.part = record.data as KernelPart;
    const { steps, summedSteps } = this.part;
    this.#restPlaces = [false, true].map((isNone) =>
      steps.findIndex((step, at) => at >= summedSteps && (step === null) === isNone),
    );
  }

  get profile(): number {
    return this.header.profile;
  }

  get groups(): readonly GroupPart[] {
    return this.part.groups;
  }

  /**
   * Returns a function that gets a column's value for a group.
   * @throws UserError for a column that the groups do not have
   */
  getter({ key }: Pick<ColumnShape, 'key'>): (group: GroupPart) => CellValue {
    const ofProfile = Object.hasOwn(OF_PROFILE, key) ? OF_PROFILE[key] : undefined;
    if (ofProfile !== undefined) {
      const value = ofProfile(this.header);
      return () => value;
    }
    const { keys, values } = this.part;
    const at = keys.indexOf(key);
    if (at === -1) {
      const { file } = this.header;
      throw new UserError(
        `the dprof partial file of ${file} has no ${key}; it has ${[...keys, ...Object.keys(OF_PROFILE)].join(', ')}`,
        {
          hint: `make it with dprof partial --by ${[...keys, key].join(',')}`,
        },
      );
    }
    const cells = elementAt(values, at);
    return (group) => elementAt(cells, elementAt(group.key, at));
  }

  /** All durations in ns, as a list in any order or as runs. */
  durationsOf({ times = [], spread = [], odd }: GroupPart): Durations {
    const negative = odd?.negative ?? [];
    if (!this.part.exact) return merged(countedOf(Float64Array.from(negative)), this.#spread(spread));
    const durations = [...negative];
    for (const list of times) this.#eachOf(list, (duration) => durations.push(duration));
    return durations;
  }

  /**
   * Number and time of the kernels of each step. Steps without separate sums are combined at the index of the first of
   * them.
   */
  *stepTimes({ times, sums = [], rest }: GroupPart): Generator<TimeOfStep> {
    if (!this.part.exact) {
      for (const [place, kernels, time] of sums) yield { place, kernels, time };
      for (const [i, [kernels, time]] of (rest ?? []).entries()) {
        if (kernels > 0) yield { place: elementAt(this.#restPlaces, i), kernels, time };
      }
      return;
    }
    for (const list of times ?? []) {
      let time = 0;
      this.#eachOf(list, (duration) => (time = addTimes(time, duration)));
      yield { place: elementAt(list, 0), kernels: list.length - 1, time };
    }
  }

  /** Sums over the kernels. @param durations durations of the group */
  sumOf({ work = [] }: GroupPart, durations: Durations): KernelSum {
    let [count, time] = [0, 0];
    if ('counts' in durations) {
      durations.counts.forEach((equal, i) => {
        count += equal;
        time = addTimes(time, equal * elementAt(durations.values, i));
      });
    } else {
      count = durations.length;
      time = durations.reduce(addTimes, 0);
    }
    return decodedSum(work, count, time);
  }

  #eachOf(list: readonly number[], take: (duration: number) => void): void {
    let before = 0;
    for (let i = 1; i < list.length; i++) {
      const value = elementAt(list, i);
      before = this.part.differences ? before + value : value;
      take(before);
    }
  }

  #spread(spread: readonly number[]): CountedValues {
    const values = new Float64Array(spread.length / 2);
    const counts = new Uint32Array(spread.length / 2);
    let before = 0;
    for (let i = 0; i < values.length; i++) {
      const value = elementAt(spread, 2 * i);
      before = this.part.differences ? before + value : value;
      values[i] = before;
      counts[i] = elementAt(spread, 2 * i + 1);
    }
    return { values, counts };
  }
}
