/** What the kernels of a profile add up to, as plain sums over annotated kernels. Memory: the names of kernels. */
import type { Writable } from '../../containers/writable.js';
import { isNeuronInstruction } from '../../record/neuron/neuron-cores.js';
import { UNKNOWN, NS_PER_S } from '../../record/units.js';
import { whyWithoutCall, type Annotated } from '../annotate.js';
import { originOf } from '../report/graph-origin.js';
import type { Pairing } from '../work/forward-pairing.js';
import type {
  KernelSummary,
  MatrixUnitTime,
  WorkTime,
  CollectiveOperations,
  MemoryOperations,
} from './summary-data.js';
import { allToPicoseconds, knownTime, sumOf, Tallies, toPicoseconds, tallyOf } from './tallies.js';
import { boundedEntryOf, entryOf } from '../../containers/map-entry.js';

interface Sum {
  count: number;
  time: number;
  untimed: number;
  bytes: number | null;
  /** Of operations with known size and time whose end is believed, for their rate. */
  ratedBytes: number;
  ratedTime: number;
  readonly groups: Set<string>;
}

interface Operation {
  /** ns; null when it is not known. */
  readonly time: number | null;
  readonly bytes: number | null;
  /** Whether its end is not believed: how long it moved bytes is not known. */
  readonly isCut?: boolean;
  /** Of devices; null for none. */
  readonly group?: string | null;
  /** Of operations. */
  readonly count?: number;
}

const noSum = (): Sum => ({
  ...{ count: 0, time: 0, untimed: 0, bytes: null, ratedBytes: 0, ratedTime: 0 },
  groups: new Set<string>(),
});

/** Kinds and groups that are kept; all others share one entry. */
const MOST_KINDS = 200;
const MOST_GROUPS = 100;
const OTHERS = 'others';

/** Operations by kind: how many, how long, how many bytes. */
export class OperationSums {
  readonly #sums = new Map<string, Sum>();

  add(kind: string, { time, bytes, isCut = false, group = null, count = 1 }: Operation): void {
    const sum = boundedEntryOf(this.#sums, kind, MOST_KINDS, noSum) ?? entryOf(this.#sums, OTHERS, noSum);
    sum.count += count;
    sum.time += time ?? 0;
    if (time === null) sum.untimed += count;
    if (group !== null && sum.groups.size < MOST_GROUPS) sum.groups.add(group);
    if (bytes === null) return;
    sum.bytes = (sum.bytes ?? 0) + bytes;
    if (time === null || isCut) return;
    sum.ratedBytes += bytes;
    sum.ratedTime += time;
  }

  get memory(): MemoryOperations[] {
    return this.#sorted().map(([kind, { untimed, bytes, ratedBytes, ratedTime, ...sum }]) => {
      const bytesPerS = ratedTime > 0 ? (ratedBytes / ratedTime) * NS_PER_S : null;
      return { kind, count: sum.count, time: knownTime(sum, untimed), bytes, bytesPerS };
    });
  }

  get collectives(): CollectiveOperations[] {
    return this.#sorted().map(([name, { untimed, bytes, groups, ...sum }]) => {
      return { ...tallyOf(name, sum, untimed), bytes, groups: [...groups].sort() };
    });
  }

  /** Most time first. */
  #sorted(): [string, Sum][] {
    return [...this.#sums].sort(([a, x], [b, y]) => y.time - x.time || y.count - x.count || (a < b ? -1 : 1));
  }
}

const BY_UNIT = {
  '1': 'used',
  '0': 'unused',
  '-': 'notApplicable',
  '?': 'undetermined',
  null: 'unknown',
} as const satisfies Readonly<Record<`${NonNullable<Annotated['tc']>}` | 'null', keyof MatrixUnitTime>>;

/** Shares of kernels, each weighted with its kernel's time. */
class Weighted {
  sum = 0;
  /** Of the kernels whose share is known. */
  time = 0;

  add(share: number, time: number): void {
    this.sum += share * time;
    this.time += time;
  }

  get mean(): number | null {
    return this.time > 0 ? this.sum / this.time : null;
  }
}

const PERCENT = 100;

export class KernelSums {
  #count = 0;
  #time = 0;
  #untimed = 0;
  readonly #cut = { count: 0, time: 0 };
  readonly #names = new Tallies();
  readonly #precision = new Tallies();
  readonly #bounds = new Tallies();
  readonly #reasons = new Tallies();
  readonly #replayed = new Tallies();
  readonly #unit = { used: 0, unused: 0, notApplicable: 0, undetermined: 0, unknown: 0 };
  /** Time of products by whether the unit takes their types. */
  readonly #products = { taken: 0, undecided: 0 };
  readonly #work: Writable<Pick<WorkTime, 'known' | 'flops' | 'bytes' | 'impossible' | 'trials' | 'trialTime'>> = {
    ...{ known: 0, flops: 0, bytes: 0, impossible: 0, trials: 0, trialTime: 0 },
  };
  readonly #computeShare = new Weighted();
  /** Bytes of the kernels with shares: transfers that outlast what starts them have none. */
  #ratedBytes = 0;
  readonly #memoryShare = new Weighted();
  /** Of all whose FLOPs and peak are known, whatever is known of their bytes. */
  readonly #flopShare = new Weighted();

  /** @param time ns; null when it is not known: such a kernel counts, and takes no time */
  add(row: Annotated, time: number | null): void {
    this.#count++;
    if (time === null) this.#untimed++;
    const ns = time ?? 0;
    this.#time += ns;
    if (row.record.cut === true) {
      this.#cut.count++;
      this.#cut.time += ns;
    }
    this.#names.add(row.record.short, time);
    const reason = whyUnattributed(row);
    if (reason !== null) this.#reasons.add(reason, time);
    if (row.record.graph !== undefined) this.#replayed.add(originOf(row.record.graph), time);
    this.#precision.add(row.unitUse?.dtype ?? UNKNOWN, time);
    this.#addUnit(row, ns);
    this.#bounds.add(row.placement.bound ?? UNKNOWN, time);
    this.#addWork(row, ns);
  }

  #addUnit({ tc, unitUse }: Annotated, ns: number): void {
    this.#unit[BY_UNIT[`${tc ?? 'null'}`]] += ns;
    const isTaken = unitUse?.eligible ?? null;
    // What ran on the unit could, whatever is known of its operands.
    if (tc === 1 || (tc === 0 && isTaken === true)) this.#products.taken += ns;
    else if (tc === '?' || (tc === 0 && isTaken === null)) this.#products.undecided += ns;
  }

  #addWork({ flops, bytes, placement, peaks, role }: Annotated, ns: number): void {
    const { computeShare, memoryShare, above } = placement;
    if (above.compute || above.memory) this.#work.impossible++;
    if (role === 'trial') {
      this.#work.trials++;
      this.#work.trialTime += ns;
    }
    if (computeShare !== null) this.#flopShare.add(computeShare / PERCENT, ns);
    if (flops === null || bytes === null) return;
    this.#work.known += ns;
    this.#work.flops += flops;
    this.#work.bytes += bytes;
    // What has nothing to do has a share of 0 of any peak, known or not.
    if (computeShare === null || memoryShare === null || peaks.bytesPerS === null) return;
    this.#computeShare.add(computeShare / PERCENT, ns);
    this.#memoryShare.add(memoryShare / PERCENT, ns);
    this.#ratedBytes += bytes;
  }

  get #matrixUnit(): MatrixUnitTime {
    const { used, unused, notApplicable } = this.#unit;
    const { taken, undecided } = this.#products;
    const isUnknown = used + unused + notApplicable === 0 || (taken === 0 && undecided > 0);
    const eligible = { eligible: toPicoseconds(taken), eligibleUsed: toPicoseconds(used) };
    return { ...allToPicoseconds(this.#unit), ...(isUnknown ? { eligible: null, eligibleUsed: null } : eligible) };
  }

  /**
   * Null without kernels.
   * @param most names that are listed in each order
   * @param span ns of the devices, added up; 0 where work of one is missing
   */
  result(most: number, span: number): KernelSummary | null {
    if (this.#count === 0) return null;
    const { sum: atPeak, time: flopsRated } = this.#flopShare;
    const reasons = this.#reasons.byTime();
    // Where only those are known that do nothing, nothing is known of shares.
    const isIdle = this.#work.flops === 0 && this.#work.bytes === 0;
    return {
      count: this.#count,
      time: knownTime({ count: this.#count, time: this.#time }, this.#untimed),
      untimed: this.#untimed,
      cut: { count: this.#cut.count, time: toPicoseconds(this.#cut.time) },
      byTime: this.#names.byTime(most),
      byCount: this.#names.byCount(most),
      names: this.#names.size,
      precision: this.#precision.byTime(),
      matrixUnit: this.#matrixUnit,
      work: {
        ...this.#work,
        known: toPicoseconds(this.#work.known),
        trialTime: toPicoseconds(this.#work.trialTime),
        computeShare: isIdle ? null : this.#computeShare.mean,
        memoryShare: isIdle || (this.#ratedBytes === 0 && this.#work.bytes > 0) ? null : this.#memoryShare.mean,
        rated: toPicoseconds(this.#computeShare.time),
        // FLOPs of 0 at any peak alone say nothing of how the device is used.
        mfu: atPeak > 0 && span > 0 ? atPeak / span : null,
        flopsRated: toPicoseconds(flopsRated),
        bounds: this.#bounds.byTime(),
      },
      unattributed: {
        count: reasons.reduce((sum, { count }) => sum + count, 0),
        time: sumOf(reasons),
        reasons,
      },
      replayed: this.#replayed.byTime(),
    };
  }
}

/** Reasons for unknown ops that would else name the kernel's own numbers. */
const BY_PAIRING: Readonly<Partial<Record<Pairing['kind'], string>>> = {
  ambiguous: 'several threads have a forward kernel with its sequence id',
  'no-forward': 'no earlier forward kernel with its sequence id',
  paired: 'no op call around its forward kernel',
};

/** Why no op is known; null when one is. A known op without a formula is none of these. */
function whyUnattributed(row: Annotated): string | null {
  if (row.calls.length > 0 || row.op !== null) return null;
  const { record, pairing, profile } = row;
  if (isNeuronInstruction(record)) return "the profile lacks the instruction's op";
  return BY_PAIRING[pairing.kind] ?? whyWithoutCall(pairing, record, profile !== null);
}
