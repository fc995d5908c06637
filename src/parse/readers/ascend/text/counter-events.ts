/**
 * Counters of a trace (phase C) → samples. MB are 2^20 bytes, KB 2^10, as in the databases of the same profiler.
 * Source: trace_view.json compared with the tables HBM, LLC, NPU_MEM and AICORE_FREQ.
 */
import type { TextSamples, SampleSeries } from './text-samples.js';

const [KB, MB, MHZ] = [1024, 1024 * 1024, 1e6];

const HIT_RATE = 'llc_hit_rate';
export const FREQUENCY = 'aicore_freq';

interface CounterRule {
  readonly name: RegExp;
  readonly factor: number;
  readonly series: (match: RegExpExecArray) => SampleSeries;
}

const COUNTERS: readonly CounterRule[] = [
  {
    name: /^AI Core Freq/,
    factor: MHZ,
    series: () => ({ metric: FREQUENCY, unit: 'Hz' }),
  },
  {
    name: /^HBM (\d+)\/(Read|Write)$/,
    factor: MB,
    series: ([, id, type = '']) => ({
      metric: 'hbm_bandwidth',
      unit: 'bytes/s',
      labels: { hbm: Number(id), access: type.toLowerCase() },
    }),
  },
  {
    name: /^LLC (\d+) (\w+)\/Throughput$/,
    factor: MB,
    series: ([, id, mode = '']) => ({
      metric: 'llc_throughput',
      unit: 'bytes/s',
      labels: { llc: Number(id), access: mode.toLowerCase() },
    }),
  },
  {
    name: /^LLC (\d+) (\w+)\/Hit Rate$/,
    factor: 1,
    series: ([, id, mode = '']) => ({
      metric: HIT_RATE,
      unit: '%',
      labels: { llc: Number(id), access: mode.toLowerCase() },
    }),
  },
  {
    name: /^(APP|Device)\/(DDR|HBM)$/i,
    factor: KB,
    series: ([, type = '', memory = '']) => ({
      metric: 'npu_mem',
      unit: 'bytes',
      labels: { of: type.toLowerCase(), memory: memory.toLowerCase() },
    }),
  },
];

/** Series of a counter, and the factor to base units. */
export interface CounterKind {
  readonly series: SampleSeries;
  readonly factor: number;
}

/** By the counter's name; null for counters that are ignored. */
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
  const [value = NaN] = Object.values(args).filter((cell) => typeof cell === 'number');
  return value;
}

/** Converts hit rates to percent when the trace has them as fractions. */
export function correctHitRates(samples: TextSamples): void {
  if (samples.largest(HIT_RATE) <= 1) samples.scale(HIT_RATE, 100);
}
