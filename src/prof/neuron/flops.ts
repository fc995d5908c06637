/**
 * FLOPs and bytes from the sums of records, and their ratios to the device's peaks.
 *
 * Source: definitions in AWS Neuron's profile schema; every formula was checked on captures of Trainium2 against the
 * tool's own numbers. Rates by type: architecture guides of Trainium (FP32 a quarter of BF16).
 */
import { combine, ratio, ran, NO_ACTIVITY, type MetricAmount, type MetricSums, type Unknown } from './metric.js';
import type { TensorRole } from '../../record/record.js';
import { FP32_IN_TWO, type Moved } from './metric-sums.js';

const NO_SIZES: Unknown = {
  unknown: 'instructions have no sizes: records of older versions of dparse lack them, and traces without programs',
  remedy: 'dparse FILE.ntff again, or the JSON of neuron-profile view',
};
const NO_HLO: Unknown = { unknown: 'no statistics of the model in the program; a kernel written by hand has none' };

/** FLOPs of all matrix products: a multiplication and an addition each count. */
export function hardwareFlops(sums: MetricSums): MetricAmount {
  if (!ran(sums)) return { unknown: NO_ACTIVITY };
  if (sums.matmul.count > 0 && sums.counted === 0) return NO_SIZES;
  return [...sums.work.values()].reduce((all, { flops }) => all + flops, 0);
}

/** FLOPs of the matrix products that only transpose. */
export const transposeFlops = (sums: MetricSums): MetricAmount =>
  combine([hardwareFlops(sums)], () => [...sums.work.values()].reduce((all, { transposes }) => all + transposes, 0));

export const usefulFlops = (sums: MetricSums): MetricAmount =>
  combine([hardwareFlops(sums), transposeFlops(sums)], (all, transposes) => all - transposes);

/**
 * Time of a FLOP of each type relative to BF16, the type of the peak. A product that is counted in both of its
 * instructions takes twice as long for each counted FLOP: in captures, each takes two cycles a column where BF16 takes
 * one.
 */
const SLOWER: Readonly<Record<string, number>> = { fp32: 4, float32: 4, [FP32_IN_TWO]: 2 };

/** FLOPs weighted by the time that their type takes: the FLOPs that BF16 could do in the same time. */
export function adjustedFlops(sums: MetricSums): MetricAmount {
  if (sums.work.has('na')) return { unknown: 'instructions have no types of their operands' };
  return combine([hardwareFlops(sums)], () =>
    [...sums.work].reduce((all, [type, { flops }]) => all + flops * (SLOWER[type] ?? 1), 0),
  );
}

/** FLOPs of single precision, which run at a quarter of the peak; null when types are unknown. */
export const slowFlops = ({ work }: MetricSums): number | null =>
  work.has('na') ? null : [...work].reduce((all, [type, { flops }]) => all + (type in SLOWER ? flops : 0), 0);

/** FLOPs of the model by the compiler's statistics, from the program or as reported by the tool; its 0 means unknown. */
export function modelFlops({ reported, profile }: MetricSums): MetricAmount {
  const macs = profile?.facts?.['hloMacs'];
  const flops = typeof macs === 'number' ? 2 * macs : reported.get('')?.get('model_flops')?.value;
  return typeof flops === 'number' && flops > 0 ? flops : NO_HLO;
}

/** FLOPs of the model if known, else those of the instructions. */
export const orUseful = (sums: MetricSums): MetricAmount => {
  const model = modelFlops(sums);
  return typeof model === 'number' ? model : usefulFlops(sums);
};

/** Bytes that instructions moved, by counter. */
export const moved = (sums: MetricSums, ...names: readonly Moved[]): MetricAmount => {
  if (!ran(sums)) return { unknown: NO_ACTIVITY };
  if (sums.movers === 0) return NO_SIZES;
  return names.reduce((all, name) => all + sums.moved[name], 0);
};

export const hbmBytes = (sums: MetricSums): MetricAmount => moved(sums, 'hbmReadBytes', 'hbmWriteBytes');

/** FLOPs as a share of the peak of all tensor engines. */
export const utilisation = (sums: MetricSums, flops: MetricAmount): MetricAmount =>
  combine([flops, sums.machine.peakFlops, sums.totalPs], (work, peak, ps) => work / (peak * (ps / 1e12)));

/** Bytes as a share of the bandwidth of one stack of device memory. */
export const bandwidth = (sums: MetricSums, bytes: MetricAmount): MetricAmount =>
  combine([bytes, sums.machine.hbmBytesPerS, sums.totalPs], (size, rate, ps) => size / (rate * (ps / 1e12)));

/** Arithmetic intensity: FLOPs, by default without transposes, for each byte to and from device memory. */
export const intensity = (sums: MetricSums, flops: MetricAmount = usefulFlops(sums)): MetricAmount =>
  ratio(flops, hbmBytes(sums), 'the number of bytes of device memory');

/** Ridge point, if every core had a memory stack of its own: FLOPs for each byte at which both times are equal. */
export const coreBalance = ({ machine: { peakFlops, hbmBytesPerS, cores } }: MetricSums): MetricAmount =>
  combine([peakFlops, hbmBytesPerS, cores], (flops, bytes, n) => flops / (n * bytes));

/** Ridge point with the one stack that all cores of a logical core share. */
export const stackBalance = ({ machine: { peakFlops, hbmBytesPerS } }: MetricSums): MetricAmount =>
  combine([peakFlops, hbmBytesPerS], (flops, bytes) => flops / bytes);

/** Greatest share of the peak that is reachable with these FLOPs at the measured memory traffic. */
export const achievable = (sums: MetricSums, flops: MetricAmount): MetricAmount =>
  combine([intensity(sums, flops), stackBalance(sums)], (have, need) => Math.min(1, have / need));

const NO_TENSORS: Unknown = {
  unknown: 'no tensors in the records: they are in the program (NEFF)',
  remedy: 'dparse --neff FILE, or keep the NEFF next to the capture',
};

export function tensorBytes(sums: MetricSums, roles: readonly TensorRole[]): MetricAmount {
  if (sums.tensors.length === 0) return NO_TENSORS;
  let total = 0;
  for (const { role, bytes } of sums.tensors) {
    if (role === null || !roles.includes(role)) continue;
    if (bytes === null) return { unknown: 'a tensor has no size' };
    total += bytes;
  }
  return total;
}
