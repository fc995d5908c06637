/** What a capture was taken on: clocks, multipliers and bandwidths, from the capture itself, else from the product. */
import { coreOfArch, coreOfInstance, type NeuronCore } from '../../record/neuron-cores.js';
import type { ProfileRecord } from '../../record/record.js';

export interface Machine {
  /** Physical cores that worked together. */
  readonly cores: number | null;
  /** Multiplications and additions a second that the tensor engines of all cores can do, each counted: FLOP/s. */
  readonly peakFlops: number | null;
  /** Bandwidth of one stack of device memory. */
  readonly hbmBytesPerS: number | null;
  /** In which cycles are counted. */
  readonly clockHz: number | null;
  /** Absolute indices of the cores, in order. */
  readonly indices: readonly number[];
}

const productOf = (profile: ProfileRecord): NeuronCore | null => {
  const instance = profile.facts?.['instanceType'];
  return coreOfArch(profile.devices[0]?.arch ?? null) ?? coreOfInstance(typeof instance === 'string' ? instance : null);
};

const NOTHING: Machine = { cores: null, peakFlops: null, hbmBytesPerS: null, clockHz: null, indices: [] };

/** Only finite numbers above zero are of any use as a clock, a bandwidth or a count. */
const positive = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;

export function machineOf(profile: ProfileRecord | null): Machine {
  if (profile === null) return NOTHING;
  const product = productOf(profile);
  const fact = (name: string): number | null => positive(profile.facts?.[name]);
  const indices = profile.devices.map(({ id }) => id).sort((a, b) => a - b);
  const cores = fact('cores') ?? positive(indices.length);
  const rows = fact('peRows') ?? product?.peRows ?? null;
  const columns = fact('peCols') ?? product?.peCols ?? null;
  const peClockHz = fact('peClockHz') ?? product?.peClockHz ?? null;
  const isTold = cores !== null && rows !== null && columns !== null && peClockHz !== null;
  return {
    cores,
    peakFlops: isTold ? cores * 2 * rows * columns * peClockHz : null,
    hbmBytesPerS: fact('hbmBytesPerS') ?? product?.hbmBytesPerS ?? null,
    clockHz: fact('clockHz') ?? product?.clockHz ?? null,
    indices,
  };
}
