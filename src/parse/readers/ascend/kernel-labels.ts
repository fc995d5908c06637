/**
 * What the profiler says of a kernel besides its times: the operator's type, and for its inputs and outputs shapes,
 * element types and memory formats, in lists with `;` between them.
 */
import type { Labels } from '../../../record/record.js';

/** Labels that are texts of the profile's own tables, in their order. */
const TEXTS = ['inputShapes', 'inputTypes', 'inputFormats', 'outputShapes', 'outputTypes', 'outputFormats', 'attr', 'opState', 'hf32'] as const; // prettier-ignore
export type TextLabel = 'opType' | (typeof TEXTS)[number];

/** What is told of a kernel elsewhere. */
export interface TaskFacts {
  readonly taskType: string | null;
  /** Blocks of the kernel, and of the other kind of core for a kernel on both; NaN or 0 where they are not told. */
  readonly blockDim: number;
  readonly mixBlockDim: number;
}

/** A text without the quotes that the profiler writes as part of it; null for `N/A` and the empty text. */
export function told(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const bare = text.trim().replace(/^"+|"+$/g, '');
  return bare === '' || bare === 'N/A' ? null : bare;
}

/** The labels of a kernel, those that are told; null when none is. */
export function kernelLabels(textOf: (label: TextLabel) => string | null, facts: TaskFacts): Labels | null {
  const { taskType, blockDim, mixBlockDim } = facts;
  const texts = [['opType', textOf('opType')], ['taskType', taskType], ...TEXTS.map((label) => [label, textOf(label)])]; // prettier-ignore
  const labels: Record<string, string | number> = {};
  for (const [label, value] of texts as [string, string | null][]) {
    const text = told(value);
    if (text !== null) labels[label] = text;
  }
  if (blockDim > 0) labels['blockDim'] = blockDim;
  if (mixBlockDim > 0) labels['mixBlockDim'] = mixBlockDim;
  return Object.keys(labels).length === 0 ? null : labels;
}

/** `FLOAT;FLOAT;;INT64` → its entries, '' where an optional tensor was not given. */
export const kernelList = (text: string | null | undefined): string[] => told(text)?.split(';') ?? [];
