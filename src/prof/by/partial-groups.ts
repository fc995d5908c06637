/** Turns groups of kernels in partial answers into the groups of `--by`. */
import { limit, type Limits } from '../limits.js';
import { append } from '../../containers/element.js';
import { counted } from '../../record/plural.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { shapeOf, type Column } from '../../table/column.js';
import { requireColumn } from '../columns/columns.js';
import type { KernelColumn } from '../annotate.js';
import { OTHER_KERNELS, type GroupPart } from '../partial/kernels/kernel-part.js';
import { PartGroups } from '../partial/kernels/part-groups.js';
import { parseFilter, type RowFilter } from '../query/filter.js';
import type { ReportTally } from '../report/report-tally.js';
import type { KernelGroups } from './groups.js';

/** Receives the groups of partial answers. */
interface Target {
  readonly keys: readonly KernelColumn[];
  /** Text of `--where`. */
  readonly where: string | undefined;
  readonly tally: ReportTally;
  readonly groups: KernelGroups;
}

const COARSE = 'median and stddev are accurate to 1.6 %';

export class PartialGroups {
  readonly #headers = new Map<number, ProfileRecord>();
  #untimed = 0;
  #evicted = 0;
  #incomplete = 0;
  #others = 0;
  /** Number of profiles whose durations are known only as histogram bins. */
  #coarse = 0;

  constructor(private readonly target: Target) {}

  /**
   * Ignores records other than profiles and their groups of kernels in partial answers.
   * @throws UserError when these lack a column
   */
  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#headers.set(record.profile, record);
    const header = this.#headers.get(record.profile);
    if (record.type === 'part-kernels' && header !== undefined) this.#add(new PartGroups(record, header), header);
  }

  #add(part: PartGroups, header: ProfileRecord): void {
    const { keys, groups } = this.target;
    const getters = keys.map((key) => part.getter(key));
    const passes = this.#filterOf(part);
    const abovePeak: number[] = [];
    for (const group of part.groups) {
      const durations = part.durationsOf(group);
      const sum = part.sumOf(group, durations);
      const untimed = group.odd?.untimed ?? 0;
      this.target.tally.kernelsRead += sum.count + untimed;
      if (!passes(group)) continue;
      this.#untimed += untimed;
      this.target.tally.countMany({ ...group.odd, kernels: sum.count + untimed });
      append(abovePeak, group.odd?.firstAbovePeak ?? []);
      const values = getters.map((valueOf) => valueOf(group));
      for (const [at, { key }] of keys.entries()) this.target.tally.see(key, values[at], header);
      groups.addMany(values, durations, sum);
    }
    this.target.tally.nameAbovePeak(
      part.profile,
      abovePeak.sort((a, b) => a - b),
    );
    const { evicted, incomplete, others, exact } = part.part;
    this.#evicted += evicted;
    this.#incomplete += incomplete;
    this.#others += others;
    this.#coarse += Number(!exact);
  }

  /** `--where`, applied to the columns that the groups have. */
  #filterOf(part: PartGroups): RowFilter<GroupPart> {
    const { where } = this.target;
    if (where === undefined) return () => true;
    return parseFilter(where, (key): Column<GroupPart> => {
      const column = requireColumn(key);
      return { ...shapeOf(column), value: part.getter(column) };
    });
  }

  /** Adds the attribution counts of all kernels to the tally, after all records were taken. */
  countPairing(): void {
    const { tally } = this.target;
    tally.untimed += this.#untimed;
    tally.evicted += this.#evicted;
    tally.incomplete += this.#incomplete;
  }

  /** Notes on the limits of the answer. */
  get notes(): Limits[] {
    const { groups } = this.target;
    return [
      ...(groups.isCoarse ? [limit(COARSE, 'more than 8 million different durations')] : []),
      ...(this.#coarse > 0
        ? [limit(COARSE, `${counted(this.#coarse, 'partial answer')} of more than 200,000 kernels`)]
        : []),
      ...(this.#others > 0
        ? [limit(`${counted(this.#others, 'kernel')} under ${OTHER_KERNELS}`, 'too many groups in a profile')]
        : []),
    ];
  }
}
