/**
 * Utilisation of the tensor engine of each NeuronCore over time: the row that the vendor's viewer calls TensorMatrix
 * Utilization. A matrix product (MATMUL) spreads its multiplications evenly over its time; products overlap, because one
 * begins before the previous one has left the multipliers, and their rates add up. The area below the curve is the work
 * done: its mean over all cores is the vendor's `hfu_estimated_percent`.
 */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { KernelLine, ProfileRecord, SampleRecord } from '../../../record/record.js';
import { TENSOR_UTILISATION_METRIC } from '../../../record/sample-metrics.js';
import { machineOf } from '../../neuron/machine.js';

/** A product that is running. */
interface OpenProduct {
  /** Unit: ns. */
  readonly end: number;
  /** Share of the peak; NaN when its multiplications are unknown. */
  readonly rate: number;
}

export class TensorUtilisation {
  /** Running products of each core, sorted by end. */
  readonly #open = new Map<number, OpenProduct[]>();
  /** Multiplications of one core per ns, for the profile that it was computed for. */
  #peak = NaN;
  #header: ProfileRecord | null = null;

  /** @param onSample receives the value from a time on, in time order for each core */
  constructor(private readonly onSample: (sample: SampleRecord) => void) {}

  /** @param record the record of an instruction; those of a core must be in order of start time */
  take(record: KernelLine, header: ProfileRecord | null): void {
    const { name, engine, start, dur, device, ps = [0, 0], counters } = record;
    if (name !== 'MATMUL' || engine !== 'Tensor' || header === null || dur === null || !(dur > 0)) return;
    const peak = this.#peakOf(header);
    if (!(peak > 0) || !Number.isFinite(start)) return;
    const [from, time] = [start + ps[0] / PS_PER_NS, dur + ps[1] / PS_PER_NS];
    const open = entryOf(this.#open, device, () => {
      if (from > 0) this.#say(device, 0, []);
      return [];
    });
    this.#endUntil(device, open, from);
    const product = { end: from + time, rate: (counters?.['elements'] ?? NaN) / (time * peak) };
    const place = open.findIndex(({ end }) => end > product.end);
    open.splice(place === -1 ? open.length : place, 0, product);
    this.#say(device, from, open);
  }

  /** Must be called after the last record. */
  finish(): void {
    for (const [device, open] of this.#open) this.#endUntil(device, open, Infinity);
  }

  #endUntil(device: number, open: OpenProduct[], time: number): void {
    for (let first = open[0]; first !== undefined && first.end <= time; first = open[0]) {
      open.shift();
      this.#say(device, first.end, open);
    }
  }

  #say(device: number, start: number, open: readonly OpenProduct[]): void {
    const value = open.reduce((sum, { rate }) => sum + rate, 0);
    this.onSample({
      ...{ type: 'sample', profile: this.#header?.profile ?? 0, start, device, metric: TENSOR_UTILISATION_METRIC },
      ...{ value: Number.isNaN(value) ? null : value, unit: 'fraction' },
    });
  }

  #peakOf(header: ProfileRecord): number {
    if (header === this.#header) return this.#peak;
    const { peakFlops, cores } = machineOf(header);
    this.#header = header;
    // A multiplication and its addition are two FLOPs.
    this.#peak = peakFlops === null || cores === null ? NaN : peakFlops / cores / 2 / 1e9;
    return this.#peak;
  }
}
