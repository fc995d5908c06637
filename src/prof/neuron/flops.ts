/**
 * How FLOPs and bytes are computed from what the records add up to, and held against what the device can do.
 *
 * Source: definitions in AWS Neuron's profile schema; every formula was checked on captures of Trainium2 against the
 * tool's own numbers. Rates by type: architecture guides of Trainium (FP32 a quarter of BF16).
 */
import { combine, ratio, ran, NO_ACTIVITY, type Amount, type Sums, type Unknown } from './metric.js';
import { FP32_IN_TWO, type Moved } from './metric-sums.js';

const NO_SIZES: Unknown = {
  unknown: 'instructions do not tell their sizes: a device trace alone has none',
  remedy: "summarize the JSON that the vendor's tool makes of it (neuron-profile view --output-format json)",
};
const NO_HLO: Unknown = { unknown: 'no statistics of the model in the program; a kernel written by hand has none' };

/** FLOPs of all matrix products: a multiplication and an addition each count. */
export function hardwareFlops(sums: Sums): Amount {
  if (!ran(sums)) return { unknown: NO_ACTIVITY };
  if (sums.matmul.count > 0 && sums.counted === 0) return NO_SIZES;
  return [...sums.work.values()].reduce((all, { flops }) => all + flops, 0);
}

/** FLOPs of the matrix products that only transpose. */
export const transposeFlops = (sums: Sums): Amount =>
  combine([hardwareFlops(sums)], () => [...sums.work.values()].reduce((all, { transposes }) => all + transposes, 0));

/** FLOPs that do more than transpose. */
export const usefulFlops = (sums: Sums): Amount =>
  combine([hardwareFlops(sums), transposeFlops(sums)], (all, transposes) => all - transposes);

/**
 * How many times longer the tensor engine takes for a FLOP of a type than for one of BF16, the type of the peak. A
 * product that is counted in both of its instructions takes twice as long for each FLOP that is counted: seen on
 * captures, two cycles a column in each where BF16 takes one.
 */
const SLOWER: Readonly<Record<string, number>> = { fp32: 4, float32: 4, [FP32_IN_TWO]: 2 };

/** FLOPs weighted by what their type takes: what a full tensor engine would do in BF16 meanwhile. */
export function adjustedFlops(sums: Sums): Amount {
  if (sums.work.has('na')) return { unknown: 'instructions do not tell the types of their operands' };
  return combine([hardwareFlops(sums)], () =>
    [...sums.work].reduce((all, [type, { flops }]) => all + flops * (SLOWER[type] ?? 1), 0),
  );
}

/** FLOPs of single precision, which run at a quarter of the peak; null where types are not told. */
export const slowFlops = ({ work }: Sums): number | null =>
  work.has('na') ? null : [...work].reduce((all, [type, { flops }]) => all + (type in SLOWER ? flops : 0), 0);

/** FLOPs of the model, which only the tool knows, from the compiler's statistics; its 0 means that it has none. */
export function modelFlops({ reported }: Sums): Amount {
  const told = reported.get('')?.get('model_flops')?.value;
  return typeof told === 'number' && told > 0 ? told : NO_HLO;
}

/** FLOPs of the model where they are known, else those of the instructions. */
export const orUseful = (sums: Sums): Amount => {
  const model = modelFlops(sums);
  return typeof model === 'number' ? model : usefulFlops(sums);
};

/** Bytes that instructions moved, by the counters that tell them. */
export const moved = (sums: Sums, ...names: readonly Moved[]): Amount => {
  if (!ran(sums)) return { unknown: NO_ACTIVITY };
  if (sums.movers === 0) return NO_SIZES;
  return names.reduce((all, name) => all + sums.moved[name], 0);
};

export const hbmBytes = (sums: Sums): Amount => moved(sums, 'hbmReadBytes', 'hbmWriteBytes');

/** FLOPs as a share of what all tensor engines could have done in the time. */
export const utilisation = (sums: Sums, flops: Amount): Amount =>
  combine([flops, sums.machine.peakFlops, sums.totalPs], (work, peak, ps) => work / (peak * (ps / 1e12)));

/** Bytes as a share of what one stack of device memory could have moved in the time. */
export const bandwidth = (sums: Sums, bytes: Amount): Amount =>
  combine([bytes, sums.machine.hbmBytesPerS, sums.totalPs], (size, rate, ps) => size / (rate * (ps / 1e12)));

/** FLOPs for each byte to and from device memory; those that do more than transpose when not given. */
export const intensity = (sums: Sums, flops: Amount = usefulFlops(sums)): Amount =>
  ratio(flops, hbmBytes(sums), 'the number of bytes of device memory');

/** FLOPs for each byte at which computing takes as long as moving, if every core had a stack of its own. */
export const coreBalance = ({ machine: { peakFlops, hbmBytesPerS, cores } }: Sums): Amount =>
  combine([peakFlops, hbmBytesPerS, cores], (flops, bytes, n) => flops / (n * bytes));

/** The same with the one stack that all cores of a logical core share. */
export const stackBalance = ({ machine: { peakFlops, hbmBytesPerS } }: Sums): Amount =>
  combine([peakFlops, hbmBytesPerS], (flops, bytes) => flops / bytes);

/** The share of the peak that can be reached with so many FLOPs for the traffic that there was. */
export const achievable = (sums: Sums, flops: Amount): Amount =>
  combine([intensity(sums, flops), stackBalance(sums)], (have, need) => Math.min(1, have / need));

const NO_TENSORS: Unknown = {
  unknown: 'no tensors are told: they are in the program (NEFF)',
  remedy: 'dparse --neff FILE, or keep the NEFF beside the capture',
};

type Role = 'input' | 'output' | 'weight';

/** Bytes of the tensors of some roles, each once. */
export function tensorBytes(sums: Sums, roles: readonly Role[]): Amount {
  if (sums.tensors.length === 0) return NO_TENSORS;
  let total = 0;
  for (const { role, bytes } of sums.tensors) {
    if (role === null || !roles.includes(role)) continue;
    if (bytes === null) return { unknown: 'a tensor does not tell its size' };
    total += bytes;
  }
  return total;
}
