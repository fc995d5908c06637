/** Samples about CPUs → how long and how often threads ran on each core, and of each process. Memory: cores and processes. */
import { boundedEntryOf } from '../../containers/map-entry.js';
import { CPU_METRICS } from '../../record/sample-metrics.js';
import type { SampleRecord } from '../../record/record.js';
import type { CpuSummary, CpuTally } from './summary-data.js';

/** Cores, and processes, that are summed separately. */
const MOST = 65_536;

type Amount = Exclude<keyof CpuTally, 'id'>;
type Sums = Map<number, Record<Amount, number>>;

const AMOUNTS: ReadonlyMap<string, Amount> = new Map([
  [CPU_METRICS.time, 'time'],
  [CPU_METRICS.switches, 'switches'],
  [CPU_METRICS.samples, 'samples'],
]);

export class CpuSums {
  readonly #cores: Sums = new Map();
  readonly #processes: Sums = new Map();
  readonly #known = new Set<Amount>();
  #traced: number | null = null;

  /** Samples of other metrics are passed over. */
  add({ metric, value, labels }: SampleRecord): void {
    if (typeof value !== 'number' || !Number.isFinite(value)) return;
    if (metric === CPU_METRICS.traced) this.#traced = value;
    const amount = AMOUNTS.get(metric);
    if (amount === undefined) return;
    this.#known.add(amount);
    this.#addTo(this.#cores, labels?.['cpu'], amount, value);
    this.#addTo(this.#processes, labels?.['pid'], amount, value);
  }

  /** Null without samples of CPUs. */
  get result(): CpuSummary | null {
    if (this.#known.size === 0) return null;
    const total = (amount: Amount): number | null =>
      this.#known.has(amount) ? [...this.#cores.values()].reduce((sum, one) => sum + one[amount], 0) : null;
    return {
      traced: this.#traced,
      ...{ time: total('time'), switches: total('switches'), samples: total('samples') },
      ...{ cores: this.#tallies(this.#cores), processes: this.#tallies(this.#processes) },
    };
  }

  /** Most time first. */
  #tallies(sums: Sums): CpuTally[] {
    const known = (amount: Amount, value: number): number | null => (this.#known.has(amount) ? value : null);
    return [...sums]
      .sort(([a, one], [b, other]) => other.time - one.time || other.samples - one.samples || a - b)
      .map(([id, { time, switches, samples }]) => ({
        id,
        ...{ time: known('time', time), switches: known('switches', switches), samples: known('samples', samples) },
      }));
  }

  #addTo(sums: Sums, id: unknown, amount: Amount, value: number): void {
    if (typeof id !== 'number') return;
    const one = boundedEntryOf(sums, id, MOST, () => ({ time: 0, switches: 0, samples: 0 }));
    if (one !== null) one[amount] += value;
  }
}
