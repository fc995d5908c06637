/**
 * What the profiler says of a kernel besides its times: the operator's type, and for its inputs and outputs shapes,
 * element types and memory formats, in lists with `;` between them.
 */
import type { Labels } from '../../../record/record.js';

/** Texts of a kernel by label; absent where the format has none. */
export interface KernelTexts {
  readonly opType?: string | null;
  readonly taskType?: string | null;
  readonly inputShapes?: string | null;
  readonly inputTypes?: string | null;
  readonly inputFormats?: string | null;
  readonly outputShapes?: string | null;
  readonly outputTypes?: string | null;
  readonly outputFormats?: string | null;
  readonly attr?: string | null;
  readonly opState?: string | null;
  readonly hf32?: string | null;
  /** Blocks of the kernel, and of the other kind of core for a kernel on both. */
  readonly blockDim?: number | null;
  readonly mixBlockDim?: number | null;
}

/** A text without the quotes that the profiler writes as part of it; null for `N/A` and the empty text. */
export function told(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const bare = text.trim().replace(/^"+|"+$/g, '');
  return bare === '' || bare === 'N/A' ? null : bare;
}

/** The labels of a kernel, those that are told; null when none is. */
export function kernelLabels(texts: KernelTexts): Labels | null {
  const labels: Record<string, string | number> = {};
  for (const [label, value] of Object.entries(texts) as [string, string | number | null | undefined][]) {
    if (typeof value === 'number') {
      if (value > 0) labels[label] = value;
      continue;
    }
    const text = told(value);
    if (text !== null) labels[label] = text;
  }
  return Object.keys(labels).length === 0 ? null : labels;
}

/** `FLOAT;FLOAT;;INT64` → its entries, '' where an optional tensor was not given. */
export const kernelList = (text: string | null | undefined): string[] => told(text)?.split(';') ?? [];
