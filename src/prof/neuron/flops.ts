/**
 * FLOPs and bytes from the sums of records, and their ratios to the device's peaks.
 *
 * Source: definitions in AWS Neuron's profile schema; every formula was checked on Trainium2 captures against the
 * tool's own numbers. Rates by type: architecture guides of Trainium (FP32 a quarter of BF16).
 */
import {
  combine,
  ratio,
  ran,
  NO_ACTIVITY,
  isUnknown,
  type MetricAmount,
  type MetricSums,
  type Unknown,
} from './metric.js';
import type { TensorRole } from '../../record/record.js';
import { FP32_IN_TWO, type Moved } from './metric-sums.js';
import { amountText, rounded } from '../../record/units.js';

const NO_SIZES: Unknown = {
  unknown: 'instructions have no sizes: records of older versions of dparse and traces without programs lack them',
  remedy: 'run dparse FILE.ntff again, or give dparse the JSON of neuron-explorer view',
};
const NO_HLO: Unknown = { unknown: 'no statistics of the model in the program; hand-written programs (NKI) have none' };

/** FLOPs of all matrix products: multiplications and additions both count. */
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

/** FLOPs that are counted a second time: half of the FP32 products of two instructions that do not transpose. */
const repeatedFlops = (sums: MetricSums): MetricAmount =>
  combine([hardwareFlops(sums)], () => {
    const { flops = 0, transposes = 0 } = sums.work.get(FP32_IN_TWO) ?? {};
    return (flops - transposes) / 2;
  });

/**
 * Time per FLOP of each type relative to BF16, which is the type of the peak. A product that is counted in both of its
 * instructions takes twice as long per counted FLOP: in captures, each instruction takes two cycles per column where BF16
 * takes one.
 */
const SLOWER: Readonly<Record<string, number>> = { fp32: 4, float32: 4, [FP32_IN_TWO]: 2 };

/** FLOPs weighted by the time that their type takes: the FLOPs that BF16 could do in the same time. */
export function adjustedFlops(sums: MetricSums): MetricAmount {
  if (sums.work.has('na')) return { unknown: 'instructions do not record the types of their operands' };
  return combine([hardwareFlops(sums)], () =>
    [...sums.work].reduce((all, [type, { flops }]) => all + flops * (SLOWER[type] ?? 1), 0),
  );
}

/** Single-precision FLOPs, which run at a quarter of the peak; null when types are unknown. */
export const slowFlops = ({ work }: MetricSums): number | null =>
  work.has('na') ? null : [...work].reduce((all, [type, { flops }]) => all + (type in SLOWER ? flops : 0), 0);

/**
 * FLOPs of the model according to the compiler's statistics, from the program or as reported by the tool, for which 0 means
 * unknown.
 */
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

/** FLOPs of the tensor engines as the vendor's profiler counts them; null when unknown. */
export interface TensorWork {
  readonly hardwareFlops: number | null;
  /** The FLOPs of matrix products that only transpose. */
  readonly transposeFlops: number | null;
  /** FLOPs counted twice, because an FP32 product takes two instructions and each counts the whole product; without transposes. */
  readonly repeatedFlops: number | null;
  /** Shares of the BF16 peak of all cores over the whole time: hfu_estimated_percent and mfu_estimated_percent. */
  readonly hfu: number | null;
  readonly mfu: number | null;
  /** HFU of each of several cores, as a share of the peak of one; 0 where no product ran; empty when unknown. */
  readonly cores: readonly { readonly core: number; readonly hfu: number }[];
}

export const tensorWorkOf = (sums: MetricSums): TensorWork => ({
  hardwareFlops: known(hardwareFlops(sums)),
  transposeFlops: known(transposeFlops(sums)),
  repeatedFlops: known(repeatedFlops(sums)),
  hfu: known(utilisation(sums, hardwareFlops(sums))),
  mfu: known(utilisation(sums, orUseful(sums))),
  cores: coresOf(sums),
});

function coresOf(sums: MetricSums): TensorWork['cores'] {
  const { cores, indices } = sums.machine;
  if (cores === null || cores < 2 || indices.length !== cores || known(hardwareFlops(sums)) === null) return [];
  return indices.flatMap((core) => {
    const hfu = known(utilisation(sums, cores * (sums.coreFlops.get(core) ?? 0)));
    return hfu === null ? [] : [{ core, hfu }];
  });
}

/** Bytes as a share of the bandwidth of one stack of device memory. */
export const bandwidth = (sums: MetricSums, bytes: MetricAmount): MetricAmount =>
  combine([bytes, sums.machine.hbmBytesPerS, sums.totalPs], (size, rate, ps) => size / (rate * (ps / 1e12)));

/** Arithmetic intensity: FLOPs (by default without transposes) per byte to and from device memory. */
export const intensity = (sums: MetricSums, flops: MetricAmount = usefulFlops(sums)): MetricAmount =>
  ratio(flops, hbmBytes(sums), 'the number of bytes of device memory');

/** Ridge point if every core had its own memory stack: FLOPs per byte at which both times are equal. */
export const coreBalance = ({ machine: { peakFlops, hbmBytesPerS, cores } }: MetricSums): MetricAmount =>
  combine([peakFlops, hbmBytesPerS, cores], (flops, bytes, n) => flops / (n * bytes));

/** Ridge point with the single stack that all cores of a logical core share. */
export const stackBalance = ({ machine: { peakFlops, hbmBytesPerS } }: MetricSums): MetricAmount =>
  combine([peakFlops, hbmBytesPerS], (flops, bytes) => flops / bytes);

/** Largest share of the peak that these FLOPs can reach at the measured memory traffic. */
export const achievable = (sums: MetricSums, flops: MetricAmount): MetricAmount =>
  combine([intensity(sums, flops), stackBalance(sums)], (have, need) => Math.min(1, have / need));

const NO_TENSORS: Unknown = {
  unknown: 'no tensors in the records: they are in the program (NEFF)',
  remedy: 'run dparse --neff FILE, or keep the NEFF next to the capture',
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

/** Minimum share of its full rate for computing or memory to be the bound. */
const LEAST_SHARE = 0.5;

export interface ProgramBound {
  readonly kind: 'compute' | 'memory' | 'latency' | null;
  /** Share of total_time that each takes at its full rate; null when unknown. */
  readonly computeShare: number | null;
  readonly memoryShare: number | null;
  /** FLOPs (without transposes) per byte of device memory, and the intensity at which both times are equal. */
  readonly intensity: number | null;
  readonly balance: number | null;
  /** Share of the time during which nothing ran. */
  readonly idleShare: number | null;
  readonly text: string;
}

const known = (amount: MetricAmount): number | null => (typeof amount === 'number' ? amount : null);

/**
 * Roofline classification of a program: bound by the tensor engines' rate, by the bandwidth of device memory, or by neither
 * (latency: instructions wait for each other, for data or for the start of the program).
 *
 * Compares the times that computing and memory traffic would each take alone at the full rate. Single-precision FLOPs take
 * four times as long, if types are known. Bandwidth is that of one stack, which the cores of a logical core share, as for
 * MBU. Source: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009.
 */
export function boundOf(sums: MetricSums): ProgramBound {
  const { machine, totalPs } = sums;
  const byType = adjustedFlops(sums);
  const flops = isUnknown(byType) ? hardwareFlops(sums) : byType;
  const seconds = (work: MetricAmount, rate: number | null): MetricAmount =>
    combine([work, rate], (amount, perS) => amount / perS);
  const share = (time: MetricAmount): MetricAmount =>
    ratio(
      combine([time], (s) => s * 1e12),
      totalPs,
      'total_time',
    );
  const compute = share(seconds(flops, machine.peakFlops));
  const memory = share(seconds(hbmBytes(sums), machine.hbmBytesPerS));
  const idle = sums.all.outOfOrder > 0 || sums.instructions === 0 ? null : known(ratio(sums.all.total, totalPs));
  const numbers = {
    computeShare: known(compute),
    memoryShare: known(memory),
    intensity: known(intensity(sums)),
    balance: known(stackBalance(sums)),
    idleShare: idle === null ? null : Math.max(0, 1 - idle),
  };
  const kind = kindOf(numbers.computeShare, numbers.memoryShare);
  return { kind, ...numbers, text: sentence(kind, numbers, [compute, memory]) };
}

function kindOf(compute: number | null, memory: number | null): ProgramBound['kind'] {
  if (compute === null || memory === null) return null;
  if (Math.max(compute, memory) < LEAST_SHARE) return 'latency';
  return compute >= memory ? 'compute' : 'memory';
}

function sentence(
  kind: ProgramBound['kind'],
  { computeShare, memoryShare, intensity: have, balance, idleShare }: Omit<ProgramBound, 'kind' | 'text'>,
  parts: readonly MetricAmount[],
): string {
  const percent = (share: number): string => amountText(share, 'share');
  const idle = idleShare === null ? '' : `; no core computes or copies for ${percent(idleShare)} of the time`;
  if (kind === null || computeShare === null || memoryShare === null) {
    const why = parts.find(isUnknown)?.unknown ?? 'no time';
    return `bound unknown: ${why}${idle}`;
  }
  const shares = `at full rate, compute would take ${percent(computeShare)} of the time and device memory ${percent(memoryShare)}`;
  const ridge =
    have === null || balance === null ? '' : `; ${rounded(have)} FLOP/B, balanced at ${rounded(balance)} FLOP/B`;
  return `bound by ${kind}: ${shares}${ridge}${idle}`;
}
