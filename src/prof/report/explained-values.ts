/** How values of a kernel are computed: the formula, its inputs and its source, by the column that has the value. */
import type { Annotated, KernelColumn } from '../annotate.js';
import { columnOf } from '../columns/columns.js';
import { LATENCY_SHARE, type Placement } from '../roofline/roofline.js';

type Inputs = Readonly<Record<string, number | string | null>>;

/** A value of a kernel, and where it comes from. */
export interface ExplainedValue {
  /** Key of the column, as for -c. */
  readonly column: string;
  /** As in the column; null for unknown. */
  readonly value: number | string | null;
  readonly unit: string | null;
  /** Formula with the names of the inputs as symbols, or in words; null where the value is not computed. */
  readonly formula: string | null;
  /** Values of the symbols, as far as they are known. Times are in ns, rates in units per s. */
  readonly inputs: Inputs;
  /** Source of the formula or of the peak rates; null for arithmetic with the inputs. */
  readonly source: string | null;
  /** Why the value is unknown, or what to know about it; null for nothing. */
  readonly why: string | null;
}

type Derivation = Pick<ExplainedValue, 'formula' | 'inputs'> & Partial<Pick<ExplainedValue, 'source' | 'why'>>;

/**
 * The formula of FLOPs or bytes, with the op's parameters. Parameters without a name are types and switches.
 * @param amount the FLOPs or bytes; null if unknown
 */
function workOf({ described, reason }: Annotated, amount: number | null): Derivation {
  const why = amount === null ? reason : null;
  if (described === null) return { formula: null, inputs: {}, why };
  const { formula, source, params } = described.work;
  const unnamed = params.flatMap(([key, value]) => (key === '' ? [value] : []));
  const inputs = Object.fromEntries(params.filter(([key]) => key !== ''));
  return { formula, inputs: unnamed.length === 0 ? inputs : { ...inputs, other: unnamed.join(', ') }, source, why };
}

/** The minimum time by FLOPs, by bytes, or by the larger of both. */
function floorOf(row: Annotated): Derivation {
  const { flops, bytes } = row.load;
  const { fastest, memory } = row.roofOn(row.peaks);
  const traffic = bytes === 0 ? '0' : 'bytes / memory';
  const arithmetic = flops === 0 || fastest === null ? null : 'flops / fastest';
  const formula = arithmetic === null ? `1e9 * ${traffic}` : `1e9 * max(${arithmetic}, ${traffic})`;
  return { formula, inputs: { flops, bytes, fastest, memory }, source: row.peaks.source };
}

/** Why a share of the peak is above 100 %. */
const IMPOSSIBLE = 'above the peak, so the counts or the recorded time are wrong';
const LESS_WORK = 'above the peak, because its algorithm (Winograd, FFT) does fewer FLOPs than are counted';
const CACHED = 'above the peak, because operands may come from the cache';

/** What a share of a peak above 100 % means; null for shares up to 100 %. */
export function whyAbovePeak(placement: Placement, kind: 'compute' | 'memory'): string | null {
  if (placement.above[kind]) return IMPOSSIBLE;
  const share = kind === 'compute' ? placement.computeShare : placement.memoryShare;
  return share === null || share <= 100 ? null : kind === 'compute' ? LESS_WORK : CACHED;
}

/** What the column `tc` says about the kernel. */
export function matrixUnitReason({ tc, described, model }: Annotated): string {
  if (tc === null) return 'no call with a formula';
  if (tc === '-') return 'not applicable to this work';
  if (tc === '?') return `undetermined: ${model.undetermined.text}`;
  return described === null ? 'a product, according only to its name' : 'for a matrix product';
}

/** Why a kernel has no rate of bytes although these are known; null for other kernels. */
const whyNoTraffic = ({ load, bytes }: Annotated): string | null =>
  load.bytes === null && bytes !== null ? 'its transfers continue after its end, so its duration gives no rate' : null;

/** By the key of the column, in the order of the explanation. */
const DERIVATIONS: Readonly<Record<string, (row: Annotated) => Derivation>> = {
  flops: (row) => workOf(row, row.flops),
  bytes: (row) => workOf(row, row.bytes),
  tc: (row) => ({
    formula: null,
    inputs: { verdict: row.tensorCore.verdict, rule: row.tensorCore.rule },
    source: row.model.judgedBy,
    why: matrixUnitReason(row),
  }),
  ai: (row) => ({
    formula: 'flops / bytes',
    inputs: { flops: row.load.flops, bytes: row.load.bytes },
    why: whyNoTraffic(row),
  }),
  tflops: ({ load: { flops, dur }, placement }) => ({
    formula: 'flops / sil / 1000',
    inputs: { flops, sil: dur },
    why: whyAbovePeak(placement, 'compute'),
  }),
  gbps: (row) => ({
    formula: 'bytes / sil',
    inputs: { bytes: row.load.bytes, sil: row.load.dur },
    why: whyNoTraffic(row) ?? whyAbovePeak(row.placement, 'memory'),
  }),
  peak: (row) => ({
    formula: '100 * tflops * 1e12 / unit',
    inputs: { tflops: row.placement.tflops, unit: row.roofOn(row.peaks).unit },
    source: row.peaks.source,
    why: whyAbovePeak(row.placement, 'compute'),
  }),
  bw: (row) => ({
    formula: '100 * gbps * 1e9 / memory',
    inputs: { gbps: row.placement.gbps, memory: row.roofOn(row.peaks).memory },
    source: row.peaks.source,
    why: whyAbovePeak(row.placement, 'memory'),
  }),
  bound: ({ placement: { computeShare, memoryShare, bound } }) => ({
    formula: `compute or memory by the larger of peak and bw; latency where both are below ${LATENCY_SHARE}`,
    inputs: { peak: computeShare, bw: memoryShare },
    why: bound === 'latency' ? 'too small to fill the device, or launch-bound' : null,
  }),
  floor: floorOf,
  gap: ({ load: { dur }, placement: { floor } }) => ({ formula: 'sil / floor', inputs: { sil: dur, floor } }),
  occ: ({ occupancy, record: { block, registers, sharedBytes } }) => ({
    formula: '100 * warps / mostWarps',
    inputs: {
      ...{ warps: occupancy?.warps ?? null, mostWarps: occupancy?.mostWarps ?? null },
      ...{ blocks: occupancy?.blocks ?? null, limit: occupancy?.limit ?? null },
      ...{ threads: block === null ? null : block[0] * block[1] * block[2] },
      ...{ regs: registers ?? null, smem: sharedBytes ?? null },
    },
    source: occupancy === null ? null : "vendors' tables of multiprocessors, by architecture",
    why: occupancy === null ? 'the block, its resources or the architecture of the device are unknown' : null,
  }),
  queue: ({ record: { start, launch } }) => ({
    formula: 'start - launchStart - launchDur',
    inputs: {
      ...{ start: Number.isFinite(start) ? start : null },
      ...{ launchStart: launch?.start ?? null, launchDur: launch?.dur ?? null },
    },
    why: launch === null ? 'its launch is not in the profile' : null,
  }),
};

/** Columns that only kernels with a launch, or with blocks of threads, have. */
const LAUNCHED = new Set(['occ', 'queue']);

/** Why a computed value is unknown, if its derivation does not say it: the inputs that are unknown. */
function whyUnknown(inputs: Inputs): string {
  const unknown = Object.keys(inputs).filter((name) => inputs[name] === null);
  return unknown.length === 0 ? 'the formula has no value for these inputs' : `unknown: ${unknown.join(', ')}`;
}

/**
 * The computed values of a kernel.
 * @param isLaunched whether a CPU launches the work of the device, as blocks of threads
 */
export function explainedValues(row: Annotated, isLaunched: boolean): ExplainedValue[] {
  return Object.entries(DERIVATIONS).flatMap(([key, derive]) => {
    const column: KernelColumn | undefined = columnOf(key);
    if (column === undefined) throw new RangeError(`no column ${key}`);
    if (LAUNCHED.has(key) && !isLaunched) return [];
    const value = column.value(row) as number | string | null;
    const { formula, inputs, source = null, why = null } = derive(row);
    const reason = why ?? (value === null ? whyUnknown(inputs) : null);
    return [{ column: key, value, unit: column.unit ?? null, formula, inputs, source, why: reason }];
  });
}
