/**
 * The machine of a capture: clocks, multipliers and bandwidths, from the capture if it has them, otherwise from the
 * product's specification.
 */
import { coreOfArch, coreOfInstance } from '../../record/neuron/neuron-cores.js';
import { plural } from '../../record/plural.js';
import type { ProfileRecord } from '../../record/record.js';

export interface NeuronMachine {
  /** Number of physical cores that worked together. */
  readonly cores: number | null;
  /** FLOP/s of the tensor engines of all cores; a multiplication and an addition count as two. */
  readonly peakFlops: number | null;
  /** Bandwidth of one stack of device memory. */
  readonly hbmBytesPerS: number | null;
  /** Clock for cycle counts. */
  readonly clockHz: number | null;
  /** Absolute indices of the cores, in order. */
  readonly indices: readonly number[];
}

export const isOfNeuronDevice = ({ devices }: ProfileRecord): boolean => devices.some(({ vendor }) => vendor === 'aws');

/**
 * The devices over which shares are computed: those that ran a part of the program, or all if none did.
 * @param works whether a device did
 */
export function workingDevices<T>(devices: readonly T[], works: (device: T) => boolean): readonly T[] {
  const working = devices.filter(works);
  return working.length === 0 ? devices : working;
}

/**
 * `cores 6, 7 idle: no instruction of the program`: cores of a capture on which only the runtime ran instructions, or
 * none, while others worked. Shares and means over devices leave them out. Null when there are none, and for other
 * devices.
 */
export function idleCoresText(
  header: ProfileRecord | null,
  devices: readonly { readonly device: number }[],
): string | null {
  if (header === null || !isOfNeuronDevice(header)) return null;
  const working = new Set(devices.map(({ device }) => device));
  const idle = header.devices.flatMap(({ id }) => (working.has(id) ? [] : [id]));
  return working.size === 0 || idle.length === 0
    ? null
    : `${plural(idle.length, 'core')} ${idle.join(', ')} idle: no instruction of the program`;
}

const NOTHING: NeuronMachine = { cores: null, peakFlops: null, hbmBytesPerS: null, clockHz: null, indices: [] };

/** A clock, bandwidth or count; null unless it is a finite number above zero. */
const positive = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;

export function machineOf(profile: ProfileRecord | null): NeuronMachine {
  if (profile === null) return NOTHING;
  const instance = profile.facts?.['instanceType'];
  const product =
    coreOfArch(profile.devices[0]?.arch ?? null) ?? coreOfInstance(typeof instance === 'string' ? instance : null);
  const fact = (name: string): number | null => positive(profile.facts?.[name]);
  const indices = profile.devices.map(({ id }) => id).sort((a, b) => a - b);
  const cores = fact('cores') ?? positive(indices.length);
  const rows = fact('peRows') ?? product?.peRows ?? null;
  const columns = fact('peCols') ?? product?.peCols ?? null;
  const peClockHz = fact('peClockHz') ?? product?.peClockHz ?? null;
  const isKnown = cores !== null && rows !== null && columns !== null && peClockHz !== null;
  return {
    cores,
    peakFlops: isKnown ? cores * 2 * rows * columns * peClockHz : null,
    hbmBytesPerS: fact('hbmBytesPerS') ?? product?.hbmBytesPerS ?? null,
    clockHz: fact('clockHz') ?? product?.clockHz ?? null,
    indices,
  };
}
