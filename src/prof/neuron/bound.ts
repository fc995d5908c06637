/**
 * What keeps a program from being faster: the tensor engines' rate, the bandwidth of device memory, or neither of them
 * (latency: instructions wait for each other, for data or for the start of the program).
 *
 * Held against the time that each would take alone at its full rate. FLOPs of single precision take four times as long,
 * where types are told. Memory is held against one stack, which the cores of a logical core share, as MBU is.
 * Source: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009.
 */
import { combine, isUnknown, ratio, type Amount, type Sums } from './metric.js';
import { said } from './quantity.js';
import { adjustedFlops, hardwareFlops, hbmBytes, intensity, stackBalance } from './flops.js';

/** Below this share of its full rate neither of the two holds a program back. */
const LEAST_SHARE = 0.5;

export interface Bound {
  readonly kind: 'compute' | 'memory' | 'latency' | null;
  /** Shares of total_time that each takes at its full rate; null where that is not known. */
  readonly computeShare: number | null;
  readonly memoryShare: number | null;
  /** FLOPs, transposes left out, for each byte of device memory; and where both take equally long. */
  readonly intensity: number | null;
  readonly balance: number | null;
  /** Share of the time during which nothing was under way. */
  readonly idleShare: number | null;
  readonly text: string;
}

const known = (amount: Amount): number | null => (typeof amount === 'number' ? amount : null);

export function boundOf(sums: Sums): Bound {
  const { machine, totalPs } = sums;
  const byType = adjustedFlops(sums);
  const flops = isUnknown(byType) ? hardwareFlops(sums) : byType;
  const seconds = (work: Amount, rate: number | null): Amount => combine([work, rate], (amount, perS) => amount / perS);
  const share = (time: Amount): Amount =>
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

function kindOf(compute: number | null, memory: number | null): Bound['kind'] {
  if (compute === null || memory === null) return null;
  if (Math.max(compute, memory) < LEAST_SHARE) return 'latency';
  return compute >= memory ? 'compute' : 'memory';
}

function sentence(
  kind: Bound['kind'],
  { computeShare, memoryShare, intensity: have, balance, idleShare }: Omit<Bound, 'kind' | 'text'>,
  parts: readonly Amount[],
): string {
  const idle = idleShare === null ? '' : `; nothing under way ${said(idleShare, 'fraction')} of the time`;
  if (kind === null) {
    const why = parts.find(isUnknown)?.unknown ?? 'not told';
    return `bound unknown: ${why}${idle}`;
  }
  const shares = `at full rate computing takes ${said(computeShare ?? 0, 'fraction')} of the time, device memory ${said(memoryShare ?? 0, 'fraction')}`;
  const ridge =
    have === null || balance === null ? '' : `; ${said(have, 'FLOP/B')} where ${said(balance, 'FLOP/B')} is balanced`;
  return `bound by ${kind}: ${shares}${ridge}${idle}`;
}
