/**
 * Turns counters of a trace (phase C) into samples. MB are 2^20 bytes, KB 2^10, as in the databases of the same profiler.
 * Source: trace_view.json compared with the tables HBM, LLC, NPU_MEM, AICORE_FREQ, ACC_PMU and SOC_BANDWIDTH_LEVEL.
 */
import { fieldOf } from '../../../json/json-value.js';
import type { TextSamples, SampleSeries } from './text-samples.js';

const [KB, MB, MHZ] = [1024, 1024 * 1024, 1e6];

const HIT_RATE = 'llc_hit_rate';
export const FREQUENCY = 'aicore_freq';

interface CounterRule {
  readonly name: RegExp;
  readonly factor: number;
  readonly series: (match: RegExpExecArray) => SampleSeries;
  /** Label for the number under this key in `args`. */
  readonly numbered?: Numbered;
}

interface Numbered {
  readonly label: string;
  readonly key: string;
}

/** Levels and amounts for which the profiler states no unit. */
const unitless = (name: RegExp, metric: string, numbered?: Numbered): CounterRule => ({
  name,
  factor: 1,
  series: () => ({ metric, unit: null }),
  ...(numbered === undefined ? undefined : { numbered }),
});

const ACCELERATOR: Numbered = { label: 'acc', key: 'acc_id' };

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
  unitless(/^read_bandwidth$/, 'acc_read_bw_level', ACCELERATOR),
  unitless(/^write_band_?width$/, 'acc_write_bw_level', ACCELERATOR),
  unitless(/^read_ost$/, 'acc_read_ost_level', ACCELERATOR),
  unitless(/^write_ost$/, 'acc_write_ost_level', ACCELERATOR),
  unitless(/^L2 Buffer Bw Level$/, 'l2_buffer_bw_level'),
  unitless(/^Mata Bw Level$/, 'mata_bw_level'),
  {
    name: /^QoS (.+)$/,
    factor: 1,
    series: ([, name = '']) => ({ metric: 'qos', unit: null, labels: { of: name.toLowerCase() } }),
  },
];

/** Series of a counter, and its factor to base units. */
export interface CounterKind {
  readonly series: SampleSeries;
  readonly factor: number;
  readonly numbered?: Numbered;
}

/** This counter is the sum of two others. */
const SUM = /^(?:APP|Device)\/Memory$/i;

/**
 * Kind of a counter by its name; null for a counter that is a sum of others. An unknown counter becomes a metric with
 * the counter's name.
 */
export function counterKind(name: string): CounterKind | null {
  if (SUM.test(name)) return null;
  for (const { name: pattern, series, ...rest } of COUNTERS) {
    const match = pattern.exec(name);
    if (match !== null) return { ...rest, series: series(match) };
  }
  return { series: { metric: name, unit: null }, factor: 1 };
}

/** The series of one event; it includes the number in `args` if that is a label. */
export function seriesOf({ series, numbered }: CounterKind, args: unknown): SampleSeries {
  const number = numbered === undefined ? undefined : fieldOf(args, numbered.key);
  if (numbered === undefined || typeof number !== 'number') return series;
  return { ...series, labels: { ...series.labels, [numbered.label]: number } };
}

/** Converts hit rates to percent if the trace has them as fractions. */
export function correctHitRates(samples: TextSamples): void {
  if (samples.largest(HIT_RATE) <= 1) samples.scale(HIT_RATE, 100);
}
