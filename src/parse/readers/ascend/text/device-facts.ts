/**
 * Clock and number of matrix units of a device, inferred from the counters of its kernels; traces do not contain the
 * model. For a kernel on matrix units, `cube_utilization` is its cycles over clock · units · duration, so that
 * clock · units = cycles / (utilization · duration).
 * Source: the profiler's document of op_summary (`cube_utilization`).
 */
import { UNKNOWN_DEVICE } from '../../../trace/trace.js';
import type { Device } from '../../../../record/record.js';
import { median } from '../../../../record/statistics.js';
import { isMatrixKernel, unitsByBlocks } from '../matrix-units.js';
import type { KernelDetails } from './kernel-details.js';

const CYCLES = 'aic_total_cycles';
const TIME = 'aicore_time(us)';
const UTILIZATION = 'cube_utilization(%)';
const MULTIPLYING = ['aic_mac_time(us)', 'aic_mac_ratio'] as const;

/** Kernels shorter than this, in ns, are too imprecise. */
const SHORTEST = 50_000;

/** Clock in Hz and number of matrix units; null when unknown. */
export interface CoreFacts {
  readonly clockHz: number | null;
  readonly units: number | null;
}

/** @param sampledHz highest clock among the samples; null when it was not sampled */
export function coreFacts(details: KernelDetails | null, sampledHz: number | null): CoreFacts {
  if (details === null) return { clockHz: sampledHz, units: null };
  const clocks: number[] = [];
  const products: number[] = [];
  const launched: number[] = [];
  for (let row = 0; row < details.length; row++) {
    const counted = MULTIPLYING.map((name) => details.counter(name, row));
    if (!isMatrixKernel(details.coreOf(row), ...counted)) continue;
    const blocks = details.blocks.at(row);
    const cycles = details.counter(CYCLES, row);
    const dur = details.end.at(row) - details.start.at(row);
    launched.push(blocks);
    if (!(dur >= SHORTEST) || !(cycles > 0)) continue;
    const clock = (cycles / (details.counter(TIME, row) * blocks)) * 1e6;
    const product = (cycles / ((details.counter(UTILIZATION, row) / 100) * dur)) * 1e9;
    if (Number.isFinite(clock)) clocks.push(clock);
    if (Number.isFinite(product)) products.push(product);
  }
  const clockHz = sampledHz ?? roundToMHz(median(clocks, 'upper'));
  const product = median(products, 'upper');
  const measured = product === null || clockHz === null ? 0 : Math.round(product / clockHz);
  return { clockHz, units: measured > 0 ? measured : unitsByBlocks(launched) };
}

const roundToMHz = (clock: number | null): number | null => (clock === null ? null : Math.round(clock / 1e6) * 1e6);

export const devicesOf = (ids: Iterable<number>, { clockHz, units }: CoreFacts): Device[] =>
  [...new Set(ids)].sort((a, b) => a - b).map((id) => ({ id, ...UNKNOWN_DEVICE, vendor: 'huawei', units, clockHz }));
