/** Host activity: ranges by kind and name, for profiles in which no device worked. Memory: names, within a bound. */
import { addTo, entryOf, boundedEntryOf } from '../../containers/map-entry.js';
import type { RangeKind, RangeRecord, SampleRecord } from '../../record/record.js';
import { spreadOf } from '../../record/statistics.js';
import { NamedTimes, describedOp, hostRangeName } from '../by/host/range-name.js';
import type { HostSteps } from '../steps/host-steps.js';
import type { HostSummary, HostTally, TimedTally, CpuSummary, CpuTally } from './summary-data.js';
import { sumOf, Tallies } from './tallies.js';
import { CPU_METRICS } from '../../record/sample-metrics.js';

/** Maximum number of cores, and of processes, to sum separately. */
const MOST = 65_536;

type Amount = Exclude<keyof CpuTally, 'id'>;
type Sums = Map<number, Record<Amount, number>>;

const AMOUNTS: ReadonlyMap<string, Amount> = new Map([
  [CPU_METRICS.time, 'time'],
  [CPU_METRICS.switches, 'switches'],
  [CPU_METRICS.samples, 'samples'],
]);

/**
 * Turns CPU samples into how long and how often threads ran on each core and of each process. Memory: cores and processes.
 */
export class CpuSums {
  readonly #cores: Sums = new Map();
  readonly #processes: Sums = new Map();
  readonly #known = new Set<Amount>();
  #traced: number | null = null;

  /** Ignores samples of other metrics. */
  add({ metric, value, labels }: SampleRecord): void {
    if (typeof value !== 'number' || !Number.isFinite(value)) return;
    if (metric === CPU_METRICS.traced) this.#traced = value;
    const amount = AMOUNTS.get(metric);
    if (amount === undefined) return;
    this.#known.add(amount);
    this.#addTo(this.#cores, labels?.['cpu'], amount, value);
    this.#addTo(this.#processes, labels?.['pid'], amount, value);
  }

  /** Null without CPU samples. */
  get result(): CpuSummary | null {
    if (this.#known.size === 0) return null;
    const total = (amount: Amount): number | null =>
      this.#known.has(amount) ? [...this.#cores.values()].reduce((sum, core) => sum + core[amount], 0) : null;
    return {
      traced: this.#traced,
      ...{ time: total('time'), switches: total('switches'), samples: total('samples') },
      ...{ cores: this.#tallies(this.#cores), processes: this.#tallies(this.#processes) },
    };
  }

  /** Sorted by time, largest first. */
  #tallies(sums: Sums): CpuTally[] {
    const known = (amount: Amount, value: number): number | null => (this.#known.has(amount) ? value : null);
    return [...sums]
      .sort(([a, first], [b, other]) => other.time - first.time || other.samples - first.samples || a - b)
      .map(([id, { time, switches, samples }]) => ({
        id,
        ...{ time: known('time', time), switches: known('switches', switches), samples: known('samples', samples) },
      }));
  }

  #addTo(sums: Sums, id: unknown, amount: Amount, value: number): void {
    if (typeof id !== 'number') return;
    const entry = boundedEntryOf(sums, id, MOST, () => ({ time: 0, switches: 0, samples: 0 }));
    if (entry !== null) entry[amount] += value;
  }
}

class KindSums {
  readonly self = new Tallies();
  readonly total = new Tallies();
}

export class HostSums {
  readonly #kinds = new Map<RangeKind, KindSums>();
  readonly #ranges = new Map<RangeKind, number>();
  readonly #threads = new Set<string>();
  /** Whether the profile says of each range which thread it ran on. */
  #knowsThreads = true;
  readonly #times = new NamedTimes();

  /** Records of earlier versions have neither kind nor self time; invalid times are unknown. */
  add(found: RangeRecord): void {
    const record = found.kind === 'marker' ? (describedOp(found) ?? found) : found;
    const { kind, self, dur, pid, tid } = record;
    if (kind === undefined || self === undefined || Number.isNaN(dur)) return;
    this.#threads.add(`${pid ?? ''}/${tid ?? ''}`);
    this.#knowsThreads &&= tid !== null;
    addTo(this.#ranges, kind, 1);
    const sums = entryOf(this.#kinds, kind, () => new KindSums());
    const name = hostRangeName(record);
    sums.self.add(name, self);
    const { added, isAgain } = this.#times.take(record, `${kind}/${name}`);
    if (!isAgain) sums.total.add(name, added);
  }

  /**
   * Null without ranges and steps.
   * @param most maximum number of names in each list
   */
  result(steps: HostSteps, most: number): HostSummary | null {
    if (this.#kinds.size === 0 && steps.size === 0) return null;
    const kinds = [...this.#kinds].map(([name, { self }]): TimedTally => {
      return { name, count: this.#ranges.get(name) ?? 0, time: sumOf(self.byTime()) ?? 0 };
    });
    return {
      threads: this.#knowsThreads ? this.#threads.size : null,
      time: kinds.reduce((sum, { time }) => sum + time, 0),
      kinds: kinds.sort((a, b) => b.time - a.time || (a.name < b.name ? -1 : 1)),
      ops: this.#list('op', most),
      annotations: this.#list('annotation', most),
      layers: this.#list('layer', most),
      steps: stepsOf(steps),
    };
  }

  /** Sorted by self time, largest first. */
  #list(kind: RangeKind, most: number): HostTally[] {
    const sums = this.#kinds.get(kind);
    if (sums === undefined) return [];
    const totals = new Map(sums.total.byTime().map((tally) => [tally.name, tally]));
    return sums.self.byTime(most).map((tally) => {
      const { count, time: total } = totals.get(tally.name) ?? tally;
      return { ...tally, time: tally.time ?? 0, count, total: total ?? 0 };
    });
  }
}

/** Lengths of the iterations; null where none is known. */
function stepsOf(steps: HostSteps): HostSummary['steps'] {
  const lengths = steps.numbers.flatMap((step) => steps.lengthOf(step) ?? []);
  if (lengths.length === 0) return null;
  const { count, median, min, max } = spreadOf(Float64Array.from(lengths));
  return { count, median, min, max };
}
