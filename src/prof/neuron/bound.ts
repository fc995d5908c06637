/**
 * Roofline classification of a program: bound by the tensor engines' rate, by the bandwidth of device memory, or by
 * neither (latency: instructions wait for each other, for data or for the start of the program).
 *
 * Compares the times that computing and memory traffic would take alone at the full rate. FLOPs of single precision take
 * four times as long, where types are known. Bandwidth is that of one stack, which the cores of a logical core share, as
 * for MBU.
 * Source: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009.
 */
import { amountText, rounded } from '../../record/units.js';
import { combine, isUnknown, ratio, type MetricAmount, type MetricSums } from './metric.js';
import { adjustedFlops, hardwareFlops, hbmBytes, intensity, stackBalance } from './flops.js';

/** Below this share of its full rate neither of the two is the bound. */
const LEAST_SHARE = 0.5;

export interface ProgramBound {
  readonly kind: 'compute' | 'memory' | 'latency' | null;
  /** Shares of total_time that each takes at its full rate; null when unknown. */
  readonly computeShare: number | null;
  readonly memoryShare: number | null;
  /** FLOPs without transposes for each byte of device memory, and the intensity at which both times are equal. */
  readonly intensity: number | null;
  readonly balance: number | null;
  /** Share of the time during which nothing ran. */
  readonly idleShare: number | null;
  readonly text: string;
}

const known = (amount: MetricAmount): number | null => (typeof amount === 'number' ? amount : null);

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
  const idle = idleShare === null ? '' : `; nothing under way ${percent(idleShare)} of the time`;
  if (kind === null || computeShare === null || memoryShare === null) {
    const why = parts.find(isUnknown)?.unknown ?? 'no time';
    return `bound unknown: ${why}${idle}`;
  }
  const shares = `at full rate computing takes ${percent(computeShare)} of the time, device memory ${percent(memoryShare)}`;
  const ridge =
    have === null || balance === null ? '' : `; ${rounded(have)} FLOP/B where ${rounded(balance)} FLOP/B is balanced`;
  return `bound by ${kind}: ${shares}${ridge}${idle}`;
}
