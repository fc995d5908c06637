/** Sums over the kernels of a profile: a view of their tally, and names with their times. Memory: the names. */
import { UNKNOWN } from '../../record/units.js';
import { whyUnattributed, type Annotated } from '../annotate.js';
import { AbovePeaks } from '../tally/above-peaks.js';
import { KernelTally, type KernelSum } from '../tally/kernel-tally.js';
import { originOf } from '../../record/fields/graph-node.js';
import type { KernelSummary, MatrixUnitTime, WorkTime } from './summary-data.js';
import { knownTime, sumOf, Tallies } from './tallies.js';

/** Numbers of keys in the tally. Each kernel has one of the first three keys, by how much is known about its work. */
const KEYS = {
  /** FLOPs or bytes are unknown. */
  unknownWork: 0,
  /**
   * Both are known, but not the shares of both peaks. Transfers that continue after the work that starts them have
   * none.
   */
  knownWork: 1,
  ratedWork: 2,
  trials: 3,
  cut: 4,
  /** Products by whether the matrix unit takes their types. */
  eligible: 5,
  undecided: 6,
  /** Time by column `tc`: see `BY_UNIT`. */
  used: 7,
  unused: 8,
  notApplicable: 9,
  undetermined: 10,
  unknown: 11,
} as const;

const BY_UNIT = {
  '1': 'used',
  '0': 'unused',
  '-': 'notApplicable',
  '?': 'undetermined',
  null: 'unknown',
} as const satisfies Readonly<Record<`${NonNullable<Annotated['tc']>}` | 'null', keyof MatrixUnitTime>>;

const PERCENT = 100;

export class KernelSums {
  readonly #tally = new KernelTally();
  readonly #waits = { count: 0, time: 0 };
  readonly #above = new AbovePeaks();
  #untimed = 0;
  readonly #names = new Tallies();
  readonly #precision = new Tallies();
  readonly #bounds = new Tallies();
  readonly #reasons = new Tallies();
  readonly #replayed = new Tallies();

  /** @param time in ns; null if unknown, in which case the kernel is counted but adds no time */
  add(row: Annotated, time: number | null): void {
    const { record, placement, tc, unitUse, role } = row;
    const ns = time ?? 0;
    const count = (key: number): void => this.#tally.add(key, ns, null);
    if (time === null) this.#untimed++;
    this.#tally.add(workKeyOf(row), ns, row);
    this.#names.add(record.short, time);
    const reason = whyUnattributed(row);
    if (reason !== null) this.#reasons.add(reason, time);
    if (record.graph !== undefined) this.#replayed.add(originOf(record.graph), time);
    this.#precision.add(unitUse?.dtype ?? UNKNOWN, time);
    this.#bounds.add(placement.bound ?? UNKNOWN, time);
    if (record.cut === true) count(KEYS.cut);
    this.#above.add(row);
    if (role === 'trial') count(KEYS.trials);
    count(KEYS[BY_UNIT[`${tc ?? 'null'}`]]);
    const isTaken = unitUse?.eligible ?? null;
    // A kernel that ran on the unit is eligible, whatever is known about its operands.
    if (tc === 1 || (tc === 0 && isTaken === true)) count(KEYS.eligible);
    else if (tc === '?' || (tc === 0 && isTaken === null)) count(KEYS.undecided);
  }

  /** Adds an instruction that only waits. @param time in ns; null if unknown */
  addWait(time: number | null): void {
    this.#waits.count++;
    this.#waits.time += time ?? 0;
  }

  get #matrixUnit(): MatrixUnitTime {
    const time = (key: keyof typeof KEYS): number => this.#tally.of(KEYS[key]).time;
    const [used, unused, notApplicable] = [time('used'), time('unused'), time('notApplicable')];
    const unit = { used, unused, notApplicable, undetermined: time('undetermined'), unknown: time('unknown') };
    const [eligible, undecided] = [time('eligible'), time('undecided')];
    const isUnknown = used + unused + notApplicable === 0 || (eligible === 0 && undecided > 0);
    return { ...unit, ...(isUnknown ? { eligible: null, eligibleUsed: null } : { eligible, eligibleUsed: used }) };
  }

  /** @param span sum of the devices' spans in ns; 0 when work of one is missing */
  #work({ time, peak, bandwidth }: KernelSum, span: number): WorkTime {
    const known = this.#tally.together([KEYS.knownWork, KEYS.ratedWork]);
    const rated = this.#tally.of(KEYS.ratedWork);
    const trials = this.#tally.of(KEYS.trials);
    const [flops, bytes] = [known.flops.sum, known.bytes.sum];
    const { count: impossible, mistimed } = this.#above;
    const mean = ({ sum }: { readonly sum: number }): number | null =>
      // If all kernels with known work do nothing, the shares are unknown.
      rated.time === 0 || (flops === 0 && bytes === 0) ? null : sum / PERCENT / rated.time;
    return {
      ...{ known: known.time, flops, bytes, impossible, ...(mistimed > 0 ? { mistimed } : {}) },
      ...{ trials: trials.count, trialTime: trials.time },
      computeShare: mean(rated.peak),
      memoryShare: rated.bytes.sum === 0 && bytes > 0 ? null : mean(rated.bandwidth),
      rated: rated.time,
      ...(2 * rated.time < time ? mostlyRated(time, peak, bandwidth) : undefined),
      // Kernels with 0 FLOPs alone do not show how well the device is used.
      mfu: peak.sum > 0 && span > 0 ? peak.sum / PERCENT / span : null,
      flopsRated: peak.time,
      bounds: this.#bounds.byTime(),
    };
  }

  /**
   * Null without kernels.
   * @param most maximum number of names in each list
   * @param span sum of the devices' spans in ns; 0 when work of one is missing
   */
  result(most: number, span: number): KernelSummary | null {
    const all = this.#tally.together([KEYS.unknownWork, KEYS.knownWork, KEYS.ratedWork]);
    if (all.count === 0) return null;
    const cut = this.#tally.of(KEYS.cut);
    const reasons = this.#reasons.byTime();
    return {
      count: all.count,
      time: knownTime(all, this.#untimed),
      untimed: this.#untimed,
      ...(this.#waits.count > 0 ? { waits: { ...this.#waits } } : undefined),
      cut: { count: cut.count, time: cut.time },
      byTime: this.#names.byTime(most),
      byCount: this.#names.byCount(most),
      names: this.#names.size,
      precision: this.#precision.byTime(),
      matrixUnit: this.#matrixUnit,
      work: this.#work(all, span),
      unattributed: {
        count: reasons.reduce((sum, { count }) => sum + count, 0),
        time: sumOf(reasons),
        reasons,
      },
      replayed: this.#replayed.byTime(),
    };
  }
}

/** Shares of the one peak that is known for most of the time, where the other peak is unknown for a type or device. */
function mostlyRated(
  time: number,
  peak: KernelSum['peak'],
  bandwidth: KernelSum['bandwidth'],
): Pick<WorkTime, 'computeShare' | 'memoryShare' | 'rated'> | undefined {
  const mean = ({ sum, time: known }: KernelSum['peak']): number => sum / PERCENT / known;
  if (2 * bandwidth.time >= time) return { computeShare: null, memoryShare: mean(bandwidth), rated: bandwidth.time };
  if (2 * peak.time >= time && peak.sum > 0) return { computeShare: mean(peak), memoryShare: null, rated: peak.time };
  return undefined;
}

function workKeyOf({ flops, bytes, placement: { computeShare, memoryShare }, peaks }: Annotated): number {
  if (flops === null || bytes === null) return KEYS.unknownWork;
  // A kernel without work has a share of 0 of any peak, known or not.
  const isRated = computeShare !== null && memoryShare !== null && peaks.bytesPerS !== null;
  return isRated ? KEYS.ratedWork : KEYS.knownWork;
}
