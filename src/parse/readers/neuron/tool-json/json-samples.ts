/** Rows of the tables of values over time as sample lines. */
import { RATE_LABELS } from '../../../../record/neuron/tool-fields.js';
import type { Labels, SampleRecord } from '../../../../record/record.js';
import { nanoseconds } from './json-clock.js';
import { numberOf, rawTextOf, textOf, type ToolRow } from './table-row.js';
import { durationOf, type TableContext } from './row-context.js';

type Sampler = (row: ToolRow, start: number, context: TableContext) => SampleRecord;

type SampleValue = Pick<SampleRecord, 'metric' | 'value' | 'unit'> & { readonly labels?: Labels };

function sample(
  row: ToolRow,
  start: number,
  context: TableContext,
  reading: SampleValue,
  dur?: number | null,
): SampleRecord {
  const { metric, value, unit, labels } = reading;
  return {
    type: 'sample',
    profile: context.profile,
    start: nanoseconds(context.clock, start - context.clock.origin),
    ...(dur === undefined ? undefined : { dur }),
    device: context.cores.ofRow(row),
    metric,
    value,
    unit,
    ...(labels === undefined || Object.keys(labels).length === 0 ? undefined : { labels }),
  };
}

/** `24`, or `S[24] (qSyncDynamicHW)` with the queue or engine that owns the semaphore. */
const SEMAPHORE = /^(?:S\[)?(\d{1,9})\]?(?: \((.*)\))?$/;

export const semaphore: Sampler = (row, start, context) => {
  const text = textOf(row['id']);
  const [, number, name] = SEMAPHORE.exec(text ?? '') ?? [];
  const labels: Record<string, string | number> = {};
  if (number !== undefined) labels['semaphore'] = Number(number);
  else if (text !== null) labels['semaphore'] = text;
  if (name !== undefined && name !== '') labels['name'] = name;
  return sample(row, start, context, { metric: 'semaphore', value: numberOf(row['value']), unit: null, labels });
};

/** A throttled engine works k of n cycles. */
export const throttle: Sampler = (row, start, context) => {
  const [k, n, type] = [numberOf(row['k']), numberOf(row['n']), numberOf(row['type'])];
  const labels: Record<string, string | number> = {};
  if (type !== null) labels['kind'] = `activity_${type}`;
  else if (textOf(row['type']) !== null) labels['kind'] = String(row['type']);
  if (k !== null) labels['k'] = k;
  if (n !== null) labels['n'] = n;
  const value = k === null || n === null || n === 0 ? null : k / n;
  const reading = { metric: 'throttle', value, unit: 'fraction', labels };
  return sample(row, start, context, reading, durationOf(row, context));
};

export const throughput: Sampler = (row, start, context) => {
  const usesMemory = row['uses_hbm'] === 'true' || row['uses_hbm'] === true;
  const labels: Record<string, number> = {};
  for (const [key, label] of RATE_LABELS) {
    const value = numberOf(row[key]);
    if (value !== null && (usesMemory || label === 'totalBytes' || value !== 0)) labels[label] = value;
  }
  const value = numberOf(row['transfer_rate']);
  return sample(row, start, context, { metric: 'dma_transfer_rate', value, unit: 'bytes/s', labels });
};

export const pendingDma: Sampler = (row, start, context) =>
  sample(row, start, context, { metric: 'pending_dma', value: numberOf(row['value']), unit: 'count' });

/** Usage of `sb` (state buffer) by partition and of `psum` (partial sums) by bank, as fractions of 1. */
export const memoryUsage: Sampler = (row, start, context) => {
  const parts = Object.keys(row).flatMap((key) => /^(?:partition|bank)_\d{1,4}(?=_usage$)/.exec(key) ?? []);
  const labels: Record<string, number> = {};
  for (const part of parts.sort((a, b) => numberIn(a) - numberIn(b))) {
    const value = numberOf(row[`${part}_usage`]);
    if (value !== null) labels[part] = value;
  }
  const metric = `${rawTextOf(row['type']) ?? 'memory'}_usage`;
  return sample(row, start, context, { metric, value: numberOf(row['usage_avg']), unit: 'fraction', labels });
};

const numberIn = (part: string): number => Number(part.slice(part.indexOf('_') + 1));
