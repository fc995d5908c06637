/** Sums of the kernels of a span, which are read from their events. Does not need a document. */
import { elementAt } from '../../containers/element.js';
import { addTo, entryOf, largestEntry } from '../../containers/map-entry.js';
import { addTimes } from '../../record/fields/times.js';
import { NS_PER_S, UNKNOWN } from '../../record/units.js';
import { bounded } from '../../prof/html/bounds.js';
import type { OpTotal } from '../../prof/html/kernels/kernel-data.js';
import type { Ops, PageProfile } from '../../prof/html/page-data.js';
import type { SummedKernel } from '../../prof/html/page-kernel.js';
import { DIRECTIONS, type EventKind } from '../../prof/html/timeline/timeline-data.js';
import type { Peaks } from '../../prof/roofline/peaks.js';
import { classifyRoofline, NO_ROOF, roofOf, type Placement, type RooflineBound } from '../../prof/roofline/roofline.js';
import type { KernelSummary, MatrixUnitTime } from '../../prof/summary/summary-data.js';
import { knownTime, Tallies } from '../../prof/summary/tallies.js';
import { flopsPerS, KernelTally, knownWork, rated } from '../../prof/tally/kernel-tally.js';
import { matrixUnitOf, tableNameOf, textOf } from '../timeline/events/events.js';
import type { InsideEvent } from './span-events.js';

/** What an event has of a kernel: no grid, no occupancy. */
interface EventKernel extends SummedKernel {
  readonly peaks: Peaks | null;
}

/** Reads kernels from events: FLOPs and bytes in proportion to the time inside. */
export class KernelReader {
  readonly #peaks: ReadonlyMap<number, Peaks>;
  /** Paths of layers by their names together, because a name may have a `/` itself. */
  readonly #paths: ReadonlyMap<string, readonly string[]>;
  /** Ops without a rate. */
  readonly #unrated: ReadonlySet<string | null>;

  constructor({ layers, ops, roofline }: PageProfile) {
    this.#peaks = new Map(roofline.roofs.map(({ device, peaks }) => [device, peaks]));
    this.#paths = new Map(layers.shown.map(({ path }) => [path.join('/'), path]));
    this.#unrated = new Set(ops.shown.filter(({ isUnrated }) => isUnrated === true).map(({ op }) => op));
  }

  kernelOf({ events, event, time, share, from }: InsideEvent, kind: EventKind, device: number): EventKernel {
    const amount = (values: Float64Array): number | null => {
      const value = elementAt(values, event);
      return value < 0 ? null : value * share;
    };
    const layer = textOf(events, 'layer', event);
    const kernel = {
      record: {
        ...{ id: elementAt(events.id, event), short: tableNameOf(events, event) ?? '', start: from, device },
        ...{ grid: null, block: null, dir: elementAt(DIRECTIONS, elementAt(events.dir, event)) },
      },
      layer: layer === null ? [] : (this.#paths.get(layer) ?? layer.split('/')),
      ...{ op: textOf(events, 'op', event), category: textOf(events, 'category', event) as SummedKernel['category'] },
      ...{ dtype: textOf(events, 'dtype', event), tc: matrixUnitOf(events, event) },
      ...{ flops: amount(events.flops), bytes: amount(events.bytes), occupancy: null },
      ...{ isCommunication: kind === 'communication', peaks: this.#peaks.get(device) ?? null },
    };
    return { ...kernel, placement: this.#placementOf(kernel, time) };
  }

  #placementOf(kernel: Omit<EventKernel, 'placement'>, time: number): Placement {
    const { dtype, tc, flops, bytes, op, peaks, isCommunication } = kernel;
    const load = { flops, bytes: this.#unrated.has(op) ? null : bytes, dur: time };
    if (peaks === null || isCommunication) return classifyRoofline(load, NO_ROOF);
    const isDescribed = flops !== null || bytes !== null;
    // Events do not say whether a product took a shortcut, and how it added up: neither is said then.
    const arithmetic = { dtype, tc: isDescribed ? tc : null, eligible: null, halfSums: false, shortcut: true };
    const roof = roofOf(arithmetic, peaks);
    const isUnsure = tc === 1 && dtype === 'fp16' && peaks.halfSums !== undefined;
    return classifyRoofline(load, isUnsure ? { ...roof, unit: null } : roof);
  }
}

/** Kernels by op, as in the table of ops, without what the host did. */
export class OpSums {
  readonly #ops = new Map<
    string | null,
    { readonly number: number; communicating: number; readonly bounds: Map<RooflineBound, number> }
  >();
  readonly #tally = new KernelTally();

  /** @param time inside, in ns */
  add(kernel: SummedKernel, time: number): void {
    const made = () => ({ number: this.#ops.size, communicating: 0, bounds: new Map<RooflineBound, number>() });
    const op = entryOf(this.#ops, kernel.op, made);
    this.#tally.add(op.number, time, kernel);
    if (kernel.isCommunication) op.communicating = addTimes(op.communicating, time);
    if (kernel.placement.bound !== null) addTo(op.bounds, kernel.placement.bound, time);
  }

  totals(most: number): Ops {
    const totals = [...this.#ops].map(([op, sums]): OpTotal & { readonly time: number } => {
      const { number, communicating, bounds } = sums;
      const sum = this.#tally.of(number);
      const { count, time, flops, ratedBytes, peak, bandwidth, matrixUnitShare: tc } = sum;
      const bound = largestEntry(bounds);
      return {
        ...{ op, count, time, ...(communicating > 0 ? { communicating } : {}), within: null, launch: null },
        ...{ passes: null, host: null, hostSelf: null, ...knownWork(sum) },
        flopsPerS: flopsPerS(flops),
        bytesPerS: rated(ratedBytes, ratedBytes.sum * NS_PER_S),
        ...{ ofCompute: rated(peak, peak.sum / PERCENT), ofMemory: rated(bandwidth, bandwidth.sum / PERCENT), tc },
        bound: bound === null ? null : { name: bound[0], time: bound[1] },
        ...{ stacks: [], stackCount: 0 },
      };
    });
    const time = totals.reduce((sum, total) => addTimes(sum, total.time), 0);
    return { ...bounded(totals, most, 0), time };
  }
}

const PERCENT = 100;

/** Where the time of a kernel belongs, by the column `tc`. */
const UNITS = ['used', 'unused', 'notApplicable', 'undetermined', 'unknown'] as const;
const UNIT_OF: Readonly<Record<string, (typeof UNITS)[number]>> = {
  ...{ '1': 'used', '0': 'unused', '-': 'notApplicable', '?': 'undetermined' },
};

/** What is known about a kernel's work: as in the summary, shares of peaks need both FLOPs and bytes. */
const WORKS = ['unknown', 'known', 'rated'] as const;

function workOf({ flops, bytes, placement: { computeShare, memoryShare }, peaks }: EventKernel): number {
  if (flops === null || bytes === null) return WORKS.indexOf('unknown');
  const isRated = computeShare !== null && memoryShare !== null && peaks !== null && peaks.bytesPerS !== null;
  return WORKS.indexOf(isRated ? 'rated' : 'known');
}

/** The key figures of the kernels of a span, as in the summary. */
export class SummarySums {
  readonly #names = new Set<string>();
  readonly #precision = new Tallies();
  /** Kernels grouped by unit, then by what is known about their work. */
  readonly #tally = new KernelTally();

  /** @param time inside, in ns */
  add(kernel: EventKernel, time: number): void {
    this.#names.add(kernel.record.short);
    this.#precision.add(kernel.dtype ?? UNKNOWN, time);
    const unit = UNITS.indexOf(UNIT_OF[String(kernel.tc)] ?? 'unknown');
    this.#tally.add(unit * WORKS.length + workOf(kernel), time, kernel);
  }

  /**
   * Null without kernels.
   * @param span sum of the devices' spans in ns
   * @param hasMfu false where the vendor defines it, and so that of a span is unknown
   */
  result(span: number, hasMfu: boolean): KernelSummary | null {
    const keysOf = (work: (typeof WORKS)[number]): number[] =>
      UNITS.map((_, i) => i * WORKS.length + WORKS.indexOf(work));
    const all = this.#tally.together(WORKS.flatMap(keysOf));
    if (all.count === 0) return null;
    const known = this.#tally.together([...keysOf('known'), ...keysOf('rated')]);
    const both = this.#tally.together(keysOf('rated'));
    const units = UNITS.map((unit, i) => {
      return [unit, this.#tally.together(WORKS.map((_, work) => i * WORKS.length + work)).time] as const;
    });
    const isNothing = both.time === 0 || (known.flops.sum === 0 && known.bytes.sum === 0);
    return {
      ...{ count: all.count, time: knownTime(all, 0), untimed: 0, cut: { count: 0, time: 0 } },
      ...{ byTime: [], byCount: [], names: this.#names.size, precision: this.#precision.byTime(), replayed: [] },
      matrixUnit: {
        ...(Object.fromEntries(units) as Pick<MatrixUnitTime, (typeof UNITS)[number]>),
        ...{ eligible: null, eligibleUsed: null },
      },
      work: {
        ...{ known: known.time, flops: known.flops.sum, bytes: known.bytes.sum },
        computeShare: isNothing ? null : both.peak.sum / PERCENT / both.time,
        memoryShare: isNothing || both.bytes.sum === 0 ? null : both.bandwidth.sum / PERCENT / both.time,
        ...{ rated: both.time, mfu: hasMfu && all.peak.sum > 0 && span > 0 ? all.peak.sum / PERCENT / span : null },
        ...{ flopsRated: all.peak.time, bounds: [], impossible: 0, trials: 0, trialTime: 0 },
      },
      unattributed: { count: 0, time: null, reasons: [] },
    };
  }
}
