/**
 * Counters of a trace (phase C) → samples. MB are 2^20 bytes, KB 2^10, as in the databases of the same profiler.
 * Source: trace_view.json beside the tables HBM, LLC, NPU_MEM and AICORE_FREQ.
 */
import type { Samples, Series } from './text-samples.js';

const [KB, MB, MHZ] = [1024, 1024 * 1024, 1e6];

export const HIT_RATE = 'llc_hit_rate';
export const FREQUENCY = 'aicore_freq';

interface Counter {
  readonly name: RegExp;
  readonly factor: number;
  readonly series: (match: RegExpExecArray) => Series;
}

const lower = (text: string | undefined): string => (text ?? '').toLowerCase();

const COUNTERS: readonly Counter[] = [
  {
    name: /^AI Core Freq/,
    factor: MHZ,
    series: () => ({ metric: FREQUENCY, unit: 'Hz' }),
  },
  {
    name: /^HBM (\d+)\/(Read|Write)$/,
    factor: MB,
    series: ([, id, type]) => ({
      metric: 'hbm_bandwidth',
      unit: 'bytes/s',
      labels: { hbm: Number(id), access: lower(type) },
    }),
  },
  {
    name: /^LLC (\d+) (\w+)\/Throughput$/,
    factor: MB,
    series: ([, id, mode]) => ({
      metric: 'llc_throughput',
      unit: 'bytes/s',
      labels: { llc: Number(id), access: lower(mode) },
    }),
  },
  {
    name: /^LLC (\d+) (\w+)\/Hit Rate$/,
    factor: 1,
    series: ([, id, mode]) => ({ metric: HIT_RATE, unit: '%', labels: { llc: Number(id), access: lower(mode) } }),
  },
  {
    name: /^(APP|Device)\/(DDR|HBM)$/i,
    factor: KB,
    series: ([, type, memory]) => ({
      metric: 'npu_mem',
      unit: 'bytes',
      labels: { of: lower(type), memory: lower(memory) },
    }),
  },
];

/** What a counter's name says; null for counters that are passed over. */
export interface CounterKind {
  readonly series: Series;
  readonly factor: number;
}

export function counterKind(name: string): CounterKind | null {
  for (const { name: pattern, factor, series } of COUNTERS) {
    const match = pattern.exec(name);
    if (match !== null) return { series: series(match), factor };
  }
  return null;
}

/** The only number in the `args` of a counter; NaN when there is none. */
export function counterValue(args: unknown): number {
  if (typeof args !== 'object' || args === null) return NaN;
  const [value] = Object.values(args).filter((cell) => typeof cell === 'number');
  return value ?? NaN;
}

/** Hit rates stand as fractions under the name of percentages. */
export function correctHitRates(samples: Samples): void {
  if (samples.largest(HIT_RATE) <= 1) samples.scale(HIT_RATE, 100);
}
